"""Writing elements by rows: attributes, then elements in the schema's order.

All raises EncodeError with the path of the field; what is there of the element then is of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE, AnyElement, append_any, write_anything
from soapclient.runtime.any_type import AnyTypes
from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import REQUIRED, EncodeError, local_name
from soapclient.runtime.fields import Field, Types, Write
from soapclient.runtime.nil import NIL, NIL_ATTRIBUTE
from soapclient.runtime.schema import MIXED

_child = etree.SubElement
Put = Callable[[Element, Any, str], None]  # (the parent, the field's value, the parent's path)
_ORDER = {"nil": 0, "attribute": 1, "any_attributes": 2}  # a wildcard never stands for what is declared


class Encoder:
    """What writes the types of a package, each made when it is first needed."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._write_any_type = AnyTypes(types).writer(lambda name: self.writer(name, own=True))
        self._writers: dict[tuple[str, bool], Write] = {}

    def writer(self, name: str, *, own: bool = False) -> Write:
        """What fills an element with a value of a type; of a group, the element that it stands in. `own`: of
        that very type, whatever may stand for it."""
        found = self._writers.get((name, own))
        if found is None:
            make = self._by_type if not own and self._types.is_open(name) else self._of_type
            found = self._writers[name, own] = make(name)
        return found

    def _of_type(self, name: str) -> Write:
        kind = self._types.kind(name)
        fields = sorted(self._types.fields(name), key=lambda one: _ORDER.get(one.kind, 3))
        puts: list[tuple[str, bool, Put]] = []
        for at, field in enumerate(fields):
            puts.append((field.python, _may_lack(field), self._later(field, puts, at)))
        check = self._check(name, fields)
        nil = next((field.python for field in fields if field.kind == "nil"), None)

        def write(value: Any, node: Element, path: str) -> None:
            if type(value) is not kind:
                _expect(value, kind, path)
            if check is not None:
                check(value, path)
            if nil is not None and getattr(value, nil):
                _write_nil(value, node, path, fields, puts)
                return
            for python, may_lack, put in puts:
                given = getattr(value, python)
                if given is not None or not may_lack:
                    put(node, given, path)

        return write

    def _by_type(self, name: str) -> Write:
        """What writes a value of a type for which others may stand, and says which it is."""
        names = self._types.standing_for(name)
        by_class = {self._types.kind(each): each for each in names}
        abstract = {each for each in names if self._types.row(each).abstract}

        def write(value: Any, node: Element, path: str) -> None:
            found = next((by_class[kind] for kind in type(value).__mro__ if kind in by_class), None)
            if found is None or found in abstract:
                concrete = ", ".join(each for each in names if each not in abstract)
                raise EncodeError(path, value, f"one of {concrete}")
            if found != name:
                node.set(XSI_TYPE, qname_text(node, self._types.xml_name(found)))
            self.writer(found, own=True)(value, node, path)

        return write

    def _later(self, field: Field, puts: list[tuple[str, bool, Put]], at: int) -> Put:
        """Made when the first value comes: types know one another in circles."""

        def first(node: Element, value: Any, path: str) -> None:
            put = self._put(field)
            puts[at] = (field.python, _may_lack(field), put)
            put(node, value, path)

        return first

    # ---- fields

    def _put(self, field: Field) -> Put:
        name, row = field.name, field.row
        if row.refused:
            return _refused(field)
        if field.kind == "nil":
            return lambda node, value, path: None
        if field.kind == "content":
            write = write_anything if row.type == MIXED else self._write_any_type
            return lambda node, value, path: write(value, node, path)
        if field.kind == "attribute":
            return _attribute(field)
        if field.kind == "any_attributes":
            return lambda node, value, path: _put_attributes(node, value, path, name)
        if field.kind == "text":
            return _text(field)
        one = self._one(field)
        if field.repeats:
            return _many(name, one, field.least and not row.rest_optional and not self._is_empty(field))
        least, fixed, tag = field.least, row.fixed, field.tag

        def put(node: Element, value: Any, path: str) -> None:
            path = f"{path}/{name}"
            if value is None and least and not row.nil:
                if fixed is None or not tag:
                    raise required(path)
                _child(node, tag).text = fixed
            else:
                one(node, None if value is NIL and row.nil else value, path)

        return put

    def _one(self, field: Field) -> Put:
        """What appends one value; the path is its own."""
        if field.kind == "any":
            return append_any
        if field.kind == "group":
            write = self.writer(field.holds)
            return lambda node, value, path: write(value, node, path)
        fill, row = self._filling(field), field.row
        if not field.item:
            return self._nillable(field.tag, fill, field) if row.nil else _element(field.tag, fill)
        item = self._nillable(field.item, fill, field) if row.nil_item else _element(field.item, fill)
        tag, many = field.tag, _many(local_name(field.item), item, False)
        return lambda node, values, path: many(_child(node, tag), values, path)

    def _filling(self, field: Field) -> Write:
        if field.holds:
            return self._or_changes(field) if field.row.partial else self.writer(field.holds)
        if field.leaf is None:
            return self._write_any_type
        text = _text_of(field)

        def fill(value: Any, node: Element, path: str) -> None:
            node.text = text(value, node, path)

        return fill

    def _nillable(self, tag: str, fill: Write, field: Field) -> Put:
        # An attribute that an element must have even where it is nil.
        fields = self._types.fields(field.holds) if field.holds else ()
        needs = next((one.name for one in fields if one.kind == "attribute" and one.least), "")

        def put(node: Element, value: Any, path: str) -> None:
            inner = _child(node, tag)
            if value is not None:
                fill(value, inner, path)
            elif needs:
                allowed = (
                    f"a value: the contract requires the attribute {needs} "
                    "even where there is no other content"
                )
                raise EncodeError(path, value, allowed, "a nil cannot be sent here")
            else:
                inner.set(NIL_ATTRIBUTE, "true")

        return put

    def _is_empty(self, field: Field) -> bool:
        """Whether a group may be without any element: then none of it is one of it without content."""
        if not self._types.recurs(field):
            return False
        lacking = [not each.least or self._is_empty(each) for each in self._types.fields(field.holds)]
        return any(lacking) if self._types.row(field.holds).holder == "choice" else all(lacking)

    def _or_changes(self, field: Field) -> Write:
        """A whole value, or a dict of changes."""
        kind, whole = self._types.kind(field.holds), self.writer(field.holds)
        fields = [each for each in self._types.fields(field.holds) if not each.row.refused]
        puts = {each.python: self._put(each) for each in fields}
        check = _one_arm(fields)
        allowed = f"a {kind.__name__}, or a dict of its fields that change"

        def write(value: Any, node: Element, path: str) -> None:
            if isinstance(value, kind):
                whole(value, node, path)
                return
            if not isinstance(value, Mapping):
                raise EncodeError(path, value, allowed)
            for name in value:
                if name not in puts:
                    raise EncodeError(path, name, f"the fields {', '.join(puts)}", "there is no such field")
            if check is not None:
                check(value.get, path)
            for name, put in puts.items():
                if name in value:
                    put(node, value[name], path)

        return write

    def _check(self, name: str, fields: list[Field]) -> Callable[[Any, str], None] | None:
        """What a value as a whole must be."""
        if self._types.row(name).holder == "substitution":
            names = [field.python for field in fields]

            def exactly_one(value: Any, path: str) -> None:
                if sum(getattr(value, each) is not None for each in names) != 1:
                    raise EncodeError(path, value, "exactly one of its fields")

            return exactly_one
        check = _one_arm(fields)
        return None if check is None else lambda value, path: check(lambda each: getattr(value, each), path)


