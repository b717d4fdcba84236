"""Fast JSON decoder: reads documents without a tree of nodes (`docs/explanation/service.md#json`).

A document is the result of `json.loads` with `object_pairs_hook=tuple`, so that an object is a tuple of
(name, value) pairs. Numbers are strings. Lone surrogates must not occur. The name `"@name"` means an
attribute, `"$"` the text of an element with attributes, and any other name a child element. An array contains
the values of a repeated element.

Uncommon values are converted to nodes, which the XML decoder reads; it also reports the findings. If the
document has an error, `NeedsTree` is raised. The caller then reads the document again as a tree of nodes,
which gives the exact error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import DecodeError, local_name
from soapclient.runtime.fields import Field, Read
from soapclient.runtime.protocols import DataNode, Node, Reader
from soapclient.runtime.simple_types import Quick, Skipped, refusals

Pairs = tuple[tuple[str, object], ...]
NewNode = Callable[[Node, str, object], Node]
# The path of a value: the tag of the value's element, and the path of the parent.
Trail = tuple[str, "Trail | None"]

# Limit for names in one object: in a larger object, most names are unknown, and their findings must be
# counted only once.
_WIDE = 1_000
_DEEP = 50  # limit for the nesting of objects and arrays
_BOOLEANS = {True: "true", False: "false"}


class NeedsTree(Exception):
    """Raised if the fast decoder cannot read a document. The document must be read as a tree."""


class _Slot:
    """How to read the values under one name of a JSON object, and the field that receives them.

    - `quick`: the function that converts common texts of the field's simple type; None if there is none.
    - `simple`: the same as `quick`, but None if the field can have several values.
    - `holds`: the name of the value's struct type; "" if the value is not a struct.
    - `single`: the same as `holds`, but "" if the field can have several values.
    - `item`: the name of the items, if the value is an object that contains a list; otherwise "".
    """

    __slots__ = (
        "element",
        "holds",
        "item",
        "item_tag",
        "python",
        "quick",
        "repeats",
        "simple",
        "single",
        "tag",
    )

    def __init__(self, field: Field) -> None:
        plain = not field.item and field.default_text is None
        self.python = field.python
        self.quick: Quick[Any] | None = field.leaf.quick if plain and field.leaf is not None else None
        self.holds = "" if field.item else field.holds
        self.item = field.item.rpartition("}")[2]
        self.repeats = field.repeats
        self.element = field.kind == "element"
        self.tag = field.tag
        self.item_tag = field.item
        self.simple = None if field.repeats else self.quick
        self.single = "" if field.repeats else self.holds


class _Plan(NamedTuple):
    """How to read JSON objects of one type.

    `slots` has a `_Slot` for each name that an object can contain. `usual` is True if the fast decoder
    supports the type.
    """

    kind: Any
    slots: dict[str, _Slot]
    required: frozenset[str]
    fields: dict[str, Field]
    usual: bool


class JsonReader:
    """Reader for documents of one type. Thread-safe.

    `node(parent, tag, value)` is the function that converts a value of a document to an element.
    """

    def __init__(self, codec: Codec, name: str, tag: str, node: NewNode) -> None:
        self._codec = codec
        self._name = name
        self._tag = tag
        self._space = tag[: tag.rfind("}") + 1]
        self._node = node
        self._plans: dict[str, _Plan] = {}
        self._reads: dict[int, Read] = {}  # the field is the key; its codec keeps it alive

    def knows(self, pairs: Pairs) -> bool:
        """Return True if the contract declares all top-level names of a document.

        Names with a null value are ignored.
        """
        slots = self._plan(self._name).slots
        return all(key in slots or value is None for key, value in pairs)

    def read(self, pairs: Pairs, reader: Reader) -> Any:
        """Decode the top-level object of a document to a struct.

        Raises NeedsTree if the document must be read as a tree. The caller must then discard the findings
        that `reader` has received so far.
        """
        plan = self._plan(self._name)
        if not plan.usual or not any(value is not None and key in plan.slots for key, value in pairs):
            raise NeedsTree
        try:
            return self._fill(pairs, self._name, (self._tag, None), reader)
        except (DecodeError, RecursionError, Skipped):
            raise NeedsTree from None

    def _plan(self, name: str) -> _Plan:
        plan = self._plans.get(name)
        if plan is None:
            fields = [field for field in self._codec.fields(name) if not field.row.refused]
            row = self._codec.row(name)
            usual = not (row.unknown or row.abstract or row.holder)  # types with derived types are supported
            for field in fields:
                usual &= field.kind in ("element", "attribute", "text")
                usual &= not (field.row.may_be_missing or field.elsewhere)
                # Only the tree knows the defaults of absent attributes, and the namespaces of attributes.
                usual &= field.kind != "attribute" or (field.row.default is None and field.tag[:1] != "{")
            slots = {_key(field): _Slot(field) for field in fields}
            required = frozenset(
                field.python
                for field in fields
                if field.kind == "text" or (field.least and not field.row.rest_optional)
            )
            by_name = {field.python: field for field in fields}
            plan = self._plans[name] = _Plan(self._codec.kind(name), slots, required, by_name, usual)
        return plan

    def _fill(self, pairs: Pairs, name: str, trail: Trail, reader: Reader) -> Any:
        """Decode an object to a struct of the type `name`, which the fast decoder must support (see `_Plan`).

        `pairs` are the names and values of the object. `trail` is the object's path, for findings (see
        `_parent_node`).
        """
        reader.check_deadline()
        plan = self._plan(name)
        slots = plan.slots
        values: dict[str, Any] = {}
        unknown: list[tuple[str, object]] = []
        for key, value in pairs:
            slot = slots.get(key)
            if slot is None:
                if value is not None:
                    unknown.append((key, value))
                continue
            python = slot.python
            if value.__class__ is str:
                if slot.simple is not None and python not in values:
                    try:
                        values[python] = slot.simple(value)
                        continue
                    except refusals:
                        pass
            elif value.__class__ is tuple and slot.single and python not in values:
                values[python] = self._read_element(plan, slot, value, trail, reader)
                continue
            if value is None:
                continue
            if value.__class__ is list:
                members = self._members(value)
                if slot.repeats:
                    items = [self._read_element(plan, slot, member, trail, reader) for member in members]
                    if items:
                        values.setdefault(python, []).extend(items)
                    continue
                if len(members) != 1 or not slot.element:
                    raise NeedsTree
                value = members[0]  # noqa: PLW2901 - an array with one member is read as this member
            if slot.repeats:
                values.setdefault(python, []).append(self._read_element(plan, slot, value, trail, reader))
            elif python in values:
                raise NeedsTree
            elif slot.element:
                values[python] = self._read_element(plan, slot, value, trail, reader)
            else:
                values[python] = _text(slot, value)
        if not values.keys() >= plan.required:
            raise NeedsTree
        # Last, because the fast path can fail before, and there can be many unknown names.
        for key, value in unknown:
            self._unknown(key, value, trail, reader)
        return plan.kind(**values)

    def _members(self, value: Any) -> list[object]:
        if any(item is None or item.__class__ is list for item in value):
            raise NeedsTree
        members: list[object] = value
        return members

    def _read_element(self, plan: _Plan, slot: _Slot, value: object, trail: Trail, reader: Reader) -> Any:
        """Decode one value of the field that `slot` describes.

        If the fast decoder does not support the value, it is decoded as a node. `plan` is the plan of the
        type that has the field. `trail` is the path of the value's parent (see `_parent_node`).
        """
        if slot.quick is not None:
            reader.check_deadline()
            text = _BOOLEANS[value] if isinstance(value, bool) else value
            if isinstance(text, str):
                try:
                    return slot.quick(text)
                except refusals:
                    pass
        elif slot.holds:
            if isinstance(value, tuple) and self._plan(slot.holds).usual:
                return self._fill(value, slot.holds, (slot.tag, trail), reader)
        elif slot.item and isinstance(value, tuple) and len(value) == 1 and value[0][0] == slot.item:
            field, inner = plan.fields[slot.python], value[0][1]
            members = self._members(inner if isinstance(inner, list) else [inner])
            if field.holds and self._plan(field.holds).usual:
                below = (slot.item_tag, (slot.tag, trail))
                objects = [item for item in members if isinstance(item, tuple)]
                if len(objects) == len(members):
                    return [self._fill(item, field.holds, below, reader) for item in objects]
        return self._read_as_node(plan.fields[slot.python], value, trail, reader)

    def _read_as_node(self, field: Field, value: object, trail: Trail, reader: Reader) -> Any:
        """Convert one value of a field to a node, and read the node with the XML decoder."""
        if _is_wide(value) or _is_deep(value):
            raise NeedsTree
        read = self._reads.get(id(field))
        if read is None:
            read = self._reads[id(field)] = self._codec.decoder.field_reader(field)
        node = self._node(_parent_node(trail), field.tag, value)
        if isinstance(value, tuple) and (field.item or field.holds):
            name_by_field(self._codec, node, field)
        try:
            return read(node, reader)
        except Skipped:
            if field.repeats:
                raise
            return None

    def _unknown(self, key: str, value: object, trail: Trail, reader: Reader) -> None:
        """Report the name `key` of an object, because the contract does not declare it.

        If `value` is an array, each item is reported as a separate finding. `trail` is the object's path (see
        `_parent_node`). Raises NeedsTree if the fast decoder does not support the name or the value.
        """
        if key[:1] in ("$", "@") or _is_deep(value):
            raise NeedsTree
        for member in self._members(value if isinstance(value, list) else [value]):
            reader.unknown_element(self._node(_parent_node(trail), self._space + _shown(key), member))


def name_by_rows(codec: Codec, node: Any, name: str) -> None:
    """Set the namespaces in the tags of all elements below `node`, if the document has no namespaces.

    `name` is the name of the type of `node`. The namespaces come from the entries (`FieldRow`) of the type's
    fields in `schema.json`.
    """
    if codec.has_one_namespace:
        return
    fields = {field.name: field for field in codec.fields(name) if field.kind == "element"}
    if isinstance(node, DataNode):
        node.rename_empty({name: field.tag for name, field in fields.items()})
    for child in node:
        field = fields.get(local_name(child.tag))
        if field is not None:
            child.tag = field.tag
            name_by_field(codec, child, field)


def name_by_field(codec: Codec, node: Any, field: Field) -> None:
    """Set the namespaces in the tags of all elements below `node`, which is an element of `field`.

    See `name_by_rows`.
    """
    if not field.item:
        if field.holds:
            name_by_rows(codec, node, field.holds)
        return
    for child in node:
        if local_name(child.tag) == local_name(field.item):
            child.tag = field.item
            if field.holds:
                name_by_rows(codec, child, field.holds)


def _is_wide(value: object) -> bool:
    """Return True if a value is an object with more than 1,000 names, or a list with such an object."""
    while isinstance(value, tuple) and len(value) == 1:
        ((_, value),) = value
    members = value if isinstance(value, list) else [value]
    return any(isinstance(member, tuple) and len(member) > _WIDE for member in members)


def _is_deep(value: object) -> bool:
    """Return True if objects and arrays in a value are nested more than 50 deep.

    Such a value is left to the reader that builds a tree, which checks the nesting of the complete document.
    """
    level = [value]
    for _ in range(_DEEP):
        below: list[object] = []
        for item in level:
            if isinstance(item, tuple):
                below += [inner for _, inner in item]
            elif isinstance(item, list):
                below += item
        level = [item for item in below if isinstance(item, tuple | list)]
        if not level:
            return False
    return True


def _shown(key: str) -> str:
    if not key.isprintable() or "}" in key:
        raise NeedsTree  # the tree reader shows such names
    return key


def _key(field: Field) -> str:
    return {"attribute": f"@{field.name}", "text": "$"}.get(field.kind, field.name)


def _text(slot: _Slot, value: object) -> Any:
    """Return the Python value of an attribute, or of the text of an element with attributes.

    `value` is the JSON value. Raises NeedsTree if the fast decoder does not support the value.
    """
    if slot.quick is None or isinstance(value, tuple):
        raise NeedsTree
    text = _BOOLEANS[value] if isinstance(value, bool) else str(value)
    try:
        return slot.quick(text)
    except refusals:
        raise NeedsTree from None


def _parent_node(trail: Trail) -> DataNode:
    """Convert a trail to a node that has only a tag and parents, because findings show the path of a node.

    A trail is the path of a value in the document. It consists of the value's tag and the trail of the
    value's parent. At the root, None takes the place of the parent's trail.
    """
    tag, outer = trail
    return DataNode(tag, None if outer is None else _parent_node(outer))
