"""Requests from the command line: build a request from NAME=VALUE or JSON, and check it.

The contract defines the names and the order of the fields. The codec, which converts between XML and typed
values, validates the values.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from lxml import etree

from soapclient._support.suggestions import nearest
from soapclient.calling import reader
from soapclient.calling.reader import contract_error
from soapclient.cli.field_names import DOT, asked_of
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation, DecodeError, EncodeError, Node, path_of
from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.binary import BASE64
from soapclient.runtime.elements import qname_text
from soapclient.runtime.errors import INVALID, REQUIRED, local_name
from soapclient.runtime.fields import Field
from soapclient.runtime.names import STEP, asked_fields, by_name, contents, shown
from soapclient.runtime.nil import INSTANCE, NIL_ATTRIBUTE
from soapclient.runtime.operations import SoapHeader
from soapclient.runtime.scalars import BOOLEAN
from soapclient.runtime.string_types import BASE64_BINARY
from soapclient.runtime.visitor import put
from soapclient.settings import CommonSettings

T = TypeVar("T")

_HINT: Final = "write NAME=VALUE, with dots before inner names: date=2026-11-01, adspaceItem.name=Blog"
_IN_FILE: Final = "to read a request from a file, use - < FILE"
_UNKNOWN: Final = ("the fields of the contract", "unknown field")
_NIL, _TYPE = "@xsi:nil", "@xsi:type"


class InvalidFields(ValueError):
    """Raised if the fields on the command line cannot be parsed. The message says why."""


class _FileName(str):
    """A value from the command line that begins with @. For binary fields, it names a file."""

    __slots__ = ()


@dataclass
class FieldValue:
    """A value in a request: a text, inner fields by name, or both. Attributes are fields named `@name`.

    The field `@xsi:nil` makes the value nil. The field `@xsi:type` names the type of the value.
    """

    text: str | None = None
    fields: dict[str, list[FieldValue]] = field(default_factory=dict)
    listed: bool = False  # an entry of a JSON list

    @property
    def lacks_text(self) -> bool:
        """True if the value has only attributes so far, and no text."""
        return self.text is None and bool(self.fields) and all(name.startswith("@") for name in self.fields)


def from_assignments(assignments: Iterable[str]) -> FieldValue:
    """Parse assignments such as `date=2026-11-01`, `adspaceItem.@id=5` and `adspaceItem.regions.region=DE`.

    If a field has several values, its name is repeated. `name[2].inner` is a field of the second value. For
    binary fields, `name=@FILE` is the content of a file. Raises InvalidFields.
    """
    top, words = FieldValue(), list(assignments)
    for number, assignment in enumerate(words):
        name, equals, value = assignment.partition("=")
        if not equals:
            hint = _spaced(words, number) or _assignment_hint(assignment)
            raise InvalidFields(f"{assignment!r} has no '=': {hint}")
        text = _FileName(value) if value.startswith("@") else value
        _put(top, [_step(step, name) for step in DOT.split(name)], text, name)
    return top


def _spaced(words: Sequence[str], number: int) -> str:
    """Return a hint if the user typed spaces around a `=`, else "".

    `number` is the index of a word without `=`.
    """
    before = words[number - 1] if number else ""
    after = words[number + 1] if number + 1 < len(words) else ""
    if after == "=" and number + 2 < len(words):
        text = f"{words[number]}={words[number + 2]}"
    elif after.startswith("=") and after != "=":
        text = f"{words[number]}{after}"
    elif before.endswith("=") and before != "=":
        text = f"{before}{words[number]}"
    else:
        return ""
    return f"write {shlex.quote(text)}"


def _assignment_hint(word: str) -> str:
    """Return a hint for a word that should be NAME=VALUE."""
    if word.startswith("@") and len(word) > 1:
        return f"to read the request from a file, write - < {shlex.quote(word[1:])}"
    if word.endswith(".json"):
        return _IN_FILE
    if word.startswith("{"):
        return "to give the request as JSON, write - and pass the JSON on stdin"
    name, colon, value = word.partition(":")
    if colon and name.isidentifier() and not value.startswith("//"):
        return f"write {name}={value}"
    return _HINT


def from_json(text: str | bytes) -> FieldValue:
    """Parse a JSON object that has the names of the contract as keys.

    The key of an attribute is `@name` (or `name`). The key of a text next to attributes is `$` (or `value`).
    Repeated fields are lists, and null means that the field is missing. Raises InvalidFields.
    """
    try:
        value: object = json.loads(
            text, object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=_no_constant
        )
    except InvalidFields:
        raise
    except ValueError as error:  # invalid JSON or an invalid encoding
        raise InvalidFields(f"the request is not JSON: {error}") from None
    except RecursionError:
        raise InvalidFields("the JSON is nested too deeply") from None
    if not isinstance(value, FieldValue):
        raise InvalidFields('the request must be a JSON object with the fields by name, such as {"items": 5}')
    return value


def checked_request(
    operation: AnyOperation, fields: FieldValue, config: CommonSettings, *, soap: bool = False
) -> Any:
    """Return a validated request with the given fields.

    `soap`: the request is for SOAP. Elements that are optional only over REST are then required. Neither
    addresses nor credentials are needed. Raises ContractError if a field is invalid.
    """
    request = _request(operation, fields, _Strict(config, operation))
    try:
        reader.refuse_changes(operation, request)
        element = reader.request_element(operation, request, config.report_tzinfo())
        wire = operation.wire_of(element) if soap or operation.row.rest is not None else {}
    except EncodeError as error:
        raise contract_error(error, operation.name) from None
    if soap:
        reader.refuse_gaps(operation, wire)
    return request


def named_request(operation: AnyOperation, fields: FieldValue, config: CommonSettings) -> Any:
    """Return the request for an operation of any generated package.

    The fields are only decoded: the request is validated when it is sent. Raises ContractError if a field
    cannot be decoded.

    A field that the service no longer accepts is removed from `fields`. Its text is put into the request
    without decoding, so that sending the request raises an error that says why the field is refused.
    """
    return _request(operation, fields, _StrictLocal(config, operation))


def _request(operation: AnyOperation, fields: FieldValue, strict: _Strict) -> Any:
    """Return a typed request, which the reader `strict` decodes from fields.

    A field that the service no longer accepts is removed from `fields`. Its text is put into the request
    without decoding, because only the encoder raises an error that says why the field is refused.
    """
    rows = operation.codec.fields(operation.row.request)
    removed = {
        row.python: next((entry.text or "" for entry in fields.fields.pop(name)), "")
        for row in rows
        for name in (row.name, row.python)
        if row.row.refused and name in fields.fields
    }
    for row in rows:
        given = not fields.fields.keys().isdisjoint((row.name, row.python))
        if row.kind == "element" and row.least and row.row.fixed is not None and not given:
            fields.fields[row.name] = [FieldValue(row.row.fixed)]
    element = request_element(operation, fields)
    request = _read(operation, lambda: operation.read_request(element, strict))
    for name, value in removed.items():
        setattr(request, name, value)  # the encoder refuses the field, because it knows the reason
    return request


def named_headers(operation: AnyOperation, fields: FieldValue, config: CommonSettings) -> list[SoapHeader]:
    """Return the SOAP headers of a call. The top-level names in `fields` are the names of headers.

    A missing required header is an error only when the request is sent. Raises ContractError if a header is
    unknown or invalid.
    """
    parts = {part.name: part for part in operation.request_headers.values()}
    builder, headers = _Builder(operation), []
    for name, entries in fields.fields.items():
        if name not in parts:
            hint = nearest(name, parts)
            allowed = ", ".join(parts) or "none, because the operation does not have headers"
            _refuse(operation, name, entries[0].text, allowed, f"unknown header{hint}")
        if len(entries) > 1:
            _refuse(operation, name, [entry.text for entry in entries], "one value", "it can occur only once")
        part, element = parts[name], etree.Element(parts[name].tag)
        builder.fill(element, entries[0], asked_fields(operation.codec, part.kind.__name__), name)
        value = _read(operation, partial(part.read, element, _StrictLocal(config, operation)))
        headers.append(SoapHeader(part, value))
    missing = [part for part in parts.values() if part.required and part.name not in fields.fields]
    return headers + [SoapHeader(part, None) for part in missing]


def _read(operation: AnyOperation, read: Callable[[], T]) -> T:
    """Return the result of `read`, a function that decodes a part of the request.

    Converts a DecodeError to a ContractError.
    """
    try:
        return read()
    except DecodeError as error:
        if error.value is None:
            _refuse(operation, error.path, None, "a value", REQUIRED)
        _refuse(operation, error.path, error.value, error.expected, INVALID)


def request_element(operation: AnyOperation, value: FieldValue) -> etree._Element:
    """Build the XML element of a request, with its children in the order of the contract.

    Authentication is not added, and values are not validated. Raises ContractError if a name is unknown, or
    if an element that can only have inner fields has a text.
    """
    element = etree.Element(operation.request_tag or "request")
    builder = _Builder(operation)
    builder.fill(element, value, asked_of(operation.codec, operation), local_name(str(element.tag)))
    return element


class _Builder:
    """Builds the XML element of a request from values. Errors name elements as the contract does."""

    def __init__(self, operation: AnyOperation) -> None:
        self._operation = operation
        self._codec = operation.codec

    def fill(self, element: etree._Element, value: FieldValue, parts: Sequence[Field], path: str) -> None:
        """Add the text and the inner fields of a value to an element.

        `parts` are the fields that the element can have. Raises ContractError.
        """
        by_python_name: dict[str, list[FieldValue]] = {}
        names = by_name(parts)
        for name, entries in value.fields.items():
            part = names.get(name) or self._no_such(name, entries, parts, path)
            by_python_name.setdefault(part.python, []).extend(entries)
        if value.text and "$" not in names:
            self._refuse(path, value.text, _listed(parts), "it has inner fields, so it cannot have a text")
        if value.text is not None and "$" in names:
            self._place(element, names["$"], [FieldValue(value.text)], path)
        for part in parts:
            if part.python in by_python_name:
                self._place(element, part, by_python_name[part.python], f"{path}/{shown(part)}")

    def _place(self, element: etree._Element, part: Field, entries: list[FieldValue], path: str) -> None:
        """Add the values of a field to `element`: as its text, as an attribute, or as child elements.

        `part` is the field, `entries` are its values, and `path` is the field's path for errors. Raises
        ContractError.
        """
        texts = [entry.text for entry in entries]
        if part.kind in ("attribute", "text", "content"):
            text = texts[0]
            if len(entries) > 1 or entries[0].fields or text is None:
                self._refuse(
                    path, texts, "one text", "it cannot be repeated, and it does not have inner fields"
                )
            self._put_value(element, part, text, path)
            return
        inside = contents(self._codec, part)
        if part.item and not part.repeats and self._are_items(entries, inside[0]):
            entries = [FieldValue(fields={inside[0].name: entries})]
        if len(entries) > 1 and not part.repeats:
            self._refuse(path, texts, "one value", "it can occur only once")
        for entry in entries:
            if part.kind == "group":
                self.fill(element, entry, inside, path)
            elif part.kind == "any":
                self._put_value(element, part, entry.text or "", path)
            else:
                self._put(etree.SubElement(element, part.tag), part, entry, inside, path)

    def _put(
        self, node: etree._Element, part: Field, entry: FieldValue, inside: Sequence[Field], path: str
    ) -> None:
        """Write one value of a field to its own element, including `xsi:nil` and `xsi:type`.

        `node` is the element, `part` the field, and `entry` the value. `inside` are the inner fields of the
        field's declared type. `path` is the field's path for errors.
        """
        xsi_entries = {name: entry.fields[name] for name in (_NIL, _TYPE) if name in entry.fields}
        xsi = {name: values[0].text or "" for name, values in xsi_entries.items() if values}
        entry = FieldValue(
            entry.text,
            {name: values for name, values in entry.fields.items() if name not in xsi_entries},
            entry.listed,
        )
        if _NIL in xsi:
            if not (part.row.nil or part.row.nil_item):
                self._refuse(f"{path}/{_NIL}", xsi[_NIL], _listed(inside), "it cannot be nil")
            nil = part._replace(kind="attribute", tag=NIL_ATTRIBUTE, leaf=BOOLEAN)
            self._put_value(node, nil, xsi[_NIL], f"{path}/{_NIL}")
        if _TYPE in xsi:
            inside = self._parts_of(node, part, xsi[_TYPE], f"{path}/{_TYPE}")
        if part.holds or part.item or part.leaf is not None:
            self.fill(node, entry, inside, path)
        elif entry.fields:
            self._no_such(next(iter(entry.fields)), [], inside, path)
        else:
            self._put_value(node, part._replace(kind="content"), entry.text or "", path)

    def _parts_of(self, node: etree._Element, part: Field, xsi_type: str, path: str) -> list[Field]:
        """Set the `xsi:type` of an element to the type `xsi_type`, and return the fields of this type."""
        types = self._codec.by_xsi_type(part.holds) if part.holds else {}
        if xsi_type not in types:
            self._refuse(path, xsi_type, ", ".join(types) or "nothing", "unknown type")
        node.set(XSI_TYPE, qname_text(node, self._codec.xml_name(types[xsi_type])))
        return asked_fields(self._codec, types[xsi_type])

    def _put_value(self, node: etree._Element, part: Field, text: str, path: str) -> None:
        """Write the text of a field to an element. In a binary field, `@FILE` means the content of a file.

        Raises ContractError if the field requires XML and the text is not well-formed, or if the text has
        characters that XML does not allow.
        """
        if isinstance(text, _FileName) and part.row.type == BASE64:
            try:
                text = BASE64_BINARY.text(Path(text[1:]))
            except ValueError as error:
                self._refuse(path, text, "Base64, or @ and the name of a file", str(error))
        try:
            put(node, part, text)
        except (etree.XMLSyntaxError, ValueError):
            if part.leaf is None:
                self._refuse(path, text, "XML, or a text", "not well-formed XML")
            self._refuse(path, text, "text", "it has a character that XML does not allow")

    def _are_items(self, entries: list[FieldValue], item: Field) -> bool:
        """Return True if the user gave the items of a list without the name of the item element.

        For example, `regions=DE` means `regions.region=DE`. In JSON, `"regions": ["DE"]` means the same.
        `entries` are the given values, and `item` is the item element (`region`).
        """
        wrapper = by_name([item]).keys()
        items = by_name(contents(self._codec, item)).keys() | {_NIL, _TYPE}
        return all(
            entry.text is not None
            or (entry.listed and not entry.fields.keys() <= wrapper)
            or (bool(entry.fields) and entry.fields.keys() <= items)
            for entry in entries
        )

    def _no_such(self, name: str, entries: list[FieldValue], parts: Sequence[Field], path: str) -> NoReturn:
        """Raise a ContractError for the unknown field `name`, whose values are `entries`.

        `parts` are the fields that the element at `path` can have. The error suggests a similar one of them.
        """
        value = next((entry.text for entry in entries), None)
        if name in self._operation.filled_names:
            self._refuse(f"{path}/{name}", None, "", "the client sets it when it signs. Omit it")
        if [part.kind for part in parts] == ["text"]:
            self._refuse(f"{path}/{name}", value, f"a text for {path}", f"{path} does not have inner fields")
        hint = nearest(name, map(shown, parts))
        self._refuse(f"{path}/{name}", value, _listed(parts), f"unknown field{hint}")

    def _refuse(self, path: str, value: object, allowed: str, reason: str) -> NoReturn:
        _refuse(self._operation, path, value, allowed, reason)


def _refuse(operation: AnyOperation, path: str, value: object, allowed: str, reason: str) -> NoReturn:
    raise ContractError(path, value, allowed, reason, operation=operation.name) from None


def _listed(parts: Sequence[Field]) -> str:
    return ", ".join(map(shown, parts)) or "none, because it does not have fields"


class _Strict(reader.ResponseReader):
    """Strict reader for requests: unknown elements are errors, not drift findings.

    This reader accepts a missing element, and a value that is not in the list of allowed values. The encoder
    or the schema validator refuses them later.
    """

    def __init__(self, config: CommonSettings, operation: AnyOperation) -> None:
        super().__init__(config)
        self._operation = operation

    def unknown_element(self, node: Node) -> None:
        self._refuse(path_of(node), node.text, *_UNKNOWN)

    def unknown_attribute(self, node: Node, name: str) -> None:
        if name.startswith(INSTANCE):
            return  # checked when the request was built
        self._refuse(f"{path_of(node)}/@{name}", node.get(name), *_UNKNOWN)

    def naive_time(self, node: Node, text: str) -> None:
        allowed = "a date-time with a zone such as 2026-11-01T00:00:00+01:00"
        self._refuse(path_of(node), text, allowed, INVALID)

    def shortened(self, node: Node, text: str) -> None:
        allowed = "a time with at most microseconds, or a date without a zone"
        self._refuse(path_of(node), text, allowed, "a part of it would be lost")

    def _refuse(self, path: str, value: str | None, allowed: str, reason: str) -> NoReturn:
        _refuse(self._operation, path, value, allowed, reason)


class _StrictLocal(_Strict):
    """Strict reader for requests to any service. Allows date-times without a zone (local times)."""

    @property
    def naive_zone(self) -> None:
        return None

    def naive_time(self, node: Node, text: str) -> None:
        """Accept a date-time without a zone, which is also sent without a zone."""


def _step(text: str, name: str) -> tuple[str, int | None]:
    """Parse one step of a dotted name, such as `name[2]`, to its name and index. Raises InvalidFields."""
    match = STEP.fullmatch(text)
    if match is None:
        raise InvalidFields(f"{name!r} is not a valid name: {_HINT}")
    return match[1].replace("\\.", "."), int(match[2]) if match[2] else None


def _put(node: FieldValue, steps: list[tuple[str, int | None]], value: str, name: str) -> None:
    """Set the text of the field at a path inside `node`, and add fields that do not exist yet.

    `steps` are the names on the path, each with its index, or None. `name` is the path as typed. Raises
    InvalidFields.
    """
    for depth, (step, index) in enumerate(steps, 1):
        items = node.fields.setdefault(step, [])
        number = _number(items, last=depth == len(steps)) if index is None else index
        if number > len(items) + 1:
            raise InvalidFields(f"{name}: give item {number - 1} before item {number}")
        if number > len(items):
            items.append(FieldValue())
        node = items[number - 1]
    if node.text is not None:
        raise InvalidFields(f"{name} occurs twice, but can have only one value: remove one of them")
    node.text = value


def _number(items: list[FieldValue], *, last: bool) -> int:
    """Return the number of the item, counted from 1, that a step without an index means.

    For example, `outer` and `inner` are the steps of `outer.inner`. `items` are the items that exist.

    - The last step of a path (`last` is True) means a new item. Exception: if the newest item has only
      attributes so far, the step means this item.
    - Any other step means the newest item, or a new item if there are none.
    """
    another = not items or (last and not items[-1].lacks_text)
    return len(items) + 1 if another else len(items)


def _object(pairs: list[tuple[str, object]]) -> FieldValue:
    """Convert the pairs of a JSON object to a FieldValue. Raises InvalidFields."""
    node = FieldValue()
    for name, value in pairs:
        if name in node.fields:
            raise InvalidFields(f"{name!r} occurs twice in one JSON object; make its value a list")
        if isinstance(value, list):
            node.fields[name] = [_field_value(item, name, listed=True) for item in value]
        elif value is not None:
            node.fields[name] = [_field_value(value, name)]
    return node


def _field_value(value: object, name: str, *, listed: bool = False) -> FieldValue:
    """Convert a JSON value to a FieldValue. `listed`: the value is an item of a list.

    Raises InvalidFields for a list in a list and for null in a list.
    """
    if isinstance(value, FieldValue):
        value.listed = listed
        return value
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, str):
        return FieldValue(value, listed=listed)
    raise InvalidFields(f"{name!r} has a list in a list, or null in a list: remove the inner list or null")


def _no_constant(text: str) -> NoReturn:
    raise InvalidFields(f"{text} is not JSON; write it as a string if the contract allows it")