def required(path: str) -> EncodeError:
    """The error for a required field that is None."""
    return EncodeError(path, None, "a value", REQUIRED)


def _expect(value: object, kind: type, path: str) -> None:
    """Refuse what is of another type, or of one that extends it: its more would be lost."""
    if not isinstance(value, kind):
        raise EncodeError(path, value, f"a {kind.__name__}")
    if type(value) is not kind:
        raise EncodeError(path, value, f"a {kind.__name__} itself", "a type derived from it cannot be sent")


def _may_lack(field: Field) -> bool:
    """Whether None leaves a field out."""
    if field.kind in ("text", "any_attributes"):
        return False
    return (
        field.kind == "nil"
        or bool(field.row.refused)
        or field.row.rest_optional
        or not (field.least or field.repeats)
    )


def _refused(field: Field) -> Put:
    """A field that the service no longer takes."""
    shown, reason = field.shown, field.row.refused

    def put(node: Element, value: Any, path: str) -> None:
        raise EncodeError(f"{path}/{shown}", value, "nothing: leave it out", reason)

    return put


def _attribute(field: Field) -> Put:
    key, name, least, fixed = field.tag, field.name, field.least, field.row.fixed
    text = _text_of(field)

    def put(node: Element, value: Any, path: str) -> None:
        path = f"{path}/@{name}"
        if value is not None:
            node.set(key, text(value, node, path))
        elif fixed is not None and least:
            node.set(key, fixed)
        elif least:
            raise required(path)

    return put


