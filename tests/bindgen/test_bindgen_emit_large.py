"""Unusually large contracts: very wide types and very deep chains of extensions."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bindgen import naming
from tests.bindgen.conftest import EMPTY, Make

pytestmark = pytest.mark.exhaustive


def test_type_with_very_many_elements_and_attributes(make: Make) -> None:
    many = range(250)
    elements = "".join(f'<x:element name="e{at}" type="x:int" minOccurs="0"/>' for at in many)
    attributes = "".join(f'<x:attribute name="a{at}" type="x:int"/>' for at in range(120))
    made = make(
        '<x:element name="AskRequest"><x:complexType>'
        f"<x:sequence>{elements}</x:sequence>{attributes}</x:complexType></x:element>{EMPTY}"
    )
    wanted = {f"e{at}": at for at in many} | {f"a{at}": at for at in range(120)}
    made.there_and_back(made.types.AskRequest(**wanted))
    made.parse("<e1>1</e1><other/>", valid=False, findings=1)


def test_long_chain_of_extensions(make: Make) -> None:
    steps = 90
    types = "".join(
        f'<x:complexType name="T{at}"><x:complexContent><x:extension base="t:T{at - 1}"><x:sequence>'
        f'<x:element name="e{at}" type="x:int"/></x:sequence></x:extension></x:complexContent>'
        "</x:complexType>"
        for at in range(steps, 0, -1)
    )
    made = make(
        '<x:element name="AskRequest"><x:complexType><x:sequence><x:element name="top" type="t:T0"/>'
        f'</x:sequence></x:complexType></x:element>{EMPTY}{types}<x:complexType name="T0"/>'
    )
    value = made.types.AskRequest(
        top=getattr(made.types, f"T{steps}")(**{f"e{at}": at for at in range(1, steps + 1)})
    )
    made.there_and_back(value)


def test_names_are_bounded_and_unique() -> None:
    space = naming.UniqueNames()
    names = [space.claim(naming.pascal("Name" * 100 + end)) for end in ("a", "b", "a")]
    assert len(set(names)) == 3
    assert max(map(len, names)) <= naming.LONGEST + 2
    done = subprocess.run(
        [sys.executable, "-c", "from bindgen import naming; print(naming.pascal('Name' * 100 + 'a'))"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == names[0]
