"""Find a new field for each role whose field the contract no longer has.

A role is a key in the settings whose value names a field, such as `page` in [paging]. There are roles for the
signature, pages, orders of reports, jobs and faults.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from bindgen.model import Enum, Field, Operation, Simple, Struct
from bindgen.passes.orders import PHASES
from bindgen.passes.orders import ROLES as ORDER
from bindgen.propose.names import FITS, LookupResult, Names, Proposal, inside
from bindgen.propose.pairing import named, written
from bindgen.propose.similarity import can_be, family, matched, meaning, spelling
from bindgen.sections import SECTIONS

_MAX_DEPTH = 4  # nested structures that are searched for authentication
_TEXTS = frozenset(("string", "token", "normalizedString", "base64Binary", "hexBinary"))
_OPERATIONS = ("order", "poll", "list")  # the keys of [job] that name operations


class Roles(Names):
    """Finds a new field for each role in the settings whose old field no longer exists.

    A role is a key in the settings whose value names a field, such as `page` in [paging].
    """

    def roles(self, section: str, outcomes: Mapping[str, LookupResult]) -> Iterator[Proposal]:
        """Yield proposals for the names in a section of contracts.toml that the contract no longer has.

        `outcomes` maps keys of the section to lookup results. A result is a new name, or candidates for it.
        """
        for key, outcome in outcomes.items():
            old = str(self.section(section)[key])
            yield from self.proposal((section, key), old, outcome, optional=_may_go(section, key))

    def signing(self) -> Iterator[tuple[str, LookupResult]]:
        """Yield each role of the signature whose element no longer exists, with a LookupResult.

        The LookupResult has the new name of the element if it is known, and otherwise candidates for it.

        The new element is searched among the names that are new in at least half of the requests, in the
        message or in SOAP headers.
        """
        names = self.settings.authentication
        now = {operation.name: carried(operation) for operation in self.pairing.new.operations}
        everywhere = {
            name for operation in self.pairing.new.operations for name in carried(operation, texts=False)
        }
        if everywhere.isdisjoint(names.values()) and not self._was_signed(names.values()):
            return  # the signature is in HTTP headers
        missing = {role: name for role, name in names.items() if name not in everywhere}
        shared = {role: self._shared(name, now, set(names.values())) for role, name in missing.items()}
        if not any(shared.values()) and len(missing) == len(names):
            return
        pool = sorted(set().union(*shared.values())) if shared else []
        matches, candidates = matched(
            list(missing),
            pool,
            [
                lambda role, name: name in shared[role] and spelling(name) == spelling(missing[role]),
                lambda role, name: name in shared[role] and can_be(f"signing.{role}", name),
            ],
        )
        for role in missing:
            listed = candidates.get(id(role), [])
            yield (
                role,
                LookupResult(new=matches.get(id(role), ""), candidates=tuple(listed or sorted(shared[role]))),
            )

    def _was_signed(self, names: Iterable[str]) -> bool:
        """Return True if a request of the old contract has an element with one of the names."""
        name_set = set(names)
        return any(
            not name_set.isdisjoint(carried(operation)) for operation in self.pairing.old_operations.values()
        )

    def _shared(self, name: str, now: Mapping[str, set[str]], named_already: Collection[str]) -> set[str]:
        """Return the names that may replace `name`, an element of old requests.

        - If old requests have `name`: the names that were added to at least half of these requests.
        - Otherwise: the names in at least half of all new requests.

        `now` maps each operation to the names in its new request. The result does not contain the names in
        `named_already`.
        """
        had = [(before, now[new.name]) for old, new in self.pairing.both if name in (before := carried(old))]
        counts: dict[str, int] = {}
        if not had:  # the old contract is unknown, or did not have the name
            had = [(set(), names) for names in now.values()]
        for before, after in had:
            for new_name in after - before:
                counts[new_name] = counts.get(new_name, 0) + 1
        return {new_name for new_name, count in counts.items() if 2 * count >= len(had)} - set(named_already)

    def paging(self) -> Iterator[tuple[str, LookupResult]]:
        """Yield each key in [paging] whose element is missing in the new contract, with a LookupResult.

        The LookupResult has the new name of the element if it is known, and otherwise candidates for it.
        """
        operations = self.pairing.new.operations
        requests = {field.wire for operation in operations for field in operation.request.all_fields()}
        responses = {field.wire for operation in operations for field in operation.response.all_fields()}
        table = self.section("paging")
        ends = {"page": requests, "items": requests, "total": responses}
        missing = [key for key in ends if key in table and str(table[key]) not in ends[key]]
        yield from self._by_role("paging", missing, lambda key: self._paged(str(table[key]), key != "total"))

    def _paged(self, name: str, request: bool) -> tuple[set[str], set[str]]:
        """Return two sets for a paging field: its known new names, and the candidates for a new name.

        `name` is the field's name in [paging], which the new contract no longer has. If `request` is True,
        the field is in requests; if False, in responses. A new name is known if the comparison of the
        contracts has found it (`Pair.renamed`).
        """
        renamed, candidates, had = set(), set(), False
        for pair in self.pairing.pairs:
            old = named(pair.old, name) if pair.request is request else None
            if old is not None and family(old.type) == "whole number":
                had = True
                if name in pair.renamed:
                    renamed.add(pair.renamed[name].wire)
                candidates |= {field.wire for field in pair.candidates.get(name, ())}
        if not had:
            candidates = {
                field.wire
                for operation in self.pairing.new.operations
                for field in (operation.request if request else operation.response).all_fields()
                if family(field.type) == "whole number"
            }
        return renamed, candidates

    def _by_role(
        self, section: str, missing: list[str], names: Callable[[str], tuple[set[str], set[str]]]
    ) -> Iterator[tuple[str, LookupResult]]:
        """Yield each missing key of a section with the new name of its field, or with candidates.

        `names(key)` returns two sets: the known new names, and the candidates. The new name is:

        1. the known new name, if there is exactly one
        2. otherwise, the only name from either set that contains a word of the role
        3. otherwise, the only candidate, if the old contract is available
        """
        both = {key: names(key) for key in missing}
        table = self.section(section)
        used = {str(value) for key, value in table.items() if key not in missing and isinstance(value, str)}
        settled = {key: next(iter(renamed)) for key, (renamed, _) in both.items() if len(renamed) == 1}
        used |= set(settled.values())
        waiting = [key for key in missing if key not in settled]
        pool = (
            sorted(set().union(*(both[key][0] | both[key][1] for key in waiting)) - used) if waiting else []
        )
        matches, _ = matched(
            waiting,
            pool,
            [
                lambda key, name: name in (both[key][0] | both[key][1]) and can_be(f"{section}.{key}", name),
                lambda key, name: name in both[key][1] and self.pairing.old is not None,
            ],
        )
        for key in missing:
            candidates = sorted((both[key][0] | both[key][1]) - used)
            yield (
                key,
                LookupResult(new=settled.get(key) or matches.get(id(key), ""), candidates=tuple(candidates)),
            )

    def order(self) -> Iterator[tuple[str, LookupResult]]:
        """Yield each key of the section [order] whose field the new contract lacks, with a LookupResult.

        The LookupResult has the new name of the field if it is known, and otherwise candidates for it.
        """
        request = self.order_request()
        if request is None:
            return
        table = self.section("order")
        missing = [key for key in ORDER if key in table and inside(request, str(table[key])) is None]
        yield from self._by_role("order", missing, lambda key: self._ordered(request, key, str(table[key])))

    def order_request(self) -> Struct | None:
        """Return the request that orders a report; None if the operation is unknown."""
        name = str(self.section("job").get("order"))
        operation = self.pairing.new_operations.get(self.pairing.operations.get(name, name))
        return operation.request if operation is not None else None

    def _ordered(self, request: Struct, key: str, name: str) -> tuple[set[str], set[str]]:
        """Return the known new names of a field, and the candidates for a new name.

        `request` is the request that orders a report, `key` the key in [order], and `name` the old name.
        """
        for pair in self.pairing.pairs:
            if pair.new is request and pair.request and named(pair.old, name) is not None:
                renamed = {written(pair.renamed[name])} if name in pair.renamed else set()
                candidates = {written(item) for item in pair.candidates.get(name, ())}
                return renamed, candidates or _nested(request, name, f"order.{key}", named(pair.old, name))
        names = {item.wire for item in request.all_fields() if item.kind == "element"}
        alike = {item for item in names if meaning(item) == meaning(name)}
        if alike:
            return (alike if len(alike) == 1 else set()), alike
        candidates = {item for item in names if can_be(f"order.{key}", item)}
        return set(), candidates or _nested(request, name, f"order.{key}", None)

    def filters(self) -> Iterator[Proposal]:
        """Yield proposals to correct `order.filters`, the list of fields that filter a report.

        There is a proposal for each field that the new contract does not have under this name.
        """
        request = self.order_request()
        if request is None:
            return
        order = self.section("order")
        listed = self.settings.texts("order", "filters")
        used = {*listed, *(str(value) for value in order.values() if isinstance(value, str))}
        owner = self.before(request)
        for index, name in enumerate(listed):
            outcome = self.field(owner, name, used) if inside(request, name) is None else FITS
            shown = LookupResult(outcome.fits, outcome.new.rpartition("/")[2], outcome.candidates)
            yield from self.proposal(("order", "filters", index), name, shown, optional=True)

    def job(self) -> Iterator[Proposal]:
        """Yield proposals for the operations and fields in [job] that the new contract no longer has."""
        table = self.section("job")
        for key in _OPERATIONS:
            if key in table:
                name = str(table[key])
                optional = _may_go("job", key)
                yield from self.proposal(("job", key), name, self.operation(name), optional=optional)
        for key, value in table.items():
            if key not in _OPERATIONS:
                owner = str(value).partition("/")[0]
                paths = [str(item).partition("/") for item in table.values()]
                outcome = self.path(str(value), {name for of, _, name in paths if of == owner})
                likely = [
                    item for item in outcome.candidates if can_be(f"job.{key}", item.rpartition("/")[2])
                ]
                if len(likely) == 1 and not outcome.new:
                    outcome = LookupResult(new=likely[0])
                if not (outcome.fits or outcome.new or outcome.candidates):
                    outcome = self._job_itself() if key == "item" else self._in_job(key, str(value))
                optional = _may_go("job", key)
                yield from self.proposal(("job", key), str(value), outcome, optional=optional)

        yield from self._ordered_id()

    def _polled(self, key: str) -> Struct | None:
        """Return the response type of an operation; None if the new contract does not have the operation.

        The setting `key` in the section [job] names the operation, such as "poll" or "order".
        """
        name = str(self.section("job").get(key))
        operation = self.pairing.new_operations.get(self.pairing.operations.get(name, name))
        return operation.response if operation is not None else None

    def _job_itself(self) -> LookupResult:
        """Look up the new name for `job.item`, the type of a job, if the polling response is itself the job.

        If `job.id` names a field of the polling response, this response is the job: the new name is its type.
        Otherwise, the result is empty.
        """
        response, path = self._polled("poll"), str(self.section("job").get("id"))
        owner, _, name = (self.path(path).new or path).partition("/")
        if response is None or response.name != owner or inside(response, name) is None:
            return LookupResult()
        return FITS if self.section("job").get("item") == owner else LookupResult(new=owner)

    def _in_job(self, key: str, path: str) -> LookupResult:
        """Look up a field of a job that may have moved into a structure inside the job.

        `key` is the key in [job], and `path` the old path of the field.
        """
        owner, _, name = path.partition("/")
        struct = self.pairing.new_types.get(self.pairing.types.get(owner, owner))
        if struct is None:
            return LookupResult()
        before = self.pairing.old_types.get(owner)
        old = named(before, name) if before is not None else None
        paths = sorted(f"{struct.name}/{item}" for item in _nested(struct, name, f"job.{key}", old))
        return LookupResult(new=paths[0]) if len(paths) == 1 else LookupResult(candidates=tuple(paths))

    def _ordered_id(self) -> Iterator[Proposal]:
        """Yield a proposal for `job.ordered_id` if the setting is missing but required.

        It is required if the response to an order does not contain the job.
        """
        table, response = self.section("job"), self._polled("order")
        if response is None or "ordered_id" in table or "item" not in table:
            return
        item = str(table["item"]).rpartition("/")[2]
        names = {outcome.rpartition("/")[2] for outcome in (self.path(str(table["item"])).new,) if outcome}
        if {item, *names} & {response.name, *(field.wire for field in response.all_fields())}:
            return
        fields = [field for field in response.all_fields() if not isinstance(field.type, Struct)]
        likely = [field for field in fields if can_be("job.id", field.wire)]
        paths = tuple(f"{response.name}/{written(field)}" for field in likely or fields)
        if len(paths) == 1:
            yield Proposal(("job", "ordered_id"), "add", "ordered_id", paths[0])
        else:
            yield Proposal(("job", "ordered_id"), "choose", "ordered_id", candidates=paths)

    def states(self) -> Iterator[Proposal]:
        """Yield proposals to correct the lists of job states in [waiter].

        There are proposals only if the job's status is an enumeration, and no state in the list `done` is one
        of its values. A state of the enumeration goes to the list that already has it in another spelling. If
        there is none, it goes to the list that the words in its name suggest.
        """
        path = str(self.section("job").get("status"))
        owner, _, name = (self.path(path).new or path).partition("/")
        struct = self.pairing.new_types.get(owner)
        field = named(struct, name) if struct is not None else None
        listed = {phase: self.settings.texts("waiter", phase) for phase in PHASES}
        if (
            field is None
            or not isinstance(field.type, Enum)
            or not set(listed["done"]).isdisjoint(field.type.values)
        ):
            return
        phases: dict[str, list[str]] = {phase: [] for phase in PHASES}
        for state in field.type.values:
            spelt = [phase for phase in PHASES if spelling(state) in map(spelling, listed[phase])]
            meant = spelt or [phase for phase in PHASES if can_be(f"waiter.{phase}", state)]
            for phase in meant:
                phases[phase].append(state)
        placed = sorted(state for states in phases.values() for state in states)
        if placed != sorted(field.type.values) or not phases["done"]:
            yield Proposal(("waiter", "done"), "choose", "done", candidates=tuple(field.type.values))
            return
        for phase, states in phases.items():
            if phase in self.section("waiter"):
                yield Proposal(("waiter", phase), "list", phase, candidates=tuple(states))

    def fault(self) -> Iterator[Proposal]:
        """Yield proposals to correct the names in the section `fault`: a fault's element and its fields."""
        table = self.section("fault")
        element = str(table.get("element"))
        if not table or not self.pairing.new.faults:
            return
        struct = self.pairing.new.faults.get(element)
        if struct is None:
            before = self.pairing.old.faults if self.pairing.old else {}
            fresh = [name for name in self.pairing.new.faults if name not in before]
            outcome = (
                LookupResult(new=fresh[0])
                if len(fresh) == 1
                else LookupResult(candidates=tuple(self.pairing.new.faults))
            )
            yield from self.proposal(("fault", "element"), element, outcome)
            struct = self.pairing.new.faults.get(outcome.new)
        if struct is None:
            return
        owner, wires = self.before(struct), {item.wire for item in struct.all_fields()}
        missing = [
            key for key in ("code", "reason", "error_id") if key in table and str(table[key]) not in wires
        ]

        def names(key: str) -> tuple[set[str], set[str]]:
            outcome = self.field(owner, str(table[key]), ())
            last = {item.rpartition("/")[2] for item in outcome.candidates}
            return ({outcome.new.rpartition("/")[2]} if outcome.new else set()), last

        yield from self.roles("fault", dict(self._by_role("fault", missing, names)))


