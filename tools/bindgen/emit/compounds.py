"""Lists and unions of simple types: constants of the codec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bindgen.emit import hints
from bindgen.model import ListOf, Simple, Type, UnionOf


def constant(compound: ListOf | UnionOf, leaf: Callable[[Type], str], scalar: str = "Scalar") -> str:
    """The line that makes it; `leaf` gives the constants of what it is made of, `scalar` is the class."""
    whole = f"{compound.constant}: {scalar}[{hints.value(compound)}]"
    if isinstance(compound, ListOf):
        return f"{whole} = list_of({leaf(compound.item)})"
    return f"{whole} = union_of({', '.join(leaf(member) for member in compound.members)})"


def simples(compounds: Iterable[ListOf | UnionOf]) -> Iterator[Simple]:
    """The built-in types that they are made of."""
    for compound in compounds:
        for kind in [compound.item] if isinstance(compound, ListOf) else compound.members:
            if isinstance(kind, Simple):
                yield kind
