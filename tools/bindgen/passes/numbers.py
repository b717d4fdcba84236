"""Numbers are exact (money must not pass through binary floats), but for the few named as `types.binary`.

Of a contract that is not known to speak of money, what its schema allows is sent, INF and NaN, too; and where
it is not known whose it is, date-times without a zone.
"""

from __future__ import annotations

from bindgen.model import Contract, ListOf, Simple, Type, UnionOf
from bindgen.passes.walk import fields_at, structs
from bindgen.problems import Problem
from bindgen.simple_types import BINARY, WIDER


def run(contract: Contract) -> None:
    """Give the named fields a binary float type, and all others of a user's own contract the wider types."""
    if contract.settings.own:
        loosened: dict[int, Type] = {}
        for struct in structs(contract):
            for field in struct.fields:
                for one in (field, *([field.item] if field.item else [])):
                    one.type = _loose(one.type, loosened)
    for field in fields_at(contract, "types", "binary"):
        if isinstance(field.type, Simple) and field.type.xsd in BINARY:
            field.type = BINARY[field.type.xsd]
        else:
            where = contract.settings.where("types.binary")
            why = f"{where} names {field.wire!r}, which is no xsd:float or xsd:double"
            contract.problems.append(Problem(why, field.place))


def _loose(kind: Type, done: dict[int, Type]) -> Type:
    """A type with the wider ones in it; lists and unions are changed where they are, once."""
    if isinstance(kind, Simple):
        return WIDER.get(kind.scalar, kind)
    if isinstance(kind, ListOf | UnionOf) and id(kind) not in done:
        done[id(kind)] = kind
        if isinstance(kind, UnionOf):
            kind.members = [
                WIDER.get(each.scalar, each) if isinstance(each, Simple) else each for each in kind.members
            ]
            for each in kind.members:
                _loose(each, done)
        elif isinstance(kind.item, Simple):
            kind.item = WIDER.get(kind.item.scalar, kind.item)
        else:
            _loose(kind.item, done)
    return kind
