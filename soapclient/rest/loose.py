"""A list whose nesting over JSON is not known (docs/explanation/service.md#partner-codes): each form there
may be, brought to one."""

from __future__ import annotations

from collections import Counter

from soapclient.rest.json_tree import ITEM, JsonNode
from soapclient.runtime.errors import local_name
from soapclient.runtime.schema import LooseRow

_PAGE = {"page", "items", "total"}


def arranged(root: JsonNode, response_tag: str, loose: LooseRow) -> JsonNode:
    """A response with the items in their list, the errors in theirs, and behind them what else there is.

    `root` is used up. An item is told from a container by what is in it: the item may have a text that is
    called as the item itself. Only a response that has neither list nor errors, and fields alone, is an item.
    """
    root = _opened(root, loose)
    items: list[JsonNode] = []
    errors: list[JsonNode] = []
    rest: list[JsonNode] = []
    found = not root.empty_arrays.isdisjoint({loose.list, loose.item, ITEM})
    failed = bool(loose.errors) and any(_names_errors(tag, loose) for tag in root.empty_arrays)
    for child in root:
        if child.tag == loose.list:
            found = True
            items += _items(child, loose.item, rest)
        elif child.tag == ITEM or (child.tag == loose.item and child.structured):
            found = True
            items.append(_as(loose.item, child))
        elif loose.errors and _names_errors(child.tag, loose):
            failed = True
            errors += _errors(child, loose)
        else:
            rest.append(child)
    if not found and not failed and _is_item(rest):
        found = True
        items, rest = [JsonNode(loose.item, None, (), rest)], []
    lists = [JsonNode(loose.list, None, (), items)] if found else []
    if failed:
        lists.append(JsonNode(loose.errors, None, (), errors))
    made = JsonNode(response_tag, root.text, root.items(), [*lists, *rest])
    used = {loose.list, loose.item, ITEM}
    made.childless = {
        tag: given
        for tag, given in root.childless.items()
        if tag not in used and not (loose.errors and _names_errors(tag, loose))
    }
    return made


def _opened(root: JsonNode, loose: LooseRow) -> JsonNode:
    """The one object of an array, where it holds the list and is no item of it."""
    inside = list(root)
    if len(inside) == 1 and inside[0].tag == ITEM:
        only = inside[0]
        if loose.list in only.empty_arrays or any(child.tag == loose.list for child in only):
            return only
    return root


def _items(child: JsonNode, tag: str, rest: list[JsonNode]) -> list[JsonNode]:
    """What stands under the list's name: an item, or a container of items; what else that holds is `rest`."""
    inside = [each for each in child if each.tag == tag]
    container = any(each.structured for each in inside) or tag in child.empty_arrays
    if not container and inside and len(inside) == len(child):
        container = all(each.empty for each in inside)  # a code is never empty, an item may be
    if not container:
        return [] if child.empty else [_as(tag, child)]
    rest += [each for each in child if each.tag != tag]
    return inside


def _is_item(fields: list[JsonNode]) -> bool:
    """Whether these may be the fields of an item, rather than a response that has no list."""
    return bool(fields) and not any(map(len, fields)) and any(_name(each.tag) not in _PAGE for each in fields)


def _errors(child: JsonNode, loose: LooseRow) -> list[JsonNode]:
    """What stands under a name of errors: an error, a text that is one, or a container of errors."""
    tag = loose.error
    if child.empty:
        return []
    inside = list(child)
    structured = [each for each in inside if each.structured]
    times = Counter(each.tag for each in inside)
    if structured or any(each.tag == tag for each in inside):
        return [_error(loose, each, each.structured) for each in inside]
    if any(count > 1 for count in times.values()):  # the same field of several errors
        return [_error(loose, each, structured=False) for each in inside]
    return [_error(loose, child, child.structured)]


def _error(loose: LooseRow, node: JsonNode, structured: bool) -> JsonNode:
    """An error. A mere text is kept as its one field; where it has no name, as the text that it is."""
    tag = loose.error
    if structured:
        return _as(tag, node)
    if node.empty and node.tag == tag:
        return node
    if node.tag == tag or _names_errors(node.tag, loose):
        node = node.alone(f"{tag[: tag.rfind('}') + 1]}$")
    return JsonNode(tag, None, (), [node])


def _as(tag: str, node: JsonNode) -> JsonNode:
    made = JsonNode(tag, node.text, node.items(), node)
    made.empty_arrays, made.childless = node.empty_arrays, node.childless
    return made


def _names_errors(tag: str, loose: LooseRow) -> bool:
    return _name(tag).endswith(tuple(ending.casefold() for ending in loose.endings))


def _name(tag: str) -> str:
    return local_name(tag).casefold()
