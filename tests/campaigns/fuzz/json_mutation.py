"""Mutations of JSON that mostly keep it valid: duplicate names, numbers beyond all limits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Final

from .mutation import INTERESTING, NUMBERS, changes, encoded, of_bytes, value


class Pairs:
    """An object that may have duplicate names."""

    def __init__(self, pairs: Iterable[tuple[str, Json]] = ()) -> None:
        self.pairs = list(pairs)


class Raw(str):
    """Characters that are copied to the document unchanged."""

    __slots__ = ()


_MANY: Final = 1_000  # nodes per document; larger documents get no more copies
Json = Pairs | list["Json"] | Raw | str | int | float | bool | None
Place = tuple[Pairs | list["Json"], int]

_RAW: Final = (
    *NUMBERS, "1e5", "-1e-5", "1E+2", "0.10", "00", "True", "undefined", "'a'", "[]", "{}", '{"$":1}', '""',
    '"\\ud800"', '"\\u0000"', '"\\ud83d\\ude00"', '"\\x"', '"\n"', "1e99999", "-", "[,]", "[1,]", "{,}", "//",
    "/**/", "NaN", "[" * 60 + "]" * 60, "[" * 120 + "]" * 120, "[" * 3000 + "]" * 3000,
    '{"a":' * 2000 + "1" + "}" * 2000, "[" * 5000,
)  # fmt: skip
_NAMES: Final = (
    "@id", "$", "@", "", "@xsi:type", "@xmlns", "a", "__class__", "\0", "é", "items", "total", "$$",
)  # fmt: skip


@cache
def parsed(content: bytes) -> Json:
    """Parse a seed, once, keeping the text of numbers. Mutations work on copies."""
    found: Json = json.loads(content, object_pairs_hook=Pairs, parse_float=Raw, parse_int=Raw)
    return found


def text(data: Json) -> str:
    if isinstance(data, Raw):
        return str(data)
    if isinstance(data, Pairs):
        return "{" + ",".join(f"{json.dumps(name)}:{text(inner)}" for name, inner in data.pairs) + "}"
    if isinstance(data, list):
        return "[" + ",".join(map(text, data)) + "]"
    return json.dumps(data)


def _copy(data: Json) -> Json:
    if isinstance(data, Pairs):
        return Pairs((name, _copy(inner)) for name, inner in data.pairs)
    return [_copy(inner) for inner in data] if isinstance(data, list) else data


def _places(data: Json) -> list[Place]:
    found: list[Place] = []
    todo = [data]
    while todo:
        one = todo.pop()
        if isinstance(one, Pairs):
            found += [(one, at) for at in range(len(one.pairs))]
            todo += [inner for _, inner in one.pairs]
        elif isinstance(one, list):
            found += [(one, at) for at in range(len(one))]
            todo += one
    return found


def _get(place: Place) -> Json:
    holder, at = place
    return holder.pairs[at][1] if isinstance(holder, Pairs) else holder[at]


def _put(place: Place, new: Json) -> None:
    holder, at = place
    if isinstance(holder, Pairs):
        holder.pairs[at] = (holder.pairs[at][0], new)
    else:
        holder[at] = new


def _value(known: Json, random: Random) -> Json:
    way = random.randrange(8)
    if way == 0:
        return Raw(random.choice(_RAW))
    if way == 1:
        return random.choice((None, True, False, Pairs(), [], "", Raw("0")))
    if way == 2:
        return [_copy(known)] * random.choice((0, 1, 2, 100))
    if way == 3:
        return Pairs([(random.choice(_NAMES), _copy(known))])
    if way == 4 and isinstance(known, Raw):
        return str(known)
    if way == 4 and isinstance(known, str):
        return Raw(known if known.isdigit() else json.dumps(known))
    if isinstance(known, str):
        new = value(random, known)
        return Raw(new) if isinstance(known, Raw) and random.random() < 0.7 else new
    return random.choice(INTERESTING)


def _change(place: Place, places: list[Place], random: Random) -> None:
    holder, at = place
    way = random.randrange(12)
    if way == 3:
        _put(place, _copy(_get(random.choice(places))))
    elif way == 5:
        random.shuffle(holder.pairs if isinstance(holder, Pairs) else holder)
    elif way > 5:
        _put(place, _value(_get(place), random))
    elif isinstance(holder, Pairs):
        _change_names(holder.pairs, at, way, random)
    elif way == 0:
        del holder[at]
    else:
        holder[at:at] = [_copy(holder[at])] * random.choice((1, 2, 100))


def _change_names(pairs: list[tuple[str, Json]], at: int, way: int, random: Random) -> None:
    name, inner = pairs[at]
    if way == 0:
        del pairs[at]
    elif way == 1:
        pairs.append((name, _copy(inner)))
    elif way == 2:
        others = (name.upper(), name + "s", f"@{name}", name.lstrip("@"), value(random, name))
        pairs[at] = (random.choice((*_NAMES, *others)), inner)
    else:
        pairs.insert(at, (random.choice(_NAMES), _value(None, random)))


def mutated(data: Json, random: Random, *, damaged: float = 0.08) -> bytes:
    """Return a changed copy of the data as a document. `damaged` is the share with damaged bytes."""
    root: list[Json] = [_copy(data)]
    for _ in range(changes(random)):
        places = _places(root)
        if not places or len(places) > _MANY:
            break
        _change(random.choice(places), places, random)
    made = "".join(map(text, root))
    if random.random() < damaged:
        return of_bytes(made.encode("utf-8", "surrogatepass"), random)
    return encoded(made, random)
