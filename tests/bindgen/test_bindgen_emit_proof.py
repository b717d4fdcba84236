"""The rows and the classes of each type agree. Any difference is detected."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bindgen import init
from bindgen.emit.proof import LONGEST, UnexpectedCode, check, prove
from tests.corpus.conftest import for_each_contract

pytestmark = pytest.mark.sampled(4)

_REPOSITORY = Path(__file__).parents[2]
_PAGE, _CLASS = "    page: int | None = None", "class GetJobsRequest(Record)"
_BUILT_IN = ("publisher", "data", "advertiser")


@for_each_contract
def test_corpus_package_is_accepted(path: Path) -> None:
    files = init.make("made", path, offline=True).files
    prove(ast.parse(files["types.py"]), files["schema.json"])


@pytest.mark.parametrize("name", _BUILT_IN)
def test_built_in_package_is_accepted(name: str) -> None:
    folder = _REPOSITORY / "generated/zxws" / name
    prove(ast.parse((folder / "types.py").read_bytes()), (folder / "schema.json").read_bytes())


@pytest.mark.parametrize(
    ("there", "instead", "why"),
    [
        (f"{_PAGE}\n", "", "has the fields"),
        (_PAGE, _PAGE.replace("int", "str"), r"GetJobsRequest\.page: the type is int in schema\.json"),
        (_PAGE, "    page: int | None", "does not have a default"),
        (_CLASS, "class Other(Record)", "GetJobsRequest: types.py has no class for this type"),
        (_CLASS, "class GetJobsRequest(GetJobsResponse)", "extends"),
        (_CLASS, f"class Further(Record):\n    pass\n\n\n{_CLASS}", "Further"),
        ("list[JobItem]", "JobItem", "is not a list"),
    ],
)
def test_difference_between_types_and_schema_is_found(there: str, instead: str, why: str) -> None:
    folder = _REPOSITORY / "generated/zxws/data"
    types = (folder / "types.py").read_text(encoding="utf-8")
    assert there in types
    at = types.index(there, types.index("class GetJobsRe"))
    changed = ast.parse(types[:at] + instead + types[at + len(there) :])
    with pytest.raises(UnexpectedCode, match=why):
        prove(changed, (folder / "schema.json").read_bytes())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("while True:\n    pass\n", "made.py:1: While"),
        ("X = 1\nprint(X)\n", "made.py:2: Call"),
        ("import os\n", "made.py:1: import"),
        ("import datetime as dt, os\n", "made.py:1: import"),
        ("class A:\n", "made.py: expected an indented block"),
        ("X = '\0'\n", "made.py: source code string cannot contain null bytes"),
    ],
)
def test_code_with_effects_on_import_is_not_allowed(text: str, said: str) -> None:
    with pytest.raises(UnexpectedCode) as caught:
        check("made.py", text)
    assert str(caught.value).startswith(said)


def test_code_beyond_the_length_limit_is_not_parsed() -> None:
    check("made.py", '"""Types."""\nimport datetime as dt\nX = 1\n')
    check("made.py", "while True:\n    pass\n" + "#" * LONGEST)
