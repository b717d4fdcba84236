"""Reading elements by rows. What keeps the contract takes one look-up for each element; the rest is slow.

Elements are lxml's, or nodes that JSON was made into. All raises DecodeError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from soapclient.runtime.any_element import XSI_TYPE, keep, keep_empty, read_any
from soapclient.runtime.attributes import Attributes, own_type, same
from soapclient.runtime.errors import DecodeError, absent, local_name, path_of, repeated
from soapclient.runtime.fields import Field, Leaf, Read, ReadOccurrence, Types
from soapclient.runtime.nil import ANY, NIL, NIL_ATTRIBUTE, is_empty_nil, is_nil, says_nothing
from soapclient.runtime.placing import Occurrences, Places, Placing, tags_of
from soapclient.runtime.protocols import Kept, Node, Reader
from soapclient.runtime.simple_types import Quick, no_attributes, read_optional, refusals
from soapclient.runtime.texts import Q_NAME

_BUILT_IN = re.compile(r"\(xsd:(\w+)\)").search
_MANY_ATTRIBUTES = frozenset({"attribute", "any_attributes"})


class Decoder:
    """What reads the types of a package, each made when it is first needed."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self._readers: dict[tuple[str, bool, bool], Read] = {}

    def reader(self, name: str, *, own: bool = False, lenient: bool = False) -> Read:
        """What reads an element of a type.

        `own`: as of that very type, whatever may stand for it. `lenient`: None for one that says that it is
        nil, though the contract knows no nil for it.
        """
        key = (name, own, lenient)
        found = self._readers.get(key)
        if found is None:
            if not own and self.types.is_open(name):
                found = self._by_type(name, lenient)
            elif self.types.row(name).holder == "substitution":
                found = self._one_of(name)
            else:
                found = _Structure(self, name, lenient=lenient).reader()
            self._readers[key] = found
        return found

    def _by_type(self, name: str, lenient: bool) -> Read:
        """What reads an element of a type for which others may stand, as `xsi:type` says. One that the
        contract does not know is counted, and read as the declared one."""
        types = self.types
        known: dict[str, str] = {}

        def read(node: Node, reader: Reader) -> Any:
            said = node.get(XSI_TYPE)
            by_name = known or {types.xml_name(each): each for each in types.standing_for(name)}
            known.update(by_name)
            found = None
            if said is not None:
                with suppress(ValueError):
                    found = by_name.get(Q_NAME.parse(said, reader, node))
                if found is None:
                    reader.unknown_value(node, said)
            found = found or name
            if types.row(found).abstract:
                concrete = ", ".join(each for each in by_name.values() if not types.row(each).abstract)
                raise DecodeError(path_of(node), said, f"an xsi:type that the contract knows: {concrete}")
            return self.reader(found, own=True)(node, reader)

        said_type = _unless_nil(read) if lenient else read
        if types.row(name).abstract:
            return said_type
        return _Structure(self, name, lenient=lenient, said_type=said_type).reader()

    def _one_of(self, name: str) -> Read:
        """What reads one element of a substitution group."""
        kind, shown = self.types.kind(name), local_name(self.types.xml_name(name))
        by_tag = {field.tag: field for field in self.types.fields(name)}
        reads: dict[str, Read] = {}

        def read(node: Node, reader: Reader) -> Any:
            field = by_tag.get(node.tag) if isinstance(node.tag, str) else None
            if field is None:
                raise absent(node, shown)
            if field.tag not in reads:
                reads[field.tag] = self.field_reader(field, alone=True)
            return kind(**{field.python: reads[field.tag](node, reader)})

        return read

    # ---- fields

    def field_reader(self, field: Field, *, alone: bool = False) -> Read:
        """What reads one element of a field; `alone`: of a group that the element is."""
        row, leaf = field.row, field.leaf
        if field.kind == "any":
            return read_any
        if field.item:
            return self._list_reader(field)
        optional = not field.least or row.may_be_missing or row.rest_optional
        optional = optional and not (alone or field.kind == "group" or field.repeats or row.nil)
        if leaf is None or field.given is None:
            read = self.item_reader(field, lenient=optional)
        else:
            read = self._typed(_or_default(leaf, field.given), field)
        if row.nil:
            nil = None if field.repeats or (field.least and not alone) else NIL
            return self._or_nil(read, nil, field)
        return read

    def item_reader(self, field: Field, *, lenient: bool = False) -> Read:
        """What reads one value of a field, without regard for nil; `lenient`: one that may be left out."""
        if field.holds:
            return self.reader(field.holds, lenient=lenient)
        if field.leaf is None:
            return read_any
        read = field.leaf.read
        return self._typed(
            (lambda node, reader: read_optional(node, reader, read)) if lenient else read, field
        )

    def _list_reader(self, field: Field) -> Read:
        tag, read = field.item, self.item_reader(field)
        if field.row.nil_item:
            read = self._or_nil(read, None, field)

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

    def _typed(self, read: Read, field: Field) -> Read:
        """`read`, of a simple type: an `xsi:type` that names another one of the contract's is reported."""
        found = _BUILT_IN(field.leaf.expected) if field.leaf is not None else None
        # The qualified name that is declared, "" of a built-in type; and the latter's own name, which
        # services say in any namespace.
        declared = self.types.schema.tag(field.row.declared) if field.row.declared else ""
        simple = found[1] if found else ""

        def reading(node: Node, reader: Reader) -> Any:
            if node.keys() and (said := node.get(XSI_TYPE)) is not None:
                own_type(node, reader, said, declared, simple)
            return read(node, reader)

        return reading

    def _or_nil(self, read: Read, nil: object, field: Field) -> Read:
        declared = self._attributes_of(field)

        def reading(node: Node, reader: Reader) -> Any:
            return nil if is_nil(node, reader, *declared) else read(node, reader)

        return reading

    def _attributes_of(self, field: Field) -> tuple[str, ...]:
        """The attributes that an element of a field may have; `ANY` where they are not all known."""
        if not field.holds:
            return () if field.leaf else (ANY,)
        fields = self.types.fields(field.holds)
        if self.types.is_open(field.holds) or any(each.kind == "any_attributes" for each in fields):
            return (ANY,)
        return tuple(each.tag for each in fields if each.kind == "attribute")


