"""The repository's contracts, changed at random places: elements, attributes and simple types.

The expected findings follow from the table in conftest and from the messages that use the changed type.
conftest determines these from the XML alone. `DIFF_SEED` selects other places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from tests.bindgen_diff.mutators import Mutator, Mutators, Node, X, built_in, local, make, one, text

pytestmark = pytest.mark.sampled(12)

if TYPE_CHECKING:
    from tests.bindgen_diff.conftest import Chance, Judge


mutator = Mutators()


def single(node: Node) -> bool:
    return node.get("maxOccurs", "1") == "1"


# ---- elements


@mutator("element-added-required", "element-added-optional")
def element_added(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence()
    optional = chance.random.random() < 0.5
    more = {"minOccurs": "0"} if optional else {}
    sequence.insert(chance.random.randrange(len(sequence) + 1), text("zzAdded", **more))
    return f"element-added-{'optional' if optional else 'required'}", name


@mutator("element-removed-required", "element-removed-optional")
def element_removed(chance: Chance) -> tuple[str, str]:
    name, node = chance.element()
    one(node.getparent()).remove(node)
    return f"element-removed-{'optional' if node.get('minOccurs') == '0' else 'required'}", name


@mutator("element-became-required")
def element_became_required(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: each.get("minOccurs") == "0")
    del node.attrib["minOccurs"]
    return "element-became-required", name


@mutator("element-became-optional")
def element_became_optional(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: each.get("minOccurs", "1") == "1")
    node.set("minOccurs", "0")
    return "element-became-optional", name


@mutator("element-became-nillable")
def nillable(chance: Chance) -> tuple[str, str]:
    name, node = chance.element()
    node.set("nillable", "true")
    return "element-became-nillable", name


@mutator("element-became-list")
def became_list(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(single)
    node.set("maxOccurs", chance.random.choice(("2", "50", "unbounded")))
    return "element-became-list", name


@mutator("occurs-narrowed")
def occurs_narrowed(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: each.get("maxOccurs") == "unbounded")
    node.set("maxOccurs", "50")
    return "occurs-narrowed", name


@mutator("sequence-reordered")
def reordered(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence(2)
    at = chance.random.randrange(1, len(sequence))
    sequence.insert(at - 1, sequence[at])
    return "sequence-reordered", name


@mutator("order-freed")
def order_freed(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence(2)
    if not all(single(each) for each in sequence):
        chance.nowhere()
    sequence.tag = f"{X}all"
    return "order-freed", name


# ---- attributes


@mutator("attribute-added-required", "attribute-added-optional")
def attribute_added(chance: Chance) -> tuple[str, str]:
    name, node = chance.complex()
    extended = node.find(f"{X}simpleContent/{X}extension")
    required = chance.random.random() < 0.5
    more = {"use": "required"} if required else {}
    into = node if extended is None else extended
    into.append(make("attribute", name="zzAdded", type="xsd:int", **more))
    return f"attribute-added-{'required' if required else 'optional'}", name


@mutator("attribute-removed-required", "attribute-removed-optional")
def attribute_removed(chance: Chance) -> tuple[str, str]:
    name, node = chance.attribute()
    one(node.getparent()).remove(node)
    return f"attribute-removed-{'required' if node.get('use') == 'required' else 'optional'}", name


@mutator("attribute-became-required", "attribute-became-optional")
def attribute_use(chance: Chance) -> tuple[str, str]:
    name, node = chance.attribute()
    required = node.get("use") == "required"
    node.set("use", "optional" if required else "required")
    return f"attribute-became-{'optional' if required else 'required'}", name


@mutator("element-became-attribute")
def element_became_attribute(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each) and single(each))
    one(node.getparent()).remove(node)
    holder = chance.wsdl.types[name]
    if any(each.get("name") == node.get("name") for each in holder.iter(f"{X}attribute")):
        chance.nowhere()
    holder.append(make("attribute", name=node.get("name", ""), type=node.get("type", "")))
    return "element-became-attribute", name


# ---- simple types


@mutator("enum-value-added")
def enum_value_added(chance: Chance) -> tuple[str, str]:
    name, restriction = chance.enum()
    restriction.insert(chance.random.randrange(len(restriction) + 1), make("enumeration", value="zzAdded"))
    return "enum-value-added", name


@mutator("enum-value-removed")
def enum_value_removed(chance: Chance) -> tuple[str, str]:
    name, restriction = chance.enum()
    if len(restriction) < 2:
        chance.nowhere()
    restriction.remove(chance.random.choice(list(restriction)))
    return "enum-value-removed", name


@mutator("enum-opened")
def enum_opened(chance: Chance) -> tuple[str, str]:
    simple = {name for name, node in chance.wsdl.types.items() if node.tag == f"{X}simpleType"}
    name, node = chance.element(lambda each: local(each.get("type")) in simple)
    node.set("type", "xsd:string")
    return "enum-opened", name


@mutator("type-changed")
def type_changed(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "string", "int", "dateTime", "boolean"))
    node.set("type", "xsd:base64Binary" if chance.random.random() < 0.3 else "xsd:date")
    return "type-changed", name


@mutator("type-widened")
def type_widened(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "int", "long"))
    wider = {"int": ("long", "integer", "decimal"), "long": ("integer", "decimal")}
    node.set("type", f"xsd:{chance.random.choice(wider[local(node.get('type'))])}")
    return "type-widened", name


@mutator("type-narrowed")
def type_narrowed(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "int", "string"))
    narrower = {"int": ("short", "byte", "unsignedShort"), "string": ("token", "NCName", "anyURI")}
    node.set("type", f"xsd:{chance.random.choice(narrower[local(node.get('type'))])}")
    return "type-narrowed", name


def restricted(node: Node, *facets: tuple[str, str]) -> Node:
    """Return the element with an anonymous type that restricts its former type."""
    inner = make("simpleType")
    restriction = etree.SubElement(inner, f"{X}restriction", base=node.attrib.pop("type"))
    for name, value in facets:
        etree.SubElement(restriction, f"{X}{name}", value=value)
    node.append(inner)
    return node


@mutator("facet-narrowed")
def facet_narrowed(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "string", "int"))
    facets = {
        "string": (("maxLength", "9"), ("length", "3"), ("pattern", "[a-z]+"), ("minLength", "1")),
        "int": (("maxInclusive", "9"), ("minExclusive", "0"), ("totalDigits", "3")),
    }
    restricted(node, chance.random.choice(facets[local(node.get("type"))]))
    return "facet-narrowed", name


@mutator("default-changed")
def default_added(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "string"))
    node.set("default", "zz")
    return "default-changed", name


@mutator("fixed-added")
def fixed_added(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "string"))
    node.set("fixed", "zz")
    return "fixed-added", name


# ---- the test


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mutator", mutator, ids=str)
def test_mutant_has_the_level_of_the_table_in_both_directions(
    mutator: Mutator, where: tuple[str, int], judge: Judge
) -> None:
    judge.mutant(mutator, *where)
