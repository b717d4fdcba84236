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


def test_service_page_says_that_any_export_may_select_columns() -> None:
    assert "`columns`, a selection of columns for any report type" in entry("Order")
    assert not re.search(r"`columns`, for `custom` alone", entry("Order"))


def test_service_page_says_that_the_advertiser_nonce_is_optional() -> None:
    assert "optional in the Advertiser interface" in entry("Nonce")


@pytest.mark.parametrize("name", ["country", "currency", "admedium", "program", "adspace", "month", "day"])
def test_service_page_says_that_the_groups_are_assumed_complete(name: str) -> None:
    assert name in entry("Groups")
    assert "`groupBy` is a string and not an enumeration" in entry("Groups")
    assert "It is assumed that these are all groups" in entry("Groups")
    assert "`groupBy`, a string" in entry("Order")
