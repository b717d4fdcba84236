"""The walk over rows, on a small contract with every kind of field."""

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.runtime.fields import Field, Types
from soapclient.runtime.visitor import Choice, Level, Place, Visitor, put
from tests.runtime.rows import types_of

OWN: dict[str, object] = {"namespace": "urn:own", "wildcards": [{"namespaces": "##any"}]}
ORDER = [
    {"python": "id", "xml": "id", "kind": "attribute"},
    {"python": "buyer_name", "xml": "buyerName"},
    {"python": "gone", "xml": "gone", "refused": "it is not sent any more"},
    {"python": "lines", "xml": "line", "type": "Line", "occurs": "+"},
    {"python": "regions", "xml": "regions", "item": "regionCode", "occurs": "?"},
    {"python": "card", "xml": "card", "occurs": "?", "arms": [["c", 1]]},
    {"python": "iban", "xml": "iban", "occurs": "?", "arms": [["c", 2], ["d", 1]]},
    {"python": "bic", "xml": "bic", "occurs": "?", "arms": [["c", 2], ["d", 2]]},
    {"python": "place", "xml": "Place", "kind": "group", "type": "Place"},
    {"python": "parent", "xml": "parent", "type": "Order", "occurs": "?", "nil": True},
    {"python": "a_b", "xml": "a.b", "occurs": "?"},
    {"python": "any", "kind": "any", "type": "any", "occurs": "*", "wildcards": [0]},
    {"python": "others", "kind": "any_attributes", "type": "any", "wildcards": [0]},
]
LINE = [{"python": "unit", "xml": "unit", "kind": "attribute"}, {"python": "value", "kind": "text"}]
PLACE = [{"python": "city", "xml": "city"}, {"python": "zip", "xml": "zip", "type": "Zip"}]
ZIP = [{"python": "content", "kind": "content", "type": "any"}]


def shop() -> Types:
    rows = {
        "Order": {"xml": "Order", "fields": ORDER},
        "Line": {"xml": "Line", "fields": LINE},
        "Place": {"xml": "Place", "holder": "choice", "fields": PLACE},
        "Zip": {"xml": "Zip", "fields": ZIP},
    }
    return types_of(rows, **OWN)


class Log(Visitor[str]):
    """Notes each call: the position is a word that shows the way to it."""

    def __init__(self, types: Types, *, arms: dict[str, int | None], times: int = 1) -> None:
        super().__init__(types)
        self.arms = arms
        self.times = times
        self.places: list[Place] = []
        self.log: list[str] = []

    def choose(self, choice: Choice, at: str) -> tuple[int | None, str]:
        fields = {arm: [field.python for field in fields] for arm, fields in choice.arms.items()}
        self.log.append(f"choose {choice.key!r} in {choice.level.path!r} at {at}: {fields}")
        return self.arms[choice.key], f"{at}/{choice.key}"

    def occurrences(self, place: Place, at: str) -> list[str]:
        return [at] * (self.times if place.field.is_list else 1)

    def leaf(self, place: Place, at: str) -> None:
        self._note(place, at)

    def branch(self, place: Place, at: str) -> None:
        self._note(place, at)
        if place.field.holds not in place.above:
            self.visit(place.field.holds, f"{at}>{place.field.holds}", place)

    def _note(self, place: Place, at: str) -> None:
        self.places.append(place)
        self.log.append(f"{place.path} at {at}")


ALL: dict[str, int | None] = {"": None, "c": None, "d": None}


def test_fields_come_in_the_order_of_the_contract_each_with_its_position() -> None:
    log = Log(shop(), arms=ALL)
    log.visit("Order", "top")
    assert log.log == [
        "id at top",
        "buyer_name at top",
        "lines.0 at top",
        "lines.0.unit at top>Line",
        "lines.0.value at top>Line",
        "regions.0 at top",
        "choose 'c' in '' at top: {1: ['card'], 2: ['iban', 'bic']}",
        "card at top/c",
        "choose 'd' in '' at top/c: {1: ['iban'], 2: ['bic']}",
        "iban at top/c/d",
        "bic at top/c/d",
        "place at top",
        "choose '' in 'place' at top>Place: {0: ['city'], 1: ['zip']}",
        "place.city at top>Place/",
        "place.zip at top>Place/",
        "place.zip.content at top>Place/>Zip",
        "parent at top",
        "a_b at top",
        "any.0 at top",
    ]


def test_only_the_fields_of_chosen_arms_are_visited() -> None:
    log = Log(shop(), arms={"": 1, "c": 2, "d": 2})
    log.visit("Order", "top")
    paths = [place.path for place in log.places]
    assert [path for path in paths if path in ("card", "iban", "bic")] == ["bic"]
    assert [path for path in paths if path.startswith("place.")] == ["place.zip", "place.zip.content"]
    unentered = Log(shop(), arms={"": 0, "c": 1})  # the choice in the other arm is not asked for
    unentered.visit("Order", "top")
    assert [place.path for place in unentered.places if place.field.arms] == ["card"]


