"""Reading elements by rows. What keeps the contract takes one look-up for each element; the rest is slow.

Elements are lxml's, or nodes that JSON was made into. All raises DecodeError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from soapclient.runtime.any_element import XSI_TYPE, read_any
from soapclient.runtime.attributes import Attributes, own_type, same
from soapclient.runtime.errors import DecodeError, absent, local_name, path_of, repeated
from soapclient.runtime.kept import keep, keep_empty
from soapclient.runtime.nil import ANY, NIL, NIL_ATTRIBUTE, is_empty_nil, is_nil
from soapclient.runtime.placing import NewPlaces, occurrences_of, placing, tags_of
from soapclient.runtime.protocols import Kept, Node, Reader
from soapclient.runtime.simple_types import no_attributes, read_optional, read_unless_nil, refusals
from soapclient.runtime.texts import Q_NAME

if TYPE_CHECKING:
    from soapclient.runtime.codec import Codec, Field, Read, ReadOccurrence

    # Python's attribute, what an element becomes, whether there may be several, whether other places have
    # the field, too.
    Slot = tuple[str, Read, bool, bool]

_BUILT_IN = re.compile(r"\(xsd:(\w+)\)").search
_MANY_ATTRIBUTES = frozenset({"attribute", "any_attributes"})


def of_type(codec: Codec, name: str, *, lenient: bool = False) -> Read:
    """What reads an element of that very type."""
    if codec.row(name).holder == "substitution":
        return _one_of(codec, name)
    return _Structure(codec, name, lenient=lenient).reader()


def of_occurrence(codec: Codec, name: str) -> ReadOccurrence:
    """What reads one occurrence of a group: some of an element's children."""
    return _Structure(codec, name).occurrence_reader()


def by_type(codec: Codec, name: str, *, lenient: bool = False) -> Read:
    """What reads an element of a type for which others may stand, as `xsi:type` says. One that the contract
    does not know is counted, and read as the declared one. `lenient` as for `Codec.reader`."""
    known: dict[str, str] = {}

    def read(node: Node, reader: Reader) -> Any:
        said = node.get(XSI_TYPE)
        by_name = known or {codec.xml_name(each): each for each in codec.standing_for(name)}
        known.update(by_name)
        found = None
        if said is not None:
            with suppress(ValueError):
                found = by_name.get(Q_NAME.parse(said, reader, node))
            if found is None:
                reader.unknown_value(node, said)
        found = found or name
        if codec.row(found).abstract:
            concrete = ", ".join(each for each in by_name.values() if not codec.row(each).abstract)
            raise DecodeError(path_of(node), said, f"an xsi:type that the contract knows: {concrete}")
        return codec.reader(found, own=True)(node, reader)

    said_type = _unless_nil(read) if lenient else read
    if codec.row(name).abstract:
        return said_type
    return _Structure(codec, name, lenient=lenient, said_type=said_type).reader()


def _one_of(codec: Codec, name: str) -> Read:
    """One element of a substitution group."""
    kind, shown = codec.kind(name), local_name(codec.xml_name(name))
    by_tag = {field.tag: field for field in codec.fields(name)}
    reads: dict[str, Read] = {}

    def read(node: Node, reader: Reader) -> Any:
        field = by_tag.get(node.tag) if isinstance(node.tag, str) else None
        if field is None:
            raise absent(node, shown)
        if field.tag not in reads:
            reads[field.tag] = field_reader(codec, field, alone=True)
        return kind(**{field.python: reads[field.tag](node, reader)})

    return read


