"""What is left to generate: the types that operations still reach once wrappers are gone."""

from __future__ import annotations

from bindgen.model import Contract, Enum, ListOf, Struct, Type, UnionOf
from bindgen.passes.walk import structs


def run(contract: Contract) -> None:
    """Collect the contract's structs and enums."""
    _collect(contract, everything=False)


def run_for_xml(contract: Contract) -> None:
    """Collect them, those of headers and faults and those that `xsi:type` may name among them."""
    _collect(contract, everything=True)


def _collect(contract: Contract, *, everything: bool) -> None:
    found = sorted(
        structs(contract, everything=everything), key=lambda struct: (struct.place.file, struct.place.line)
    )
    enums: dict[int, Enum] = {}
    compounds: dict[int, ListOf | UnionOf] = {}
    for struct in found:
        for field in struct.fields:
            _simple(field.item.type if field.item else field.type, enums, compounds)
    contract.structs = _bases_first(found)
    contract.enums = sorted(enums.values(), key=lambda enum: (enum.place.file, enum.place.line))
    contract.compounds = list(compounds.values())


def _simple(kind: Type, enums: dict[int, Enum], compounds: dict[int, ListOf | UnionOf]) -> None:
    """Collect a simple type and those it is made of, these first."""
    if isinstance(kind, Enum):
        enums[id(kind)] = kind
    elif isinstance(kind, ListOf | UnionOf) and id(kind) not in compounds:
        for inner in [kind.item] if isinstance(kind, ListOf) else kind.members:
            _simple(inner, enums, compounds)
        compounds[id(kind)] = kind


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
