"""The repository's contracts, changed at random places: types, and harmless edits.

The expected findings follow from the table in conftest and from the messages that use the changed type.
conftest determines these from the XML alone. `DIFF_SEED` selects other places. Changes of operations
and ports do not depend on their place: test_diff_operations.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import etree

from bindgen.diff.rules import CHANGES
from tests.bindgen_diff.conftest import Chance, Judge
from tests.bindgen_diff.mutators import Mutator, W, X, make, mutator, one


def documented(chance: Chance) -> None:
    name, node = chance.complex()
    note = make("annotation")
    etree.SubElement(note, f"{X}documentation").text = "Something else."
    node.insert(0, note)
    _, operation, _ = chance.operation()
    said = operation.find(f"{W}documentation")
    if said is not None:
        said.text = f"{name} and other things."


def undocumented(chance: Chance) -> None:
    for tag in (f"{X}annotation", f"{W}documentation"):
        for node in list(chance.wsdl.root.iter(tag)):
            one(node.getparent()).remove(node)


def laid_out(chance: Chance) -> None:
    for node in chance.wsdl.root.iter("*"):
        if node.text is None or not node.text.strip():
            node.text = node.text if not len(node) else "\n \t"
        node.tail = chance.random.choice(("\n", "", "   "))


def commented(chance: Chance) -> None:
    _, sequence = chance.sequence()
    sequence.insert(0, etree.Comment(" <element name='x'/> "))
    chance.wsdl.schema.insert(0, etree.Comment("nothing"))


def shuffled(chance: Chance) -> None:
    """Shuffle a schema's components, messages and bindings. Their order has no meaning."""
    schema = chance.wsdl.schema
    components = list(schema)
    chance.random.shuffle(components)
    schema[:] = components
    messages = chance.wsdl.root.findall(f"{W}message")
    chance.random.shuffle(messages)
    for message in messages:
        chance.wsdl.port_type.addprevious(message)


def prefixed(chance: Chance) -> None:
    document = chance.wsdl.document().decode()
    for old, new in (("tns", "a"), ("xsd", "b"), ("wsdl", "c"), ("soap", "d")):
        for start in ("<", "</", '="', "xmlns:"):
            end = "=" if start == "xmlns:" else ":"
            document = document.replace(f"{start}{old}{end}", f"{start}{new}{end}")
    chance.wsdl = chance.wsdl.parsed(document)


def spelled_out(chance: Chance) -> None:
    """Write out default values."""
    for node in chance.wsdl.schema.iterfind(f".//{X}sequence/{X}element"):
        if chance.random.random() < 0.5:
            for key, value in (("minOccurs", "1"), ("maxOccurs", "1"), ("nillable", "false")):
                node.set(key, node.get(key, value))


HARMLESS = (documented, undocumented, laid_out, commented, shuffled, prefixed, spelled_out)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("mutator", mutator, ids=str)
def test_mutant_has_the_level_of_the_table_in_both_directions(
    mutator: Mutator, where: tuple[str, int], judge: Judge
) -> None:
    judge.mutant(mutator, *where)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", HARMLESS, ids=lambda each: each.__name__)
def test_change_without_effect_on_the_wire_is_not_reported(
    make: Callable[[Chance], None], where: tuple[str, int], judge: Judge
) -> None:
    judge.harmless(make, *where)


def test_every_rule_of_types_has_a_mutator_and_a_level(judge: Judge) -> None:
    names = {name for each in mutator for name in each.names}
    told = names | {judge.back[name] for name in names}
    of_types = {name for name in CHANGES if not name.startswith("header-")}
    assert told - {"type-renamed", "base-type-changed"} == set(judge.table) == of_types
