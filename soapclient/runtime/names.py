"""Names of fields as users type them, in NAME=VALUE of `soapclient call`.

Shell completion imports this module at each key press. So it does not import an XML library, and imports
`soapclient.runtime.record` only if necessary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from soapclient._support.lazy_pattern import LazyPattern

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types

STEP: Final = LazyPattern(r"(@xsi:nil|@xsi:type|@?[^\W\d](?:[\w-]|\\\.)*|\$)(?:\[([1-9]\d{0,3})\])?")
_WORD_STARTS: Final = LazyPattern(r"(?<=[a-z0-9])(?=[A-Z])")


def shown(field: Field) -> str:
    """Return the name of a field, or `$` for the text of an element."""
    return "$" if field.kind in ("text", "content") else field.shown


def by_name(fields: Sequence[Field]) -> dict[str, Field]:
    """Map each name that users can type to its field.

    Names in the contract's spelling take precedence over Python names. If two fields have the same name, the
    first field is used.
    """
    from soapclient.runtime.record import camel

    names: dict[str, Field] = {}
    for field in fields:
        names.setdefault(shown(field), field)
    for field in fields:
        names.setdefault(field.python, field)
        names.setdefault(camel(field.python), field)
    for field in fields:
        if field.kind == "attribute":
            names.setdefault(field.name, field)
            names.setdefault(f"@{field.python}", field)
    return names


def step(field: Field, among: Sequence[Field]) -> str:
    """Return the name of a field as one step of NAME in NAME=VALUE.

    A step is a part between two dots. The result is the contract's name if this name can be a step and no
    earlier field in `among` has the same name. Otherwise, the result is the Python name.
    """
    name = shown(field).replace(".", r"\.")
    return name if by_name(among)[shown(field)] is field and STEP.fullmatch(name) else field.python


def asked_fields(types: Types, name: str) -> list[Field]:
    """Return the fields of a type that a caller can set by name."""
    return [field for field in types.fields(name) if field.is_asked]


def items_of(field: Field) -> Field:
    """Return a field that describes the items of a wrapped list.

    `field` is the field of the list. It describes the wrapper element that contains the items.
    """
    name = field.item.rpartition("}")[2]
    python = _WORD_STARTS.sub("_", name).lower()
    return field._replace(name=name, python=python, tag=field.item, item="", repeats=True)


def contents(types: Types, field: Field) -> list[Field]:
    """Return the fields inside the element that `field` describes.

    - A wrapped list: one field, which describes the items.
    - A complex type: the fields of the type that a caller can set.
    - A simple type: one field, which describes the text.
    """
    if field.item:
        return [items_of(field)]
    if field.holds:
        return asked_fields(types, field.holds)
    return [field._replace(kind="text", name="", python="value")]
