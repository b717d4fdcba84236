"""The page about the service agrees with the specification, and marks assumptions as such."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.exhaustive

TEXT = (ROOT / "docs/explanation/service.md").read_text(encoding="utf-8")


def entry(name: str) -> str:
    """Return the text of a list entry `- **name**…`."""
    (found,) = re.findall(rf"^- \*\*{name}\*\*.*\n(?:  .*\n)*", TEXT, re.MULTILINE)
    return " ".join(str(found).split())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Order", "`columns`, a selection of columns for any report type"),
        ("Order", "`groupBy`, a string"),
        ("Nonce", "optional in the Advertiser interface"),
        ("Groups", "`groupBy` is a string and not an enumeration"),
        ("Groups", "It is assumed that these are all groups"),
    ],
)
def test_service_page_states_facts_and_assumptions(name: str, said: str) -> None:
    assert said in entry(name)


def test_service_page_lists_all_groups() -> None:
    for name in ("country", "currency", "admedium", "program", "adspace", "month", "day"):
        assert name in entry("Groups")
    assert not re.search(r"`columns`, for `custom` alone", entry("Order"))