class _Structure:
    """A type with fields: what its reader needs to know, and the readers, of which it has one."""

    def __init__(
        self, codec: Codec, name: str, *, lenient: bool = False, said_type: Read | None = None
    ) -> None:
        """`said_type` reads an element that says its type, where others may stand for this one."""
        row = codec.row(name)
        fields = [field for field in codec.fields(name) if not field.row.refused]
        self.codec = codec
        self.said_type = said_type
        self.kind: Any = codec.kind(name)
        self.holder = row.holder
        self.unknown = row.unknown
        self.text = next((field for field in fields if field.kind == "text"), None)
        self.whole = next((field for field in fields if field.kind == "content"), None)
        self.nil = next((field for field in fields if field.kind == "nil"), None)
        attributes = [field for field in fields if field.kind in _MANY_ATTRIBUTES]
        self.elements = [field for field in fields if field.kind in ("element", "group", "any")]
        # Of these None is a value; of others it is an element that says nothing, and another may follow.
        self.nils = frozenset(field.python for field in self.elements if field.row.nil and field.least)
        self.elsewhere = any(field.elsewhere for field in fields)
        self.missing = [(field.python, field.shown) for field in fields if field.row.may_be_missing]
        self.must = [(field.python, field.shown) for field in fields if _required(codec, field)]
        self.further = self._further(codec.defaults(name))
        declared = "" if self.holder or codec.is_open(name) or row.anonymous else codec.xml_name(name)
        self.attributes = Attributes(
            fields,
            declared=declared,
            lenient=lenient,
            nil_asked=self.nil is not None
            or (not attributes and self.text is not None and self.text.row.nil),
        )

    def _further(self, defaults: Any) -> frozenset[str]:
        """What must be there and has a default in Python: msgspec itself looks for the others."""
        return frozenset(
            python
            for python, _ in self.must
            if python in defaults and defaults[python] is not msgspec.NODEFAULT
        )

    def reader(self) -> Read:
        """What reads an element."""
        if self.whole is not None:
            return self._by_type(self._anything(self.whole))
        if self.text is not None and not (self.unknown or self.nil or self.elsewhere):
            return self._simple(self.text)
        slots = self._slots()
        place = placing(self.codec, self.elements, lambda field: field_reader(self.codec, field))
        groups = [field for field in self.elements if self.codec.recurs(field)]
        if place is not None or groups or self.unknown or self.nil or self.elsewhere or self.text:
            return self._by_type(self._unusual(slots, place, groups))
        return self._usual(slots)

    def _by_type(self, own: Read) -> Read:
        """`own`, unless the element says its type."""
        said_type = self.said_type
        if said_type is None:
            return own
        return lambda node, reader: (own if node.get(XSI_TYPE) is None else said_type)(node, reader)

    def occurrence_reader(self) -> ReadOccurrence:
        """What reads one occurrence of a group."""
        slots = self._slots()
        place = placing(self.codec, self.elements, lambda field: field_reader(self.codec, field))
        groups = self._groups([field for field in self.elements if self.codec.recurs(field)])

        def read(node: Node, occurrence: Sequence[Node], reader: Reader) -> Any:
            values: dict[str, Any] = {}
            self._fill(values, occurrence, reader, slots, place, None)
            for python, read_occurrences in groups:
                values[python] = read_occurrences(node, values.get(python, ()), reader)
            return self.finish(values, node, reader)

        return read

    def _usual(self, slots: dict[object, Slot]) -> Read:
        """The loop that nearly all time is spent in."""
        get, kind, named, nils = slots.get, self.kind, self.attributes.named, self.nils
        further, missing, absents = self.further, self.missing, self.attributes.absents
        said_type = self.said_type
        leaves = {
            tag: (field.python, field.leaf.quick)
            for field in self.elements
            if field.leaf is not None and not (field.repeats or field.row.nil or field.item)
            for tag in tags_of(self.codec, field)
        }

        def read(node: Node, reader: Reader) -> Any:
            values: dict[str, Any] = {}
            for key, raw in node.items():
                try:
                    name, quick = named[key]
                    values[name] = quick(raw)
                except refusals:
                    if said_type is not None and node.get(XSI_TYPE) is not None:
                        return said_type(node, reader)
                    values = {}
                    if self.attributes.read(values, node, reader):
                        return None
                    break
            if absents:
                self.attributes.defaults(values, node, reader)
            for child in node:
                tag = child.tag
                if tag in leaves:
                    name, quick = leaves[tag]
                    if name not in values:
                        text = child.text
                        if text is not None and not child.keys() and not len(child):
                            try:
                                values[name] = quick(text)
                                continue
                            except refusals:
                                pass
                slot = get(tag)
                if slot is None:
                    reader.unknown_element(child)
                    continue
                name, read_child, many, _ = slot
                if not many:
                    if name in values and (values[name] is not None or name in nils):
                        raise repeated(child)
                    values[name] = read_child(child, reader)
                elif name in values:
                    values[name].append(read_child(child, reader))
                else:
                    values[name] = [read_child(child, reader)]
            if further and not values.keys() >= further:
                raise self._lacking(values, node)
            for python, shown in missing:
                if values.get(python) is None:
                    reader.missing(node, shown)
            try:
                return kind(**values)
            except TypeError:
                raise self._lacking(values, node) from None

        return read

    def _unusual(self, slots: dict[object, Slot], place: NewPlaces | None, fields: list[Field]) -> Read:
        """The same where more than the names of elements decides, or what is unknown is kept."""
        groups, kept, nil, text = self._groups(fields), self.unknown, self.nil, self.text
        tags = [tag for tag in slots if isinstance(tag, str)]

        def read(node: Node, reader: Reader) -> Any:
            values: dict[str, Any] = {}
            unknown: Kept | None = {} if kept else None
            if self.attributes.read(values, node, reader, unknown):
                return None
            self.attributes.defaults(values, node, reader)
            if nil is not None and is_empty_nil(node):
                return self._of_nothing(nil, values)
            if text is not None and text.leaf is not None:
                read_text = text.leaf.content if text.given is None else _or_default(text.leaf, text.given)
                values[text.python] = read_text(node, reader)
            else:
                self._fill(values, node, reader, slots, place, unknown)
            for python, read_occurrences in groups:
                values[python] = read_occurrences(node, values.get(python, ()), reader)
            if unknown is not None:
                keep_empty(unknown, node, tags)
                values[kept] = unknown
            return self.finish(values, node, reader)

        return read

    def _fill(
        self,
        values: dict[str, Any],
        nodes: Iterable[Node],
        reader: Reader,
        slots: dict[object, Slot],
        place: NewPlaces | None,
        unknown: Kept | None,
    ) -> None:
        """The values of children."""
        places = place() if place is not None else None
        for child in nodes:
            if places is not None and places.put(child, values, reader):
                continue
            slot = slots.get(child.tag)
            if slot is None:
                reader.unknown_element(child)
                if unknown is not None:
                    keep(unknown, child)
                continue
            name, read, many, other = slot
            if many:
                values.setdefault(name, []).append(read(child, reader))
            elif other:
                values[name] = same(child, values.get(name), read(child, reader))
            elif values.get(name) is not None or (name in self.nils and name in values):
                raise repeated(child)
            else:
                values[name] = read(child, reader)

    def _simple(self, field: Field) -> Read:
        """Text beside attributes."""
        leaf, python, kind, named = field.leaf, field.python, self.kind, self.attributes.named
        assert leaf is not None
        given, nillable, absents = field.given, field.row.nil, self.attributes.absents
        read_text = leaf.content if given is None else _or_default(leaf, given)
        must, missing = frozenset(name for name, _ in self.must if name != python), self.missing
        declared, quick_text, said_type = self.attributes.declared_names, leaf.quick, self.said_type
        plain = not (absents or missing or must & self.further)

        def read(node: Node, reader: Reader) -> Any:
            values: dict[str, Any] = {}
            usual = plain
            for key, raw in node.items():
                try:
                    name, quick = named[key]
                    values[name] = quick(raw)
                except refusals:
                    if said_type is not None and node.get(XSI_TYPE) is not None:
                        return said_type(node, reader)
                    values, usual = {}, False
                    if self.attributes.read(values, node, reader):
                        return None
                    break
            if usual and (text := node.text) and not len(node):
                try:
                    values[python] = quick_text(text)
                    return kind(**values)  # TypeError: an attribute lacks
                except refusals:
                    values.pop(python, None)
            self.attributes.defaults(values, node, reader)
            if not values.keys() >= must:
                raise self._lacking(values, node)
            for name, shown in missing:
                if values.get(name) is None:
                    reader.missing(node, shown)
            nil = nillable and is_nil(node, reader, *declared)
            values[python] = None if nil else read_text(node, reader)
            return kind(**values)

        return read

    def _anything(self, field: Field) -> Read:
        """The whole of an element whose content is anything."""
        kind, python, nil = self.kind, field.python, self.nil

        def read(node: Node, reader: Reader) -> Any:
            found = read_any(node, reader)
            found.name = ""
            if nil is None:
                return kind(**{python: found})
            says_nil = is_empty_nil(node)
            if says_nil:
                found.attributes.pop(NIL_ATTRIBUTE)
            return kind(**{python: found, nil.python: says_nil})

        return read

    def _of_nothing(self, nil: Field, values: dict[str, Any]) -> Any:
        """The value of an element that is nil: what its type requires is None all the same."""
        nothing: dict[str, Any] = {python: None for python, _ in self.must}
        return self.kind(**{**nothing, **values, nil.python: True})

    def finish(self, values: dict[str, Any], node: Node, reader: Reader) -> Any:
        """The value, made of its parts. Raises DecodeError for the first that is required and lacking."""
        if self.further and not values.keys() >= self.further:
            raise self._lacking(values, node)
        for python, shown in self.missing:
            if values.get(python) is None:
                reader.missing(node, shown)
        try:
            return self.kind(**values)
        except TypeError:
            raise self._lacking(values, node) from None

    def _lacking(self, values: dict[str, Any], node: Node) -> DecodeError:
        return next(absent(node, shown) for python, shown in self.must if python not in values)

    # ---- elements

    def _groups(self, fields: list[Field]) -> list[tuple[str, Callable[[Node, Sequence[Node], Reader], Any]]]:
        return [(field.python, self._recurring(field.holds)) for field in fields]

    def _recurring(self, name: str) -> Callable[[Node, Sequence[Node], Reader], Any]:
        occurrences = occurrences_of(self.codec, name)

        def read(node: Node, nodes: Sequence[Node], reader: Reader) -> Any:
            if not nodes:
                return []
            return occurrences.read(self.codec.occurrence_reader(name), node, nodes, reader)

        return read

    def _slots(self) -> dict[object, Slot]:
        """For each element the field that it is; of several the last, `placing` knows the others."""
        slots: dict[object, Slot] = {}
        for field in self.elements:
            for tag in tags_of(self.codec, field):
                slots[tag] = self._slot(field, slots, tag)
        for field in (*self.elements, *self.attributes.fields):
            for kind, tag in field.elsewhere:
                if kind == "element":
                    slots[tag] = self._slot(field, slots, tag)
        return slots

    def _slot(self, field: Field, slots: dict[object, Slot], tag: str) -> Slot:
        if self.codec.recurs(field):
            return (field.python, lambda node, reader: node, True, False)
        many, other = field.repeats, bool(field.elsewhere)

        def first(node: Node, reader: Reader) -> Any:
            """Made when the first such element comes: types know one another in circles."""
            read = field_reader(self.codec, field)
            if slots[tag][1] is first:
                slots[tag] = (field.python, read, many, other)
            return read(node, reader)

        return (field.python, first, many, other)


