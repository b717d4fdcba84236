"""Resemblance of names, and types that can replace each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from bindgen.model import Enum, Field, ListOf, Simple, Struct, Type

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FILLING = frozenset(("a", "an", "the", "of", "no", "nr", "num", "number", "index", "value", "field"))
# Words of one meaning: each is read as the first.
_MEANINGS = (
    "from start begin beginning since",
    "to end until till",
    "items size limit count",
    "id identifier ident key",
    "status state",
    "url uri link href",
    "type kind",
    "columns column cols",
)
_MEANING = {word: words.split()[0] for words in _MEANINGS for word in words.split()}

# The words of names for each role; a word that begins with one of these counts, too.
ROLES: Mapping[str, frozenset[str]] = {
    role: frozenset(words.split())
    for role, words in {
        "signing.connect_id": "connect access account api app application client user login identity caller",
        "signing.timestamp": "timestamp time date datetime stamp created moment",
        "signing.nonce": "nonce once salt random unique",
        "signing.signature": "sign signature sig signed hmac mac hash digest proof seal",
        "paging.page": "page offset start first skip",
        "paging.items": "items size limit count per most max",
        "paging.total": "total count hits matches all number",
        "order.from": "from start begin since first after min earliest",
        "order.to": "to end until till last before max through latest",
        "order.type": "type kind report",
        "order.columns": "columns column cols fields attributes",
        "order.group_by": "group grouping dimensions aggregate",
        "order.date_type": "date kind type basis",
        "job.poll_id": "id identifier job key handle ticket",
        "job.item": "job item result export report",
        "job.id": "id identifier key handle ticket number",
        "job.status": "status state phase progress",
        "job.rows": "rows row count records lines",
        "job.size": "size bytes length",
        "job.url": "url uri link href location address download",
        "job.message": "message text note reason error detail info",
        "fault.code": "code number status type",
        "fault.reason": "reason message text descr detail string",
        "fault.error_id": "error id reference incident trace correlation ticket",
    }.items()
}
_T = TypeVar("_T")
_FAMILIES = {
    "whole number": "int long short byte integer nonNegativeInteger positiveInteger unsignedInt unsignedLong",
    "number": "decimal float double",
    "text": "string normalizedString token anyURI NMTOKEN Name NCName language",
    "time": "date dateTime",
    "truth": "boolean",
}
_FAMILY = {xsd: family for family, names in _FAMILIES.items() for xsd in names.split()}


def words(name: str) -> list[str]:
    """Return the words of a name, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def spelling(name: str) -> str:
    """Return a name in lower case, without separators."""
    return re.sub(r"[\W_]+", "", name).lower()


def meaning(name: str) -> frozenset[str]:
    """Return the meanings of the words of a name, in any order."""
    meant = frozenset(_MEANING.get(word, word) for word in words(name)) - _FILLING
    return meant or frozenset((spelling(name),))


def can_be(role: str, name: str) -> bool:
    """Return True if a name has a word of the role."""
    wanted = ROLES.get(role, frozenset())
    return any(
        word in wanted or any(len(each) > 3 and word.startswith(each) for each in wanted)
        for word in words(name)
    )


def family(kind: Type) -> object:
    """Return the family of a type: a renamed field may have another type of it."""
    if isinstance(kind, Struct):
        return "structure"
    if isinstance(kind, Simple):
        xsd = kind.xsd.rpartition("}")[2]
        return _FAMILY.get(xsd, xsd)
    if isinstance(kind, Enum):
        return "text"
    return family(kind.item) if isinstance(kind, ListOf) else type(kind)


def same_type(old: Field, new: Field) -> bool:
    """Return True if two fields have the same type: of enumerations, with a value in common."""
    one, other = old.type, new.type
    if isinstance(one, Simple) and isinstance(other, Simple):
        return one.xsd == other.xsd
    if isinstance(one, Enum) and isinstance(other, Enum):
        return not set(one.values).isdisjoint(other.values)
    return type(one) is type(other) and family(one) == family(other)


def matched(
    old: Iterable[_T], new: Iterable[_T], tests: Iterable[Callable[[_T, _T], bool]]
) -> tuple[dict[int, _T], dict[int, list[_T]]]:
    """Match old and new items by the first test that leaves exactly one on both sides.

    Returns the matches by the id of the old item, and the candidates of items without a match.
    """
    waiting, free = list(old), list(new)
    found: dict[int, _T] = {}
    candidates: dict[int, list[_T]] = {id(each): [] for each in waiting}
    for test in tests:
        changed = True
        while changed:
            changed = False
            able = {id(one): [other for other in free if test(one, other)] for one in waiting}
            for one in list(waiting):
                here = able[id(one)]
                rivals = sum(any(each is here[0] for each in able[id(two)]) for two in waiting) if here else 0
                if len(here) == 1 and rivals == 1:
                    found[id(one)] = here[0]
                    waiting.remove(one)
                    free.remove(here[0])
                    changed = True
                    break
        for one in waiting:
            candidates[id(one)] = able[id(one)]
    return found, {key: listed for key, listed in candidates.items() if key not in found}
