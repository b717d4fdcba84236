"""Changes of a contract's types at a random place, one of each kind. test_diff_rules has every rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from tests.bindgen_diff.conftest import Chance

Node = etree._Element
Make = Callable[["Chance"], tuple[str, str]]
Preparation = Callable[["Chance"], tuple[str, Node]]
W = "{http://schemas.xmlsoap.org/wsdl/}"
X = "{http://www.w3.org/2001/XMLSchema}"


@dataclass(frozen=True)
class Mutator:
    """A change of a contract. `make` returns the name of the change, one of `names`, and the changed type.

    `first` prepares both sides, so that `make` has something to change.
    """

    names: tuple[str, ...]
    make: Make
    first: Preparation | None = None

    def __str__(self) -> str:
        return self.make.__name__


class Mutators(list[Mutator]):
    """A list of mutators. Calling it returns a decorator that registers a function."""

    def __call__(self, *names: str, first: Preparation | None = None) -> Callable[[Make], Make]:
        def register(make: Make) -> Make:
            self.append(Mutator(names, make, first))
            return make

        return register


def one(node: Node | None) -> Node:
    """Return the node, which must not be None."""
    assert node is not None
    return node


def local(name: str | None) -> str:
    """Return a qualified name without its prefix."""
    return (name or "").rpartition(":")[2]


def built_in(node: Node, *names: str) -> bool:
    """Return True if an element has one of these built-in types. Without names, any built-in type counts."""
    prefix, _, name = (node.get("type") or "").rpartition(":")
    return prefix == "xsd" and (name in names or not names)


def make(tag: str, **attributes: str) -> Node:
    """Return a new node of a schema."""
    return etree.Element(f"{X}{tag}", attributes)


def text(name: str, **more: str) -> Node:
    """Return the declaration of a string element."""
    return make("element", name=name, type="xsd:string", **more)


mutator = Mutators()


def single(node: Node) -> bool:
    return node.get("maxOccurs", "1") == "1"


def is_old(node: Node) -> bool:
    return node.get("name") != "zzAdded"


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
    name, node = chance.element(lambda each: each.get("minOccurs", "1") == "1" and is_old(each))
    node.set("minOccurs", "0")
    return "element-became-optional", name


@mutator("element-became-nillable")
def nillable(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(is_old)
    node.set("nillable", "true")
    return "element-became-nillable", name


@mutator("element-became-list")
def became_list(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(single)
    node.set("maxOccurs", chance.random.choice(("2", "50", "unbounded")))
    return "element-became-list", name


@mutator("sequence-reordered")
def reordered(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence(2)
    at = chance.random.randrange(1, len(sequence))
    sequence.insert(at - 1, sequence[at])
    return "sequence-reordered", name


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


@mutator("type-widened")
def type_widened(chance: Chance) -> tuple[str, str]:
    name, node = chance.element(lambda each: built_in(each, "int", "long"))
    wider = {"int": ("long", "integer", "decimal"), "long": ("integer", "decimal")}
    node.set("type", f"xsd:{chance.random.choice(wider[local(node.get('type'))])}")
    return "type-widened", name


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


# ---- choices, wildcards, derivation


@mutator("choice-added")
def choice_added(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence()
    choice = etree.SubElement(sequence, f"{X}choice")
    choice.extend((text("zzOne"), text("zzTwo")))
    return "choice-added", name


@mutator("wildcard-added")
def wildcard_added(chance: Chance) -> tuple[str, str]:
    if chance.random.random() < 0.5:
        name, sequence = chance.sequence()
        sequence.append(make("any", namespace="##other", processContents="lax", minOccurs="0"))
    else:
        name, node = chance.complex(lambda each: each.find(f"{X}simpleContent") is None)
        node.append(make("anyAttribute", namespace="##other"))
    return "wildcard-added", name


def extend(chance: Chance, name: str) -> None:
    kind = make("complexType", name="zzDerived")
    content = etree.SubElement(kind, f"{X}complexContent")
    if chance.wsdl.types[name].find(f"{X}simpleContent") is not None:
        content.tag = f"{X}simpleContent"
    extension = etree.SubElement(content, f"{X}extension", base=f"tns:{name}")
    extension.append(make("attribute", name="zzAttribute", type="xsd:string"))
    chance.wsdl.schema.append(kind)


@mutator("derived-type-added")
def derived_added(chance: Chance) -> tuple[str, str]:
    name, _ = chance.complex()
    extend(chance, name)
    return "derived-type-added", name


def with_choice(chance: Chance) -> tuple[str, Node]:
    name, sequence = chance.sequence()
    choice = etree.SubElement(sequence, f"{X}choice", id="zz")
    choice.extend((text("zzOne"), text("zzTwo"), text("zzThree")))
    return name, choice


def type_of(node: Node) -> str:
    return next(each.get("name", "") for each in node.iterancestors(f"{X}complexType"))


def with_derived(chance: Chance) -> tuple[str, Node]:
    """Derive a type from a random one, so that there is a value to send if the base is abstract."""
    used = {local(each.get("type")) for each in chance.wsdl.schema.iterfind(f".//{X}sequence/{X}element")}
    name, node = chance.complex(lambda each: each.get("name") in used)
    extend(chance, name)
    return name, node


@mutator("type-became-abstract", first=with_derived)
def became_abstract(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    node.set("abstract", "true")
    return "type-became-abstract", node.get("name", "")


@mutator("choice-arm-added", first=with_choice)
def choice_arm_added(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    node.insert(chance.random.randrange(4), text("zzMore"))
    return "choice-arm-added", type_of(node)


# ---- names only


@mutator("type-renamed")
def type_renamed(chance: Chance) -> tuple[str, str]:
    name, _ = chance.complex() if chance.random.random() < 0.7 else chance.enum()
    holder = chance.wsdl.types[name]
    holder.set("name", "zzRenamed")
    for each in chance.wsdl.schema.iter():
        for key in ("type", "base"):
            if each.get(key) == f"tns:{name}":
                each.set(key, "tns:zzRenamed")
    return "type-renamed", name


@mutator("base-type-changed")
def base_changed(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence(2)
    holder = chance.wsdl.types[name]
    if holder.findall(f"{X}attribute"):
        chance.nowhere()
    base = make("complexType", name="zzBase")
    inner = etree.SubElement(base, f"{X}sequence")
    inner.extend(list(sequence)[: chance.random.randrange(1, len(sequence))])
    content = make("complexContent")
    extension = etree.SubElement(content, f"{X}extension", base="tns:zzBase")
    holder.replace(sequence, content)
    extension.append(sequence)
    chance.wsdl.schema.append(base)
    return "base-type-changed", name
