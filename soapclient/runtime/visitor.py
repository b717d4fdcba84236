"""Base class for everything that visits the fields of a message: forms, example messages and descriptions.

`Visitor` visits the fields in the order of the contract. It handles choices and lists, and computes the paths
and names of fields. A subclass selects one alternative of each choice and the number of values of each field.
Its method `leaf` handles simple values. Its method `branch` handles fields with inner fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from lxml import etree

from soapclient.runtime.any_element import fragment
from soapclient.runtime.cached_attribute import cached_attribute
from soapclient.runtime.elements import Element
from soapclient.runtime.fields import Field, Types
from soapclient.runtime.names import asked_fields, items_of, step

At = TypeVar("At")


class Level:
    """The position in a message of an element whose inner fields are visited.

    - `path`: the Python names from the message to the element, with the indexes of list items: `items.0`.
    - `name`: the same path as in NAME=VALUE of `soapclient call`: `items.item[1]`.
    - `above`: the names of the types on this path, the outermost first.

    `path` and `name` are "" for the message itself.
    """

    def __init__(self, path: str = "", name: str = "", above: tuple[str, ...] = ()) -> None:
        self.path = path
        self.above = above
        self._name = name

    @property
    def name(self) -> str:
        """The path as in NAME=VALUE of `soapclient call`."""
        return self._name


class Place(Level):
    """The position of a field in a message, or of one item of a list field if `index` is not None.

    - `inside`: the position of the element that contains the field.
    - `above`: the names of the types that contain the field, the outermost first.
    - `must`: True if a value is necessary, because the field is required or the selected field of a choice,
      or because this is the position of an item.
    - `index`: the item's number, from 0; `count`: the number of items.
    """

    def __init__(
        self, field: Field, inside: Level, above: tuple[str, ...], types: Types, *, must: bool
    ) -> None:
        super().__init__(f"{inside.path}.{field.python}" if inside.path else field.python, "", above)
        self.field = field
        self.inside = inside
        self.must = must
        self.index: int | None = None
        self.count = 1
        self._types = types

    def item(self, index: int, count: int) -> Place:
        """Return the position of item `index` of this list, which has `count` items."""
        place = Place(self.field, self.inside, self.above, self._types, must=True)
        place.path, place.index, place.count = f"{self.path}.{index}", index, count
        return place

    @cached_attribute
    def name(self) -> str:
        """The path as in NAME=VALUE. It has the number of the item if there are several items."""
        steps = [self.inside.name, step(self.field, asked_fields(self._types, self.above[-1]))]
        if self.field.item:
            item = items_of(self.field)
            steps.append(step(item, [item]))
        number = "" if self.index is None or self.count == 1 else f"[{self.index + 1}]"
        return ".".join(filter(None, steps)) + number

    @property
    def tag(self) -> str:
        """The tag of one value. For a list with a wrapper element, it is the tag of an item."""
        return self.field.item or self.field.tag


class Choice(NamedTuple):
    """A choice of the contract. `arms` maps the number of each branch to the fields of the branch.

    `level` is the position of the element that contains the choice. `key` identifies the choice within its
    type. If the type itself is a choice, so that a value has exactly one field, `key` is "".
    """

    key: str
    arms: Mapping[int, Sequence[Field]]
    level: Level


def _choices(fields: Sequence[Field]) -> dict[str, dict[int, list[Field]]]:
    """Return the fields that are in choices, as nested dicts.

    The outer dict has the choices by their keys. Each inner dict maps the number of a branch to the branch's
    fields.
    """
    choices: dict[str, dict[int, list[Field]]] = {}
    for field in fields:
        for key, arm in field.arms:
            choices.setdefault(key, {}).setdefault(arm, []).append(field)
    return {key: dict(sorted(arms.items())) for key, arms in choices.items()}


class Visitor(ABC, Generic[At]):
    """Visits the fields of a type in the order of the contract.

    A subclass builds a result, such as an XML tree. The type variable `At` is the type of a position in this
    result, such as an element. A subclass implements `leaf` and `branch`. `branch` must call `visit` for
    inner fields, or leave them out. So the subclass decides about derived types, recursion and depth.
    """

    numbers_items = True  # if False, a list has only one place, and its path has no index

    def __init__(self, types: Types) -> None:
        self.types = types

    def visit(self, name: str, at: At, inside: Level | None = None) -> None:
        """Visit the fields of the type `name`.

        `at` is the position in the result. `inside` is the position in the message; None for the message
        itself.
        """
        inside = inside or Level()
        above = (*inside.above, name)
        fields = [field for field in self.types.fields(name) if self.includes(field, above)]
        takes_one = self.types.takes_one(name)
        choices = {"": dict(enumerate([field] for field in fields))} if takes_one else _choices(fields)
        chosen: dict[str, tuple[int | None, At]] = {}
        for number, field in enumerate(fields):
            here = at
            for key, arm in [("", number)] if takes_one else field.arms:
                if key not in chosen:
                    level = Level(inside.path, inside.name, above)
                    chosen[key] = self.choose(Choice(key, choices[key], level), here)
                taken, here = chosen[key]
                if taken not in (None, arm):
                    break
            else:
                self._field(Place(field, inside, above, self.types, must=field.least or takes_one), here)

    def _field(self, place: Place, at: At) -> None:
        occurrences = self.occurrences(place, at)
        for index, here in enumerate(occurrences):
            is_item = place.field.is_list and self.numbers_items
            one = place.item(index, len(occurrences)) if is_item else place
            if place.field.holds:
                self.branch(one, here)
            else:
                self.leaf(one, here)

    # ---- decisions of subclasses

    def includes(self, field: Field, above: tuple[str, ...]) -> bool:
        """Return True if a field must be visited.

        `above` are the names of the types that contain the field, the outermost first.
        """
        return field.is_asked

    def choose(self, choice: Choice, at: At) -> tuple[int | None, At]:
        """Select a branch of a choice. Return the number of the branch and a position in the result.

        If the number is None, all branches are visited. `at` is the position of the choice in the result. The
        fields of the visited branches are added at the returned position.
        """
        return None, at

    def occurrences(self, place: Place, at: At) -> Sequence[At]:
        """Return one position in the result for each value of the field.

        The field may have no value, one value, or one value per item of a list.
        """
        return [at]

    @abstractmethod
    def leaf(self, place: Place, at: At) -> None:
        """Visit a value: an attribute, a text, an element without inner fields, or any XML."""

    @abstractmethod
    def branch(self, place: Place, at: At) -> None:
        """Visit a field with inner fields: an element or a model group."""


def put(node: Element, field: Field, text: str) -> Element:
    """Write a text into an element as the value of a field. Return the element that contains the value.

    If the field does not have a simple type, the text may contain XML tags. Raises XMLSyntaxError if these
    are not well-formed, and ValueError for characters that XML does not allow.
    """
    content = fragment(text) if field.leaf is None else None
    if field.kind == "attribute":
        node.set(field.tag, text)
        return node
    holder = etree.SubElement(node, field.item or field.tag) if field.kind == "element" else node
    if content is None:
        holder.text = text
    else:
        holder.text = content.text or holder.text
        holder.extend(list(content))
    return holder
