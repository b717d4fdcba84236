"""The description of a package as data: `schema.json`, with one line per field and operation.

bindgen writes the file. Its entries are decoded to rows, which are subclasses of `Row`. The codec, the CLI,
the reference pages and the Arrow schemas all use these rows. The file is decoded once into `Schema`. Each
type and each operation stays undecoded (`msgspec.Raw`) until its first use, so that a package of thousands of
types loads fast.

Names in XML are written `prefix:name`, with the prefixes of `Schema.namespaces`; the first colon ends the
prefix. An element without a prefix is in the package's own namespace (prefix ""), and `:name` is in no
namespace. An attribute without a prefix is in no namespace. Bindings and port types are in Clark notation.
"""

# No `from __future__ import annotations`, because decoders are built faster if annotations are not strings.

from collections.abc import Callable
from typing import Literal

import msgspec

FORMAT = 4  # incremented if an older reader could misread what bindgen writes

Kind = Literal["element", "attribute", "text", "group", "any", "any_attributes", "content", "nil"]
WHOLE = "*"  # value of `RestRow.body`: all elements that are in neither path nor query
MIXED = "mixed"  # value of `FieldRow.type` with the kind "content": always an `AnyElement`
Occurs = Literal["1", "?", "*", "+"]

_XML = "http://www.w3.org/XML/1998/namespace"
# Prefix of the namespaces in `messages.xsd` for wrappers that have the name of an element of the contract.
_WRAPPERS = "urn:soapclient:rpc:"


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base class of the entries in `schema.json`.

    Entries are immutable. Default values are omitted in the file.
    """


class Facets(Row, frozen=True, kw_only=True):
    """The restrictions (facets) of a simple type that its Python type does not express.

    The value of an absent facet is "" or ().

    The facets of the type and of its base types are combined; the most derived type takes precedence. Numbers
    are kept as strings.
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

    `xml` is the qualified name of an element or attribute. For a group or a wildcard, it is the name that
    represents it in the paths of errors. For all other kinds of fields, it is empty. `kind` is one of:

    - "element", "attribute";
    - "text": the text of an element with attributes;
    - "group": one or more elements of a group;
    - "any": the elements of a wildcard; "any_attributes": the attributes of a wildcard;
    - "content": the complete content of the element, as an `AnyElement` (type with mixed content, or message
      of xs:anyType);
    - "nil": a boolean that is True if the element of a message is nil. The other fields are then None or
      empty.

    `type` is the name of a type or an enumeration of the package, or one of:

    - a scalar type: a constant of `scalars` or `string_types`, in lower case. If the patterns of the type
      allow only one form, the form follows after a colon (see `scalars.in_form`): `boolean:01`, `integer:10`
      (ten digits with leading zeros), `date_time:3Z` (three fractional digits, UTC written as Z);
    - `[item]` for an xs:list; `(one|other)` for an xs:union; `any` (any content); `mixed` (mixed content).

    Other attributes:

    - `declared`: the qualified name of a named simple type that is neither built in nor an enumeration.
    - `item`: the qualified name of the items of a list with a wrapper element; otherwise "". If `item` is
      set, `type`, `nil_item` and `declared` describe the items, not the list. If the items also have a simple
      type, `facets` describes the items, too.
    - `least`: the minimum number of elements (`minOccurs`), if it is more than one.
    - `arms`: the branches of choices (xs:choice) that contain the field, from outer to inner, as pairs
      (choice, number of the branch).
    - `wildcards`: indexes in `Schema.wildcards`.
    - `content_types`: the media types that the contract expects of binary content
      (`xmime:expectedContentTypes`), such as `image/png, image/jpeg`. "" if it does not specify any.
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
    may_be_missing: bool = False  # required in requests, sometimes absent in responses
    elsewhere: tuple[str, ...] = ()  # other places to read it from: `@name` is an attribute, else an element
    partial: bool = False  # REST accepts a partial value with only the changed fields
    protocol: Literal["", "soap", "rest"] = ""  # the only protocol that has this field
    rest_optional: bool = False  # required over SOAP, optional over REST
    refused: str = ""  # why the service no longer accepts it
    refused_values: dict[str, str] = {}
    content_types: str = ""


