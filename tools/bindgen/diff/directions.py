"""Which operations meet a pair of types in their requests, and which in their replies."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from bindgen.diff.pairs import Pair


@dataclass(slots=True)
class Reach:
    """Operations as bits of a number: number n of them is bit n. Faults and reply headers are replies."""

    names: list[str]
    requests: dict[Pair, int] = field(default_factory=dict)
    replies: dict[Pair, int] = field(default_factory=dict)

    def start(self, operation: int, requests: Sequence[Pair], replies: Sequence[Pair]) -> None:
        """Note what the messages of an operation begin with."""
        for known, pairs in ((self.requests, requests), (self.replies, replies)):
            for pair in pairs:
                known[pair] = known.get(pair, 0) | 1 << operation

    def spread(self) -> None:
        """Go on from there to all that these pairs lead to, round circles, too."""
        for known in (self.requests, self.replies):
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
            bits |= self.requests.get(pair, 0) | self.replies.get(pair, 0)
        return tuple(name for number, name in enumerate(self.names) if bits >> number & 1)
