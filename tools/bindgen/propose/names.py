"""Search the contract for the names in the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bindgen.model import Field, Simple, Struct
from bindgen.propose.pairing import Pairing, named, written
from bindgen.propose.similarity import meaning, spelling
from bindgen.settings import ContractSettings


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change of one setting that no longer matches the contract.

    `path` is the path of the setting in the contract's table. `kind` is the change:

    - `value`, `key`: replace the value or the key by `new`.
    - `list`: replace the value by the list of `candidates`.
    - `add`: add a line with the value `new`.
    - `remove`: comment the line out. `why` is the reason.
    - `choose`: change nothing. The user chooses one of the `candidates`.
    """

    path: tuple[str | int, ...]
    kind: Literal["value", "key", "list", "add", "remove", "choose"]
    old: str
    new: str = ""
    why: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def setting(self) -> str:
        """The path of the setting as in `Problem.setting`: joined by dots, without indexes of lists."""
        return ".".join(part for part in self.path if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The result of looking up a name from the settings in the new contract.

    - `fits`: True if the contract has the name. The other attributes are then empty.
    - `new`: the new name, if it could be determined.
    - `candidates`: possible new names.
    - `gone`: True if the contract has neither the name nor a replacement.
    """

    fits: bool = False
    new: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        """True if the contract has neither the name nor a replacement for it."""
        return not (self.fits or self.new or self.candidates)


FITS = LookupResult(fits=True)


class Names:
    """Looks up the operations, types and fields that settings name."""

    def __init__(self, settings: ContractSettings, pairing: Pairing) -> None:
        self.settings: Final = settings
        self.pairing: Final = pairing

    def section(self, name: str) -> Mapping[str, object]:
        """Return a section of the settings; empty if the settings do not have it."""
        return self.settings.section(name)

    def proposal(
        self,
        path: tuple[str | int, ...],
        old: str,
        outcome: LookupResult,
        *,
        optional: bool = False,
        key: bool = False,
    ) -> Iterator[Proposal]:
        """Yield the proposal that follows from `outcome`, the result of searching the contract for a name.

        Yields nothing if the contract has the name. `path` is the path of the setting, and `old` the name in
        it. With `optional`, the proposal is to remove the setting if the contract has neither the name nor a
        replacement. With `key`, the name is the key of the setting, not its value.
        """
        if outcome.fits:
            return
        if outcome.new:
            yield Proposal(path, "key" if key else "value", old, outcome.new)
        elif outcome.gone and optional:
            yield Proposal(path, "remove", old, why=f"the contract no longer has {old}")
        else:
            yield Proposal(path, "choose", old, candidates=outcome.candidates)

    def before(self, struct: Struct) -> str:
        """Return the old name of a type: the name of the matching type in the old contract.

        `struct` is a type of the new contract. If no old type matches, return the name of `struct`.
        """
        return next((pair.old.name for pair in self.pairing.pairs if pair.new is struct), struct.name)

    def operation(self, name: str) -> LookupResult:
        """Look up an operation: does the new contract have it, and if not, which operation may replace it?

        `name` is the operation's name in the settings.
        """
        if name in self.pairing.new_operations or self.is_own_row(name):
            return FITS
        if name in self.pairing.operations:
            return LookupResult(new=self.pairing.operations[name])
        if name in self.pairing.operation_candidates:
            return LookupResult(candidates=tuple(self.pairing.operation_candidates[name]))
        alike = [item for item in self.pairing.new_operations if spelling(item) == spelling(name)]
        return LookupResult(new=alike[0]) if len(alike) == 1 else LookupResult(candidates=tuple(alike))

    def is_own_row(self, name: str) -> bool:
        """Return True if the row `name` of the REST table defines an operation that is not in the WSDL."""
        row = self.section("rest").get(name)
        return isinstance(row, dict) and bool(row.get("request"))

    def path(self, path: str, used: Collection[str] = ()) -> LookupResult:
        """Look up the field at the path `TYPE/FIELD` in the new contract. Names in `used` are not candidates.

        If the contract does not have the field, the result has its new path, or the paths of candidates.
        """
        owner, _, name = path.partition("/")
        return self.field(owner, name, used)

    def field(self, owner: str, name: str, used: Collection[str]) -> LookupResult:
        """Look up the field `name` of the type `owner` in the new contract, like `path`."""
        pairing = self.pairing
        now = owner if owner in pairing.new_types else pairing.types.get(owner, "")
        if not now:
            alike = [item for item in pairing.new_types if spelling(item) == spelling(owner)]
            now = alike[0] if len(alike) == 1 else ""
        struct = pairing.new_types.get(now)
        if struct is None:
            return LookupResult() if self.is_known(owner) else LookupResult(candidates=("no such type",))
        if inside(struct, name) is not None:
            return FITS if now == owner else LookupResult(new=f"{now}/{name}")
        pairs = pairing.pairs_of(owner)
        renamed = {written(pair.renamed[name]) for pair in pairs if name in pair.renamed} - set(used)
        if len(renamed) == 1:
            return LookupResult(new=f"{now}/{renamed.pop()}")
        candidates = {written(item) for pair in pairs for item in pair.candidates.get(name, ())} - set(used)
        if not pairs or not any(named(pair.old, name) for pair in pairs):
            candidates |= _resembling(struct, name) - set(used)
            if len(candidates) == 1:
                return LookupResult(new=f"{now}/{candidates.pop()}")
            if not candidates and pairing.old is None:
                return LookupResult(candidates=("no such field",))
        return LookupResult(candidates=tuple(f"{now}/{item}" for item in sorted(candidates | renamed)))

    def is_known(self, owner: str) -> bool:
        """Return True if the old contract has the type with the name `owner`."""
        return owner in self.pairing.old_types

    def is_date(self, path: str) -> bool:
        """Return True if the field at `TYPE/FIELD` is an `xsd:date` in the new contract."""
        owner, _, name = (self.path(path).new or path).partition("/")
        struct = self.pairing.new_types.get(owner)
        field = named(struct, name) if struct is not None else None
        return field is not None and isinstance(field.type, Simple) and field.type.xsd == "date"

    def listed(self, path: tuple[str, str], paths: list[str]) -> Iterator[Proposal]:
        """Yield proposals to correct a setting that is a list of paths `TYPE/FIELD`.

        `path` is the path of the setting, and `paths` its value. Paths of renamed fields are replaced, and
        paths of fields that the contract no longer has are commented out.
        """
        for index, item in enumerate(paths):
            place = (*path, index)
            if path[1] == "day" and self.is_date(item):
                yield Proposal(place, "remove", item, why=f"{item} is an xsd:date, so it is already a day")
            else:
                yield from self.proposal(place, item, self.path(item), optional=True)


def inside(struct: Struct, path: str) -> Field | None:
    """Return the field of a type at a path; None if there is no such field.

    A path consists of the names of nested fields, joined by `/`.
    """
    field: Field | None = None
    for name in path.split("/"):
        field = named(struct, name)
        if field is None:
            return None
        struct = field.type if isinstance(field.type, Struct) else Struct("", field.place)
    return field


def _resembling(struct: Struct, name: str) -> set[str]:
    """Return the names of fields that differ from `name` only in case and separators.

    If there are none, return the names whose words have the same meaning.
    """
    plain = name.removeprefix("@")
    fields = [field for field in struct.all_fields() if field.kind in ("element", "attribute")]
    alike = {written(field) for field in fields if spelling(field.wire) == spelling(plain)}
    return alike or {written(field) for field in fields if meaning(field.wire) == meaning(plain)}
