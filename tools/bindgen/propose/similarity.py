"""Compare names by resemblance, and find types that can replace each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from bindgen.model import Enum, Field, ListOf, Simple, Struct, Type

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FILLING = frozenset(("a", "an", "the", "of", "no", "nr", "num", "number", "index", "value", "field"))
# Words with the same meaning; the first word represents it.
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

# Role -> words in the names of its fields. A word that begins with one of these counts, too.
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
        "waiter.waiting": "wait pending queue new create run progress process start begin schedule prepare",
        "waiter.done": "done finish complete success succeeded ready available",
        "waiter.failed": "fail error cancel abort kill",
        "waiter.expired": "expire delete remove purge outdated",
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
    """Return the words of a name in lower case: `stockLevel` → `["stock", "level"]`."""
    return [word.lower() for word in _WORD.findall(name)]


def spelling(name: str) -> str:
    """Return a name in lower case and without separators."""
    return re.sub(r"[\W_]+", "", name).lower()


def meaning(name: str) -> frozenset[str]:
    """Return the words of a name, each replaced by the first of its synonyms.

    Words without much meaning, such as "the" and "field", are left out.
    """
    meant = frozenset(_MEANING.get(word, word) for word in words(name)) - _FILLING
    return meant or frozenset((spelling(name),))


def can_be(role: str, name: str) -> bool:
    """Return True if a name contains a word that is typical of the role, such as `paging.page`."""
    role_words = ROLES.get(role, frozenset())
    return any(
        word in role_words or any(len(prefix) > 3 and word.startswith(prefix) for prefix in role_words)
        for word in words(name)
    )


def family(kind: Type) -> object:
    """Return the family of a type, such as "text" or "whole number".

    A renamed field may have another type of the same family.
    """
    if isinstance(kind, Struct):
        return "structure"
    if isinstance(kind, Simple):
        xsd = kind.xsd.rpartition("}")[2]
        return _FAMILY.get(xsd, xsd)
    if isinstance(kind, Enum):
        return "text"
    return family(kind.item) if isinstance(kind, ListOf) else type(kind)


def same_type(old: Field, new: Field) -> bool:
    """Return True if two fields have the same type. Enumerations must have a value in common."""
    old_type, new_type = old.type, new.type
    if isinstance(old_type, Simple) and isinstance(new_type, Simple):
        return old_type.xsd == new_type.xsd
    if isinstance(old_type, Enum) and isinstance(new_type, Enum):
        return not set(old_type.values).isdisjoint(new_type.values)
    return type(old_type) is type(new_type) and family(old_type) == family(new_type)


def matched(
    old: Iterable[_T], new: Iterable[_T], tests: Iterable[Callable[[_T, _T], bool]]
) -> tuple[dict[int, _T], dict[int, list[_T]]]:
    """Match old items with new ones. The tests are applied one after the other, to the unmatched items.

    A test is called with an old and a new item. The two items match if the test is True for them, and if
    neither of them passes the test together with any other unmatched item.

    Returns two maps, whose keys are the `id()` of old items:

    - from matched items to the new items
    - from unmatched items to their candidates: lists of the new items for which the last test is True
    """
    waiting, free = list(old), list(new)
    matches: dict[int, _T] = {}
    candidates: dict[int, list[_T]] = {id(item): [] for item in waiting}
    for test in tests:
        changed = True
        while changed:
            changed = False
            options = {id(item): [other for other in free if test(item, other)] for item in waiting}
            for item in list(waiting):
                left = options[id(item)]
                rivals = (
                    sum(any(new_item is left[0] for new_item in options[id(rival)]) for rival in waiting)
                    if left
                    else 0
                )
                if len(left) == 1 and rivals == 1:
                    matches[id(item)] = left[0]
                    waiting.remove(item)
                    free.remove(left[0])
                    changed = True
                    break
        for item in waiting:
            candidates[id(item)] = options[id(item)]
    return matches, {key: listed for key, listed in candidates.items() if key not in matches}
