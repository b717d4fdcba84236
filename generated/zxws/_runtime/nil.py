"""Elements that are there and say that they have no value (`xsi:nil`, XSD 1.0 part 1 2.6.2)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, TypeVar

from zxws._runtime.errors import DecodeError, path_of
from zxws._runtime.protocols import Node, Reader
from zxws._runtime.white_space import BLANK

NIL_ATTRIBUTE: Final = "{http://www.w3.org/2001/XMLSchema-instance}nil"


T = TypeVar("T")


class Nil(Enum):
    """The type of `NIL`."""

    NIL = "nil"

    def __repr__(self) -> str:
        return "NIL"


# An optional element that is sent, or came, as nil; None is one that is not there at all.
NIL: Final = Nil.NIL


def is_nil(node: Node, reader: Reader) -> bool:
    """Whether an element that may be nil is so. Raises DecodeError where it has content all the same."""
    if node.get(NIL_ATTRIBUTE) not in {"true", "1"}:
        return False
    if len(node) or (node.text or "").strip(BLANK):
        raise DecodeError(path_of(node), node.text, "no content: the element says that it is nil")
    for name in node.keys():  # noqa: SIM118 - an element iterates over its children, not over its attributes
        if name != NIL_ATTRIBUTE:
            reader.unknown_attribute(node, name)
    return True


def nil_or(read: Callable[[Node, Reader], T]) -> Callable[[Node, Reader], T | None]:
    """`read` for an element that may be nil, which reads as None."""
    return lambda node, reader: None if is_nil(node, reader) else read(node, reader)
