"""Descriptions of operations as data: their properties, and each field of their messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import msgspec

from soapclient.cli.contracts import documentation
from soapclient.cli.field_names import asked_of, known_values
from soapclient.cli.form_arguments import command
from soapclient.console.field_hints import hint, type_name, type_of, values_of
from soapclient.console.forms import Forms
from soapclient.contract.validation import Checks
from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Field
from soapclient.runtime.operations import AnyOperation, Part
from soapclient.runtime.visitor import Level, Place, Visitor
from soapclient.testing.examples import Examples, first_page

_MAX_FIELDS: Final = 1000  # per message; larger messages are shown with fewer levels
_DAY: Final = len("2026-11-01")
# Parts of a type's description that the columns show elsewhere: XSD name, example, range of a built-in type.
_SHOWN_ELSEWHERE: Final = re.compile(r" \(xsd:\w+\)| such as \S+| from -?\d+ to -?\d+")
_SUCH_AS: Final = re.compile(r"^such as [^,]+(, )?")


@dataclass(frozen=True)
class Entry:
    """A field of a message.

    - `name`: its path in `soapclient call`, such as `outer.inner` for an inner field.
    - `python`: its path with Python names.
    - `values`: all values that the contract allows. `facets`: further restrictions of the contract.
    - `known`: the values that the service is known to accept, if the contract allows any text.
    - `types`: the types that can replace the declared type (with `@xsi:type`).
    - `cut`: True if inner fields are not listed, because the field contains itself or has too many inner
      fields.
    - `documentation`: the documentation of the field in the contract, by default the documentation of its
      type; "" if there is none.
    """

    name: str
    python: str
    type: str
    declared: str
    required: bool
    repeated: bool
    least: int
    values: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    facets: dict[str, object] = field(default_factory=dict)
    default: str | None = None
    fixed: str | None = None
    nil: bool = False
    choice: bool = False
    protocol: str = ""
    rest_optional: bool = False
    may_be_missing: bool = False
    refused_values: dict[str, str] = field(default_factory=dict)
    types: tuple[str, ...] = ()
    hint: str = ""
    example: str | None = None
    cut: bool = False
    documentation: str = ""


@dataclass(frozen=True)
class Message:
    """A SOAP header, or the detail of a fault, with its fields.

    In a request header, the names of the fields begin with the header's name, as the option --header
    requires.
    """

    name: str
    required: bool
    fields: list[Entry]


@dataclass(frozen=True)
class Description:
    """A description of an operation.

    `rest` has the operation's HTTP method and path over REST. `example` is a command that calls it.
    """

    service: str
    operation: str
    method: str
    documentation: str
    signed: bool | None
    safe: bool
    one_way: bool
    protocols: list[str]
    rest: dict[str, str] | None
    request: list[Entry]
    headers: list[Message]
    response: list[Entry]
    response_headers: list[Message]
    faults: list[Message]
    example: str


def describe(operation: AnyOperation, service: str, called: Sequence[str]) -> Description:
    """Return the description of an operation of `service`.

    `called` are the arguments of `soapclient call` that select the service.
    """
    return _Describer(operation).description(service, called)


def example(operation: AnyOperation, called: Sequence[str]) -> str:
    """Return a command that calls an operation, with example values of all required fields.

    `called` are the arguments of `soapclient call` that select the service.
    """
    return _Describer(operation).command(called)


class _Describer:
    """Builds the description of an operation."""

    def __init__(self, operation: AnyOperation) -> None:
        self._operation = operation
        self._codec = operation.codec
        self._examples = Examples(operation.codec)

    def description(self, service: str, called: Sequence[str]) -> Description:
        """Return the complete description of the operation."""
        operation, rest = self._operation, self._operation.rest
        signs = operation.filled_names or rest is not None
        protocols = {"soap": operation.soap, "rest": rest is not None}
        return Description(
            service=service,
            operation=operation.key,
            method=operation.method,
            documentation=documentation(operation),
            signed=operation.signed if signs else None,
            safe=operation.safe,
            one_way=operation.one_way,
            protocols=[name for name, has in protocols.items() if has],
            rest=None if rest is None else {"method": rest.method, "path": rest.path},
            request=self._fields(operation.row.request, in_request=True),
            headers=[self._message(part, part.name) for part in operation.request_headers.values()],
            response=self._fields(operation.row.response),
            response_headers=[self._message(part) for part in operation.response_headers.values()],
            faults=self._faults(),
            example=self.command(called),
        )

    def _message(self, part: Part, name: str = "") -> Message:
        """Return the description of `part`, a SOAP header or a fault detail.

        `name` is the prefix of its fields' names, or "".
        """
        return Message(part.name, part.required, self._fields(part.kind.__name__, Level(name=name)))

    def _faults(self) -> list[Message]:
        """Return descriptions of the faults of the operation, and of the faults that all operations share."""
        package = self._operation.package
        messages = [self._message(part) for part in self._operation.faults.values()]
        common_faults = package.schema.faults.items()
        messages += [
            Message(local_name(package.schema.tag(tag)), False, self._fields(kind))
            for tag, kind in common_faults
        ]
        if (form := package.settings.fault) is not None and self._operation.soap:
            names = [(form.code, "code"), (form.reason, "reason"), (form.error_id, "error_id")]
            entries = [Entry(name, python, "text", "", False, False, 0) for name, python in names]
            messages.append(Message(form.element, False, entries))
        return messages

    def command(self, called: Sequence[str]) -> str:
        """Return an example command. `called` are the `soapclient call` arguments that select the service."""
        forms, operation = Forms(self._examples, Checks([])), self._operation
        tag = operation.request_tag or "request"
        node = self._examples.element(operation.row.request, tag, texts=self._texts)
        values = {**forms.example(operation, complete=False), **forms.values_of(operation, node)}
        return command(called, forms.form(operation, values, check=False)).rstrip("\n")

    @cached_property
    def _texts(self) -> dict[str, str]:
        """Return realistic example values for some fields of the request: Python name → text.

        For example, the number of the first page of a list, and a report type that the service is known to
        accept. Fields that are not in the map get an example from the schema.
        """
        operation = self._operation
        texts = first_page(operation)
        for part in asked_of(self._codec, operation):
            if values := known_values(operation, part):
                texts[part.python] = values[0]
            elif part.row.type == "day":  # the day, without a time
                texts[part.python] = self._examples.text(part)[:_DAY]
        return texts

    def _fields(self, name: str, inside: Level | None = None, *, in_request: bool = False) -> list[Entry]:
        """Return descriptions of the fields of the type `name`, and of their inner fields.

        Levels of inner fields are added as long as the list stays shorter than `_MAX_FIELDS`. `inside` is the
        position of the element that has the type; None for the message itself. If `in_request` is True, the
        examples are those of `_texts`.
        """
        texts = self._texts if in_request else None
        listing = _Listing(self._operation, self._examples, texts, depth=1)
        entries = listing.all(name, inside)
        while listing.is_cut:
            listing = _Listing(self._operation, self._examples, texts, depth=listing.depth + 1)
            deeper = listing.all(name, inside)
            if len(deeper) >= _MAX_FIELDS:
                break
            entries = deeper
        return entries


class _Listing(Visitor[None]):
    """Lists the fields of a type and their inner fields, at most `depth` levels.

    `texts` maps the fields of a request to example values; None for any other message. In the methods,
    `place` is a field with its position in the message. The argument `at`, which the base class requires, is
    always None.
    """

    numbers_items = False

    def __init__(
        self, operation: AnyOperation, examples: Examples, texts: Mapping[str, str] | None, *, depth: int
    ) -> None:
        super().__init__(operation.codec)
        self._operation = operation
        self._documentation = operation.package.documentation
        self._examples = examples
        self._texts = texts
        self._entries: list[Entry] = []
        self.depth = depth
        self.is_cut = False  # some types would fit in a deeper list

    def all(self, name: str, inside: Level | None) -> list[Entry]:
        """Return the entries of all fields of the type `name`.

        `inside` is the position of the element that has the type; None for the message itself.
        """
        self.visit(name, None, inside)
        return self._entries

    def occurrences(self, place: Place, at: None) -> list[None]:
        """Return a list with one item (None) for each time that the field at `place` is listed.

        That is once, even if the field can be repeated. If there are too many fields already, returns [], so
        that the field is not listed. `at` is not used.
        """
        is_full = self.depth > 1 and len(self._entries) >= _MAX_FIELDS
        return [] if is_full else [None]

    def leaf(self, place: Place, at: None) -> None:
        """Add the entry of the field at `place`, which has no inner fields. `at` is not used."""
        self._entries.append(self._entry(place, cut=False))

    def branch(self, place: Place, at: None) -> None:
        """Add the entry of the field at `place`, then the entries of its inner fields. `at` is not used."""
        recurs = place.field.holds in place.above[1:]
        cut = recurs or len(place.above) == self.depth
        self.is_cut |= cut and not recurs
        self._entries.append(self._entry(place, cut=cut))
        if not cut:
            self.visit(place.field.holds, None, place)

    def _entry(self, place: Place, *, cut: bool) -> Entry:
        """Return the entry of the field at `place`. `cut` is True if its inner fields are not listed."""
        part, row = place.field, place.field.row
        values = values_of(part)
        facets = {} if row.facets is None else msgspec.to_builtins(row.facets)
        facets.pop("enumeration", None)
        example = None if self._texts is None else self._texts.get(part.python)
        if example is None and part.leaf is not None:
            example = self._examples.text(part)
        return Entry(
            name=place.name,
            python=place.path,
            type=self._in_words(part),
            declared=type_of(self.types, part),
            required=part.least and not part.arms,
            repeated=part.is_list,
            least=row.least if part.least else 0,
            values=tuple(value for value in values if value not in row.refused_values),
            known=() if self._texts is None else known_values(self._operation, part),
            facets=facets,
            default=row.default,
            fixed=row.fixed,
            nil=row.nil or row.nil_item,
            choice=bool(part.arms),
            protocol=row.protocol,
            rest_optional=row.rest_optional,
            may_be_missing=row.may_be_missing,
            refused_values=dict(row.refused_values),
            types=self._replacements(part),
            hint=_SUCH_AS.sub("", hint(part)),
            example=example,
            cut=cut,
            documentation=self._documentation.of_field(self.types, place.above[-1], part),
        )

    def _in_words(self, part: Field) -> str:
        """Return a phrase for the type of a field, such as "anything" or the name of a complex type."""
        if part.kind in ("any", "content") or (part.leaf is None and not part.holds):
            return "anything"
        if part.leaf is None:
            return type_name(self.types, part.holds) or "fields"
        if values_of(part):
            return type_of(self.types, part)
        return _SHOWN_ELSEWHERE.sub("", part.leaf.expected)

    def _replacements(self, part: Field) -> tuple[str, ...]:
        """Return the names of the types that may replace the type of a field."""
        if not part.holds or not self.types.is_open(part.holds):
            return ()
        return tuple(self.types.by_xsi_type(part.holds))
