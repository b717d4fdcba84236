"""Compare the old and the new contract: find renamed operations, types and fields."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bindgen.model import Contract, Enum, Field, Operation, Struct
from bindgen.passes.walk import structs
from bindgen.propose.similarity import family, matched, meaning, same_type, spelling

_KINDS = ("element", "attribute")
# Limits for hostile contracts: pairs of types, and pairs of fields to compare in two types.
_MAX_PAIRS = 20_000
_MAX_FIELDS = 2_500


@dataclass(slots=True)
class Pair:
    """A type of the old contract and the type that corresponds to it in the new contract.

    - `request`: True inside requests.
    - `forced`: maps old names to new names that are known before the comparison.
    - `renamed`: maps old names to the new fields that the comparison found.
    - `candidates`: maps other old names to possible new fields, if the comparison could not decide.

    In `renamed` and `candidates`, names of attributes begin with `@` (see `written`).
    """

    old: Struct
    new: Struct
    request: bool
    renamed: dict[str, Field] = field(default_factory=dict)
    candidates: dict[str, list[Field]] = field(default_factory=dict)
    forced: dict[str, str] = field(default_factory=dict)


def written(item: Field) -> str:
    """Return the name of a field as it is written in paths. The name of an attribute begins with `@`."""
    return f"@{item.wire}" if item.kind == "attribute" else item.wire


def named(struct: Struct, name: str) -> Field | None:
    """Return the field whose name in paths is `name`; None if there is no such field."""
    return next((item for item in struct.all_fields() if item.kind in _KINDS and written(item) == name), None)


class Pairing:
    """Finds renamed operations, types and fields.

    `old` is None if no package was generated before. In this case, it is unknown which names were removed
    from the contract, and names are matched only by their spelling.
    """

    def __init__(self, old: Contract | None, new: Contract) -> None:
        self.old: Final = old
        self.new: Final = new
        self.new_operations: Final = {item.name: item for item in new.operations}
        self.old_operations: Final = {item.name: item for item in (old.operations if old else ())}
        self.new_types: Final = {item.name: item for item in _all_structs(new)}
        self.old_types: Final = {item.name: item for item in (_all_structs(old) if old else ())}
        self.operations: Final[dict[str, str]] = {}  # old name -> new name, if they differ
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
        """Find the new name of each operation that the new contract no longer has, or candidates for it."""
        removed = [item for name, item in self.old_operations.items() if name not in self.new_operations]
        fresh = [item for name, item in self.new_operations.items() if name not in self.old_operations]
        tests: list[Callable[[Operation, Operation], bool]] = [
            lambda candidate, other: spelling(candidate.name) == spelling(other.name),
            lambda candidate, other: _contains_other(candidate.name, other.name) and _fits(candidate, other),
            _fits,
        ]
        matches, candidates = matched(removed, fresh, tests)
        for item in removed:
            if id(item) in matches:
                self.operations[item.name] = matches[id(item)].name
            else:
                self.operation_candidates[item.name] = [candidate.name for candidate in candidates[id(item)]]

    # ---- types and fields

    def walk(self, without: Iterable[str], forced: Mapping[str, str]) -> None:
        """Pair the types of the messages and faults of both contracts, and find the renamed fields in them.

        The types of paired fields are paired, too.

        - `without`: names of request elements that contain the signature; they are not candidates.
        - `forced`: renames of elements that are already known, from old to new name.
        """
        signed = frozenset(without)
        seen: set[tuple[int, int]] = set()
        todo: deque[tuple[Struct, Struct, bool]] = deque()
        for old_operation, new_operation in self.both:
            todo.append((old_operation.request, new_operation.request, True))
            todo.append((old_operation.response, new_operation.response, False))
        todo += [(before, now, False) for before, now in self._faults()]
        while todo and len(self.pairs) < _MAX_PAIRS:
            before, now, request = todo.popleft()
            if (id(before), id(now)) in seen:
                continue
            seen.add((id(before), id(now)))
            pair = Pair(before, now, request, forced=dict(forced))
            self.pairs.append(pair)
            if before.name != now.name and before.name not in self.new_types:
                self.types.setdefault(before.name, now.name)
            _match_fields(pair, signed if request else frozenset())
            for old, new in self._common_fields(pair):
                if isinstance(old.type, Struct) and isinstance(new.type, Struct):
                    todo.append((old.type, new.type, request))
                elif isinstance(old.type, Enum) and isinstance(new.type, Enum):
                    self._enumeration(old.type, new.type)
            if before.base is not None and now.base is not None:
                todo.append((before.base, now.base, request))

    def _faults(self) -> Iterator[tuple[Struct, Struct]]:
        """Yield the types of old and new faults with the same name, as pairs.

        If each contract has only one fault, these two are a pair even if their names differ.
        """
        if self.old is None:
            return
        for name, before in self.old.faults.items():
            now = self.new.faults.get(name)
            if now is None and len(self.old.faults) == len(self.new.faults) == 1:
                now = next(iter(self.new.faults.values()))
            if now is not None:
                yield before, now

    def _common_fields(self, pair: Pair) -> Iterator[tuple[Field, Field]]:
        """Yield pairs of old and new fields with the same name, or with a known new name."""
        for old_field in pair.old.all_fields():
            now = pair.renamed.get(written(old_field)) or named(pair.new, written(old_field))
            if now is not None:
                yield old_field, now

    def _enumeration(self, old: Enum, new: Enum) -> None:
        before, now = (enum.qname.rpartition("}")[2] for enum in (old, new))
        if before != now:
            self.simple_types.setdefault(before, now)

    def pairs_of(self, old: str) -> list[Pair]:
        """Return the pairs whose old type has the name `old`."""
        return [pair for pair in self.pairs if pair.old.name == old]


def _all_structs(contract: Contract) -> list[Struct]:
    return [*structs(contract), *contract.faults.values()]


def _contains_other(name: str, other: str) -> bool:
    first, second = meaning(name), meaning(other)
    return first <= second or second <= first


def _fits(old: Operation, new: Operation) -> bool:
    """Return True if the old operation may have been renamed to the new one.

    - Each field of the old request must have a counterpart in the new request: a field with the same name, or
      with a type of the same family.
    - The responses must be alike.
    """
    fresh = [item for item in new.request.all_fields() if item.kind in _KINDS]
    names = {spelling(item.wire) for item in fresh}
    for item in old.request.all_fields():
        if item.kind not in _KINDS or spelling(item.wire) in names:
            continue
        if not any(family(item.type) == family(other.type) for other in fresh):
            return False
    return _alike(old.response, new.response)


def _alike(old: Struct, new: Struct) -> bool:
    """Return True if the new type has at least half of the old type's field names."""
    before, now = ({spelling(item.wire) for item in struct.all_fields()} for struct in (old, new))
    return not before or 2 * len(before & now) >= len(before)