def _may_go(section: str, key: str) -> bool:
    """Return True if a key of a section is optional, so that the line may be removed."""
    keys = SECTIONS[section]
    return keys is not None and key in keys[1].split()


def _nested(struct: Struct, name: str, role: str, old: Field | None) -> set[str]:
    """Return the paths of fields that are one level deep inside `struct` and can have a role.

    These are the fields with the name `name`. If there are none, they are the fields whose names contain a
    word of the role. `old` is the field that had the role before, or None. If it is not None, only fields
    with a type of the same family are returned.
    """
    paths = {
        f"{outer.wire}/{written(item)}": item.wire
        for outer in struct.all_fields()
        if outer.kind == "element" and isinstance(outer.type, Struct) and not (outer.repeats or outer.item)
        for item in outer.type.all_fields()
        if item.kind in ("element", "attribute") and (old is None or family(old.type) == family(item.type))
    }
    same = {path for path, wire in paths.items() if spelling(wire) == spelling(name)}
    return same or {path for path, wire in paths.items() if can_be(role, wire)}


def carried(operation: Operation, *, texts: bool = True) -> set[str]:
    """Return the names in a request that may belong to a signature.

    - The names of its SOAP headers.
    - The names of fields with a simple type in the message and the headers, at any depth. With `texts`, only
      fields with a text or a time.
    """
    names: set[str] = set()
    seen: set[int] = set()

    def look(struct: Struct, depth: int) -> None:
        if id(struct) in seen:
            return
        seen.add(id(struct))
        for field in struct.all_fields():
            if isinstance(field.type, Struct):
                if depth < _MAX_DEPTH and not field.repeats:
                    look(field.type, depth + 1)
            elif not texts or (
                isinstance(field.type, Simple) and (field.type.xsd in _TEXTS or family(field.type) == "time")
            ):
                names.add(field.wire)

    look(operation.request, 0)
    for header in operation.sent_headers():
        names.add(header.tag.rpartition("}")[2])
        look(header.type, 0)
    return names
