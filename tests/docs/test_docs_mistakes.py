"""Common mistakes: each error message names the problem and the solution at once."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.pages import ROOT
from tests.support.cases import case_text
from tests.test_supply import script

pytestmark = pytest.mark.sampled(6)

mistakes = script("mistakes")
# For each mistake, in order: the input and the advice. The message must contain both.
SAID: dict[str, list[tuple[str, str]]] = json.loads(case_text(__file__, "mistakes.json"))


def test_eleven_kinds_have_ten_mistakes_each() -> None:
    assert {kind: len(found) for kind, found in mistakes.MISTAKES.items()} == dict.fromkeys(SAID, 10)
    assert len(SAID) == 11
    each = {repr(mistake) for found in mistakes.MISTAKES.values() for mistake in found}
    assert len(each) == 110


@pytest.mark.parametrize(("kind", "number"), [(kind, number) for kind in SAID for number in range(10)])
def test_mistake_is_refused_with_a_helpful_message(kind: str, number: int) -> None:
    said, code = mistakes.said(mistakes.MISTAKES[kind][number])
    for part in SAID[kind][number]:
        assert part in said
    assert code in (1, 2, 3, 4, 9, "ConfigError", "ContractError")
    assert "Traceback" not in said
    assert "127.0.0.1:9" not in said  # no request was sent to the configured address
    first = said.splitlines()[0]
    assert re.match(r"(soapclient|bindgen|Error): ", first) or not isinstance(code, int)


def test_each_mistake_is_on_the_page() -> None:
    page = (ROOT / "docs/reference/mistakes.md").read_text(encoding="utf-8")
    tables = [re.findall(r"^\| (?!What|---)", part, re.MULTILINE) for part in page.split("\n## ")[1:]]
    assert list(map(len, tables)) == [10] * 11
    for found in mistakes.MISTAKES.values():
        for mistake in found:
            assert mistake.done.replace("|", r"\|") in page