def _text(field: Field) -> Put:
    """The text beside attributes; of a message that may be nil, None makes it so."""
    text, nil = _text_of(field), field.row.nil

    def put(node: Element, value: Any, path: str) -> None:
        if value is not None:
            node.text = text(value, node, path)
        elif nil:
            node.set(NIL_ATTRIBUTE, "true")
        else:
            raise required(path)

    return put


def _text_of(field: Field) -> Callable[[Any, Element, str], str]:
    """The text of a value; some the service no longer takes."""
    leaf, reasons = field.leaf, field.row.refused_values
    assert leaf is not None
    if not reasons:
        return leaf.put

    def text(value: Any, node: Element, path: str) -> str:
        found = leaf.put(value, node, path)
        if found in reasons:
            raise EncodeError(path, found, "", reasons[found])
        return found

    return text


def _put_attributes(node: Element, values: Any, path: str, name: str) -> None:
    """The attributes of a wildcard. One that is declared has a field of its own and is refused here."""
    path = f"{path}/{name}"
    if not isinstance(values, Mapping):
        raise EncodeError(path, values, "a dict of texts")
    for key, value in values.items():
        try:
            if node.get(key) is not None:
                raise EncodeError(path, key, "attributes that have no field of their own")
            node.set(key, value)
        except (ValueError, TypeError) as error:
            if isinstance(error, EncodeError):
                raise
            raise EncodeError(path, key, "names and texts that XML can hold", str(error)) from None


def _element(tag: str, fill: Write) -> Put:
    return lambda node, value, path: fill(value, _child(node, tag), path)


def _many(name: str, one: Put, least: bool) -> Put:
    def put(node: Element, values: Any, path: str) -> None:
        path = f"{path}/{name}"
        if least and (values is None or (isinstance(values, list | tuple) and not values)):
            raise required(path)
        if not isinstance(values, list | tuple):
            raise EncodeError(path, values, "a list")
        for at, value in enumerate(values, 1):
            one(node, value, f"{path}[{at}]")

    return put


# ---- messages that are nil, choices


def _write_nil(
    value: Any, node: Element, path: str, fields: list[Field], puts: list[tuple[str, bool, Put]]
) -> None:
    """An element that is nil: its attributes, and no content."""
    node.set(NIL_ATTRIBUTE, "true")
    for field, (python, may_lack, put) in zip(fields, puts, strict=True):
        given = getattr(value, python)
        if field.kind == "content" and given is not None:
            if not isinstance(given, AnyElement) or given.text or given.children:
                raise EncodeError(f"{path}/{python}", given, "no content", "the element is nil")
            put(node, given, path)
        elif field.kind in _ORDER:
            if given is not None or not may_lack:
                put(node, given, path)
        elif given is not None and given != []:
            raise EncodeError(f"{path}/{field.name}", given, "None", "the element is nil")


def _one_arm(fields: list[Field]) -> Callable[[Callable[[str], Any], str], None] | None:
    """Refuses elements of several arms of one choice."""
    arms = [(field.python, field.shown, field.arms) for field in fields if field.arms]
    if not arms:
        return None

    def check(get: Callable[[str], Any], path: str) -> None:
        chosen: dict[str, tuple[int, str]] = {}
        for python, shown, places in arms:
            given = get(python)
            if given is None or given == []:
                continue
            for choice, arm in places:
                first, other = chosen.setdefault(choice, (arm, shown))
                if first != arm:
                    raise EncodeError(
                        f"{path}/{shown}", given, f"nothing beside {other}", "they are a choice"
                    )

    return check
