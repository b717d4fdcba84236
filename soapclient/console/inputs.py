"""The inputs of a form, and their creation from the fields of a contract."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from soapclient.console.field_hints import hint, type_name, type_of, values_of
from soapclient.runtime.documentation import Documentation
from soapclient.runtime.fields import Field, Types
from soapclient.runtime.visitor import Place

Values = Mapping[str, str]
Control = Literal["text", "date", "moment", "whole", "number", "options", "select", "file"]
_WHOLE: Final = re.compile(
    r"(byte|short|int|long|integer|unsigned|non_negative|positive|negative|non_positive)"
).match
_SHORT: Final = 120  # characters of a documentation that are shown without opening it


class Summary(NamedTuple):
    """A text of documentation in two parts: its beginning, which is always shown, and the rest."""

    beginning: str
    rest: str


_NOTHING: Final = Summary("", "")


def summary(text: str) -> Summary:
    """Split a text of documentation after the last sentence that ends within the first 120 characters.

    If there is no such sentence, split the text after the last word that ends within these characters. A text
    of at most 120 characters, or without white space in its first 120 characters, is not split.
    """
    if len(text) <= _SHORT:
        return Summary(text, "")
    end = text.rfind(". ", 0, _SHORT) + 1 or text.rfind(" ", 0, _SHORT)
    if end <= 0:
        return Summary(text, "")
    return Summary(text[:end], text[end:].strip())


@dataclass
class Input:
    """The input for one value, which is a text or one of `choices`.

    - `nil`: True if the element is nil (`xsi:nil`), False if it is not; None if it is not nillable.
    - `error`: the reason why the value is invalid; "" if it is valid.
    - `there`: True if the value is part of the request; False if the input is left out, for example because
      it is empty.
    - `doc`: the documentation of the field, or of its type, in the contract.
    - `control`: the kind of control for the type. For example, `options` are radio buttons for few short
      choices, and `file` takes the content of a file, or a text in base64.
    """

    path: str
    label: str
    python: str
    type: str
    required: bool
    value: str = ""
    choices: tuple[str, ...] = ()
    multiline: bool = False
    hint: str = ""
    nil: bool | None = None
    error: str = ""
    there: bool = False
    doc: Summary = _NOTHING
    control: Control = "text"
    place: Place | None = field(default=None, repr=False, compare=False)
    form: Literal["input"] = "input"


@dataclass
class Group:
    """A group of inputs in a form: the inputs of one element or model group.

    - `on`: True if an optional group is present, False if not; None if the group is required.
    - `kinds`: the types that the user can choose from: type → name to show. Empty if there is only one type.
    - `kind`: the chosen type.
    """

    path: str
    label: str
    type: str
    items: list[Part] = field(default_factory=list)
    on: bool | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    nil: bool | None = None
    error: str = ""
    doc: Summary = _NOTHING
    place: Place | None = field(default=None, repr=False, compare=False)  # None: a SOAP header
    form: Literal["group"] = "group"

    @property
    def is_item(self) -> bool:
        """True if the group is an item of a list.

        Such a group does not show its type and documentation, because the list shows them once.
        """
        return self.path.rpartition(".")[2].isdigit()

    @property
    def is_open(self) -> bool:
        """True if the page shows the inputs of the group before the user opens it."""
        return bool(self.on is None or self.on or self.error or self.path.count(".") < 2)


@dataclass
class Repeated:
    """A repeated element with its current `items`. `least` is the minimum number of items."""

    path: str
    label: str
    type: str
    least: int
    items: list[Part] = field(default_factory=list)
    error: str = ""
    doc: Summary = _NOTHING
    form: Literal["repeated"] = "repeated"


@dataclass
class Choice:
    """A choice: the labels of its `arms` (branches), the number of the `chosen` arm, and that arm's inputs.

    `includes`: True if the page has not shown the chosen arm before. This is usually so because the user
    has just chosen it. All optional groups of the arm are then present.
    """

    path: str
    arms: tuple[str, ...]
    chosen: int
    includes: bool = False
    items: list[Part] = field(default_factory=list)
    form: Literal["choice"] = "choice"


Part = Input | Group | Repeated | Choice


def inputs_of(parts: Iterable[Part]) -> Iterator[Input]:
    """Yield the inputs in parts of a form, also those in groups, lists and choices."""
    for part in parts:
        if isinstance(part, Input):
            yield part
        else:
            yield from inputs_of(part.items)


class InputFactory:
    """Creates the inputs of a form, with the posted values and the documentation of the contract."""

    def __init__(self, types: Types, values: Values, documentation: Documentation) -> None:
        self._types = types
        self._values = values
        self._documentation = documentation

    def input(self, place: Place, *, required: bool) -> Input:
        """Return an input for the field at `place`, with the value that was posted for it."""
        field, path = place.field, place.path
        is_boolean = field.row.type.partition(":")[0] == "boolean"
        choices = ("true", "false") if is_boolean else values_of(field)
        is_xml = field.leaf is None
        return Input(
            path=path,
            label=_label(place),
            python=field.python,
            type=type_of(self._types, field),
            required=required and "" not in choices,
            value=self._values.get(f"v:{path}", ""),
            choices=choices,
            multiline=is_xml,
            hint="XML, or a text" if is_xml else hint(field),
            doc=self._doc(place),
            control=_control(field, choices),
            place=place,
        )

    def group(self, place: Place) -> Group:
        """Return the group of inputs for the field at `place`, still empty.

        If there are several types to choose from, the group has the type that was posted for the field, by
        default the first.
        """
        field = place.field
        kinds = self._types.concrete(field.holds)
        chosen = self._values.get(f"type:{place.path}", "")
        return Group(
            place.path,
            _label(place) or field.holds,
            type_name(self._types, field.holds),
            kinds={name: type_name(self._types, name) for name in kinds} if len(kinds) > 1 else {},
            kind=chosen if chosen in kinds else kinds[0] if kinds else field.holds,
            doc=self._doc(place),
            place=place,
        )

    def repeated(self, place: Place, maximum: int) -> Repeated:
        """Return a list for the field at `place`, still without items.

        Its minimum number of items, `least`, is not higher than `maximum`.
        """
        field = place.field
        least = field.row.least if field.least and not field.item else 0
        doc = self._doc(place)
        return Repeated(place.path, field.name, type_of(self._types, field), min(least, maximum), doc=doc)

    def header(self, name: str, kind: str) -> Group:
        """Return the group of inputs for a SOAP header, still empty. `kind` is the name of its type."""
        doc = summary(self._documentation.of_type(kind))
        return Group(f"header-{name}", f"header {name}", type_name(self._types, kind), doc=doc)

    def _doc(self, place: Place) -> Summary:
        """Return the documentation of a field; empty for an item of a list, because the list shows it."""
        if place.index is not None:
            return _NOTHING
        return summary(self._documentation.of_field(self._types, place.above[-1], place.field))


def _label(place: Place) -> str:
    """Return the label of a field: "text" for the text of an element, otherwise the name of the field.

    For an item of a list, the label ends with the number of the item, counted from 1.
    """
    field = place.field
    if field.kind in ("text", "content"):
        return "text"
    return field.shown if place.index is None else f"{field.name} {place.index + 1}"


def _control(field: Field, choices: tuple[str, ...]) -> Control:
    """Return the kind of control for a field. `choices` are its allowed values; empty if not limited."""
    if choices:
        width = sum(len(choice) + 4 for choice in choices)
        return "options" if len(choices) < 5 and width < 34 and "" not in choices else "select"
    base = field.row.type.partition(":")[0].removeprefix("local_")
    if base in ("date", "day"):
        return "date"
    if base == "date_time":
        return "moment"
    if _WHOLE(base):
        return "whole"
    if base == "base64_binary":
        return "file"
    return "number" if base in ("decimal", "double", "float", "money") else "text"
