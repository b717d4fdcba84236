"""The settings file of a user's package is written once, kept, and applied."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from bindgen import sections
from tests.bindgen.conftest import Init
from tests.support.cases import case_text


def _is_setting(line: str) -> bool:
    return re.match(r'(# )?(\[[\w.]+\]$|[\w"/@]+ = )', line) is not None


_SCHEMA = case_text(__file__, "package.xsd")
_SETTINGS = case_text(__file__, "package.toml")

_SIGNING = """[signing]
scheme = "zxws"
service_name = "shop"
connect_id = 'who'
timestamp = "time"
nonce = "once"
signature = "proof"
"""
_FAULT = "element='Woe'\ncode='c'\nreason='r'\nerror_id='e'\nauthentication=[]\ntransient=[]\n"


def test_settings_file_is_written_once_with_all_settings_commented_out(
    tmp_path: Path, init_shelf: Init
) -> None:
    init_shelf(_SCHEMA)
    written = (tmp_path / "shelf.toml").read_text(encoding="utf-8")
    assert [line for line in written.splitlines() if line and not line.startswith("#")] == ["format = 2"]
    assert "and changes it only with --propose" in written
    bare = "\n".join(line.removeprefix("# ") for line in written.splitlines() if _is_setting(line))
    tables = tomllib.loads(bare)
    assert not list(sections.check("", {name: each for name, each in tables.items() if name != "format"}))
    assert {"job", "order"} <= set(tables)
    assert {"date_type", "default_date"} <= set(tables["order"])
    said = init_shelf(_SCHEMA, settings=f"{written}# mine\n")
    assert "shelf.toml" not in said
    assert (tmp_path / "shelf.toml").read_text(encoding="utf-8").endswith("# mine\n")


def test_settings_file_sets_pages_retries_and_optional_elements(
    tmp_path: Path, init_shelf: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    init_shelf(_SCHEMA, settings=_SETTINGS, name="paged_shelf")
    monkeypatch.syspath_prepend(str(tmp_path))
    service = importlib.import_module("paged_shelf.service")
    assert service.ASK.safe
    assert (service.ASK.pages.page, service.ASK.pages.items) == ("page", "size")
    (echo,) = service.ASK.row.echoes
    assert (echo.request, echo.response, echo.path, echo.at_most) == ("size", "total", "total", True)
    assert service.ASK.list_field == "thing"
    assert not service.ASK.wrapped
    assert service.PACKAGE.settings.paging.most == 100
    assert service.ASK.response_type().total is None
    assert "Retried on transient errors." in service.PagedShelfService.ask.__doc__
    package = importlib.import_module("paged_shelf")
    assert {"PagedShelfServicePages", "PagedShelfServiceStreams"} <= set(package.__all__)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "[rests]\n",
            "rests is unknown; the sections are batch, chosen, columns, download, echo, fault, groups, job, ",
        ),
        ("[signing]\n", "shelf.toml: signing: scheme is missing"),
        ("[echo]\npage = 'thing'\n", "shelf.toml: echo.page: no operation has this element in its request"),
        ("[types]\nday = ['AskRequest/until']\n", "shelf.toml: types.day names 'AskRequest/until'"),
        ("[fault]\n" + _FAULT, "shelf.toml: fault.element: the contract does not have the element 'Woe'"),
        ("[operations]\nsafe = ['Tell']\n", "shelf.toml: operations.safe: unknown operation 'Tell'"),
        (
            "[types]\nmay_be_missing = ['AskResponse/no']\n",
            "shelf.toml: types.may_be_missing: AskResponse/no: AskResponse has no element no",
        ),
        (
            "[types]\nnaive_zone = 'Europe/Nowhere'\n",
            "shelf.toml: types.naive_zone must be a time zone such as Europe/Berlin, got 'Europe/Nowhere'",
        ),
        ("[types]\nall = 'yes'\n", "types.all must be true or false, got 'yes'"),
        ("[types]\nnaive_zone = 7\n", "types.naive_zone must be a text"),
        ("[paging\n", "shelf.toml"),
    ],
)  # fmt: skip
def test_invalid_settings_are_refused(tmp_path: Path, init_shelf: Init, text: str, why: str) -> None:
    said = init_shelf(_SCHEMA, settings=f"format = 2\n{text}", code=2)
    assert "contracts.toml" not in said
    assert "--may-be-missing" not in said
    assert why in said
    assert not (tmp_path / "shelf").exists()


def test_a_file_of_format_1_is_refused_with_the_lines_to_change(tmp_path: Path, init_shelf: Init) -> None:
    said = init_shelf(_SCHEMA, settings=_SIGNING.replace('scheme = "zxws"\n', ""), code=2)
    assert said == (
        f"bindgen: {tmp_path / 'shelf.toml'} has format 1, but bindgen reads format 2. "
        "Change the file:\n"
        "- as the first line:\n    format = 2\n"
        '- in [signing]:\n    scheme = "zxws"\n'
    )


@pytest.mark.parametrize("scheme", ["zxws", "sealed"])
def test_unknown_scheme_is_a_note(tmp_path: Path, init_shelf: Init, scheme: str) -> None:
    """A program may register the scheme later."""
    settings = f"format = 2\n{_SIGNING}".replace('"zxws"', f'"{scheme}"')
    said = init_shelf(_SCHEMA, settings=settings)
    note = "shelf.toml: signing.scheme: the scheme 'sealed' is not known here (known: zxws). "
    assert (note in said) == (scheme == "sealed")
    assert f'"scheme":"{scheme}"' in (tmp_path / "shelf/schema.json").read_text(encoding="utf-8")


def test_file_with_only_comments_needs_no_format(tmp_path: Path, init_shelf: Init) -> None:
    init_shelf(_SCHEMA, settings="# [operations]\n")


def test_rest_row_without_its_operation_is_refused(tmp_path: Path, init_shelf: Init) -> None:
    settings = "format = 2\n[rest.FetchAll]\nmethod = 'GET'\npath = '/things'\nquery = { n = 'size' }\n"
    said = init_shelf(_SCHEMA, settings=settings, code=2)
    assert (
        "shelf.toml: rest.FetchAll is not an operation of the WSDL; it has: Ask. "
        "Rename the row, or remove it\n"
        "    # [rest.FetchAll] # [A] proposed: the contract no longer has FetchAll\n"
    ) in said


def test_rest_rows_of_an_own_package_are_in_its_schema(tmp_path: Path, init_shelf: Init) -> None:
    (tmp_path / "shelf.toml").write_text(
        "format = 2\n[rest.Ask]\nmethod = 'GET'\npath = '/things/{page}'\nin_path = ['page']\n"
        "query = { n = 'size', by = { field = 'who', spelling = 'letters' } }\n"
        "[spellings.letters]\na = 'A'\n[soap_only]\nelements = ['AskRequest/proof']\n",
        encoding="utf-8",
    )
    said = init_shelf(_SCHEMA)
    schema = json.loads((tmp_path / "shelf/schema.json").read_bytes())
    assert next(iter(schema["operations"].values()))["rest"] == {
        "method": "GET",
        "path": "/things/{page}",
        "in_path": ["page"],
        "query": [{"name": "n", "field": "size"}, {"name": "by", "field": "who", "spelling": {"a": "A"}}],
    }
    assert "note: " in said
    assert "shelf.toml: rest.Ask does not have a place for it" in said