def _required(codec: Codec, field: Field) -> bool:
    """Whether a value is an error where there is none in an element."""
    row = field.row
    if not field.least or row.may_be_missing or row.rest_optional or field.kind in ("nil", "content", "text"):
        return False
    if field.kind == "attribute":
        return row.fixed is None
    if field.kind == "any":
        return not field.repeats
    return not codec.recurs(field)


def field_reader(codec: Codec, field: Field, *, alone: bool = False) -> Read:
    """What reads one element of a field; `alone`: of a group that the element is."""
    if field.kind == "any":
        return read_any
    if field.item:
        return _wrapped(codec, field)
    row, leaf, declared = field.row, field.leaf, _declared(codec, field)
    read = codec.reader(field.holds) if field.holds else leaf.read if leaf else read_any
    if leaf is not None and field.given is not None:
        read = _typed(_or_default(leaf, field.given), declared)
    elif not alone and field.kind != "group" and not (field.repeats or row.nil) and (field.holds or leaf):
        optional = not field.least or row.may_be_missing or row.rest_optional
        if leaf is not None:
            read = _typed(_if_any(read) if optional else read, declared)
        elif optional:
            return codec.reader(field.holds, lenient=True)
    elif leaf is not None:
        read = _typed(read, declared)
    if row.nil:
        nil = None if field.repeats or (field.least and not alone) else NIL
        return _or_nil(read, nil, _attributes_of(codec, field))
    return read