def test_places_have_the_names_of_a_call_and_numbers_if_there_are_several() -> None:
    log = Log(shop(), arms=ALL, times=2)
    log.visit("Order", "top", Level("header-head", "head", ("Envelope",)))
    names = {place.path: place.name for place in log.places}
    assert names["header-head.id"] == "head.@id"
    assert names["header-head.buyer_name"] == "head.buyerName"
    assert names["header-head.lines.1.value"] == "head.line[2].$"
    assert names["header-head.regions.0"] == "head.regions.regionCode[1]"
    assert names["header-head.place.zip.content"] == "head.Place.zip.$"
    assert names["header-head.a_b"] == r"head.a\.b"
    above = {place.path: place.above for place in log.places}
    assert above["header-head.id"] == ("Envelope", "Order")
    assert above["header-head.lines.1.unit"] == ("Envelope", "Order", "Line")

    single = Log(shop(), arms=ALL)
    single.visit("Order", "top")
    assert {"line.@unit", "regions.regionCode", "any"} == {
        place.name for place in single.places if place.path in ("lines.0.unit", "regions.0", "any.0")
    }


def test_a_visitor_may_leave_fields_out_and_lists_without_numbers() -> None:
    class Names(Log):
        numbers_items = False

        def includes(self, field: Field, above: tuple[str, ...]) -> bool:
            return super().includes(field, above) and (above[-1] != "Order" or field.is_list)

    log = Names(shop(), arms=ALL, times=3)
    log.visit("Order", "top")
    once = [place.path for place in log.places][:3]
    assert once == ["lines", "lines.unit", "lines.value"]
    names = dict.fromkeys(place.name for place in log.places)
    assert list(names) == ["line", "line.@unit", "line.$", "regions.regionCode", "any"]


def test_a_choice_has_no_fields_that_are_left_out() -> None:
    class WithoutBanks(Log):
        def includes(self, field: Field, above: tuple[str, ...]) -> bool:
            return super().includes(field, above) and field.python not in ("iban", "bic")

    log = WithoutBanks(shop(), arms=ALL)
    log.visit("Order", "top")
    assert [line for line in log.log if line.startswith("choose 'c'")] == [
        "choose 'c' in '' at top: {1: ['card']}"
    ]


def test_places_have_the_tags_of_their_values_and_say_whether_a_value_must_be_there() -> None:
    log = Log(shop(), arms=ALL)
    log.visit("Order", "top")
    tags = {place.path: place.tag for place in log.places}
    assert tags["lines.0"] == "{urn:own}line"
    assert tags["regions.0"] == "{urn:own}regionCode"  # not of the wrapper element
    assert (tags["id"], tags["any.0"], tags["place"]) == ("id", "", "")
    assert [place.path for place in log.places if place.field.is_nillable] == ["parent"]
    # A value must be there if it is required, the only one, or an item.
    optional = [place.path for place in log.places if not place.must]
    assert optional == ["card", "iban", "bic", "parent", "a_b"]


def fields_of(*rows: dict[str, object]) -> tuple[Field, ...]:
    return types_of({"T": {"xml": "T", "fields": rows}}, **OWN).fields("T")


def test_a_value_is_put_where_its_field_says() -> None:
    number, text, name, item, anything, wild, content = fields_of(
        {"python": "a", "xml": "a", "kind": "attribute"},
        {"python": "value", "kind": "text"},
        {"python": "b", "xml": "b"},
        {"python": "c", "xml": "c", "item": "i"},
        {"python": "d", "xml": "d", "type": "any"},
        {"python": "any", "kind": "any", "type": "any", "wildcards": [0]},
        {"python": "content", "kind": "content", "type": "any"},
    )
    root = etree.Element("root")
    assert put(root, number, "<1>") is root
    assert put(root, text, "<2>") is root
    assert put(root, name, "<3>") is root[0]
    wrapper = etree.SubElement(root, item.tag)
    assert put(wrapper, item, "<4>") is wrapper[0]
    assert put(root, anything, "five <f/>") is root[2]
    assert put(root, wild, "<g/>") is root
    own = "{urn:own}"
    assert dict(root.attrib) == {"a": "<1>"}
    assert [(node.tag, node.text) for node in root.iter()] == [
        ("root", "<2>"),
        (f"{own}b", "<3>"),
        (f"{own}c", None),
        (f"{own}i", "<4>"),
        (f"{own}d", "five "),
        ("f", None),
        ("g", None),
    ]
    other = etree.Element("other")
    assert put(other, content, "1 &lt; <h/>2") is other
    assert etree.tostring(other) == b"<other>1 &lt; <h/>2</other>"


def test_a_value_that_xml_cannot_hold_is_refused() -> None:
    name, anything = fields_of({"python": "b", "xml": "b"}, {"python": "d", "xml": "d", "type": "any"})
    root = etree.Element("root")
    with pytest.raises(ValueError, match="XML compatible"):
        put(root, name, "\0")
    with pytest.raises(etree.XMLSyntaxError):
        put(root, anything, "<open>")
