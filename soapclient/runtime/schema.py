"""The description of a package as data: `schema.json`, one line for each field and operation.

bindgen writes it, the codec walks it, and whatever else must know a type (CLI, reference pages, Arrow
schemas) reads the same rows. The file is decoded once into `Schema`; each type and each operation stays
undecoded (`msgspec.Raw`) until it is first asked for, so that a package of thousands of types costs next to
nothing to load.

Names in XML are written `prefix:name`, with the prefixes of `Schema.namespaces` (up to the first colon). An
element without a prefix is in the package's own namespace (prefix ""), `:name` is in none; an attribute
without a prefix is in none. Bindings and port types are in Clark notation.
"""

from __future__ import annotations

from typing import Literal

import msgspec

FORMAT = 3  # counts up when a reader of today could misread what bindgen writes

Kind = Literal["element", "attribute", "text", "group", "any", "any_attributes", "content", "nil"]
WHOLE = "*"  # as `RestRow.body`: all that stands in neither path nor query
MIXED = "mixed"  # as `FieldRow.type` of a "content": always an `AnyElement`
Occurs = Literal["1", "?", "*", "+"]

_XML = "http://www.w3.org/XML/1998/namespace"
# Begins the namespaces of `messages.xsd` for wrappers whose names the contract's own elements have.
_WRAPPERS = "urn:soapclient:rpc:"


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What all rows are: immutable, and without keys that say the usual."""


class Facets(Row, frozen=True, kw_only=True):
    """What a simple type restricts beyond its Python type; "" or () where it says nothing.

    Those of all steps of its derivation together, the last word on each. Numbers stay the texts they are.
    """

    enumeration: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    length: str = ""
    min_length: str = ""
    max_length: str = ""
    min_inclusive: str = ""
    max_inclusive: str = ""
    min_exclusive: str = ""
    max_exclusive: str = ""
    total_digits: str = ""
    fraction_digits: str = ""
    white_space: str = ""


class FieldRow(Row, frozen=True, kw_only=True):
    """A field of a type.

    `xml` is a qualified name; of a group or a wildcard what it is called in paths; "" of the others. Beside
    elements and attributes a field may be the text beside attributes, one or more elements of a group or a
    wildcard, the attributes of a wildcard, or the whole content of the element ("content": of a type with
    mixed content, as an `AnyElement`, or of a message of xs:anyType); of a message alone whether its element
    is nil ("nil": a bool; the other fields are then None or empty).

    `type` is the name of a type or an enumeration of the package, a scalar in small letters (the constants of
    `scalars` and `texts`), `[item]` for xs:list, `(one|other)` for xs:union, `any`, or `mixed` (MIXED). A
    scalar may have the one form behind a colon that the patterns of its type take: `boolean:01`, `integer:10`
    (ten digits, zeros first; so for all numbers, whose other forms `scalars.in_form` lists), and of
    date-times and times the digits of a second's fraction, and Z where UTC must be called so: `date_time:Z`,
    `date_time:3`, `local_date_time:3Z`. `declared` is the qualified name of a simple type that is neither
    built in nor an enumeration without a name.

    `item` is the qualified name of the elements of a wrapped list; `type`, `nil_item` and `declared` are
    then of the items, and so are the `facets` of a simple type. `least`: how many there are at least, where
    one is not enough. `arms` are the choices that the field is an arm of, outer to inner, as (choice, arm).
    `wildcards` are places in `Schema.wildcards`.
    """

    python: str
    xml: str = ""
    kind: Kind = "element"
    type: str = "string"
    declared: str = ""
    item: str = ""
    occurs: Occurs = "1"
    least: int = 1
    facets: Facets | None = None
    nil: bool = False
    nil_item: bool = False
    default: str | None = None
    fixed: str | None = None
    arms: tuple[tuple[str, int], ...] = ()
    wildcards: tuple[int, ...] = ()
    may_be_missing: bool = False  # required in requests, at times absent in responses
    elsewhere: tuple[str, ...] = ()  # other places where it is read: `@name` an attribute, else an element
    partial: bool = False  # REST takes changes of it alone
    protocol: Literal["", "soap", "rest"] = ""  # the one protocol that has it
    rest_optional: bool = False  # SOAP alone requires it
    refused: str = ""  # why the service no longer takes it
    refused_values: dict[str, str] = {}


class TypeRow(Row, frozen=True, kw_only=True):
    """A complex type, or a holder: elements of a group that are fields of a class of their own.

    `base` is the class that it extends or restricts: the fields of an extension follow those of its base, a
    restriction lists all its own. `open`: other types derive from it, so `xsi:type` may name one.
    `unknown` is the attribute that keeps what the contract does not know. `wider` are wildcards of attributes
    beside the inherited ones.
    """

    xml: str
    fields: tuple[FieldRow, ...] = ()
    base: str = ""
    derivation: Literal["", "extension", "restriction"] = ""
    holder: Literal["", "choice", "sequence", "substitution"] = ""
    abstract: bool = False
    anonymous: bool = False
    open: bool = False
    unknown: str = ""
    wider: tuple[int, ...] = ()


class WildcardRow(Row, frozen=True, kw_only=True):
    """What xs:any or xs:anyAttribute lets in: `namespaces` as the schema has them, and its target namespace
    where they speak of it."""

    namespaces: str = "##any"
    target: str = ""


class PartRow(Row, frozen=True, kw_only=True):
    """A header of an operation, or the detail of a fault."""

    name: str
    xml: str
    type: str
    required: bool = False
    nil: bool = False


class ParameterRow(Row, frozen=True, kw_only=True):
    """A query parameter of a REST resource. `field` is the request's element; `separator` joins several
    values, without one the parameter is repeated; `spelling` maps the contract's values to REST's."""

    name: str
    field: str
    separator: str = ""
    spelling: dict[str, str] = {}


class WrappedRow(Row, frozen=True, kw_only=True):
    """Another root that a response may have: that of a list response, with the item in its list."""

    root: str
    list: str


class LooseRow(Row, frozen=True, kw_only=True):
    """The list of a response whose nesting over JSON is not known, and the list of its errors, whose name has
    one of the `endings`."""

    list: str
    item: str
    errors: str = ""
    error: str = ""
    endings: tuple[str, ...] = ()


class RestRow(Row, frozen=True, kw_only=True):
    """How an operation is asked for over REST.

    `path` follows the version segment; `in_path` are the request's elements in its braces, in order. `body`
    is the element whose content is the body, "*" for all that stands in neither path nor query, "" for none;
    `root` its root over XML. `roots` are further roots that a response may have.
    """

    method: str
    path: str
    in_path: tuple[str, ...] = ()
    query: tuple[ParameterRow, ...] = ()
    body: str = ""
    root: str = ""
    partial: bool = False
    roots: tuple[str, ...] = ()
    wrapped: WrappedRow | None = None
    loose: LooseRow | None = None


class PagesRow(Row, frozen=True, kw_only=True):
    """The attributes that page a list: of the request the page and the size of a page, of the response the
    page, the items on it and the number of all ("" for one that it lacks)."""

    page: str
    items: str
    response_page: str = ""
    response_items: str = ""
    response_total: str = ""


Role = Literal["", "connect_id", "timestamp", "nonce", "signature"]


class FilledRow(Row, frozen=True, kw_only=True):
    """An element (or `@attribute`) that the client adds to a request to authenticate it.

    It has the value of a `role`, or holds the `content`. `before` are the elements that follow it: it is
    added in front of the first of them, or at the end.
    """

    xml: str
    role: Role = ""
    before: tuple[str, ...] = ()
    content: tuple[FilledRow, ...] = ()


class PortFormRow(Row, frozen=True, kw_only=True):
    """What a port says of an operation; None if it is as at the first port that has the operation."""

    soap_action: str | None = None
    action: str | None = None
    request_headers: tuple[PartRow, ...] | None = None
    response_headers: tuple[PartRow, ...] | None = None
    authentication_headers: tuple[FilledRow, ...] | None = None


class EchoRow(Row, frozen=True, kw_only=True):
    """A value of the request that the response repeats.

    `request` and `response` are attributes, joined by dots. `path` is the place in the response, for errors.
    With `at_most` the response may have a smaller number, such as the items on the last page.
    """

    request: str
    response: str
    path: str
    at_most: bool = False


class OperationRow(Row, frozen=True, kw_only=True):
    """An operation. `method` is its name in Python; `request` and `response` are types; an empty
    `request_xml` or `response_xml` says that the fields are the body's own children.

    `list` is the attribute of the response that holds its one list, if it has one: such an operation can be
    streamed, and with `pages` it can be paged. `action` is what the WSDL says for WS-Addressing.
    `attachments` are the message parts that MIME carries, by direction. SOAPAction, action and headers are
    those of the first port that has the operation; `ports` are the ports that differ, by `Service/Port`.
    `authentication` are the elements of the message that the client fills in to authenticate it,
    `authentication_headers` the SOAP headers. `echoes` are the values by which a response shows to which
    request it belongs.
    """

    name: str
    method: str
    request: str
    response: str
    request_xml: str
    response_xml: str
    port_type: str = ""
    soap_action: str = ""
    style: Literal["document", "rpc"] = "document"
    encoded: bool = False
    one_way: bool = False
    request_nil: bool = False
    response_nil: bool = False
    members: dict[str, str] = {}  # elements that may stand for the response's, and their types
    request_headers: tuple[PartRow, ...] = ()
    response_headers: tuple[PartRow, ...] = ()
    faults: tuple[PartRow, ...] = ()
    header_faults: tuple[PartRow, ...] = ()
    action: str = ""
    request_attachments: tuple[str, ...] = ()
    response_attachments: tuple[str, ...] = ()
    ports: dict[str, PortFormRow] = {}
    soap: bool = True
    safe: bool = False
    signed: bool = False
    authentication: tuple[FilledRow, ...] = ()
    authentication_headers: tuple[FilledRow, ...] = ()
    list: str = ""
    pages: PagesRow | None = None
    echoes: tuple[EchoRow, ...] = ()
    rest: RestRow | None = None

    def at(self, port: str) -> OperationRow:
        """The operation as the port `Service/Port` has it."""
        form = self.ports.get(port)
        if form is None:
            return self
        differing = {
            name: value for name in form.__struct_fields__ if (value := getattr(form, name)) is not None
        }
        return msgspec.structs.replace(self, **differing)


class PortRow(Row, frozen=True, kw_only=True):
    """A port: where a port type is served, and in which version of SOAP. `binding` and `port_type` are in
    Clark notation; `address` is empty where the WSDL names none."""

    name: str
    service: str
    binding: str
    port_type: str
    soap: Literal["1.1", "1.2"]
    address: str = ""

    @property
    def full_name(self) -> str:
        """`Service/Port`: ports of several services may have the same name."""
        return f"{self.service}/{self.name}"

    def is_named(self, name: str) -> bool:
        """Return True if `name` is the name of this port, alone or as `Service/Port`."""
        return name in (self.name, self.full_name)


class Schema(Row, frozen=True, kw_only=True):
    """A package. `made_by` is the command that wrote it, `source` where its contract came from, `sha256` the
    hash of the contract's documents in one file (`contract.wsdl`), `settings_sha256` that of its settings.
    `settings` is what no WSDL can say (signing, faults, paging, jobs, columns), by table as in
    `contracts.toml`. Operations are listed by their names in the WSDL; where several port types have one of
    a name, the further ones with the port type before it (`Port.Name`)."""

    made_by: str
    source: str
    format: int
    name: str
    namespace: str
    sha256: str
    settings_sha256: str = ""
    version: str = ""
    messages: bool = False  # there is a `messages.xsd`: the schema of messages that no schema declares
    compiles: bool = True  # whether libxml2 takes the schemas, in bounded time and memory
    namespaces: dict[str, str] = {}
    wildcards: tuple[WildcardRow, ...] = ()
    ports: tuple[PortRow, ...] = ()
    settings: msgspec.Raw = msgspec.Raw(b"{}")
    faults: dict[str, str] = {}  # the faults' detail elements outside operations, and their types
    simple_types: dict[str, str] = {}  # named simple types that elements of xs:anyType may have, as in `type`
    types: dict[str, msgspec.Raw] = {}
    operations: dict[str, msgspec.Raw] = {}

    def tag(self, name: str) -> str:
        """An element's name in Clark notation."""
        prefix, colon, local = name.partition(":")
        if not colon:
            prefix, local = "", prefix
        elif not prefix:
            return local
        space = _XML if prefix == "xml" else self.namespaces.get(prefix, "" if prefix else self.namespace)
        return f"{{{space}}}{local}" if space else local

    def key(self, name: str) -> str:
        """An attribute's name in Clark notation."""
        return self.tag(name if ":" in name else f":{name}")


def wrapper_tag(tag: str) -> str:
    """The name in `messages.xsd` of an RPC wrapper, if a global element of the contract has the name `tag`.

    The wrapper is another element (WSDL 1.1, 3.5): a schema cannot declare both by one name.
    """
    space, _, local = tag.removeprefix("{").rpartition("}")
    return f"{{{_WRAPPERS}{space}}}{local}"


def wrapped_tag(tag: str) -> str:
    """The name on the wire of an element of `messages.xsd`."""
    space, _, local = tag.removeprefix("{").rpartition("}")
    space = space.removeprefix(_WRAPPERS)
    return f"{{{space}}}{local}" if space else local


_type_rows = msgspec.json.Decoder(TypeRow)


def type_row(raw: msgspec.Raw) -> TypeRow:
    """A type's row."""
    return _type_rows.decode(raw)