def _typed(read: Read, names: tuple[str, str]) -> Read:
    """`read`, of a simple type: an `xsi:type` that names another one of the contract's is reported."""

    def reading(node: Node, reader: Reader) -> Any:
        if node.keys() and (said := node.get(XSI_TYPE)) is not None:
            own_type(node, reader, said, *names)
        return read(node, reader)

    return reading


def _declared(codec: Codec, field: Field) -> tuple[str, str]:
    """The qualified name of the simple type that is declared for a field, "" of a built-in one; and the
    latter's own name, which services say in any namespace."""
    found = _BUILT_IN(field.leaf.expected) if field.leaf is not None else None
    declared = codec.schema.tag(field.row.declared) if field.row.declared else ""
    return declared, found[1] if found else ""


def _or_default(leaf: Any, given: str) -> Read:
    return lambda node, reader: leaf.or_default(node, reader, given)


def _unless_nil(read: Read) -> Read:
    def reading(node: Node, reader: Reader) -> Any:
        if node.get(NIL_ATTRIBUTE) is None:
            return read(node, reader)
        return read_unless_nil(node, reader, read)

    return reading


def _if_any(read: Read) -> Read:
    return lambda node, reader: read_optional(node, reader, read)


def _or_nil(read: Read, nil: object, declared: tuple[str, ...]) -> Read:
    def reading(node: Node, reader: Reader) -> Any:
        return nil if is_nil(node, reader, *declared) else read(node, reader)

    return reading


