"""What is left to generate: the types that operations still reach once wrappers are gone."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Contract, Enum, ListOf, Struct, Type, UnionOf
from bindgen.passes.walk import structs


def run(contract: Contract) -> None:
    """Collect the contract's structs and enums."""
    found = sorted(structs(contract), key=lambda struct: (struct.place.file, struct.place.line))
    enums: dict[int, Enum] = {}
    for struct in found:
        for field in struct.fields:
            for enum in _enums(field.item.type if field.item else field.type):
                enums[id(enum)] = enum
    contract.structs = _bases_first(found)
    contract.enums = sorted(enums.values(), key=lambda enum: (enum.place.file, enum.place.line))


def _enums(kind: Type) -> Iterator[Enum]:
    """A simple type, if it is an enumeration, and those it is made of."""
    if isinstance(kind, Enum):
        yield kind
    elif isinstance(kind, ListOf):
        yield from _enums(kind.item)
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _enums(member)


def _bases_first(found: list[Struct]) -> list[Struct]:
    """The structs in their order, but for those that others extend: a class needs its base to be there."""
    ordered: dict[int, Struct] = {}
    for struct in found:
        chain = []
        above: Struct | None = struct
        while above is not None and id(above) not in ordered:
            chain.append(above)
            above = above.base
        ordered |= {id(each): each for each in reversed(chain)}
    return list(ordered.values())
