"""Two contracts → findings. They are compared as they were read, before any pass."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from bindgen.diff import operations
from bindgen.diff.findings import Finding
from bindgen.diff.pairs import Change, Pair, Pairs, Spaces
from bindgen.diff.rules import LEVELS, verdict_of
from bindgen.diff.types import TypeComparison
from bindgen.model import Contract, Operation


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


__all__ = ["compare"]


def compare(
    old: Contract, new: Contract, *, addresses: Collection[str] = (), unread: Collection[str] = ()
) -> list[Finding]:
    """All changes from `old` to `new`, the worst first, then in the order of the contract.

    `addresses` are known places of the service, no change if a port is at one of them. `unread` are
    operations that a side has and that could not be read: they are neither added nor removed.
    Raises pairs.TooManyPairs.
    """
    pairs, spaces = Pairs(), Spaces()
    both = operations.matched(old, new)
    reach = Reach([one.name for one, _ in both])
    whole = [*operations.added_and_removed(old, new, both, unread), *operations.ports(old, new, addresses)]
    if both:
        spaces.move(f"{{{old.namespace}}}", f"{{{new.namespace}}}", both[0][0].place, both[0][1].place)
    for number, (one, other) in enumerate(both):
        whole += operations.operation(one, other, spaces)
        whole += _messages(number, one, other, pairs, spaces, reach)
    types = TypeComparison(pairs, spaces)
    for pair in pairs.waiting():
        types.compare(pair)
    reach.spread()
    found = [
        *_moved(spaces, reach),
        *whole,
        *(_met(change, pairs_of, reach) for change, pairs_of in _by_change(pairs).items()),
    ]
    return sorted(dict.fromkeys(map(finding, found)), key=lambda each: -LEVELS.index(each.level))


def _by_change(pairs: Pairs) -> dict[Change, list[Pair]]:
    """Each change with all pairs that have it: what a type declares, those that extend it have, too."""
    found: dict[Change, list[Pair]] = {}
    for pair in pairs:
        for change in pair.changes:
            found.setdefault(change, []).append(pair)
    return found


def _messages(
    number: int, one: Operation, other: Operation, pairs: Pairs, spaces: Spaces, reach: Reach
) -> Iterator[Change]:
    requests: list[Pair] = []
    if operations.alike(one.request_tag, other.request_tag):
        requests.append(pairs.of(one.request, other.request))
    responses: list[Pair] = []
    sent = operations.headers(
        one.name, one.request_headers, other.request_headers, pairs, spaces, responses=False
    )
    got: list[Change | Pair] = []
    if not (one.one_way or other.one_way):  # else all of the response came or went, its faults, too
        if operations.alike(one.response_tag, other.response_tag):
            responses.append(pairs.of(one.response, other.response))
        got += operations.headers(
            one.name, one.response_headers, other.response_headers, pairs, spaces, responses=True
        )
        got += operations.faults(one.name, one.faults, other.faults, pairs, spaces)
    for into, found in ((requests, sent), (responses, got)):
        for each in found:
            if isinstance(each, Pair):
                into.append(each)
            else:
                yield each
    reach.start(number, requests, responses)


def _moved(spaces: Spaces, reach: Reach) -> Iterator[Change]:
    for (before, after), pairs in spaces.moved.items():
        said = f"names of {_space(before)} are of {_space(after)} now"
        old, new = spaces.at[before, after]
        met = reach.operations(pairs) or tuple(reach.names)
        yield Change("namespace-changed", before or "(none)", said, old, new, met)


def finding(each: Change) -> Finding:
    """The finding that a change is."""
    rule, direction = verdict_of(each.name, requests=each.requests, responses=each.responses)
    sentence = f"{each.said[0].upper()}{each.said[1:]}."
    return Finding(
        rule.name,
        rule.level,
        direction,
        each.path,
        each.operations,
        each.old,
        each.new,
        sentence,
        rule.remedy,
    )


def _met(change: Change, pairs: list[Pair], reach: Reach) -> Change:
    """A change of types, with who meets it."""
    return dataclasses.replace(
        change,
        operations=reach.operations(pairs),
        requests=any(reach.requests.get(pair) for pair in pairs),
        responses=any(reach.responses.get(pair) for pair in pairs),
    )


def _space(name: str) -> str:
    return f"the namespace {name}" if name else "no namespace"
