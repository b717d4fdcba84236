"""The types of a package and their fields, prepared for decoders and encoders from `schema.json`.

Names are converted to Clark notation, and names of simple types to their objects. Thread-safe: threads see an
object only when it is complete, and two threads that build the same object get equal results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from soapclient.runtime import scalars
from soapclient.runtime.errors import local_name
from soapclient.runtime.nil import INSTANCE
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.schema import FieldRow, Kind, Schema, TypeRow, type_row
from soapclient.runtime.simple_types import Choice, Scalar, list_of, union_of

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

# Any: values of a package's classes. Their types are known only to the operations.
Leaf = Scalar[Any]
Read = Callable[[Node, Reader], Any]
ReadOccurrence = Callable[[Node, Sequence[Node], Reader], Any]
Write = Callable[[Any, "Element", str], None]


class Wild:
    """A wildcard (XSD 1.0 part 1, section 3.10).

    `namespaces` is `##any`, `##other` or a list of namespaces; `target` is the schema's target namespace.
    """

    __slots__ = ("_listed", "_other", "_target")

    def __init__(self, namespaces: str, target: str) -> None:
        self._target = target
        self._other = namespaces.strip() == "##other"
        self._listed: frozenset[str] | None = None
        if not self._other and namespaces.strip() != "##any":
            special = {"##targetNamespace": target, "##local": ""}
            self._listed = frozenset(special.get(namespace, namespace) for namespace in namespaces.split())

    def takes(self, tag: object) -> bool:
        """Return True if the wildcard allows an element with this tag. Comments are never allowed."""
        return isinstance(tag, str) and self._allows(tag.rpartition("}")[0][1:])

    def takes_attribute(self, name: str) -> bool:
        """Return True if the wildcard allows an attribute. Attributes of the namespace xsi never match."""
        return not name.startswith(INSTANCE) and self._allows(name.rpartition("}")[0][1:])

    def _allows(self, space: str) -> bool:
        if self._other:
            return space not in ("", self._target)
        return self._listed is None or space in self._listed


class Field(NamedTuple):
    """A field of a type, prepared from its `FieldRow` (the generated description of the field).

    `tag`, `item` and `elsewhere` are in Clark notation.

    - `name`: the local name, for paths in errors; `tag`: the name of the element or attribute.
    - `item`: the name of the items, for a list with a wrapper element; otherwise "".
    - `holds`: the name of the value's complex type, or "". `leaf`: the value's simple type, or None. An
      element without either type can have any content (`AnyElement`).
    - `default_text`: the contract's default or fixed value.
    - `elsewhere`: other elements or attributes of a response that can contain the value, as (kind, name).
      `kind` is "element" or "attribute".
    - `arms`: the branches of choices (xs:choice) that contain the field, as (choice, branch). A branch is one
      alternative of a choice. Both are numbered. The choices of each type are numbered from 1; `^1` is choice
      1 of the base type.
    """

    python: str
    kind: Kind
    name: str
    tag: str
    item: str
    holds: str
    leaf: Leaf | None
    least: bool
    repeats: bool
    default_text: str | None
    wilds: tuple[Wild, ...]
    elsewhere: tuple[tuple[str, str], ...]
    arms: tuple[tuple[str, int], ...]
    row: FieldRow

    @property
    def shown(self) -> str:
        """The name that paths in errors show."""
        return f"@{self.name}" if self.kind == "attribute" else self.name

    @property
    def is_asked(self) -> bool:
        """Return True if the caller of an operation can set the field by its name."""
        return not self.row.refused and self.kind not in ("any_attributes", "nil")

    @property
    def is_list(self) -> bool:
        """Return True if the field is a list, with or without a wrapper element."""
        return self.repeats or bool(self.item)

    @property
    def is_nillable(self) -> bool:
        """Return True if an element of the field may be nil; for a wrapped list, if an item may be nil."""
        return self.kind == "element" and (self.row.nil_item if self.item else self.row.nil)

    @property
    def may_be_none(self) -> bool:
        """Return True if the field is optional, so that its value can be None.

        If an attribute has a default or a fixed value, it is never None: if it is absent, it has that value.
        """
        if self.kind == "attribute" and self.default_text is not None:
            return False
        return not self.least or self.row.may_be_missing or self.row.rest_optional


class Types:
    """The types of a package. The names of types in arguments and results are the names of their classes."""

    def __init__(self, schema: Schema, types: ModuleType) -> None:
        self.schema = schema
        self._types = types
        self._rows: dict[str, TypeRow] = {}
        self._fields: dict[str, tuple[Field, ...]] = {}
        self._leaves: dict[str, Leaf] = {}
        self._derived: dict[str, list[str]] | None = None
        self._binary: bool | None = None
        self._one_namespace: bool | None = None

    @property
    def module(self) -> ModuleType:
        """The module that defines the package's classes."""
        return self._types

    def kind(self, name: str) -> type:
        """Return the class of a type or of an enumeration."""
        kind: type = getattr(self._types, name)
        return kind

    def row(self, name: str) -> TypeRow:
        """Return the description of a type in `schema.json`."""
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = type_row(self.schema.types[name])
        return row

    def xml_name(self, name: str) -> str:
        """Return a type's qualified name in Clark notation.

        Anonymous types, and classes for the fields of a group, do not have a qualified name. In these cases,
        the name that is used in the paths of errors is returned.
        """
        return self.schema.tag(self.row(name).xml)

    def is_open(self, name: str) -> bool:
        """Return True if an element of this type may have an `xsi:type` that names a derived type."""
        row = self.row(name)
        return row.open or row.abstract

    def standing_for(self, name: str) -> list[str]:
        """Return the names of a type and of all types that are derived from it, directly or indirectly."""
        if self._derived is None:
            derived: dict[str, list[str]] = {}
            for item in self.schema.types:
                if base := self.row(item).base:
                    derived.setdefault(base, []).append(item)
            self._derived = derived
        result: dict[str, None] = {}
        todo = [name]
        while todo:
            item = todo.pop()
            if item not in result:
                result[item] = None
                todo += reversed(self._derived.get(item, []))
        return list(result)

    def concrete(self, name: str) -> list[str]:
        """Return the types that a value can have: this type and its derived types, without abstract types."""
        standing = self.standing_for(name) if self.is_open(name) else [name]
        return [item for item in standing if not self.row(item).abstract]

    def by_xsi_type(self, name: str) -> dict[str, str]:
        """Return the types that a value can have (see `concrete`), by their local names in XML.

        The local names are those that an `xsi:type` can contain.
        """
        return {local_name(self.xml_name(item)): item for item in self.concrete(name)}

    def takes_one(self, name: str) -> bool:
        """Return True if exactly one field of a value must be set, as in a choice or a substitution group."""
        holder = self.row(name).holder
        arms = any(field.arms for field in self.fields(name))
        return holder == "substitution" or (holder == "choice" and not arms)

    @property
    def prefixes(self) -> dict[str | None, str]:
        """Prefixes (`n1`, `n2`, …) for all namespaces of the package: prefix → namespace."""
        spaces = dict.fromkeys(filter(None, [self.schema.namespace, *self.schema.namespaces.values()]))
        return {f"n{at}": space for at, space in enumerate(spaces, 1)}

    def can_hold_binary(self, name: str) -> bool:
        """Return True if a value of this type can hold `xs:base64Binary`, at any depth."""
        if self._binary is None:  # most packages have no such value and skip the search
            self._binary = any(b"base64_binary" in bytes(raw) for raw in self.schema.types.values())
        seen, todo = {name}, [name] if self._binary else []
        while todo:
            item = todo.pop()
            types = self.standing_for(item) if self.is_open(item) else [item]
            fields = [field for kind in types for field in self.fields(kind)]
            if any("base64_binary" in field.row.type for field in fields):
                return True
            held = {field.holds for field in fields} - seen - {""}
            seen |= held
            todo += held
        return False

    @property
    def has_one_namespace(self) -> bool:
        """Return True if all elements are in the package's own namespace."""
        if self._one_namespace is None:
            self._one_namespace = not self.schema.namespaces and not any(
                b'"xml":":' in bytes(raw) for raw in self.schema.types.values()
            )
        return self._one_namespace

    def fields(self, name: str) -> tuple[Field, ...]:
        """Return the fields of a type, inherited ones first."""
        fields = self._fields.get(name)
        if fields is None:
            fields = self._fields[name] = tuple(self._all_fields(name))
        return fields

    def _all_fields(self, name: str) -> Iterator[Field]:
        row = self.row(name)
        if row.derivation == "extension":
            for field in self.fields(row.base):
                arms = tuple((f"^{choice}", arm) for choice, arm in field.arms)
                wider = self._wilds(row.wider) if field.kind == "any_attributes" else ()
                yield field._replace(arms=arms, wilds=(*field.wilds, *wider))
        yield from map(self._field, row.fields)

    def _field(self, row: FieldRow) -> Field:
        holds = row.type if row.type in self.schema.types else ""
        simple = row.kind in ("element", "attribute", "text") and not holds and row.type != "any"
        default_text = row.default if row.default is not None else row.fixed
        return Field(
            # The same string object as in the class: this makes keyword arguments faster.
            python=sys.intern(row.python),
            kind=row.kind,
            name=row.xml.partition(":")[2] or row.xml if row.kind in ("element", "attribute") else row.xml,
            tag=self._tag_of(row.kind, row.xml),
            item=self.schema.tag(row.item) if row.item else "",
            holds=holds,
            leaf=self.leaf(row.type) if simple else None,
            least=row.occurs in ("1", "+"),
            repeats=row.occurs in ("*", "+"),
            default_text=default_text if simple else row.fixed if row.kind == "element" else None,
            wilds=self._wilds(row.wildcards),
            elsewhere=tuple(map(self._place, row.elsewhere)),
            arms=row.arms,
            row=row,
        )

    def _tag_of(self, kind: Kind, name: str) -> str:
        if kind == "attribute":
            return self.schema.key(name)
        return self.schema.tag(name) if kind == "element" and name else ""

    def _place(self, name: str) -> tuple[str, str]:
        kind: Kind = "attribute" if name.startswith("@") else "element"
        return kind, self._tag_of(kind, name.removeprefix("@"))

    def _wilds(self, places: tuple[int, ...]) -> tuple[Wild, ...]:
        rows = (self.schema.wildcards[place] for place in places)
        return tuple(Wild(row.namespaces, row.target) for row in rows)

    def recurs(self, field: Field) -> bool:
        """Return True if the field is a repeated model group.

        One occurrence of such a group can have several elements. Returns False for a substitution group,
        because each of its occurrences is one element.
        """
        return field.kind == "group" and self.row(field.holds).holder != "substitution"

    def requires(self, field: Field) -> bool:
        """Return True if it is an error when an element in a response lacks this field."""
        row = field.row
        if not field.least or row.may_be_missing or row.rest_optional:
            return False
        if field.kind == "attribute":
            return row.fixed is None
        if field.kind == "any":
            return not field.repeats
        return field.kind in ("element", "group", "any_attributes") and not self.recurs(field)

    def leaf(self, name: str) -> Leaf:
        """Return the simple type for a name as in `FieldRow.type`, such as `int` or `[date]` (a list)."""
        leaf = self._leaves.get(name)
        if leaf is None:
            leaf = self._leaves[name] = self._leaf(name)
        return leaf

    def _leaf(self, name: str) -> Leaf:
        if name[0] in "[(":
            if name[0] == "[":
                return list_of(self.leaf(name[1:-1]))
            return union_of(*map(self.leaf, members(name[1:-1])))
        scalar, _, form = name.partition(":")
        leaf: Leaf | None = getattr(scalars, scalar.upper(), None) if scalar.islower() else None
        if leaf is None and scalar.islower():
            from soapclient.runtime import string_types

            leaf = getattr(string_types, scalar.upper(), None)
        if leaf is None:
            enum = self.kind(name)
            assert issubclass(enum, StrEnum)
            return Choice(enum)
        return scalars.in_form(leaf, form) if form else leaf

    def defaults(self, name: str) -> Mapping[str, object]:
        """Return the Python defaults of a type's class, by field name. Required fields are left out."""
        kind: Any = self.kind(name)
        names, defaults = kind.__struct_fields__, kind.__struct_defaults__
        return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def members(text: str) -> Iterator[str]:
    """Split the members of a union, as written in `FieldRow.type`: `int|[date]` → `int`, `[date]`."""
    depth = start = 0
    for index, char in enumerate(text):
        depth += (char in "[(") - (char in "])")
        if char == "|" and not depth:
            yield text[start:index]
            start = index + 1
    yield text[start:]