class TypeRow(Row, frozen=True, kw_only=True):
    """A complex type, or a holder: a separate class whose fields are the elements of a group.

    `base` is the class that the type extends or restricts. The fields of an extension follow the fields of
    its base; a restriction lists all its fields. `unknown` is the name of the Python attribute for unknown
    elements and attributes.

    - `open`: other types derive from this type, so `xsi:type` may name one of them.
    - `wider`: the attribute wildcards that an extension adds to the wildcards of its base, as indexes in
      `Schema.wildcards`.
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
    """A wildcard (xs:any or xs:anyAttribute).

    `namespaces` is the value of the attribute `namespace` in the schema. If it refers to the schema's target
    namespace, `target` is this namespace; otherwise "".
    """

    namespaces: str = "##any"
    target: str = ""


class PartRow(Row, frozen=True, kw_only=True):
    """A SOAP header of an operation, or the detail of a fault."""

    name: str
    xml: str
    type: str
    required: bool = False
    nil: bool = False


class ParameterRow(Row, frozen=True, kw_only=True):
    """A query parameter of a REST resource.

    `field` is the element of the request. `separator` joins several values; without a separator the parameter
    is repeated. `spelling` maps values of the contract to values of REST.
    """

    name: str
    field: str
    separator: str = ""
    spelling: dict[str, str] = {}


class WrappedRow(Row, frozen=True, kw_only=True):
    """An alternative form of a REST response: a list that contains the item, instead of the item alone.

    `root` is the root element of this form, `list` the element that contains the item.
    """

    root: str
    list: str


class LooseRow(Row, frozen=True, kw_only=True):
    """Names that help to find the items and the errors in a JSON response whose nesting is unknown.

    - `list`, `item`: the name of the element with the items, and the name of an item.
    - `errors`, `error`: the name of the element with the errors, and the name of an error.
    - `endings`: in JSON, any name with one of these endings is accepted instead of `errors`.
    """

    list: str
    item: str
    errors: str = ""
    error: str = ""
    endings: tuple[str, ...] = ()


class RestRow(Row, frozen=True, kw_only=True):
    """How an operation is called over REST.

    `path` is the URL path after the version segment. `in_path` are the elements of the request that replace
    the `{…}` of the path, in order. `body` is the element whose content is the body. It is "*" if the body
    has all elements that are in neither path nor query, and "" if there is no body. `root` is the root
    element of a request body in XML. `roots` are further root elements that a response may have instead of
    the contract's root.

    >>> from zxws.data.service import PACKAGE
    >>> rest = PACKAGE.operations["GetJob"].rest
    >>> print(rest.method, rest.path, *rest.in_path)
    GET /jobs/job/id/{id} jobId
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

    def with_tags(self, tag: Callable[[str], str]) -> "RestRow":
        """Return a copy with element names in Clark notation. The function `tag` converts a name."""
        wrapped, loose = self.wrapped, self.loose
        return msgspec.structs.replace(
            self,
            root=tag(self.root) if self.root else "",
            roots=tuple(map(tag, self.roots)),
            wrapped=wrapped
            and msgspec.structs.replace(wrapped, root=tag(wrapped.root), list=tag(wrapped.list)),
            loose=loose
            and msgspec.structs.replace(
                loose,
                list=tag(loose.list),
                item=tag(loose.item),
                errors=tag(loose.errors) if loose.errors else "",
                error=tag(loose.error) if loose.error else "",
            ),
        )


