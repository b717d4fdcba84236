"""Find the settings that no longer match a contract, and the names that replace them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bindgen.model import Contract, Operation, Struct
from bindgen.propose.names import LookupResult, Proposal, inside
from bindgen.propose.pairing import Pairing, named, written
from bindgen.propose.roles import Roles
from bindgen.rest_table import WHOLE
from bindgen.sections import OPERATION_FLAGS
from bindgen.settings import ContractSettings

_PAIRED_LISTS = ("binary", "may_be_missing", "day")


def find(settings: ContractSettings, old: Contract | None, new: Contract) -> list[Proposal]:
    """Return proposals to correct the settings that no longer match the contract `new`.

    `old` is the contract of the package that was generated before, or None if there is none. The module
    `propose.sources` must have read both contracts.
    """
    finder = _StaleSettingsFinder(settings, Pairing(old, new))
    return list({(proposal.path, proposal.kind): proposal for proposal in finder.find()}.values())


class _StaleSettingsFinder(Roles):
    """Compares all sections of the settings with the old and the new contract."""

    def find(self) -> Iterator[Proposal]:
        """Yield proposals to correct all sections of the settings.

        The roles of signing, pages and orders come first: their new names help to find the new field for each
        old field.
        """
        signing = dict(self.signing())
        yield from self.roles("signing", signing)
        used = set(self.settings.authentication.values())
        used |= {outcome.new for outcome in signing.values() if outcome.new}
        self.pairing.walk(used, {})
        paging, order = dict(self.paging()), dict(self.order())
        forced = {
            str(self.section(section)[key]): outcome.new
            for section, outcomes in (("paging", paging), ("order", order))
            for key, outcome in outcomes.items()
            if outcome.new
        }
        if forced:
            self.pairing.pairs.clear()
            self.pairing.walk(used, forced)
        yield from self.roles("paging", paging)
        yield from self.roles("order", order)
        yield from self.filters()
        yield from self.job()
        yield from self.states()
        yield from self.fault()
        yield from self._operations()
        yield from self._types()
        yield from self._refused()
        yield from self._rest()
        yield from self._rest_only()
        yield from self.listed(("soap_only", "elements"), self.settings.texts("soap_only", "elements"))
        yield from self._echo()

    # ---- sections of names

    def _operations(self) -> Iterator[Proposal]:
        """Yield proposals for settings that list operations which the new contract no longer has."""
        for section, key in (*(("operations", key) for key in OPERATION_FLAGS), ("signing", "public")):
            for index, name in enumerate(self.settings.texts(section, key)):
                yield from self.proposal((section, key, index), name, self.operation(name), optional=True)

    def _types(self) -> Iterator[Proposal]:
        """Yield proposals to correct the names of types and fields in the section `types`."""
        for key in _PAIRED_LISTS:
            yield from self.listed(("types", key), self.settings.texts("types", key))
        for path, names in self.settings.table("types", "also_read_as").items():
            place = ("types", "also_read_as", path)
            outcome = self.path(path)
            yield from self.proposal(place, path, outcome, optional=True, key=True)
            struct = self.pairing.new_types.get((outcome.new or path).partition("/")[0])
            for index, name in enumerate(names if isinstance(names, list) else ()):
                if struct is not None and named(struct, str(name)) is not None:
                    yield Proposal((*place, index), "remove", str(name), why=f"the contract has {name}")
        for index, name in enumerate(self.settings.texts("types", "keep_unknown")):
            if name not in self.pairing.new_types:
                outcome = LookupResult(new=self.pairing.types.get(name, ""))
                yield from self.proposal(("types", "keep_unknown", index), name, outcome, optional=True)

    def _refused(self) -> Iterator[Proposal]:
        """Yield proposals to correct the section `refused`: fields and values of earlier versions.

        If the new contract has such a field, the proposal is to remove the line.
        """
        for path in self.settings.table("refused", "fields"):
            owner, _, name = path.partition("/")
            struct = self.pairing.new_types.get(owner)
            place = ("refused", "fields", path)
            if struct is None and self.is_known(owner):
                now = self.pairing.types.get(owner, "")
                outcome = LookupResult(new=f"{now}/{name}" if now else "")
                yield from self.proposal(place, path, outcome, optional=True, key=True)
            elif struct is not None and named(struct, name) is not None:
                yield Proposal(place, "remove", path, why=f"the contract has {path}")
        for path in self.settings.table("refused", "values"):
            yield from self.proposal(
                ("refused", "values", path), path, self.path(path), optional=True, key=True
            )

    def _rest_only(self) -> Iterator[Proposal]:
        """Yield proposals to correct the section `rest_only`: fields that exist over REST only.

        If the new contract itself declares such a field, the proposal is to remove the line.
        """
        for path, kind in self.section("rest_only").items():
            owner, _, name = path.partition("/")
            now = owner if owner in self.pairing.new_types else self.pairing.types.get(owner, "")
            struct = self.pairing.new_types.get(now)
            if struct is None:
                if self.is_known(owner):
                    yield Proposal(
                        ("rest_only", path), "remove", path, why=f"the contract no longer has {owner}"
                    )
            elif named(struct, name) is not None:
                yield Proposal(("rest_only", path), "remove", path, why=f"the contract has {now}/{name}")
            elif now != owner:
                yield Proposal(("rest_only", path), "key", path, f"{now}/{name}")
            renamed = self.pairing.simple_types.get(str(kind).removesuffix("*"))
            names = {qname.rpartition("}")[2] for qname in self.pairing.new.simple_types}
            if renamed and str(kind).removesuffix("*") not in names:
                suffix = "*" if str(kind).endswith("*") else ""
                yield Proposal(("rest_only", path), "value", str(kind), f"{renamed}{suffix}")

    # ---- REST

    def _rest(self) -> Iterator[Proposal]:
        """Yield proposals to correct the names of operations and elements in the REST table.

        The rows for operations that exist over REST only are skipped.
        """
        for name, row in self.section("rest").items():
            if not isinstance(row, dict) or row.get("request"):
                continue
            outcome = self.operation(name)
            yield from self.proposal(("rest", name), name, outcome, optional=True, key=True)
            operation = self.pairing.new_operations.get(outcome.new or name)
            if operation is not None:
                yield from self._row(name, row, operation)

    def _row(self, name: str, row: Mapping[str, object], operation: Operation) -> Iterator[Proposal]:
        """Yield proposals to correct the names of elements in a row of the REST table.

        `name` is the key of the row, and `operation` its operation in the new contract.
        """
        owner = self.before(operation.request)
        owners = {owner, operation.request.name}
        has = {item.wire for item in operation.request.all_fields() if item.kind == "element"}
        has |= {
            field
            for path in self.section("rest_only")
            for of, _, field in [path.partition("/")]
            if of in owners
        }
        spots = list(_named_in_row(row))
        used = {item for _, item in spots}
        for path, element in spots:
            if element in has:
                continue
            outcome = self.field(owner, element, used)
            shown = LookupResult(
                new=outcome.new.rpartition("/")[2],
                candidates=tuple(item.rpartition("/")[2] for item in outcome.candidates),
            )
            optional = path[0] == "query"
            place = path[:2] if optional and shown.gone else path
            yield from self.proposal(("rest", name, *place), element, shown, optional=optional)

    # ---- echoes

    def _echo(self) -> Iterator[Proposal]:
        """Yield proposals to correct the section `echo`.

        The section maps paths in requests to the paths at which responses repeat the values.
        """
        for request, response in self.section("echo").items():
            if any(_echoes(item, request, str(response)) for item in self.pairing.new.operations):
                continue
            renamed = {
                (
                    self._along(before.request, now.request, request),
                    self._along(before.response, now.response, str(response)),
                )
                for before, now in self.pairing.both
                if _echoes(before, request, str(response))
            }
            complete = {item for item in renamed if all(item)}
            if len(complete) == 1:
                ((key, value),) = complete
                if value != response:
                    yield Proposal(("echo", request), "value", str(response), value)
                if key != request:
                    yield Proposal(("echo", request), "key", request, key)
            elif self.pairing.old is not None:
                listed = tuple(f"{key} = {value}" for key, value in sorted(complete))
                yield from self.proposal(
                    ("echo", request), request, LookupResult(candidates=listed), optional=True
                )

    def _along(self, old: Struct, new: Struct, path: str) -> str:
        """Return the path in the message `new` that corresponds to `path` in the message `old`.

        Renamed fields have their new names. Returns "" if there is no such path.
        """
        names = path.split("/")
        start = [new.name] if names[0] == old.name and len(names) > 1 else []
        new_names: list[str] = []
        before, now = old, new
        for name in names[len(start) :]:
            old_field = named(before, name)
            renamed = {
                written(pair.renamed[name])
                for pair in self.pairing.pairs
                if pair.old is before and pair.new is now and name in pair.renamed
            }
            new_field = named(now, renamed.pop() if len(renamed) == 1 else name)
            if old_field is None or new_field is None:
                return ""
            new_names.append(written(new_field))
            if isinstance(old_field.type, Struct) and isinstance(new_field.type, Struct):
                before, now = old_field.type, new_field.type
        return "/".join([*start, *new_names])


def _named_in_row(row: Mapping[str, object]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the settings in a row of the REST table whose value is the name of a request element.

    Each one is yielded as a pair: the setting's path in the row, and the name of the element.
    """
    in_path, query, body = row.get("in_path", ()), row.get("query", {}), row.get("body", "")
    for index, name in enumerate(in_path if isinstance(in_path, list) else ()):
        yield ("in_path", index), str(name)
    for parameter, value in query.items() if isinstance(query, dict) else ():
        if isinstance(value, str):
            yield ("query", parameter), value
        elif isinstance(value, dict):
            yield ("query", parameter, "field"), str(value.get("field"))
    if isinstance(body, str) and body not in ("", WHOLE):
        yield ("body",), body


def _echoes(operation: Operation, request: str, response: str) -> bool:
    own = request.removeprefix(f"{operation.request.name}/")
    return inside(operation.request, own) is not None and inside(operation.response, response) is not None
