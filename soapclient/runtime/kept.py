"""What a contract does not know, kept as it came."""

from __future__ import annotations

from collections.abc import Collection

from soapclient.runtime.errors import local_name
from soapclient.runtime.protocols import JsonMade, Kept, Node


def keep(kept: Kept, child: Node) -> None:
    """Keep an element that the contract does not know, as it came; one that repeats becomes a list."""
    if not isinstance(child.tag, str):
        return  # a comment
    name = local_name(child.tag)
    one = child.as_written() if isinstance(child, JsonMade) else _generic(child)
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
