"""Groups of elements that repeat: which children are one occurrence of the group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.wildcards import Wild

T = TypeVar("T")
ReadOccurrence = Callable[[Node, Sequence[Node], Reader], T]


class Step(NamedTuple):
    """A field of a group: its place in order, whether it may come again within an occurrence, and the arms of
    choices that it is in, as (choice, arm)."""

    place: int
    repeats: bool = False
    arms: tuple[tuple[str, int], ...] = ()


class Occurrences:
    """The fields of a group by tag, and what its wildcards take.

    An occurrence ends where another arm of a choice begins, where an element comes again that may not, or
    where the order goes backwards (XSD 1.0 part 1 3.8.6 makes that unambiguous).
    """

    __slots__ = ("_steps", "_wild")

    def __init__(self, steps: Mapping[str, tuple[Step, ...]], wild: Sequence[tuple[Wild, Step]] = ()) -> None:
        self._steps = steps
        self._wild = wild

    def takes(self, tag: object) -> bool:
        """Whether an element is part of the group."""
        return bool(self._of(tag))

    def read(
        self,
        read: Callable[[Node, Sequence[Node], Reader], T],
        node: Node,
        nodes: Sequence[Node],
        reader: Reader,
    ) -> list[T]:
        """The occurrences that children of `node` make."""
        return [read(node, occurrence, reader) for occurrence in self.cut(nodes)]

    def cut(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """The nodes, all of which the group takes, a list for each occurrence."""
        occurrences: list[list[Node]] = []
        used: set[int] = set()
        arms: dict[str, int] = {}
        last = -1
        for node in nodes:
            steps = self._of(node.tag)
            step = next((one for one in steps if _fits(one, used, arms, last)), None) if occurrences else None
            if step is None:
                occurrences.append([])
                used, arms, step = set(), {}, steps[0]
            occurrences[-1].append(node)
            used.add(step.place)
            arms.update(step.arms)
            last = step.place
        return occurrences

    def _of(self, tag: object) -> tuple[Step, ...]:
        known = self._steps.get(tag) if isinstance(tag, str) else None
        return known or tuple(step for wild, step in self._wild if wild.takes(tag))


def _fits(step: Step, used: set[int], arms: Mapping[str, int], last: int) -> bool:
    if step.place < last or (step.place in used and not step.repeats):
        return False
    return all(arms.get(choice, arm) == arm for choice, arm in step.arms)
