"""Request values in each protocol's form, encoded by hand-written rows."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from lxml import etree

from soapclient.runtime.errors import EncodeError
from soapclient.runtime.fields import Types
from soapclient.runtime.request_values import Midnights, elements_of, has_days, wire_of
from tests.runtime.rows import SPACE, XSI, codec_of

BERLIN = ZoneInfo("Europe/Berlin")

ROWS: dict[str, Any] = {
    "Order": {
        "xml": "order",
        "fields": [
            {"python": "since", "xml": "since", "kind": "attribute", "type": "day", "occurs": "?"},
            {"python": "number", "xml": "number", "kind": "attribute", "type": "int", "occurs": "?"},
            {"python": "at", "xml": "at", "type": "day", "occurs": "?"},
            {"python": "days", "xml": "days", "item": "day", "type": "day", "occurs": "?"},
            {"python": "ends", "xml": "Ends", "kind": "group", "type": "Ends", "occurs": "?"},
            {"python": "note", "xml": "note", "occurs": "?"},
            {"python": "lines", "xml": "line", "type": "Line", "occurs": "*"},
        ],
    },
    "Ends": {
        "xml": "Ends",
        "holder": "sequence",
        "fields": [{"python": "until", "xml": "until", "type": "day"}],
    },
    "Line": {
        "xml": "line",
        "fields": [
            {"python": "due", "xml": "due", "kind": "attribute", "type": "day", "occurs": "?"},
            {"python": "text", "xml": "text", "occurs": "?"},
        ],
    },
    "Plain": {"xml": "plain", "fields": [{"python": "note", "xml": "note"}]},
}


@pytest.fixture
def types() -> Types:
    return codec_of({}, ROWS)


def order(content: str = "", attributes: str = "") -> etree._Element:
    return etree.fromstring(f'<o xmlns="{SPACE}" xmlns:i="{XSI}" {attributes}>{content}</o>')


@pytest.mark.parametrize(
    ("name", "found"), [("Order", True), ("Line", True), ("Ends", True), ("Plain", False)]
)
def test_types_that_contain_days_are_detected(types: Types, name: str, found: bool) -> None:
    assert has_days(types, name) is found


# Berlin is one hour ahead of UTC in winter and two in summer: from 29 March to 25 October in 2026.
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (order("<at>2026-07-01</at>"), order("<at>2026-07-01T00:00:00+02:00</at>")),
        (order("<at>2026-12-01</at>"), order("<at>2026-12-01T00:00:00+01:00</at>")),
        (
            order("<days><day>2026-03-29</day><day>2026-03-30</day></days>"),
            order("<days><day>2026-03-29T00:00:00+01:00</day><day>2026-03-30T00:00:00+02:00</day></days>"),
        ),
        (order("<until>2026-01-01</until>"), order("<until>2026-01-01T00:00:00+01:00</until>")),
        (
            order(attributes='since="2026-07-01" number="5"'),
            order(attributes='since="2026-07-01T00:00:00+02:00" number="5"'),
        ),
        (
            order('<line due="2026-07-01"><text>2026-07-01</text></line><line/>'),
            order('<line due="2026-07-01T00:00:00+02:00"><text>2026-07-01</text></line><line/>'),
        ),
        (
            order('<at i:nil="true"/><note>2026-07-01</note>'),
            order('<at i:nil="true"/><note>2026-07-01</note>'),
        ),
        (order("<unknown>2026-07-01</unknown>"), order("<unknown>2026-07-01</unknown>")),
    ],
)
def test_only_days_become_midnights_of_the_zone(
    types: Types, before: etree._Element, after: etree._Element
) -> None:
    Midnights(types, "Order").put(before, BERLIN)
    assert etree.tostring(before, method="c14n") == etree.tostring(after, method="c14n")


def test_group_content_is_listed_among_the_other_fields(types: Types) -> None:
    assert [field.name for field in elements_of(types, "Order")] == ["at", "days", "until", "note", "line"]
    wire = wire_of(order("<until>2026-01-01</until><line><text>a</text></line>"), types, "Order")
    assert wire == {"until": "2026-01-01", "line": [{"text": "a"}]}


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ('<note i:nil="true"/>', "o/note"),
        ('<at i:nil="true"/>', "o/at"),
        ('<line i:nil="true"/>', "o/line"),
        ('<line i:type="Longer"/>', "o/line"),
        ('<days i:nil="true"/>', "o/days"),
    ],
)
def test_nil_and_derived_types_are_refused_over_rest(types: Types, content: str, path: str) -> None:
    with pytest.raises(EncodeError, match="over SOAP only") as caught:
        wire_of(order(content), types, "Order")
    assert caught.value.path == path
