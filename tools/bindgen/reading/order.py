"""Which fields of a content model may stand beside one another, and which of them comes last."""

from __future__ import annotations

from itertools import islice

Choices = tuple[tuple[str, int], ...]  # the arms that a field is in, outer to inner

_NONE = -1


class Order:
    """The places of the fields noted so far, by the arms of choices that they are in.

    Two fields may both be there unless they are in different arms of one choice. What is asked takes as many
    steps as choices are within one another, however many fields there are. A place that is noted stays: a
    field that moved ahead is taken to be where it was, too.
    """

    def __init__(self) -> None:
        self._within: dict[Choices, int] = {}  # the last place in an arm, or in one within it
        self._directly: dict[Choices, int] = {}  # the last one in that arm alone
        self._choices: dict[Choices, dict[str, int]] = {}  # in each choice of an arm, the latest one last

    def note(self, choices: Choices, place: int) -> None:
        """Take in a field at a place."""
        self._directly[choices] = max(place, self._directly.get(choices, _NONE))
        for deep in range(len(choices) + 1):
            arm = choices[:deep]
            self._within[arm] = max(place, self._within.get(arm, _NONE))
            if deep < len(choices):
                inner, choice = self._choices.setdefault(arm, {}), choices[deep][0]
                inner[choice] = max(place, inner.pop(choice, _NONE))

    def last(self, choices: Choices) -> int:
        """The last place of a field that may be there beside one in these arms; -1 where there is none."""
        found = self._within.get(choices, _NONE)
        for deep, (choice, _) in enumerate(choices):
            arm = choices[:deep]
            found = max(found, self._directly.get(arm, _NONE))
            # The choices of an arm follow one another: the two latest tell all.
            for other, place in islice(reversed(self._choices.get(arm, {}).items()), 2):
                if other != choice:
                    found = max(found, place)
        return found


def parted(one: Choices, other: Choices) -> int | None:
    """How many arms two fields have in common before they part in a choice; None where they do not."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at if left[0] == right[0] else None
    return None
