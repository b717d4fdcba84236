"""An element in several branches of a choice is one field if one order fits all. Values are written as read."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from lxml import etree

from tests.bindgen.conftest import SPACE, Made, Make, asks, read_schema


def _choice(arms: Iterable[Iterable[str]], occurs: str = "") -> str:
    """Return a choice of sequences. Each branch has the names of its elements, such as the letters of a text."""
    inner = ""
    for arm in arms:
        elements = "".join(f'<x:element name="{name}" type="x:int"/>' for name in arm)
        inner += f"<x:sequence>{elements}</x:sequence>"
    return f"<x:choice {occurs}>{inner}</x:choice>"


def _fields(made: Made) -> list[str]:
    return list(made.types.AskRequest.__struct_fields__)


def test_shared_last_element_of_both_branches_is_one_field(make: Make) -> None:
    made = make.request(_choice(("kv", "nv")))
    assert _fields(made) == ["k", "n", "v"]
    made.there_and_back(made.types.AskRequest(k=1, v=2))
    made.there_and_back(made.types.AskRequest(n=1, v=2))


@pytest.mark.parametrize(
    ("arms", "fields"),
    [
        (("ac", "ba"), "bac"),
        (("kuv", "nuv", "muv"), "knmuv"),
        (("ax", "bay", "caz"), "bcaxyz"),
        (("k", "nkx", "mkx"), "nmkx"),
    ],
)
def test_common_order_of_branches_is_found_if_it_exists(
    make: Make, arms: tuple[str, ...], fields: str
) -> None:
    made = make.request(_choice(arms))
    assert _fields(made) == list(fields)
    for arm in arms:
        made.there_and_back(made.types.AskRequest(**dict.fromkeys(arm, 1)))


def test_two_elements_in_either_order_are_three_fields(make: Make) -> None:
    made = make.request(_choice(("ab", "ba")))
    assert _fields(made) == ["a", "b", "a_2"]
    assert made.parse("<b>1</b><a>2</a>") == made.types.AskRequest(b=1, a_2=2)
    made.there_and_back(made.types.AskRequest(b=1, a_2=2))
    made.there_and_back(made.types.AskRequest(a=1, b=2))


@pytest.mark.exhaustive
def test_element_of_thousands_of_branches_is_one_field() -> None:
    """The number of branches is not limited, and reading stays fast."""
    for arms in ([f"a x{at}" for at in range(2000)], [f"x{at} a" for at in range(2000)]):
        contract = read_schema(asks(_choice([arm.split() for arm in arms])))
        names = [field.wire for field in contract.operations[0].request.fields]
        assert len(names) == len(set(names)) == len(arms) + 1
        assert names.index("a") == (0 if arms[0][0] == "a" else len(arms))


@pytest.mark.exhaustive
def test_any_branches_roundtrip(make: Make) -> None:
    """Round trips of all pairs of branches with up to three elements and all triples with up to two.

    Each choice occurs once and repeatedly. libxml2 validates the results.
    """
    arms = ["".join(arm) for size in (1, 2, 3) for arm in itertools.permutations("abc", size)]
    models = [
        model
        for count in (2, 3)
        for model in itertools.combinations(arms, count)
        if len({arm[0] for arm in model}) == count  # otherwise the schema would be ambiguous
        and (count == len("ab") or max(map(len, model)) < len("abc"))  # larger triples do not add cases
    ]
    elements = "".join(
        f'<x:element name="m{at}{kind}" minOccurs="0"><x:complexType>{_choice(model, occurs)}</x:complexType></x:element>'
        for at, model in enumerate(models)
        for kind, occurs in (("one", ""), ("many", 'maxOccurs="unbounded"'))
    )
    made = make.request(f"<x:sequence>{elements}</x:sequence>")
    assert len(models) > 100
    schema = made.schema
    for at, model in enumerate(models):
        cases = [("one", arm) for arm in model]
        cases += [("many", "".join(turns)) for turns in itertools.product(model, repeat=2)]
        for kind, letters in cases:
            node = etree.Element(f"{{{SPACE}}}AskRequest")
            inner = etree.SubElement(node, f"{{{SPACE}}}m{at}{kind}")
            for number, letter in enumerate(letters):
                etree.SubElement(inner, f"{{{SPACE}}}{letter}").text = str(number)
            schema.assertValid(node)
            again = etree.Element(node.tag)
            made.operation.write_request(made.read(node), again, "AskRequest")
            assert etree.tostring(again) == etree.tostring(node), (model, letters)


def test_only_the_given_branch_is_written(make: Make) -> None:
    made = make.request(_choice(tuple("abcdefghijklmnopqrstuvwxyz"), 'minOccurs="0" maxOccurs="unbounded"'))
    turn = made.types.AskRequestChoice
    value = made.types.AskRequest(choice=[turn(z=1), turn(a=2), turn(m=3), turn(m=4), turn()])
    sent = made.write(value)
    values = [(str(child.tag)[-1], child.text) for child in sent]
    assert values == [("z", "1"), ("a", "2"), ("m", "3"), ("m", "4")]
    assert made.read(sent).choice == value.choice[:-1]


def test_single_element_branches_may_be_nil_have_defaults_and_be_lists(make: Make) -> None:
    made = make.request(
        '<x:choice maxOccurs="unbounded"><x:element name="a" type="x:int" nillable="true"/><x:element name="b" type="x:int" default="7"/>'
        '<x:element name="c" type="x:string"/></x:choice>'
    )
    turn = made.types.AskRequestChoice
    value = made.parse('<a i:nil="true"/><b/><c/><a>1</a>')
    nil = value.choice[0].a
    assert repr(nil) == "NIL"
    assert value.choice == [turn(a=nil), turn(b=7), turn(c=""), turn(a=1)]
    made.there_and_back(value)