def _is_other_id(old: Field, new: Field) -> bool:
    """Return True if two fields may be the same id, although only one of them is a whole number.

    The other field must be a text, and the words of one name must include all words of the other name.
    """
    families = {family(old.type), family(new.type)}
    return families == {"text", "whole number"} and _contains_other(old.wire, new.wire)


def _match_fields(pair: Pair, signed: frozenset[str]) -> None:
    """For each old field that is missing from the new type, find the field that replaces it, or candidates.

    Elements in `signed` contain the signature and are ignored.
    """
    before = [item for item in pair.old.all_fields() if item.kind in _KINDS and item.wire not in signed]
    now = [item for item in pair.new.all_fields() if item.kind in _KINDS and item.wire not in signed]
    old_names, new_names = {written(item) for item in before}, {written(item) for item in now}
    removed = [item for item in before if written(item) not in new_names]
    fresh = [item for item in now if written(item) not in old_names]

    def alike(candidate: Field, other: Field) -> bool:
        return family(candidate.type) == family(other.type)

    tests: list[Callable[[Field, Field], bool]] = [
        lambda candidate, other: pair.forced.get(candidate.wire) == other.wire,
        lambda candidate, other: spelling(candidate.wire) == spelling(other.wire) and alike(candidate, other),
        lambda candidate, other: meaning(candidate.wire) == meaning(other.wire) and alike(candidate, other),
        _is_other_id,
        same_type,
        alike,
    ]
    if len(removed) * len(fresh) > _MAX_FIELDS:
        tests = []
    matches, candidates = matched(removed, fresh, tests)
    for item in removed:
        if not tests:
            pair.candidates[written(item)] = fresh
        elif id(item) in matches:
            pair.renamed[written(item)] = matches[id(item)]
        else:
            pair.candidates[written(item)] = candidates[id(item)]
