"""Names in the settings, looked up in the contract."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bindgen.model import Field, Simple, Struct
from bindgen.propose.pairing import Pairing, named, written
from bindgen.propose.resemblance import meaning, spelling
from bindgen.settings import ContractSettings


@dataclass(frozen=True, slots=True)
class Proposal:
    """One place of the settings that does not fit. `path` leads to it from the contract's table.

    `kind` says what to do there: write `new` as the value or as the key, comment it out because of `why`, or
    choose among the `candidates` (nothing is written then).
    """

    path: tuple[str | int, ...]
    kind: Literal["value", "key", "remove", "choose"]
    old: str
    new: str = ""
    why: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def setting(self) -> str:
        """The place as problems name it."""
        return ".".join(part for part in self.path if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a lookup: the name `fits`, is `new` now, is gone, or may be one of the `candidates`."""

    fits: bool = False
    new: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        return not (self.fits or self.new or self.candidates)


FITS = Outcome(fits=True)


class Names:
    """Operations, types and fields that settings name."""

    def __init__(self, settings: ContractSettings, pairing: Pairing) -> None:
        self.settings: Final = settings
        self.pairing: Final = pairing

    def section(self, name: str) -> Mapping[str, object]:
        return self.settings.section(name)

    def proposal(
        self,
        path: tuple[str | int, ...],
        old: str,
        outcome: Outcome,
        *,
        optional: bool = False,
        key: bool = False,
    ) -> Iterator[Proposal]:
        if outcome.fits:
            return
        if outcome.new:
            yield Proposal(path, "key" if key else "value", old, outcome.new)
        elif outcome.gone and optional:
            yield Proposal(path, "remove", old, why=f"the contract no longer has {old}")
        else:
            yield Proposal(path, "choose", old, candidates=outcome.candidates)

    def before(self, struct: Struct) -> str:
        """The name that a type had before."""
        return next((pair.old.name for pair in self.pairing.pairs if pair.new is struct), struct.name)

    def operation(self, name: str) -> Outcome:
        if name in self.pairing.new_operations or self.is_own_row(name):
            return FITS
        if name in self.pairing.operations:
            return Outcome(new=self.pairing.operations[name])
        if name in self.pairing.operation_candidates:
            return Outcome(candidates=tuple(self.pairing.operation_candidates[name]))
        alike = [each for each in self.pairing.new_operations if spelling(each) == spelling(name)]
        return Outcome(new=alike[0]) if len(alike) == 1 else Outcome(candidates=tuple(alike))

    def is_own_row(self, name: str) -> bool:
        row = self.section("rest").get(name)
        return isinstance(row, dict) and bool(row.get("request"))

    def path(self, path: str, taken: Collection[str] = ()) -> Outcome:
        """Look up `TYPE/FIELD`."""
        owner, _, name = path.partition("/")
        return self.field(owner, name, taken)

    def field(self, owner: str, name: str, taken: Collection[str]) -> Outcome:
        pairing = self.pairing
        now = owner if owner in pairing.new_types else pairing.types.get(owner, "")
        if not now:
            alike = [each for each in pairing.new_types if spelling(each) == spelling(owner)]
            now = alike[0] if len(alike) == 1 else ""
        struct = pairing.new_types.get(now)
        if struct is None:
            return Outcome() if self.is_known(owner) else Outcome(candidates=("no such type",))
        if named(struct, name) is not None:
            return FITS if now == owner else Outcome(new=f"{now}/{name}")
        pairs = pairing.pairs_of(owner)
        renamed = {written(pair.renamed[name]) for pair in pairs if name in pair.renamed} - set(taken)
        if len(renamed) == 1:
            return Outcome(new=f"{now}/{renamed.pop()}")
        able = {written(each) for pair in pairs for each in pair.candidates.get(name, ())} - set(taken)
        if not pairs or not any(named(pair.old, name) for pair in pairs):
            able |= _resembling(struct, name) - set(taken)
            if len(able) == 1:
                return Outcome(new=f"{now}/{able.pop()}")
            if not able and pairing.old is None:
                return Outcome(candidates=("no such field",))
        return Outcome(candidates=tuple(f"{now}/{each}" for each in sorted(able | renamed)))

    def is_known(self, owner: str) -> bool:
        """Return True if the contract had such a type, so that it is known to be gone."""
        return owner in self.pairing.old_types

    def is_date(self, path: str) -> bool:
        owner, _, name = (self.path(path).new or path).partition("/")
        struct = self.pairing.new_types.get(owner)
        field = named(struct, name) if struct is not None else None
        return field is not None and isinstance(field.type, Simple) and field.type.xsd == "date"

    def listed(self, path: tuple[str, str], paths: list[str]) -> Iterator[Proposal]:
        """Look up a list of TYPE/FIELD. Entries that the contract no longer has are commented out."""
        for at, each in enumerate(paths):
            place = (*path, at)
            if path[1] == "day" and self.is_date(each):
                yield Proposal(place, "remove", each, why=f"{each} is an xsd:date, a day anyway")
            else:
                yield from self.proposal(place, each, self.path(each), optional=True)


def inside(struct: Struct, path: str) -> Field | None:
    """The field that names joined by `/` lead to."""
    found: Field | None = None
    for name in path.split("/"):
        found = named(struct, name)
        if found is None:
            return None
        struct = found.type if isinstance(found.type, Struct) else Struct("", found.place)
    return found


def _resembling(struct: Struct, name: str) -> set[str]:
    """Fields of a type that are spelled alike or mean the same."""
    plain = name.removeprefix("@")
    names = [each for each in struct.all_fields() if each.kind in ("element", "attribute")]
    alike = {written(each) for each in names if spelling(each.wire) == spelling(plain)}
    return alike or {written(each) for each in names if meaning(each.wire) == meaning(plain)}
