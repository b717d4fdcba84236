"""Comparison of the models of two contracts, before the passes of the generator change them."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bindgen.diff.findings import Change, Finding, finding
from bindgen.diff.operations import OperationComparison
from bindgen.diff.pairs import Pair, Pairs, RenamedNamespaces, Structs
from bindgen.diff.roles import Roles
from bindgen.diff.rules import LEVELS
from bindgen.diff.types import TypeComparison
from bindgen.model import Contract
from bindgen.settings import ContractSettings


@dataclass(slots=True)
class TypeUsage:
    """Maps each pair of types (old, new) to the operations whose requests or responses contain it.

    A set of operations is a bit set, in which bit n is operation n. Faults count as responses.
    """

    names: list[str]
    requests: dict[Pair, int] = field(default_factory=dict)
    responses: dict[Pair, int] = field(default_factory=dict)

    def start(self, operation: int, requests: Sequence[Pair], responses: Sequence[Pair]) -> None:
        """Record that an operation uses the types of its bodies, headers and faults.

        Types nested in these types are not recorded here, but by `spread`.

        `operation` is the operation's index in `names`. `requests` and `responses` are the types that its
        requests and responses use, as pairs of old and new type.
        """
        for operations_of, pairs in ((self.requests, requests), (self.responses, responses)):
            for pair in pairs:
                operations_of[pair] = operations_of.get(pair, 0) | 1 << operation

    def spread(self) -> None:
        """Record that the operations which use a pair of types also use all types nested in it.

        Types may be nested in cycles.
        """
        for operations_of in (self.requests, self.responses):
            waiting = deque(operations_of)
            while waiting:
                pair = waiting.popleft()
                for inner in pair.leads_to:
                    wider = operations_of.get(inner, 0) | operations_of[pair]
                    if wider != operations_of.get(inner, 0):
                        operations_of[inner] = wider
                        waiting.append(inner)

    def operations(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """Return the names of the operations affected by any of these pairs, in the order of the contract."""
        bits = 0
        for pair in pairs:
            bits |= self.requests.get(pair, 0) | self.responses.get(pair, 0)
        return tuple(name for number, name in enumerate(self.names) if bits >> number & 1)


def compare(
    old: Contract,
    new: Contract,
    *,
    addresses: Collection[str] = (),
    unread: Collection[str] = (),
    settings: Collection[ContractSettings] = (),
) -> list[Finding]:
    """Return all changes from `old` to `new`, the worst first, then in the order of the contract.

    `addresses` are known addresses of the service. If a port moves to a known address, this is not a change.
    `unread` are the operations that could not be read on one side. They count neither as added nor as
    removed. `settings` (from contracts.toml) give some elements a role in the client, such as authentication
    or paging; changes of these elements are explained by their role. Raises pairs.TooManyPairs.
    """
    pairs, spaces = Pairs(), RenamedNamespaces()
    operations = OperationComparison(pairs, spaces)
    both = operations.matched(old, new, unread)
    operations.ports(old, new, addresses)
    usage = TypeUsage([old_operation.name for old_operation, _ in both])
    if both:
        spaces.move(f"{{{old.namespace}}}", f"{{{new.namespace}}}", both[0][0].place, both[0][1].place)
    roles, roles_of_pairs = Roles(settings, old, new), dict[Pair, dict[str, str]]()
    for number, (old_operation, new_operation) in enumerate(both):
        requests, responses = operations.compare(old_operation, new_operation)
        usage.start(number, requests, responses)
        for pair in (*requests, *responses):
            if isinstance(pair, Structs) and pair.old is old_operation.request:
                roles_of_pairs.setdefault(pair, {}).update(roles.of_request(old_operation, new_operation))
            elif isinstance(pair, Structs) and pair.old is old_operation.response:
                roles_of_pairs.setdefault(pair, {}).update(roles.of_response(old_operation, new_operation))
    types = TypeComparison(pairs, spaces)
    for pair in pairs.waiting():
        types.compare(pair)
    usage.spread()
    changes = roles.of_headers(operations.changes, both)
    changes_found = [*_moved(spaces, usage), *changes, *_changes_of_types(pairs, usage, roles_of_pairs)]
    return sorted(
        dict.fromkeys(map(finding, changes_found)), key=lambda finding_: -LEVELS.index(finding_.level)
    )


def _moved(spaces: RenamedNamespaces, usage: TypeUsage) -> Iterator[Change]:
    """Yield a change for each renamed namespace."""
    for (before, after), pairs in spaces.moved.items():
        names = [f"the namespace {space}" if space else "no namespace" for space in (before, after)]
        message = f"elements and types moved from {names[0]} to {names[1]}"
        affected = usage.operations(pairs) or tuple(usage.names)
        yield Change("namespace-changed", before or "(none)", message, *spaces.at[before, after], affected)


def _changes_of_types(
    pairs: Pairs, usage: TypeUsage, roles_of_pairs: Mapping[Pair, Mapping[str, str]]
) -> Iterator[Change]:
    """Yield the changes of types, each with the operations that it affects.

    A change of a base type also affects the operations that use only the types that extend it.
    `roles_of_pairs` maps pairs of message types to the roles of their elements, by path (see `Roles`).
    """
    pairs_of_change: dict[Change, list[Pair]] = {}
    for pair in pairs:
        for change in pair.changes:
            pairs_of_change.setdefault(change, []).append(pair)
    for change, affected in pairs_of_change.items():
        yield dataclasses.replace(
            change,
            role=next(
                (role for pair in affected if (role := roles_of_pairs.get(pair, {}).get(change.path))), ""
            ),
            operations=usage.operations(affected),
            requests=any(usage.requests.get(pair) for pair in affected),
            responses=any(usage.responses.get(pair) for pair in affected),
        )
