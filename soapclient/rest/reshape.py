"""Answers in other shapes than the contract's: the node that a generated reader reads
(docs/explanation/service.md#rest-resources, #json, #partner-codes)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from soapclient.rest.json_tree import ITEM, JsonNode
from soapclient.rest.loose import arranged
from soapclient.runtime import Node, RestRow
from soapclient.runtime.errors import local_name
from soapclient.runtime.schema import WrappedRow

# what goes before the list of every list response (docs/explanation/service.md#rest-forms)
_PAGE = ("page", "items", "total")


def message(node: Node, response_tag: str, form: RestRow) -> Node | None:
    """The node to read as the response `response_tag` (Clark notation), or None for another root.

    The root is the response's, one of `form.roots`, or that of `form.wrapped`, in the contract's namespace or
    in none; elements of an lxml tree without any namespace get the contract's in place. A wrapped response
    gives what stands in its list, under the response's tag: no item is a response without one, several are
    refused by the decoder. A loose list is brought to the contract's shape where it came by JSON. Unknown
    elements stay, for the decoder to report; paths are those of the elements as they came, but for a loose
    list, whose items have the contract's.
    """
    wrapped = form.wrapped
    roots = {response_tag, *form.roots, *([] if wrapped is None else [wrapped.root])}
    if node.tag not in roots:
        if node.tag not in {local_name(root) for root in roots}:
            return None
        _qualify(node, response_tag)
    if isinstance(node, JsonNode):
        if form.loose is not None:
            return arranged(node, response_tag, form.loose)
        node = _without_array(node)
        if wrapped is not None and [child.tag for child in node] == [wrapped.root]:
            node = next(iter(node))
    if wrapped is not None and (node.tag == wrapped.root or _holds(node, wrapped.list)):
        return _unwrapped(node, response_tag, wrapped)
    return node


def _qualify(node: Node, like: str) -> None:
    """Put what has no namespace into that of a tag."""
    space = like[: like.rfind("}") + 1]
    if isinstance(node, etree._Element):
        for each in node.iter(etree.Element):
            if isinstance(each.tag, str) and not each.tag.startswith("{"):
                each.tag = f"{space}{each.tag}"
    elif isinstance(node, JsonNode):
        node.tag = f"{space}{node.tag}"


def _without_array(node: JsonNode) -> JsonNode:
    """The container in an array of one that is the whole document."""
    inside = list(node)
    if len(inside) != 1 or inside[0].tag != ITEM:
        return node
    only = inside[0]
    made = JsonNode(node.tag, only.text, only.items(), only)
    made.empty_arrays, made.childless = only.empty_arrays, only.childless
    return made


def _holds(node: Node, tag: str) -> bool:
    """Whether a node has a child, or in JSON an empty array of them."""
    return any(child.tag == tag for child in node) or (
        isinstance(node, JsonNode) and tag in node.empty_arrays
    )


def _unwrapped(node: Node, response_tag: str, wrapped: WrappedRow) -> Node:
    """The content of the list as that of the response, without the fields that page it."""
    space = wrapped.list[: wrapped.list.rfind("}") + 1]
    page = {f"{space}{name}" for name in _PAGE}
    lists = [child for child in node if child.tag == wrapped.list]
    inside = [each for one in lists for each in one]
    inside += [child for child in node if child.tag not in {*page, wrapped.list}]
    if isinstance(node, JsonNode):
        nodes = [each for each in inside if isinstance(each, JsonNode)]
        return JsonNode(response_tag, None, node.items(), nodes, adopt=False)
    return _Response(response_tag, node, inside)


class _Response:
    """A response element around nodes that keep their own place, and with it their paths."""

    tail: str | None = None
    text: str | None = None

    def __init__(self, tag: str, root: Node, children: Sequence[Node]) -> None:
        self.tag = tag
        self._root = root
        self._children = children

    def get(self, key: str, /) -> str | None:
        return self._root.get(key)

    def keys(self) -> Sequence[str]:
        return self._root.keys()

    def items(self) -> Sequence[tuple[str, str]]:
        return self._root.items()

    def getparent(self) -> Node | None:
        return None

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._children)
