"""Elements that are there and say that they have no value (`xsi:nil`, XSD 1.0 part 1 2.6.2)."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeVar

from soapclient.runtime.errors import DecodeError, path_of
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.white_space import BLANK

_INSTANCE: Final = "{http://www.w3.org/2001/XMLSchema-instance}"
NIL_ATTRIBUTE: Final = f"{_INSTANCE}nil"
ANY: Final = "*"  # no name of an attribute, so it can stand for all of them


T = TypeVar("T")


class Nil(Enum):
    """The type of `NIL`."""

    NIL = "nil"

    def __repr__(self) -> str:
        return "NIL"


# An optional element that is sent, or came, as nil; None is one that is not there at all.
NIL: Final = Nil.NIL


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
        elif not name.startswith(_INSTANCE):
            reader.shortened(node, name)
    return True


def is_empty_nil(node: Node) -> bool:
    """Whether an element is nil, whatever its attributes. Raises DecodeError where it has content."""
    if node.get(NIL_ATTRIBUTE) not in {"true", "1"}:
        return False
    if len(node) or (node.text or "").strip(BLANK):
        raise DecodeError(path_of(node), node.text, "no content: the element says that it is nil")
    return True
