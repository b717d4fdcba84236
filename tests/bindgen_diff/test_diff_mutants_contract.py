"""The repository's contracts, changed at random places.

The expected findings follow from the table in conftest and from the messages that use the changed type.
conftest determines these from the XML alone. `DIFF_SEED` selects other places. Changes of operations
and ports, and edits without an effect, do not depend on their place: test_diff_operations,
test_diff_reachability.
"""

from __future__ import annotations

import pytest

from tests.bindgen_diff.conftest import ORDER, Chance, Judge, name_of
from tests.bindgen_diff.mutators import (
    Make,
    Mutator,
    Node,
    W,
    X,
    attribute_added,
    element_added,
    element_became_optional,
    enum_value_added,
    mutator,
    nillable,
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("mutator", mutator, ids=str)
def test_mutant_has_the_level_of_the_table_in_both_directions(
    mutator: Mutator, where: tuple[str, int], judge: Judge
) -> None:
    judge.mutant(mutator, *where)


# ---- changes anywhere, and two changes: no change is "the same", and none hides another

S = "{http://schemas.xmlsoap.org/wsdl/soap/}"
RANDOM = {"small": 160, "large": 12}
BLOCK = 20
DOCUMENTATION = {f"{X}annotation", f"{X}documentation", f"{X}appinfo", f"{W}documentation"}
# Changes that no caller notices: the name of the definitions, and a default style that each operation
# overrides.
EXPLAINED = {(f"{W}definitions", "name"), (f"{S}binding", "style")}


def said_by_default(node: Node, key: str) -> bool:
    usual = {"minOccurs": "1", "maxOccurs": "1", "nillable": "false", "use": "optional"}
    if node.tag == f"{X}schema":
        usual = {"attributeFormDefault": "unqualified", "elementFormDefault": "unqualified"}
    if node.tag in (f"{S}body", f"{S}fault", f"{S}header"):
        usual = {"use": "literal"}
    if node.tag in (f"{S}binding", f"{S}operation"):
        usual = {"style": "document"}
    return usual.get(key) == node.get(key)


def anything(chance: Chance) -> None:
    """Remove or change a random element or attribute."""
    nodes = [
        each
        for each in chance.wsdl.root.iter("*")
        if each.tag not in DOCUMENTATION
        and not any(above.tag in DOCUMENTATION for above in each.iterancestors())
    ]
    node = chance.random.choice(nodes)
    keys = [str(key) for key in node.attrib if (node.tag, key) not in EXPLAINED]
    if not keys or chance.random.random() < 0.3:
        above = node.getparent()
        if above is None or unmet(chance, node):
            chance.nowhere()
        above.remove(node)
        return
    key = chance.random.choice(keys)
    if unmet(chance, node):
        chance.nowhere()
    if chance.random.random() < 0.4 and not said_by_default(node, key):
        del node.attrib[key]
    else:
        node.set(key, {"true": "false", "false": "true", "0": "1", "1": "0"}.get(node.get(key, ""), "zz"))


def unmet(chance: Chance, node: Node) -> bool:
    """Return True if the node belongs to a type that no message uses, according to the XML alone."""
    reached = chance.wsdl.requests | chance.wsdl.responses
    tops = [each for each in (node, *node.iterancestors()) if each.get("name") in chance.wsdl.types]
    return any(each.getparent() is chance.wsdl.schema and each.get("name") not in reached for each in tops)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("size", "first"), [(size, first) for size, many in RANDOM.items() for first in range(0, many, BLOCK)]
)
def test_any_change_is_reported(size: str, first: int, judge: Judge) -> None:
    tried = 0
    for number in range(first, min(first + BLOCK, RANDOM[size])):
        report = judge.changed(anything, size, number)
        if report is not None:
            tried += 1
            assert report.verdict != "same", f"{size} {number}"
    assert tried


def address(chance: Chance) -> tuple[str, str]:
    next(chance.wsdl.root.iter(f"{S}address")).set("location", "https://zz.invalid/")
    return "address-changed", ""


def action(chance: Chance) -> tuple[str, str]:
    _, _, bound = chance.operation()
    next(bound.iter(f"{S}operation")).set("soapAction", "urn:zz")
    return "soap-action-changed", ""


TYPES = (element_added, enum_value_added, nillable, element_became_optional, attribute_added)
SINGLE = (*TYPES, address, action)
PAIRS = [(one, other) for at, one in enumerate(SINGLE) for other in SINGLE[at + 1 :]]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda each: str(each.__name__))
@pytest.mark.parametrize("number", range(3))
def test_two_changes_are_both_reported_and_the_worse_one_decides(
    one: Make, other: Make, number: int, judge: Judge
) -> None:
    made: list[tuple[str, str]] = []

    def twice(chance: Chance) -> None:
        made[:] = [one(chance), other(chance)]

    twice.__name__ = f"{one.__name__}-{other.__name__}"
    report = judge.changed(twice, "small", number)
    assert report is not None
    told = {(name_of(each.rule), each.level) for each in report.findings}
    wanted = judge.levels("small", made)
    assert told == wanted
    worst = max((level for _, level in wanted), key=ORDER.index)
    assert report.verdict == ("breaking" if worst == "breaking" else "compatible")


def test_unchecked_change_is_reported_next_to_another(judge: Judge) -> None:
    made: list[str] = []

    def hidden(chance: Chance) -> None:
        made[:] = element_added(chance)[:1]
        chance.sequence()[1][0].set("{urn:more}hint", "zz")

    report = judge.changed(hidden, "small", 0)
    assert report is not None
    assert {name_of(each.rule) for each in report.findings} == {*made, "not-checked"}
    assert report.verdict == "unchecked"
