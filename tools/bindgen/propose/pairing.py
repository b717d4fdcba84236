"""The contract before and the contract now: which operations, types and fields have another name."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bindgen.model import Contract, Enum, Field, Operation, Struct
from bindgen.passes.walk import structs
from bindgen.propose.resemblance import family, matched, meaning, same_type, spelling

_KINDS = ("element", "attribute")
# Bounds for hostile contracts: types that are paired, and fields of two types that are compared.
_MOST_PAIRS = 20_000
_MOST_FIELDS = 2_500


@dataclass(slots=True)
class Pair:
    """A type before and now. `renamed` and `candidates` are by the written name of the field before."""

    old: Struct
    new: Struct
    request: bool
    renamed: dict[str, Field] = field(default_factory=dict)
    candidates: dict[str, list[Field]] = field(default_factory=dict)
    forced: dict[str, str] = field(default_factory=dict)


def written(one: Field) -> str:
    """Return how a path writes a field: an attribute with @ before it."""
    return f"@{one.wire}" if one.kind == "attribute" else one.wire


def named(struct: Struct, name: str) -> Field | None:
    """Return the field that a path means by a name."""
    return next((each for each in struct.all_fields() if each.kind in _KINDS and written(each) == name), None)


class Pairing:
    """Operations, types and fields that have another name than before.

    `old` is None if no contract was generated before: then nothing is known to have disappeared, and names
    are matched by their spelling alone.
    """

    def __init__(self, old: Contract | None, new: Contract) -> None:
        self.old: Final = old
        self.new: Final = new
        self.new_operations: Final = {each.name: each for each in new.operations}
        self.old_operations: Final = {each.name: each for each in (old.operations if old else ())}
        self.new_types: Final = {each.name: each for each in _all_structs(new)}
        self.old_types: Final = {each.name: each for each in (_all_structs(old) if old else ())}
        self.operations: Final[dict[str, str]] = {}  # old name → new name, if it is another one
        self.operation_candidates: Final[dict[str, list[str]]] = {}
        self.types: Final[dict[str, str]] = {}
        self.simple_types: Final[dict[str, str]] = {}
        self.pairs: Final[list[Pair]] = []
        self._match_operations()
        self.both: Final[list[tuple[Operation, Operation]]] = [
            (before, self.new_operations[now])
            for name, before in self.old_operations.items()
            if (now := self.operations.get(name, name)) in self.new_operations
        ]

    # ---- operations

    def _match_operations(self) -> None:
        gone = [each for name, each in self.old_operations.items() if name not in self.new_operations]
        fresh = [each for name, each in self.new_operations.items() if name not in self.old_operations]
        tests: list[Callable[[Operation, Operation], bool]] = [
            lambda one, other: spelling(one.name) == spelling(other.name),
            lambda one, other: _one_in_other(one.name, other.name) and _fits(one, other),
            _fits,
        ]
        found, candidates = matched(gone, fresh, tests)
        for each in gone:
            if id(each) in found:
                self.operations[each.name] = found[id(each)].name
            else:
                self.operation_candidates[each.name] = [one.name for one in candidates[id(each)]]

    # ---- types and fields

    def walk(self, without: Iterable[str], forced: Mapping[str, str]) -> None:
        """Pair the types of all messages, then their fields.

        `without` are names of elements of requests that are no candidates: they carry the signature.
        `forced` are names in requests and responses that are known already.
        """
        signed = frozenset(without)
        seen: set[tuple[int, int]] = set()
        todo: deque[tuple[Struct, Struct, bool]] = deque()
        for one, other in self.both:
            todo.append((one.request, other.request, True))
            todo.append((one.response, other.response, False))
        todo += [(before, now, False) for before, now in self._faults()]
        while todo and len(self.pairs) < _MOST_PAIRS:
            before, now, request = todo.popleft()
            if (id(before), id(now)) in seen:
                continue
            seen.add((id(before), id(now)))
            pair = Pair(before, now, request, forced=dict(forced))
            self.pairs.append(pair)
            if before.name != now.name and before.name not in self.new_types:
                self.types.setdefault(before.name, now.name)
            _match_fields(pair, signed if request else frozenset())
            for old, new in self._met(pair):
                if isinstance(old.type, Struct) and isinstance(new.type, Struct):
                    todo.append((old.type, new.type, request))
                elif isinstance(old.type, Enum) and isinstance(new.type, Enum):
                    self._enumeration(old.type, new.type)
            if before.base is not None and now.base is not None:
                todo.append((before.base, now.base, request))

    def _faults(self) -> Iterator[tuple[Struct, Struct]]:
        if self.old is None:
            return
        for name, before in self.old.faults.items():
            now = self.new.faults.get(name)
            if now is None and len(self.old.faults) == len(self.new.faults) == 1:
                now = next(iter(self.new.faults.values()))
            if now is not None:
                yield before, now

    def _met(self, pair: Pair) -> Iterator[tuple[Field, Field]]:
        for each in pair.old.all_fields():
            now = pair.renamed.get(written(each)) or named(pair.new, written(each))
            if now is not None:
                yield each, now

    def _enumeration(self, old: Enum, new: Enum) -> None:
        before, now = (each.qname.rpartition("}")[2] for each in (old, new))
        if before != now:
            self.simple_types.setdefault(before, now)

    def pairs_of(self, old: str) -> list[Pair]:
        """Return the pairs of a type, by its name before."""
        return [each for each in self.pairs if each.old.name == old]


def _all_structs(contract: Contract) -> list[Struct]:
    return [*structs(contract), *contract.faults.values()]


def _one_in_other(one: str, other: str) -> bool:
    first, second = meaning(one), meaning(other)
    return first <= second or second <= first


def _fits(old: Operation, new: Operation) -> bool:
    """Return True if the new request has a field for each one of the old request, by name or by type."""
    fresh = [each for each in new.request.all_fields() if each.kind in _KINDS]
    names = {spelling(each.wire) for each in fresh}
    for each in old.request.all_fields():
        if each.kind not in _KINDS or spelling(each.wire) in names:
            continue
        if not any(family(each.type) == family(other.type) for other in fresh):
            return False
    return _alike(old.response, new.response)


def _alike(old: Struct, new: Struct) -> bool:
    """Return True if two responses have half of their fields in common, by name."""
    before, now = ({spelling(each.wire) for each in one.all_fields()} for one in (old, new))
    return not before or 2 * len(before & now) >= len(before)


def _match_fields(pair: Pair, signed: frozenset[str]) -> None:
    before = [each for each in pair.old.all_fields() if each.kind in _KINDS and each.wire not in signed]
    now = [each for each in pair.new.all_fields() if each.kind in _KINDS and each.wire not in signed]
    old_names, new_names = {written(each) for each in before}, {written(each) for each in now}
    gone = [each for each in before if written(each) not in new_names]
    fresh = [each for each in now if written(each) not in old_names]

    def alike(one: Field, other: Field) -> bool:
        return family(one.type) == family(other.type)

    tests: list[Callable[[Field, Field], bool]] = [
        lambda one, other: pair.forced.get(one.wire) == other.wire,
        lambda one, other: spelling(one.wire) == spelling(other.wire) and alike(one, other),
        lambda one, other: meaning(one.wire) == meaning(other.wire) and alike(one, other),
        same_type,
        alike,
    ]
    if len(gone) * len(fresh) > _MOST_FIELDS:
        tests = []
    found, candidates = matched(gone, fresh, tests)
    for each in gone:
        if not tests:
            pair.candidates[written(each)] = fresh
        elif id(each) in found:
            pair.renamed[written(each)] = found[id(each)]
        else:
            pair.candidates[written(each)] = candidates[id(each)]
