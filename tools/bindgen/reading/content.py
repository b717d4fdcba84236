"""The fields of a content model while it is read: what comes twice, what is one field, and how many fit."""

from __future__ import annotations

from bindgen.model import Field, Struct, Wildcard

MOST_FIELDS = 5000  # of one type


class TooMuch(Exception):
    """More than is read of one type, or of a whole contract; says what."""


class Content:
    """The fields of one struct, in the order of the schema."""

    def __init__(self, struct: Struct, path: str, groups: tuple[str, ...] = ()) -> None:
        self.struct = struct
        self.path = path  # of what is declared in it without a name
        self.groups = groups  # the named groups that it stands in
        self.fields: list[Field] = []
        self.all_group = False
        self._by_key: dict[tuple[str, str], list[int]] = {}
        self._choices = 0

    def choice(self) -> str:
        """A name for the next choice, unique in the struct."""
        self._choices += 1
        return f"choice{self._choices}"

    def add(self, field: Field) -> bool:
        """Take a field in; False where it became part of the one before it.

        An element twice in a row is one that repeats; one in several arms of a choice is one field.
        """
        if field.kind == "group":
            key = ("group", field.type.qname if isinstance(field.type, Struct) and field.type.holder else "")
            mergeable = isinstance(field.type, Struct) and field.type.holder == "substitution"
        else:
            key, mergeable = (field.kind, field.tag), True
        known = self._by_key.setdefault(key, [])
        if mergeable:
            # Far back only another arm of a choice can be of interest.
            for at in reversed(known if field.choices else known[-1:]):
                before = self.fields[at]
                if before.type is not field.type or before.nillable != field.nillable:
                    continue
                if (common := _other_arm(before, field)) is not None:
                    self._merge(before, field)
                    before.least, before.choices = 0, common
                    before.most = _more(before.most, field.most)
                    return False
                if at == len(self.fields) - 1 and before.choices == field.choices:
                    self._merge(before, field)
                    before.least += field.least
                    both = before.most is not None and field.most is not None
                    before.most = (before.most or 0) + (field.most or 0) if both else None
                    return False
        if len(self.fields) >= MOST_FIELDS:
            raise TooMuch(f"more than {MOST_FIELDS} elements in one type")
        known.append(len(self.fields))
        self.fields.append(field)
        return True

    def _merge(self, before: Field, field: Field) -> None:
        before.own_least = -1
        if before.wildcard is not None and before.wildcard != field.wildcard:
            before.wildcard = Wildcard("##any", before.wildcard.process)
        if (before.default, before.fixed) != (field.default, field.fixed):
            before.default = before.fixed = None
        if before.facets != field.facets:
            before.facets = None


def _other_arm(one: Field, other: Field) -> tuple[tuple[str, int], ...] | None:
    """What two fields have in common before they part in a choice; None where they do not."""
    for at, (left, right) in enumerate(zip(one.choices, other.choices, strict=False)):
        if left != right:
            return one.choices[:at] if left[0] == right[0] else None
    return None


def _more(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