def _or_default(leaf: Leaf, given: str) -> Read:
    return lambda node, reader: leaf.or_default(node, reader, given)


def _unless_nil(read: Read) -> Read:
    return lambda node, reader: None if says_nothing(node, reader) else read(node, reader)


class _Slot(NamedTuple):
    """What an element becomes: Python's attribute; of a simple type what makes a value of its usual text;
    what reads it; whether there may be several; whether other places have the field, too."""

    python: str
    quick: Quick[Any] | None
    read: Read
    many: bool
    elsewhere: bool


class _Structure:
    """A type with fields: what its reader needs to know, and the readers, of which it has one."""

    def __init__(
        self, decoder: Decoder, name: str, *, lenient: bool = False, said_type: Read | None = None
    ) -> None:
        """`said_type` reads an element that says its type, where others may stand for this one."""
        types = decoder.types
        row = types.row(name)
        fields = [field for field in types.fields(name) if not field.row.refused]
        self.decoder = decoder
        self.types = types
        self.said_type = said_type
        self.kind: Any = types.kind(name)
        self.unknown = row.unknown
        by_kind = {field.kind: field for field in fields}
        self.text, self.whole, self.nil = by_kind.get("text"), by_kind.get("content"), by_kind.get("nil")
        self.elements = [field for field in fields if field.kind in ("element", "group", "any")]
        self.recurring = [field for field in self.elements if types.recurs(field)]
        # Of these None is a value; of others it is an element that says nothing, and another may follow.
        self.nils = frozenset(field.python for field in self.elements if field.row.nil and field.least)
        self.elsewhere = any(field.elsewhere for field in fields)
        self.missing = [(field.python, field.shown) for field in fields if field.row.may_be_missing]
        self.must = [(field.python, field.shown) for field in fields if self._is_required(field)]
        # What must be there and has a default in Python: msgspec itself looks for the others.
        defaults = types.defaults(name)
        self.further = frozenset(
            python
            for python, _ in self.must
            if python in defaults and defaults[python] is not msgspec.NODEFAULT
        )
        self.placing = Placing(types, self.elements, decoder.field_reader)
        nil_asked = self.nil is not None
        if self.text is not None and self.text.row.nil and not _MANY_ATTRIBUTES & by_kind.keys():
            nil_asked = True
        self.attributes = Attributes(
            fields,
            declared="" if row.holder or types.is_open(name) or row.anonymous else types.xml_name(name),
            lenient=lenient,
            nil_asked=nil_asked,
        )

    def _is_required(self, field: Field) -> bool:
        """Whether a value is an error where there is none in an element."""
        row = field.row
        if not field.least or row.may_be_missing or row.rest_optional:
            return False
        if field.kind == "attribute":
            return row.fixed is None
        if field.kind == "any":
            return not field.repeats
        return field.kind in ("element", "group", "any_attributes") and not self.types.recurs(field)

    def reader(self) -> Read:
        """What reads an element."""
        if self.whole is not None:
            return self._or_said_type(self._anything(self.whole))
        if not (self.unknown or self.nil or self.elsewhere):
            if self.text is not None:
                return self._simple(self.text)
            if self.placing.is_plain and not self.recurring:
                return self._usual()
        return self._or_said_type(self._unusual())

    def _or_said_type(self, own: Read) -> Read:
        """`own`, unless the element says its type."""
        said_type = self.said_type
        if said_type is None:
            return own
        return lambda node, reader: (own if node.get(XSI_TYPE) is None else said_type)(node, reader)

    def occurrence_reader(self) -> ReadOccurrence:
        """What reads one occurrence of a group: some of an element's children."""
        fill = self._filling()

        def read(node: Node, occurrence: Sequence[Node], reader: Reader) -> Any:
            values: dict[str, Any] = {}
            fill(values, node, occurrence, reader, None)
            return self._finish(values, node, reader)

        return read

    def _usual(self) -> Read:
        """The loop that nearly all time is spent in."""
        slots, kind, named, nils = self._slots(), self.kind, self.attributes.named, self.nils
        slot_of, further, missing, said_type = slots.get, self.further, self.missing, self.said_type
        defaults = self.attributes.defaults if self.attributes.absents else None

        def read(node: Node, reader: Reader) -> Any:
            values: dict[str, Any] = {}
            try:
                for key, raw in node.items():
                    name, quick = named[key]
                    values[name] = quick(raw)
            except refusals:
                if said_type is not None and node.get(XSI_TYPE) is not None:
                    return said_type(node, reader)
                values = {}
                if self.attributes.read(values, node, reader):
                    return None
            if defaults is not None:
                defaults(values, node, reader)
            for child in node:
                slot = slot_of(child.tag)
                if slot is None:
                    reader.unknown_element(child)
                    continue
                name, quick_text, read_child, many, _ = slot
                if many:
                    if name in values:
                        values[name].append(read_child(child, reader))
                    else:
                        values[name] = [read_child(child, reader)]
                    continue
                if name in values:
                    if values[name] is not None or name in nils:
                        raise repeated(child)
                elif quick_text is not None:
                    text = child.text
                    if text is not None and not len(child) and not child.keys():
                        try:
                            values[name] = quick_text(text)
                            continue
                        except refusals:
                            pass
                values[name] = read_child(child, reader)
            if missing or (further and not values.keys() >= further):
                return self._finish(values, node, reader)
            try:
                return kind(**values)
            except TypeError:
                raise self._lacking(values, node) from None

        return read

    def _unusual(self) -> Read:
        """The same where more than the names of elements decides, or what is unknown is kept."""
        kept, nil, text, fill = self.unknown, self.nil, self.text, self._filling()
        read_text = self._text_reader(text) if text is not None else None

        def read(node: Node, reader: Reader) -> Any:
            values: dict[str, Any] = {}
            unknown: Kept | None = {} if kept else None
            if self.attributes.read(values, node, reader, unknown):
                return None
            self.attributes.defaults(values, node, reader)
            if nil is not None and is_empty_nil(node):
                # What its type requires is None all the same.
                nothing: dict[str, Any] = {python: None for python, _ in self.must}
                return self.kind(**{**nothing, **values, nil.python: True})
            if text is not None and read_text is not None:
                values[text.python] = read_text(node, reader)
                fill(values, node, (), reader, unknown)
            else:
                fill(values, node, node, reader, unknown)
            if unknown is not None:
                values[kept] = unknown
            return self._finish(values, node, reader)

        return read

    def _filling(self) -> Callable[[dict[str, Any], Node, Iterable[Node], Reader, Kept | None], None]:
        """What puts the values of children where they belong."""
        slots, placing = self._slots(), None if self.placing.is_plain else self.placing
        tags = [tag for tag in slots if isinstance(tag, str)]
        groups = [(field.python, self._occurrences_reader(field.holds)) for field in self.recurring]

        def fill(
            values: dict[str, Any], node: Node, children: Iterable[Node], reader: Reader, unknown: Kept | None
        ) -> None:
            places = Places(placing) if placing is not None else None
            for child in children:
                if places is not None and places.put(child, values, reader):
                    continue
                slot = slots.get(child.tag)
                if slot is None:
                    reader.unknown_element(child)
                    if unknown is not None:
                        keep(unknown, child)
                    continue
                name, _, read, many, other = slot
                if many:
                    values.setdefault(name, []).append(read(child, reader))
                elif other:
                    values[name] = same(child, values.get(name), read(child, reader))
                elif values.get(name) is not None or (name in self.nils and name in values):
                    raise repeated(child)
                else:
                    values[name] = read(child, reader)
            for python, read_occurrences in groups:
                values[python] = read_occurrences(node, values.get(python, ()), reader)
            if unknown is not None:
                keep_empty(unknown, node, tags)

        return fill

    def _text_reader(self, field: Field) -> Read:
        assert field.leaf is not None
        return field.leaf.content if field.given is None else _or_default(field.leaf, field.given)

    def _simple(self, field: Field) -> Read:
        """Text beside attributes."""
        leaf, python, kind, named = field.leaf, field.python, self.kind, self.attributes.named
        assert leaf is not None
        nillable, said_type, read_text = field.row.nil, self.said_type, self._text_reader(field)
        must, missing = frozenset(name for name, _ in self.must), self.missing
        declared, quick_text = self.attributes.declared_names, leaf.quick
        plain = not (self.attributes.absents or missing or must & self.further)

        def read(node: Node, reader: Reader) -> Any:
            values: dict[str, Any] = {}
            if plain and (text := node.text) and not len(node):
                try:
                    for key, raw in node.items():
                        name, quick = named[key]
                        values[name] = quick(raw)
                    values[python] = quick_text(text)
                    return kind(**values)  # TypeError: an attribute lacks
                except refusals:
                    values = {}
            if said_type is not None and node.get(XSI_TYPE) is not None:
                return said_type(node, reader)
            if self.attributes.read(values, node, reader):
                return None
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

    def _finish(self, values: dict[str, Any], node: Node, reader: Reader) -> Any:
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

    def _lacking(self, values: Mapping[str, Any], node: Node) -> DecodeError:
        return next(absent(node, shown) for python, shown in self.must if python not in values)

    # ---- elements

    def _occurrences_reader(self, name: str) -> Callable[[Node, Sequence[Node], Reader], Any]:
        occurrences = Occurrences(self.types, name)
        made: list[ReadOccurrence] = []

        def read(node: Node, nodes: Sequence[Node], reader: Reader) -> Any:
            """Made when the first occurrence comes: types know one another in circles."""
            if nodes and not made:
                made.append(_Structure(self.decoder, name).occurrence_reader())
            return [made[0](node, occurrence, reader) for occurrence in occurrences.cut(nodes)]

        return read

    def _slots(self) -> dict[object, _Slot]:
        """For each element the field that it is; of several the last, `Placing` knows the others."""
        slots: dict[object, _Slot] = {}
        for field in self.elements:
            for tag in tags_of(self.types, field):
                slots[tag] = self._slot(field, slots, tag)
        for field in (*self.elements, *self.attributes.fields):
            for kind, tag in field.elsewhere:
                if kind == "element":
                    slots[tag] = self._slot(field, slots, tag)
        return slots

    def _slot(self, field: Field, slots: dict[object, _Slot], tag: str) -> _Slot:
        if self.types.recurs(field):
            return _Slot(field.python, None, lambda node, reader: node, True, False)
        many, other, leaf = field.repeats, bool(field.elsewhere), field.leaf
        quick = None if leaf is None or many or field.row.nil or field.item else leaf.quick

        def first(node: Node, reader: Reader) -> Any:
            """Made when the first such element comes: types know one another in circles."""
            read = self.decoder.field_reader(field)
            if slots[tag].read is first:
                slots[tag] = _Slot(field.python, quick, read, many, other)
            return read(node, reader)

        return _Slot(field.python, quick, first, many, other)