class PagesRow(Row, frozen=True, kw_only=True):
    """The names of the attributes that hold the page numbers, the page sizes and the total of a list.

    The request has the page number in `page` and the page size in `items`. The response has the page number
    in `response_page`, the number of items on the page in `response_items` and the total number of items in
    `response_total`. Each of these three is "" if the response does not have the value.

    >>> from zxws.publisher.service import PACKAGE
    >>> lists = PACKAGE.operations["GetSales"], PACKAGE.operations["GetAdmediumCategories"]
    >>> for operation in lists:
    ...     print(operation.list_field, operation.pages and operation.pages.page)
    sale_items page
    categories None
    """

    page: str
    items: str
    response_page: str = ""
    response_items: str = ""
    response_total: str = ""


class FilledRow(Row, frozen=True, kw_only=True):
    """An element (or `@attribute`) that the client adds to a request to authenticate it.

    - `role`: names the value that becomes the element's text, such as `connect_id`. "" if the element has
      child elements instead.
    - `content`: these child elements.
    - `before`: the element is inserted before the first of these elements that the request has. If the
      request has none of them, it is inserted at the end.
    """

    xml: str
    role: str = ""
    before: tuple[str, ...] = ()
    content: tuple["FilledRow", ...] = ()


class PortFormRow(Row, frozen=True, kw_only=True):
    """The properties of an operation that are different at one port.

    A property is None if it is the same as at the operation's first port.
    """

    soap_action: str | None = None
    action: str | None = None
    request_headers: tuple[PartRow, ...] | None = None
    response_headers: tuple[PartRow, ...] | None = None
    authentication_headers: tuple[FilledRow, ...] | None = None


class EchoRow(Row, frozen=True, kw_only=True):
    """A value of the request that the service repeats in the response.

    `request` and `response` are the Python attributes of the request and the response, joined by dots
    (`a.b`). `path` is the XML path of the response's value, for error messages. If `at_most` is True, the
    value is a number that may be smaller in the response: for example, the last page may have fewer items
    than requested.
    """

    request: str
    response: str
    path: str
    at_most: bool = False


