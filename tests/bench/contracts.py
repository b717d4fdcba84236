"""Contracts of any size, for the generator of bindings."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from tests.bench.shapes import wsdl

_SIMPLE: Final = ("string", "int", "decimal", "dateTime", "boolean", "date", "long", "anyURI")
SPACE: Final = "urn:example:synthetic"


def synthetic(types: int) -> str:
    """Return a WSDL with `types` complex types and a twentieth as many operations. It is always the same."""
    chance = random.Random(types)
    operations = [f"Operation{at}" for at in range(max(1, types // 20))]
    schema = "".join(_types(types, operations, chance))
    return wsdl("Synthetic", SPACE, schema, operations).replace("><", ">\n<")  # one tag per line


def _types(types: int, operations: list[str], chance: random.Random) -> Iterator[str]:
    for at in range(types):
        yield f'<x:complexType name="Type{at}">'
        extends = at > 10 and at % 7 == 0
        if extends:
            yield f'<x:complexContent><x:extension base="t:Type{chance.randrange(at // 2) | 1}">'
        yield "<x:sequence>"
        for field in range(chance.randrange(4, 12)):
            least, most = chance.choice(("0", "1")), chance.choice(("1", "1", "1", "unbounded"))
            kind = f"x:{chance.choice(_SIMPLE)}"
            if at and field % 4 == 3:
                kind = f"t:Type{chance.randrange(at)}"
            elif field == 5:
                kind = f"t:Enum{at % 50}"
            yield (
                f'<x:element name="field{at}x{field}" type="{kind}" minOccurs="{least}" maxOccurs="{most}"/>'
            )
        yield "</x:sequence>"
        if extends:
            yield "</x:extension></x:complexContent>"
        yield "</x:complexType>\n"
    for at in range(50):
        values = "".join(f'<x:enumeration value="value{at}x{value}"/>' for value in range(8))
        yield f'<x:simpleType name="Enum{at}"><x:restriction base="x:string">{values}'
        yield "</x:restriction></x:simpleType>\n"
    for at, name in enumerate(operations):
        for end, first in (("", at * 20), ("Response", at * 20 + 10)):
            yield f'<x:element name="{name}{end}"><x:complexType><x:sequence>'
            for part in range(first, min(first + 10, types)):  # so that every type is reachable
                yield f'<x:element name="part{part}" type="t:Type{part}" minOccurs="0"/>'
            yield "</x:sequence></x:complexType></x:element>\n"
