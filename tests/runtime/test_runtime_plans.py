"""Plans of the compiled reader: defaults of attributes, and types that it leaves to the Python reader."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from soapclient.runtime.codec import Codec
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.record import Record
from tests.runtime.rows import SPACE, XSI, codec_of
from tests.runtime.test_runtime_codec import element

xmlread = pytest.importorskip("_soapclient_xmlread", reason="the compiled reader is not installed")


ATTRIBUTE: dict[str, object] = {"kind": "attribute"}


class Thing(Record):
    """A type with one field."""

    field: Any = None


class Counted(Record):
    """A type whose class counts its objects."""

    field: Any = None

    def __post_init__(self) -> None:
        pass


def codec_with(field: dict[str, object], row: dict[str, object] | None = None, kind: type = Thing) -> Codec:
    fields = [{"python": "field", "xml": "field", "occurs": "?"} | field]
    rows = {kind.__name__: {"xml": "thing", "fields": fields} | (row or {})}
    return codec_of({kind.__name__: kind}, rows, namespaces={"i": XSI})


def compiled(codec: Codec, name: str = "Thing") -> Any:
    plan = codec.plans.plan(name)
    plan.complete()
    return plan


@pytest.mark.parametrize(
    ("kind", "default", "value"),
    [
        ("int", "5", 5),
        ("int", "five", None),  # the contract's default is not valid for its type
        ("date_time", "2026-11-01T00:00:00Z", "2026-11-01 00:00:00+00:00"),
    ],
)
def test_missing_attribute_has_the_default_of_the_contract(kind: str, default: str, value: object) -> None:
    codec = codec_with(ATTRIBUTE | {"type": kind, "default": default})
    plan = compiled(codec)
    assert not plan.unsupported
    root = element("")
    reader = xmlread.Reader(plan, str(root.tag).removeprefix("{").encode(), frozenset([SPACE]))
    body = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%s</e:Body></e:Envelope>'
    reader.feed((body % etree.tostring(root).decode()).encode(), True)
    by_python: Any = codec.reader("Thing")(root, CountingReader())
    assert reader.result.field == by_python.field
    assert (by_python.field if isinstance(by_python.field, int | None) else str(by_python.field)) == value


@pytest.mark.parametrize(
    ("kind", "row", "field", "reason"),
    [
        (
            Thing,
            {},
            {"kind": "attribute", "type": "date_time", "default": "2026-11-01T00:00:00"},
            "the reader",
        ),
        (Thing, {}, {"kind": "attribute", "type": "q_name", "default": "t:a"}, "the reader"),
        (Thing, {}, ATTRIBUTE | {"type": "[int]", "default": "1 2"}, "the reader"),
        (Thing, {"abstract": True}, {}, "abstract"),
        (Thing, {}, {"kind": "text", "nil": True}, "a text that can be nil"),
        (Thing, {}, ATTRIBUTE | {"xml": "i:type"}, "an attribute of xsi"),
        (Counted, {}, {}, "__post_init__"),
    ],
)
def test_type_is_left_to_the_python_reader(
    kind: type, row: dict[str, object], field: dict[str, object], reason: str
) -> None:
    plan = compiled(codec_with(field, row, kind), kind.__name__)
    assert reason in plan.unsupported
