"""What generated decoders of complex types are made of, beside the leaves."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from soapclient.runtime.errors import DecodeError, local_name, path_of
from soapclient.runtime.leaves import no_attributes
from soapclient.runtime.protocols import JsonMade, Kept, Node, Reader

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


def same(node: Node, known: T | None, found: T) -> T:
    """A value that may stand in several places. Where it stands in more than one, it must be the same."""
    if known is not None and known != found:
        raise DecodeError(path_of(node), str(found), f"the same as in another place, {known!r}")
    return found


def keep(kept: Kept, child: Node) -> None:
    """Keep an element that the contract does not know, as it came; one that repeats becomes a list."""
    if not isinstance(child.tag, str):
        return  # a comment
    name = local_name(child.tag)
    one = child.as_given() if isinstance(child, JsonMade) else _generic(child)
    if name not in kept:
        kept[name] = one
        return
    there = kept[name]
    if there is one:
        return  # each member of an array is a node, and each tells of the whole
    several = [*(there if isinstance(there, list) else [there]), one]
    if not isinstance(child, JsonMade) and any(isinstance(each, dict) for each in several):
        # A list is of one kind: a text among structures is one that has nothing else.
        several = [{"$": each} if isinstance(each, str) else each for each in several]
    kept[name] = several


def keep_empty(kept: Kept, node: Node, known: Collection[str]) -> None:
    """Keep what came by JSON as null or as an array without anything, but for the tags that are `known`."""
    if isinstance(node, JsonMade):
        for tag, value in node.left_empty().items():
            if tag not in known:
                kept.setdefault(local_name(tag), value)


def keep_attribute(kept: Kept, name: str, value: str) -> None:
    """Keep an attribute that the contract does not know."""
    kept[f"@{local_name(name)}"] = value


def _generic(node: Node) -> str | Kept:
    if not len(node) and not node.keys():
        return node.text or ""
    whole: Kept = {f"@{local_name(name)}": value for name, value in node.items()}
    if node.text and node.text.strip():
        whole["$"] = node.text
    for child in node:
        keep(whole, child)
    return whole
