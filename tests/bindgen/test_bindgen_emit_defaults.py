"""Absent attributes get the contract's default, whatever their type."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.bindgen.conftest import Make

_RESPONSE = '<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>'


def _attribute(name: str, kind: str, said: str) -> str:
    return f'<x:attribute name="{name}" {said}><x:simpleType>{kind}</x:simpleType></x:attribute>'


def test_absent_attribute_of_any_type_has_its_default(make: Make) -> None:
    attributes = (
        _attribute("numbers", '<x:list itemType="x:int"/>', 'default="1 2"')
        + _attribute("none", '<x:list itemType="x:int"/>', 'default=""')
        + _attribute("either", '<x:union memberTypes="x:int x:date"/>', 'default="2026-03-01"')
        + '<x:attribute name="day" type="x:date" fixed="2026-03-01"/>'
    )
    made = make(
        f'<x:element name="AskRequest"><x:complexType>{attributes}</x:complexType></x:element>{_RESPONSE}'
    )
    value = made.parse("")
    assert (value.numbers, value.none) == ([1, 2], [])
    assert value.either == value.day == dt.date(2026, 3, 1)
    assert made.parse("", attributes='numbers="3"').numbers == [3]
    made.there_and_back(value)
    assert dict(made.write(made.types.AskRequest()).items()) == {}  # not sent: the service knows its default


def test_invalid_or_prefixed_default_is_ignored(make: Make) -> None:
    attributes = _attribute("numbers", '<x:list itemType="x:int"/>', 'default="one two"') + _attribute(
        "names", '<x:list itemType="x:QName"/>', 'default="t:a"'
    )
    made = make(
        f'<x:element name="AskRequest"><x:complexType>{attributes}</x:complexType></x:element>{_RESPONSE}'
    )
    node = made.write(made.types.AskRequest(), valid=False)
    value = made.read(node)
    assert (value.numbers, value.names) == (None, None)