class OperationRow(Row, frozen=True, kw_only=True):
    """An operation.

    `method` is its name in Python; `request` and `response` are the names of types. If `request_xml` or
    `response_xml` is empty, the fields are children of the body. `request_attachments` and
    `response_attachments` are the names of the message parts that are sent as MIME parts.

    - `list`: the attribute of the response that is a list, if the response has exactly one list. Such an
      operation can be streamed; if `pages` is set, it also has pages.
    - `soap_action`, `action` (WS-Addressing), `request_headers` and `response_headers`: the values of the
      first port that has the operation. `ports` has the differing values of other ports, by `Service/Port`.
    - `authentication`, `authentication_headers`: the elements of the message and the SOAP headers that the
      client fills in to authenticate a request.
    - `echoes`: the values that show to which request a response belongs.
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
    members: dict[str, str] = {}  # elements that may replace the response's element, and their types
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

    def at(self, port: str) -> "OperationRow":
        """Return the operation with the properties that it has at the port `Service/Port`."""
        form = self.ports.get(port)
        if form is None:
            return self
        differing = {
            name: value for name in form.__struct_fields__ if (value := getattr(form, name)) is not None
        }
        return msgspec.structs.replace(self, **differing)


class PortRow(Row, frozen=True, kw_only=True):
    """A port: the endpoint of a port type for one version of SOAP.

    `binding` and `port_type` are in Clark notation. `address` is empty if the WSDL has none. `mtom` says if a
    policy of the WSDL requires MTOM, or offers it. `policies` are the alternatives of the port's
    WS-SecurityPolicy, as indexes in `Schema.security`. `operation_policies` are the alternatives of the
    operations whose policy differs from the port's, by the operation's name.

    >>> from weather.service import PACKAGE  # bindgen init weather --file weather.wsdl
    >>> for port in PACKAGE.settings.ports:
    ...     print(port.full_name, port.soap, port.address)
    WeatherService/Weather 1.1 https://weather.example/soap
    """

    name: str
    service: str
    binding: str
    port_type: str
    soap: Literal["1.1", "1.2"]
    address: str = ""
    mtom: Literal["", "required", "optional"] = ""
    policies: tuple[int, ...] = ()
    operation_policies: dict[str, tuple[int, ...]] = {}

    @property
    def full_name(self) -> str:
        """The name as `Service/Port`, because ports of different services may have the same name."""
        return f"{self.service}/{self.name}"

    def is_named(self, name: str) -> bool:
        """Return True if `name` is the name of this port, alone or as `Service/Port`."""
        return name in (self.name, self.full_name)


class Schema(Row, frozen=True, kw_only=True):
    """The description of a package, decoded from `schema.json`.

    `made_by` is the command that generated the package, and `source` the origin of its contract. `sha256` is
    the hash of the contract in one file (`contract.wsdl`), and `settings_sha256` the hash of the settings.
    `settings` contains information that is not in a WSDL (signing, faults, paging, jobs, columns), in the
    same tables as `contracts.toml`. Operations are listed by their names in the WSDL. If several port types
    have an operation of the same name, all but the first get the port type as a prefix (`Port.Name`).
    """

    made_by: str
    source: str
    format: int
    name: str
    namespace: str
    sha256: str
    settings_sha256: str = ""
    version: str = ""
    messages: bool = False  # True if there is a `messages.xsd`: a schema of messages that no other declares
    compiles: bool = True  # True if libxml2 compiles the schemas in bounded time and memory
    namespaces: dict[str, str] = {}
    wildcards: tuple[WildcardRow, ...] = ()
    ports: tuple[PortRow, ...] = ()
    security: msgspec.Raw = msgspec.Raw(b"[]")  # the policies of all ports, see `policies`
    settings: msgspec.Raw = msgspec.Raw(b"{}")
    # Elements of fault details that do not belong to an operation, and their types.
    faults: dict[str, str] = {}
    simple_types: dict[str, str] = {}  # named simple types that elements of xs:anyType may have, as in `type`
    types: dict[str, msgspec.Raw] = {}
    operations: dict[str, msgspec.Raw] = {}

    def tag(self, name: str) -> str:
        """Convert an element's name (`prefix:name`) to Clark notation."""
        prefix, colon, local = name.partition(":")
        if not colon:
            prefix, local = "", prefix
        elif not prefix:
            return local
        space = _XML if prefix == "xml" else self.namespaces.get(prefix, "" if prefix else self.namespace)
        return f"{{{space}}}{local}" if space else local

    def key(self, name: str) -> str:
        """Convert an attribute's name to Clark notation. Without a prefix, it is in no namespace."""
        return self.tag(name if ":" in name else f":{name}")


def wrapper_tag(tag: str) -> str:
    """Return a substitute for `tag`, the name of an RPC wrapper element (WSDL 1.1, section 3.5).

    The substitute has the same local name in another namespace. It is used in `messages.xsd`, the schema that
    declares the messages of a package, if the contract has a global element with the name `tag`: a schema
    cannot declare two elements with one name.
    """
    space, _, local = tag.removeprefix("{").rpartition("}")
    return f"{{{_WRAPPERS}{space}}}{local}"


def wrapped_tag(tag: str) -> str:
    """Convert the name of an element in `messages.xsd` to its tag in messages.

    Reverses `wrapper_tag`. Other names are returned unchanged.
    """
    space, _, local = tag.removeprefix("{").rpartition("}")
    space = space.removeprefix(_WRAPPERS)
    return f"{{{space}}}{local}" if space else local


_type_rows = msgspec.json.Decoder(TypeRow)


def type_row(raw: msgspec.Raw) -> TypeRow:
    """Decode the entry of a type in `schema.json`."""
    return _type_rows.decode(raw)
