"""The repository's contracts, changed at random places: choices, wildcards, derivation, and names.

The expected findings follow from the table in conftest and from the messages that use the changed type.
conftest determines these from the XML alone. `DIFF_SEED` selects other places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from tests.bindgen_diff.mutators import Mutator, Mutators, Node, X, built_in, local, make, text

pytestmark = pytest.mark.sampled(12)

if TYPE_CHECKING:
    from tests.bindgen_diff.conftest import Chance, Judge


mutator = Mutators()


# ---- choices, wildcards, derivation


@mutator("sequence-became-choice")
def sequence_became_choice(chance: Chance) -> tuple[str, str]:
    name, sequence = chance.sequence(2)
    sequence.tag = f"{X}choice"
    return "sequence-became-choice", name


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


def with_facet(chance: Chance) -> tuple[str, Node]:
    name, node = chance.element(lambda each: built_in(each, "string"))
    inner = etree.SubElement(node, f"{X}simpleType")
    restriction = etree.SubElement(inner, f"{X}restriction", base=node.attrib.pop("type"))
    etree.SubElement(restriction, f"{X}pattern", value="[a-z]+")
    return name, restriction


def with_fixed(chance: Chance) -> tuple[str, Node]:
    name, node = chance.element(lambda each: built_in(each, "string"))
    node.set("fixed", "yy")
    return name, node


def with_wildcard(chance: Chance) -> tuple[str, Node]:
    name, sequence = chance.sequence()
    return name, etree.SubElement(sequence, f"{X}any", namespace="##other", processContents="lax")


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


@mutator("choice-arm-changed", first=with_choice)
def choice_arm_changed(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    arm = make("sequence")
    node.replace(node[1], arm)
    arm.extend((text("zzTwo"), text("zzMore")))
    return "choice-arm-changed", type_of(node)


@mutator("choice-regrouped", first=with_choice)
def choice_regrouped(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    arm = make("sequence")
    arm.extend(list(node)[:2])
    node.insert(0, arm)
    return "choice-regrouped", type_of(node)


@mutator("choice-became-optional", first=with_choice)
def choice_became_optional(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    node.set("minOccurs", "0")
    return "choice-became-optional", type_of(node)


@mutator("facet-changed", first=with_facet)
def facet_changed(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    node[0].set("value", "[0-9]+")
    return "facet-changed", type_of(node)


@mutator("fixed-changed", first=with_fixed)
def fixed_changed(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    node.set("fixed", "zz")
    return "fixed-changed", type_of(node)


@mutator("wildcard-changed", first=with_wildcard)
def wildcard_changed(chance: Chance) -> tuple[str, str]:
    node = chance.marked()
    node.set("namespace", "urn:elsewhere")  # with ##any an element would be ambiguous
    return "wildcard-changed", type_of(node)


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


# ---- the test


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mutator", mutator, ids=str)
def test_mutant_has_the_level_of_the_table_in_both_directions(
    mutator: Mutator, where: tuple[str, int], judge: Judge
) -> None:
    judge.mutant(mutator, *where)