def _wrapped(codec: Codec, field: Field) -> Read:
    tag, leaf = field.item, field.leaf
    read = (
        codec.reader(field.holds)
        if field.holds
        else _typed(leaf.read, _declared(codec, field))
        if leaf
        else read_any
    )
    if field.row.nil_item:
        read = _or_nil(read, None, _attributes_of(codec, field))

    def read_list(node: Node, reader: Reader) -> list[Any]:
        values = []
        if node.keys():
            no_attributes(node, reader)
        for child in node:
            if child.tag == tag:
                values.append(read(child, reader))
            else:
                reader.unknown_element(child)
        return values

    return read_list


def _attributes_of(codec: Codec, field: Field) -> tuple[str, ...]:
    """The attributes that an element of a field may have; `ANY` where they are not all known."""
    if not field.holds:
        return () if field.leaf else (ANY,)
    if codec.is_open(field.holds):
        return (ANY,)
    fields = codec.fields(field.holds)
    if any(each.kind == "any_attributes" for each in fields):
        return (ANY,)
    return tuple(each.tag for each in fields if each.kind == "attribute")


def item_reader(codec: Codec, name: str, python: str) -> Read:
    """What reads an item of the list that is a field of a type."""
    field = next(one for one in codec.fields(name) if one.python == python)
    if field.holds:
        return codec.reader(field.holds)
    return _typed(field.leaf.read, _declared(codec, field)) if field.leaf else read_any
