"""Elements that are there and say that they have no value (`xsi:nil`, XSD 1.0 part 1 2.6.2)."""

from __future__ import annotations

from enum import Enum
from typing import Final

from soapclient.runtime.errors import DecodeError, path_of
from soapclient.runtime.lexical import BLANK
from soapclient.runtime.protocols import Node, Reader

INSTANCE: Final = "{http://www.w3.org/2001/XMLSchema-instance}"
NIL_ATTRIBUTE: Final = f"{INSTANCE}nil"
ANY: Final = "*"  # no name of an attribute, so it can stand for all of them


class Nil(Enum):
    """The type of `NIL`."""

    NIL = "nil"

    def __repr__(self) -> str:
        return "NIL"


# An optional element that is sent, or came, as nil; None is one that is not there at all.
NIL: Final = Nil.NIL


def says_nil(node: Node) -> bool:
    """Whether an element says that it is nil."""
    return node.get(NIL_ATTRIBUTE) in {"true", "1"}


def has_content(node: Node) -> bool:
    """Whether there is anything in an element but white space."""
    return bool(len(node) or (node.text or "").strip(BLANK))


def is_nil(node: Node, reader: Reader, *declared: str) -> bool:
    """Whether an element that may be nil is so. Raises DecodeError where it has content all the same.

    Attributes may stand on it even then (XSD 1.0 part 1 3.3.4). There is no place for the values of those
    `declared` (`ANY` for all that there may be), and that is reported, as others are.
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
    """Whether an element is nil, whatever its attributes. Raises DecodeError where it has content."""
    if not says_nil(node):
        return False
    if has_content(node):
        raise DecodeError(path_of(node), node.text, "no content: the element says that it is nil")
    return True


def refuse_nil(node: Node) -> None:
    """Refuse a nil where the contract knows none: to read it as empty would make up a value."""
    if says_nil(node):
        raise DecodeError(path_of(node), "xsi:nil", "a value: the contract knows no nil here")


def says_nothing(node: Node, reader: Reader) -> bool:
    """Whether an element that may be left out says that it is nil, though the contract knows no nil for it;
    that is reported."""
    if not says_nil(node) or has_content(node):
        return False
    reader.unknown_value(node, "xsi:nil")
    return True
