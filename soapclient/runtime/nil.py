"""Elements that are present but have no value (`xsi:nil`, XSD 1.0 part 1 2.6.2)."""

from __future__ import annotations

from enum import Enum
from typing import Final

from soapclient.runtime.errors import DecodeError, path_of
from soapclient.runtime.lexical import BLANK
from soapclient.runtime.protocols import Node, Reader

INSTANCE: Final = "{http://www.w3.org/2001/XMLSchema-instance}"
NIL_ATTRIBUTE: Final = f"{INSTANCE}nil"
ANY: Final = "*"  # means all attributes; it is not a valid name of an attribute


class Nil(Enum):
    """The type of `NIL`, which is the value of an optional element that is nil.

    >>> import json
    >>> from soapclient import json_default
    >>> from soapclient.runtime import NIL
    >>> json.dumps({"middleName": NIL}, default=json_default)
    '{"middleName": null}'
    """

    NIL = "nil"

    def __repr__(self) -> str:
        return "NIL"


# Value of an optional element that is sent or received as nil. None means that the element is absent.
NIL: Final = Nil.NIL


def says_nil(node: Node) -> bool:
    """Return True if an element has `xsi:nil="true"`."""
    return node.get(NIL_ATTRIBUTE) in {"true", "1"}


def has_content(node: Node) -> bool:
    """Return True if an element has content other than white space."""
    return bool(len(node) or (node.text or "").strip(BLANK))


def is_nil(node: Node, reader: Reader, *declared: str) -> bool:
    """Return True if a nillable element is nil. Raises DecodeError if it is nil but has content.

    A nil element may have attributes (XSD 1.0 part 1, 3.3.4). Their values are lost, so each attribute is
    reported to `reader`. `declared` are the names that the contract allows (`ANY`: all names).

    - `reader.shortened` is called for an attribute whose name is in `declared`.
    - `reader.unknown_attribute` is called for all other attributes.
    """
    if not is_empty_nil(node):
        return False
    for name in node.keys():  # noqa: SIM118 - an element iterates over its children, not over its attributes
        if name not in declared and ANY not in declared:
            reader.unknown_attribute(node, name)
        elif not name.startswith(INSTANCE):
            reader.shortened(node, name)
    return True


def is_empty_nil(node: Node) -> bool:
    """Return True if an element is nil, without a check of its attributes.

    Raises DecodeError if the element is nil but has content.
    """
    if not says_nil(node):
        return False
    if has_content(node):
        raise DecodeError(path_of(node), node.text, "no content, because the element is nil")
    return True


def refuse_nil(node: Node) -> None:
    """Raise DecodeError if an element is nil, because reading it as an empty text would invent a value."""
    if says_nil(node):
        raise DecodeError(path_of(node), "xsi:nil", "a value, because nil is not allowed here")


def says_nothing(node: Node, reader: Reader) -> bool:
    """Return True if an element that is not nillable has `xsi:nil` and no content.

    If so, the unexpected `xsi:nil` is also reported to `reader`.
    """
    if not says_nil(node) or has_content(node):
        return False
    reader.unknown_value(node, "xsi:nil")
    return True
