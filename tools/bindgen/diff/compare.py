"""Two contracts → findings. They are compared as they were read, before any pass."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bindgen.diff.findings import Change, Finding, finding
from bindgen.diff.operations import OperationComparison
from bindgen.diff.pairs import Pair, Pairs, Spaces, Structs
from bindgen.diff.roles import Roles
from bindgen.diff.rules import LEVELS
from bindgen.diff.types import TypeComparison
from bindgen.model import Contract
from bindgen.settings import ContractSettings


@dataclass(slots=True)
class Reach:
    """Operations as bits of a number: number n of them is bit n. Faults count as responses."""

    names: list[str]
    requests: dict[Pair, int] = field(default_factory=dict)
    responses: dict[Pair, int] = field(default_factory=dict)

    def start(self, operation: int, requests: Sequence[Pair], responses: Sequence[Pair]) -> None:
        """Note what the messages of an operation begin with."""
        for known, pairs in ((self.requests, requests), (self.responses, responses)):
            for pair in pairs:
                known[pair] = known.get(pair, 0) | 1 << operation

    def spread(self) -> None:
        """Go on from there to all that these pairs lead to, round circles, too."""
        for known in (self.requests, self.responses):
            waiting = deque(known)
            while waiting:
                pair = waiting.popleft()
                for inner in pair.leads_to:
                    wider = known.get(inner, 0) | known[pair]
                    if wider != known.get(inner, 0):
                        known[inner] = wider
                        waiting.append(inner)

    def operations(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """The names of the operations that meet any of these pairs, in the contract's order."""
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
    """All changes from `old` to `new`, the worst first, then in the order of the contract.

    `addresses` are known places of the service, no change if a port is at one of them. `unread` are
    operations that a side has and that could not be read: they are neither added nor removed.
    `settings` say which elements have a role. Raises pairs.TooManyPairs.
    """
    pairs, spaces = Pairs(), Spaces()
    operations = OperationComparison(pairs, spaces)
    both = operations.matched(old, new, unread)
    operations.ports(old, new, addresses)
    reach = Reach([one.name for one, _ in both])
    if both:
        spaces.move(f"{{{old.namespace}}}", f"{{{new.namespace}}}", both[0][0].place, both[0][1].place)
    roles, playing = Roles(settings, old, new), dict[Pair, dict[str, str]]()
    for number, (one, other) in enumerate(both):
        requests, responses = operations.compare(one, other)
        reach.start(number, requests, responses)
        for pair in (*requests, *responses):
            if isinstance(pair, Structs) and pair.old is one.request:
                playing.setdefault(pair, {}).update(roles.of_request(one, other))
            elif isinstance(pair, Structs) and pair.old is one.response:
                playing.setdefault(pair, {}).update(roles.of_response(one, other))
    types = TypeComparison(pairs, spaces)
    for pair in pairs.waiting():
        types.compare(pair)
    reach.spread()
    changes = roles.of_headers(operations.changes, both)
    found = [*_moved(spaces, reach), *changes, *_met(pairs, reach, playing)]
    return sorted(dict.fromkeys(map(finding, found)), key=lambda each: -LEVELS.index(each.level))


def _moved(spaces: Spaces, reach: Reach) -> Iterator[Change]:
    for (before, after), pairs in spaces.moved.items():
        names = [f"the namespace {each}" if each else "no namespace" for each in (before, after)]
        said = f"names of {names[0]} are of {names[1]} now"
        met = reach.operations(pairs) or tuple(reach.names)
        yield Change("namespace-changed", before or "(none)", said, *spaces.at[before, after], met)


def _met(pairs: Pairs, reach: Reach, playing: Mapping[Pair, Mapping[str, str]]) -> Iterator[Change]:
    """Each change of types, with who meets it: what a type declares, those that extend it have, too."""
    found: dict[Change, list[Pair]] = {}
    for pair in pairs:
        for change in pair.changes:
            found.setdefault(change, []).append(pair)
    for change, having in found.items():
        yield dataclasses.replace(
            change,
            role=next((role for pair in having if (role := playing.get(pair, {}).get(change.path))), ""),
            operations=reach.operations(having),
            requests=any(reach.requests.get(pair) for pair in having),
            responses=any(reach.responses.get(pair) for pair in having),
        )
