"""One walk over the rows of a type, for everything that shows or builds a message field by field.

Forms and their values, example messages and descriptions are subclasses of `Visitor`. The walk decides which
fields are visited and in which order, and knows choices, lists, and the paths and names of fields. A subclass
chooses the arm of a choice and the occurrences of a field, and handles values (`leaf`) and fields with inner
fields (`branch`).
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
    """The fields of one type within a message.

    - `path`: the Python names from the message to the level, with the indexes of list items: `items.0.price`.
    - `name`: the same path as in NAME=VALUE of `soapclient call`: `items.item[1].price`.
    - `above`: the types from the message to the level.
    """

    def __init__(self, path: str = "", name: str = "", above: tuple[str, ...] = ()) -> None:
        self.path = path
        self.above = above
        self._name = name

    @property
    def name(self) -> str:
        """The name in NAME=VALUE."""
        return self._name


class Place(Level):
    """A field within a message, or one occurrence of it: item `index` of `count`.

    `above` are the types that contain the field, the innermost last. `must`: the message needs a value,
    because the field is required, or the only field of a group, or an item of a list.
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
        """Return the place of item `index` of this list, which has `count` items."""
        place = Place(self.field, self.inside, self.above, self._types, must=True)
        place.path, place.index, place.count = f"{self.path}.{index}", index, count
        return place

    @cached_attribute
    def name(self) -> str:
        """The name in NAME=VALUE. The item of a list has a number if there are several."""
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
    """A choice: the fields of its `arms` by number, and the `level` it is in.

    `key` is its number among the choices of the type; "" if a value of the type has exactly one field.
    """

    key: str
    arms: Mapping[int, Sequence[Field]]
    level: Level


def _choices(fields: Sequence[Field]) -> dict[str, dict[int, list[Field]]]:
    """Return the fields that are in choices, by the key of the choice and the number of the arm."""
    choices: dict[str, dict[int, list[Field]]] = {}
    for field in fields:
        for key, arm in field.arms:
            choices.setdefault(key, {}).setdefault(arm, []).append(field)
    return {key: dict(sorted(arms.items())) for key, arms in choices.items()}


class Visitor(ABC, Generic[At]):
    """Visits the fields of a type in the order of the contract. `At` is the type of a position in the result.

    `branch` calls `visit` for the inner fields, so it decides about derived types, recursion and depth.
    """

    numbers_items = True  # False: a list is one place, without an index in its path

    def __init__(self, types: Types) -> None:
        self.types = types

    def visit(self, name: str, at: At, inside: Level | None = None) -> None:
        """Visit the fields of a type."""
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
        """Return True if a field is visited. `above`: the types that contain it."""
        return field.is_asked

    def choose(self, choice: Choice, at: At) -> tuple[int | None, At]:
        """Return the number of the chosen arm (None: all arms) and the position for its fields."""
        return None, at

    def occurrences(self, place: Place, at: At) -> Sequence[At]:
        """Return the position of each value of a field: none, one, or one for each item of a list."""
        return [at]

    @abstractmethod
    def leaf(self, place: Place, at: At) -> None:
        """Visit a value: an attribute, a text, an element without inner fields, or any XML."""

    @abstractmethod
    def branch(self, place: Place, at: At) -> None:
        """Visit a field with inner fields: an element or a model group."""


def put(node: Element, field: Field, text: str) -> Element:
    """Add a value to an element. Return the element that holds the value.

    A value without a simple type is XML, or a text. Raises XMLSyntaxError if it is not well-formed, and
    ValueError for characters that XML does not allow.
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
