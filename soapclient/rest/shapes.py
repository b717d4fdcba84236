"""Convert responses whose structure differs from the contract, so that the generated code can read them.

See docs/explanation/service.md#rest-resources, #json and #partner-codes. A wrapped response is a list with
one item, sent instead of the item itself (`WrappedRow`). A loose list is a list in JSON whose nesting is
unknown (`LooseRow`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from lxml import etree

from soapclient.rest.json_tree import ITEM, JsonNode
from soapclient.runtime import CountingReader, DecodeError, Node, Operation, RestRow
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Field
from soapclient.runtime.json_decoding import name_by_rows
from soapclient.runtime.operations import RequestT, ResponseT
from soapclient.runtime.protocols import DataNode
from soapclient.runtime.schema import LooseRow, WrappedRow

# The fields before the list in all list responses (docs/explanation/service.md#rest-forms).
_PAGE = ("page", "items", "total")


def contract_shape(node: Node, response_tag: str, form: RestRow) -> Node | None:
    """Return a node that can be read as the response `response_tag` (Clark notation).

    `node` is the root of the document. Its name must be the name of `response_tag`, of `form.wrapped.root` or
    of a tag in `form.roots`. Its namespace must be the contract's, or missing. If the name or the namespace
    does not match, None is returned.

    - If the root has no namespace, it gets the contract's namespace. In XML (lxml), `node` itself is changed,
      and all elements in it that have no namespace get the contract's namespace, too.
    - A wrapped response (`form.wrapped`), which is a list with one item, becomes a node `response_tag` with
      the content of the item. If the list has several items, the decoder refuses the returned node.
    - A JSON list with unknown nesting (`form.loose`) gets the contract's structure. Errors in its items show
      the contract's paths.
    - Unknown elements are kept, so that the decoder reports them.
    """
    wrapped = form.wrapped
    roots = {response_tag, *form.roots, *([] if wrapped is None else [wrapped.root])}
    if node.tag not in roots:
        if node.tag not in {local_name(root) for root in roots}:
            return None
        _qualify(node, response_tag)
    if isinstance(node, JsonNode):
        if form.loose is not None:
            return _arrange(node, response_tag, form.loose)
        node = _without_array(node)
        if wrapped is not None and [child.tag for child in node] == [wrapped.root]:
            node = next(iter(node))
    if wrapped is not None and (node.tag == wrapped.root or _has_child(node, wrapped.list)):
        return _unwrap(node, response_tag, wrapped)
    return node


def is_in_array(node: Node, form: RestRow) -> bool:
    """Return True if a JSON document is an array whose only member is the response.

    `node` is the root of the document, `form` the REST form of the operation. Returns False for XML.
    """
    if not isinstance(node, JsonNode):
        return False
    inside = _without_array(node) if form.loose is None else _open_array(node, form.loose)
    return inside is not node


def _qualify(node: Node, like: str) -> None:
    """Set the namespace of a node to the namespace of the tag `like`, if the node has none.

    In XML, the namespaces of the elements in the node are set, too.
    """
    space = like[: like.rfind("}") + 1]
    if isinstance(node, etree._Element):
        for element in node.iter(etree.Element):
            if isinstance(element.tag, str) and not element.tag.startswith("{"):
                element.tag = f"{space}{element.tag}"
    elif isinstance(node, JsonNode):
        node.tag = f"{space}{node.tag}"


def _without_array(node: JsonNode) -> JsonNode:
    """Return the member if the document is a JSON array with one member, otherwise the node itself."""
    inside = list(node)
    if len(inside) != 1 or inside[0].tag != ITEM:
        return node
    return _with_tag(node.tag, inside[0])


def _has_child(node: Node, tag: str) -> bool:
    """Return True if a node has a child with this tag. In JSON, an empty array counts as a child.

    Compares only the local names in JSON, which has no namespaces.
    """
    if not isinstance(node, JsonNode):
        return any(child.tag == tag for child in node)
    name = local_name(tag)
    return any(local_name(item) == name for item in (*(child.tag for child in node), *node.empty_arrays))


def _unwrap(node: Node, response_tag: str, wrapped: WrappedRow) -> Node:
    """Return a node with the tag `response_tag`. Its children are the children of the items in the list.

    `node` is the wrapped response, which contains the list. The paging fields next to the list are left out.
    Other elements next to the list are kept.
    """
    listed = local_name(wrapped.list)
    inside = [item for child in node if local_name(child.tag) == listed for item in child]
    inside += [child for child in node if local_name(child.tag) not in (*_PAGE, listed)]
    if isinstance(node, JsonNode):
        nodes = [item for item in inside if isinstance(item, JsonNode)]
        return JsonNode(response_tag, None, node.items(), nodes, adopt=False)
    return DataNode(response_tag, None, node.items(), inside)


# ---- empty elements of JSON: by the contract, they are an empty list, an empty text, or absent


def read_shaped(operation: Operation[RequestT, ResponseT], node: Node, reader: CountingReader) -> ResponseT:
    """Read the typed response from a node that `contract_shape` returned.

    In JSON, elements may be empty although their type does not allow an empty value. Such an element is
    removed before the node is read, and reported as an unknown value (the empty string). XML is read
    unchanged. Raises DecodeError if the response is invalid.
    """
    empty = []
    if isinstance(node, JsonNode):
        name_by_rows(operation.codec, node, operation.row.response)
        empty = list(_EmptyElements(operation.codec).taken_out(node, operation.row.response))
    value = operation.read_response(node, reader)
    for leaf in empty:
        reader.unknown_value(leaf, "")
    return value


class _EmptyElements:
    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._readable: dict[tuple[str, str], bool] = {}

    def taken_out(self, node: JsonNode, name: str) -> Iterator[JsonNode]:
        """Remove and yield the empty elements below `node` whose type does not allow an empty value.

        `name` is the name of the node's type.
        """
        return self._remove_in(node, name, {field.tag: field for field in self._codec.fields(name)})

    def _remove_in(self, node: JsonNode, owner: str, fields: Mapping[str, Field]) -> Iterator[JsonNode]:
        removed = []
        for child in node:
            field = fields.get(child.tag)
            if field is None:
                continue
            if child.empty:
                if not self._can_be_empty(owner, field):
                    removed.append(child)
            elif field.item:
                item = field._replace(tag=field.item, item="", repeats=True)
                yield from self._remove_in(child, f"{owner}/{field.tag}", {item.tag: item})
            elif field.holds:
                yield from self.taken_out(child, field.holds)
        if removed:
            node.remove(removed)
        yield from removed

    def _can_be_empty(self, owner: str, field: Field) -> bool:
        """Return True if an empty element is valid for a field. To find out, decodes an empty element.

        `owner` is the name of the type that has the field.
        """
        key = (owner, field.tag)
        if key not in self._readable:
            reader = CountingReader()
            try:
                self._codec.decoder.field_reader(field)(JsonNode(field.tag), reader)
                readable = all(finding.kind != "value" for finding in reader.findings)
            except DecodeError:
                readable = False
            self._readable[key] = readable
        return self._readable[key]


# ---- lists whose nesting in JSON is unknown (docs/explanation/service.md#partner-codes)


def _arrange(root: JsonNode, response_tag: str, loose: LooseRow) -> JsonNode:
    """Convert a response with a loose list to the contract's structure.

    The returned node has all items in one list, all errors in another list, and then all other elements.
    `root` is modified. An element is recognized as an item by its fields, not only by its name, because an
    item may have a text field with the same name. If the response has fields, but neither a list nor errors,
    the response is itself an item.
    """
    root = _open_array(root, loose)
    items: list[JsonNode] = []
    errors: list[JsonNode] = []
    rest: list[JsonNode] = []
    has_list = not root.empty_arrays.isdisjoint({loose.list, loose.item, ITEM})
    has_errors = bool(loose.errors) and any(_names_errors(tag, loose) for tag in root.empty_arrays)
    for child in root:
        if child.tag == loose.list:
            has_list = True
            items += _items(child, loose.item, rest)
        elif child.tag == ITEM or (child.tag == loose.item and child.structured):
            has_list = True
            items.append(_with_tag(loose.item, child))
        elif loose.errors and _names_errors(child.tag, loose):
            has_errors = True
            errors += _errors(child, loose)
        else:
            rest.append(child)
    if not has_list and not has_errors and _is_item(rest):
        has_list = True
        items, rest = [JsonNode(loose.item, None, (), rest)], []
    lists = [JsonNode(loose.list, None, (), items)] if has_list else []
    if has_errors:
        lists.append(JsonNode(loose.errors, None, (), errors))
    response = JsonNode(response_tag, root.text, root.items(), [*lists, *rest])
    used = {loose.list, loose.item, ITEM}
    response.childless = {
        tag: value
        for tag, value in root.childless.items()
        if tag not in used and not (loose.errors and _names_errors(tag, loose))
    }
    return response


def _open_array(root: JsonNode, loose: LooseRow) -> JsonNode:
    """Return the only member of a JSON array, if this member is an object that contains the loose list.

    `root` is the root of the document. If the document has any other form, return `root`.
    """
    inside = list(root)
    if len(inside) == 1 and inside[0].tag == ITEM:
        only = inside[0]
        if loose.list in only.empty_arrays or any(child.tag == loose.list for child in only):
            return only
    return root


def _items(child: JsonNode, tag: str, rest: list[JsonNode]) -> list[JsonNode]:
    """Return the items of the list `child`, or `child` itself if it is an item with the name of the list.

    `tag` is the tag of an item.

    - If `child` contains items, return them, and append its other children to `rest`.
    - If `child` is empty, return an empty list.
    - Otherwise, return only `child`, renamed to `tag`.
    """
    inside = [item for item in child if item.tag == tag]
    container = any(item.structured for item in inside) or tag in child.empty_arrays
    if not container and inside and len(inside) == len(child):
        container = all(item.empty for item in inside)  # items, because the text field is never empty
    if not container:
        return [] if child.empty else [_with_tag(tag, child)]
    rest += [item for item in child if item.tag != tag]
    return inside


def _is_item(fields: list[JsonNode]) -> bool:
    """Return True if `fields` can belong to an item: all are texts, and not all are paging fields."""
    return (
        bool(fields)
        and not any(map(len, fields))
        and any(_folded(field.tag) not in _PAGE for field in fields)
    )


def _errors(child: JsonNode, loose: LooseRow) -> list[JsonNode]:
    """Return the errors in the element `child`, each as an element with the contract's tag for an error.

    The caller has checked the name of `child`. Its content can be a list of errors, one error with fields,
    or one error that is a text. `loose` has the contract's names of errors and items (see `LooseRow`).
    """
    tag = loose.error
    if child.empty:
        return []
    inside = list(child)
    structured = [item for item in inside if item.structured]
    times = Counter(item.tag for item in inside)
    if structured or any(item.tag == tag for item in inside):
        return [_error(loose, item, item.structured) for item in inside]
    if any(count > 1 for count in times.values()):  # several errors have the same field
        return [_error(loose, item, structured=False) for item in inside]
    return [_error(loose, child, child.structured)]


def _error(loose: LooseRow, node: JsonNode, structured: bool) -> JsonNode:
    """Return an error as an element with the contract's tag.

    If `structured` is True, `node` contains the fields of the error. Otherwise, `node` is a text, and becomes
    the only field of the error:

    - The field `$` (the text of the error), if `node` has the name of an error or of a list of errors, such
      as `errors`.
    - Otherwise the field with the name of `node`, such as `message`.
    """
    tag = loose.error
    if structured:
        return _with_tag(tag, node)
    if node.empty and node.tag == tag:
        return node
    if node.tag == tag or _names_errors(node.tag, loose):
        node = node.alone(f"{tag[: tag.rfind('}') + 1]}$")
    return JsonNode(tag, None, (), [node])


def _with_tag(tag: str, node: JsonNode) -> JsonNode:
    copy = JsonNode(tag, node.text, node.items(), list(node))
    copy.empty_arrays, copy.childless = node.empty_arrays, node.childless
    return copy


def _names_errors(tag: str, loose: LooseRow) -> bool:
    return _folded(tag).endswith(tuple(ending.casefold() for ending in loose.endings))


def _folded(tag: str) -> str:
    return local_name(tag).casefold()
