"""Whether the elements of a type come in another order than before."""

from __future__ import annotations

from collections.abc import Sequence

from bindgen.diff.matching import Both
from bindgen.diff.pairs import Structs
from bindgen.model import Field

_ORDERED = ("element", "any", "group")


def compare(pair: Structs, both: Sequence[Both], new_fields: Sequence[Field]) -> None:
    """Note a new order of the matched elements. Arms of one choice have none among themselves."""
    if pair.old.all_group != pair.new.all_group and len(both) > 1:
        freed = pair.new.all_group
        change, said = (
            ("order-freed", "its elements may come in any order now")
            if freed
            else ("order-fixed", "its elements must come in the order of the schema now")
        )
        pair.note(change, f"`{pair.path}`: {said}", old=pair.old.place, new=pair.new.place)
    if pair.old.all_group or pair.new.all_group or pair.old.holder in ("choice", "substitution"):
        return
    at = {id(field): number for number, field in enumerate(new_fields)}
    elements = [(old, new) for old, new in both if old.kind in _ORDERED]
    moved = _moved([(old, new, at[id(new)]) for old, new in elements])
    if moved is not None:
        old, new = moved
        said = f"`{new.wire}` comes at another place among the elements"
        pair.note_field("sequence-reordered", said, new.wire, old, new)


def _moved(elements: list[tuple[Field, Field, int]]) -> Both | None:
    """The first pair that does not come in the new order, as a whole and arm by arm.

    A choice stands as a whole where the first of its elements stands, whichever arm that is.
    """
    runs: dict[object, list[tuple[Field, Field, int]]] = {}
    whole: dict[object, tuple[Field, Field, int]] = {}
    for old, new, number in elements:
        if old.choices and new.choices:
            runs.setdefault(old.choices, []).append((old, new, number))
            path = old.choices[0][0]
            first = whole.setdefault(path, (old, new, number))
            whole[path] = (first[0], first[1], min(first[2], number))
        else:
            whole[id(old)] = (old, new, number)
    for run in (list(whole.values()), *runs.values()):
        wanted = sorted(number for _, _, number in run)
        for (old, new, number), right in zip(run, wanted, strict=True):
            if number != right:
                return old, new
    return None
