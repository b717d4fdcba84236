"""`""` in JSON: an empty list, an empty text, or nothing at all; the contract tells which
(docs/explanation/service.md#json)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import TypeVar

from soapclient.rest.json_tree import JsonNode
from soapclient.runtime import DecodeError, Node, Reader, path_of
from soapclient.runtime.errors import local_name

T = TypeVar("T")
ReaderT = TypeVar("ReaderT", bound=Reader)


def read_tolerantly(
    read: Callable[[Node, Reader], T], node: Node, new_reader: Callable[[], ReaderT]
) -> tuple[T, ReaderT]:
    """Read a tree; in one of JSON, an empty element whose type has no empty value counts as absent. Gives the
    value and the reader that heard it. XML is read as it stands.

    `read` is a generated decoder, `new_reader` gives a fresh reader for each time that it runs: once, and
    once more for each kind of element (its tag and its parent's) that is found empty so. All empty ones of
    that kind are taken out of the tree, and each is an unknown value, "", to the reader. Raises DecodeError
    as `read` does: for a required element that is empty, that it is not there.
    """
    if not isinstance(node, JsonNode):
        reader = new_reader()
        return read(node, reader), reader
    dropped: list[JsonNode] = []
    while True:
        reader = new_reader()
        try:
            value = read(node, _Ear(reader))
        except DecodeError as error:
            culprit = _culprit(node, error)
            if culprit is None:
                raise
            dropped += _drop(node, _kind(culprit))
        else:
            for leaf in dropped:
                reader.unknown_value(leaf, "")
            return value, reader


def _culprit(node: JsonNode, error: DecodeError) -> JsonNode | None:
    """The empty leaf that an error is about: it stands at its path, or what is not there was looked for in
    it."""
    paths = {error.path}
    if error.value is None:
        paths.add(error.path.rpartition("/")[0])
    names = {path.rpartition("/")[2].partition("[")[0] for path in paths}
    for _, leaf in _empty_leaves(node):
        if local_name(leaf.tag) in names and path_of(leaf) in paths:
            return leaf
    return None


def _drop(node: JsonNode, kind: tuple[str, str]) -> list[JsonNode]:
    """Take all empty leaves of a kind out of the tree. Gives them."""
    found: dict[int, tuple[JsonNode, list[JsonNode]]] = {}
    for holder, leaf in _empty_leaves(node):
        if _kind(leaf) == kind:
            found.setdefault(id(holder), (holder, []))[1].append(leaf)
    for holder, leaves in found.values():
        holder.remove(leaves)
    return [leaf for _, leaves in found.values() for leaf in leaves]


def _kind(leaf: JsonNode) -> tuple[str, str]:
    parent = leaf.getparent()
    return "" if parent is None else str(parent.tag), leaf.tag


def _empty_leaves(node: JsonNode) -> Iterator[tuple[JsonNode, JsonNode]]:
    """All below a node that hold nothing, with the node that each was found in."""
    for child in node:
        if child.empty:
            yield node, child
        else:
            yield from _empty_leaves(child)


class _Ear:
    """A reader that takes an empty value of an enumeration for what it is: none."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.unknown_element = reader.unknown_element
        self.unknown_attribute = reader.unknown_attribute
        self.missing = reader.missing
        self.naive_time = reader.naive_time
        self.shortened = reader.shortened

    @property
    def naive_zone(self) -> dt.tzinfo | None:
        return self._reader.naive_zone

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._reader.report_zone

    def unknown_value(self, node: Node, value: str) -> None:
        if not (value or len(node) or node.keys()):
            raise DecodeError(path_of(node), value, "a value of the enumeration")
        self._reader.unknown_value(node, value)
