"""What generated decoders of complex types are made of, beside the leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from zxws._runtime.errors import DecodeError, local_name, path_of
from zxws._runtime.leaves import no_attributes
from zxws._runtime.protocols import Node, Reader

T = TypeVar("T")


def read_list(node: Node, reader: Reader, tag: str, item: Callable[[Node, Reader], T]) -> list[T]:
    """The items of a wrapped list."""
    values: list[T] = []
    if node.keys():
        no_attributes(node, reader)
    for child in node:
        if child.tag == tag:
            values.append(item(child, reader))
        else:
            reader.unknown_element(child)
    return values


def repeated(node: Node) -> DecodeError:
    """The error for an element that may stand once and came twice: taking either would lose the other."""
    return DecodeError(path_of(node), node.text, f"{local_name(node.tag)} at most once")


def absent(node: Node, name: str) -> DecodeError:
    """The error for a required element or attribute that is not there."""
    return DecodeError(f"{path_of(node)}/{name}", None, "a value, which the contract requires")
