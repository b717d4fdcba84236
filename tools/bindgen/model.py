"""The intermediate representation: the content of a contract without its XML.

`bindgen.reading` creates the objects and fills most attributes. Attributes below a comment "set by …" are
filled later, by the pass that the comment names. Qualified names are in Clark notation, `{namespace}name`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

from bindgen.problems import Place, Problem
from bindgen.settings import ContractSettings
from soapclient.runtime.policies import PolicyRow
from soapclient.runtime.schema import EchoRow, PagesRow, RestRow
from soapclient.runtime.schema import Facets as Facets


@dataclass(slots=True, eq=False)
class Simple:
    """A built-in simple type: its XSD name, its constant in the runtime, and its Python type."""

    xsd: str
    scalar: str
    annotation: str


@dataclass(slots=True, eq=False)
class Enum:
    """A simple type with a list of allowed values."""

    qname: str
    values: list[str]
    place: Place
    doc: str = ""
    # set by passes.names; `python_values` is the Literal of its values
    python: str = ""
    python_values: str = ""
    members: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class ListOf:
    """A list type (xs:list): several values in one string, separated by white space."""

    qname: str
    item: Simple | Enum | UnionOf
    place: Place
    facets: Facets | None = None  # of the items


@dataclass(slots=True, eq=False)
class UnionOf:
    """A union type (xs:union): a string has the type of the first member that accepts it."""

    qname: str
    members: list[Simple | Enum | ListOf]
    place: Place


@dataclass(slots=True, eq=False)
class Anything:
    """The type of any content: xs:anyType, wildcards and mixed content. `annotation` is the Python type."""

    annotation: str


ANYTHING = Anything("AnyValue")  # type of elements: decoded by xsi:type, or else kept as an `AnyElement`
ANY_ELEMENT = Anything("AnyElement")  # type of wildcards and of the complete content of an element


@dataclass(frozen=True, slots=True)
class Wildcard:
    """A wildcard: xs:any or xs:anyAttribute.

    `namespaces` and `process` are its attributes `namespace` and `processContents`. `target` is the target
    namespace of the schema that declares the wildcard: `##targetNamespace` and `##other` refer to it.
    """

    namespaces: str = "##any"
    process: str = "strict"
    target: str = field(default="", compare=False)


SimpleType = Simple | Enum | ListOf | UnionOf


class Field(msgspec.Struct, eq=False):
    """A field of a complex type or a message.

    It is not a dataclass, because contracts have many fields, and creating a dataclass takes much longer.

    `kind` is one of:

    - "element", "attribute", and "text" (simple content).
    - "any": elements that a wildcard allows (type ANYTHING or ANY_ELEMENT). "any_attributes": attributes that
      a wildcard allows.
    - "group": a repeating model group, or a substitution group. `type` is a Struct with the elements of the
      group as fields (see `Struct.holder`); `least` and `most` are the minimum and maximum number of its
      occurrences.
    - "content": the complete content of an element with mixed content (type ANY_ELEMENT) or of a message
      (type ANYTHING).
    - "nil": True if the element is nil. Messages only.
    """

    wire: str
    kind: Literal["element", "attribute", "text", "any", "any_attributes", "group", "content", "nil"]
    tag: str  # the qualified name of an element, the key of an attribute, "" for other kinds
    type: Type
    least: int
    most: int | None
    place: Place
    default: str | None = None
    doc: str = ""
    fixed: str | None = None
    nillable: bool = False
    of_nil: bool = False  # the field has no value if its message is nil, even if `least` is 1
    type_name: str = ""  # the qualified name of the declared type; "" for an anonymous type
    facets: Facets | None = None  # of a simple type that has facets
    content_types: str = ""  # xmime:expectedContentTypes: the media types of binary content
    # The branches of choices that the field is in, from outer to inner: (path of the choice in the type,
    # index of the branch).
    choices: tuple[tuple[str, int], ...] = ()
    wildcard: Wildcard | None = None
    # minOccurs of the element itself, without the choices and groups around it; -1 for fields without one.
    own_least: int = -1
    grouped: bool = False  # an optional sequence or all is around it, inside the innermost choice
    # The optional sequences and alls around it, from outer to inner, by their names in the type.
    optional_in: tuple[str, ...] = ()
    # set by passes.fields: the item of the list, if the field is an element around a list
    item: Field | None = None
    # set by passes.fields
    may_be_missing: bool = False
    # set by passes.fields: other places in responses that may contain the field, as (kind, tag)
    elsewhere: tuple[tuple[Literal["element", "attribute"], str], ...] = ()
    # set by passes.fields
    refused: str = ""
    refused_values: dict[str, str] = {}
    # set by passes.rest: the protocol that has the field ("" for both), whether a part of the value is
    # enough, and whether the field is optional over REST
    protocol: Literal["", "soap", "rest"] = ""
    partial: bool = False
    rest_optional: bool = False
    # set by passes.names
    python: str = ""

    @property
    def required(self) -> bool:
        """True if the constructor of the Python class requires a value.

        A field that the schema requires can be optional in Python, for example if responses may lack it.
        """
        optional = self.may_be_missing or self.rest_optional or self.of_nil
        return self.least > 0 and self.most == 1 and not optional

    @property
    def repeats(self) -> bool:
        """True if the element itself repeats, not only the items of a list inside it."""
        return self.most != 1


class Struct(msgspec.Struct, eq=False):
    """A complex type, or one occurrence of a group of elements.

    The value of `holder` determines which of these it is, and what `fields` contains:

    - "": a complex type. Its fields are its attributes, then its elements in order, or the text of simple
      content.
    - "choice" or "sequence": one repetition of a model group. Its fields are the elements of the group.
    - "substitution": one element of a substitution group. It has one field for each possible element, and
      exactly one of these fields is set.

    A group does not have an element in XML: its fields are children of the element that contains the group.
    """

    qname: str  # of an anonymous type or a holder: built from its path, `{ns}Outer_inner`
    place: Place
    fields: list[Field] = []
    base: Struct | None = None  # the type it extends; its fields come first
    doc: str = ""
    anonymous: bool = False
    abstract: bool = False
    restricts: Struct | None = None  # the type it restricts; `fields` then include the inherited ones
    derived: list[Struct] = []  # the types that directly extend or restrict it
    all_group: bool = False  # xs:all: the elements may be in any order
    choices: dict[str, int] = {}  # path of a choice → 1 if a branch is required
    holder: Literal["", "substitution", "choice", "sequence"] = ""
    wider: list[Wildcard] = []  # of attributes, in addition to the inherited one
    # set by passes.fields: unknown elements and attributes are kept, in the attribute `unknown`
    keeps_unknown: bool = False
    # set by passes.rest: there is a class for changes, which are sent without the other fields
    changes: bool = False
    # set by passes.names; `unknown` and `python_changes` are "" if not used
    python: str = ""
    unknown: str = ""
    python_changes: str = ""

    @property
    def name(self) -> str:
        """The local name: `qname` without the namespace."""
        return self.qname.rpartition("}")[2]

    def all_fields(self) -> list[Field]:
        """Return the inherited fields, then the fields that this type declares."""
        return [field for struct in self.line() for field in struct.fields]

    def line(self) -> list[Struct]:
        """Return the chain of base types, from the topmost type to this type."""
        bases: list[Struct] = []
        current: Struct | None = self
        while current is not None:
            bases.append(current)
            current = current.base
        return bases[::-1]

    def self_and_derived(self) -> list[Struct]:
        """Return this type and all types that are derived from it, directly or indirectly."""
        if not self.derived:  # most types
            return [self]
        structs: dict[int, Struct] = {}
        todo = [self]
        while todo:
            struct = todo.pop()
            if id(struct) not in structs:
                structs[id(struct)] = struct
                todo += reversed(struct.derived)
        return list(structs.values())


Type = Simple | Enum | ListOf | UnionOf | Anything | Struct


@dataclass(slots=True, eq=False)
class Header:
    """A header of an operation: a message part that is sent in soap:Header."""

    name: str  # the part's name
    tag: str
    type: Struct
    place: Place
    required: bool = False
    nillable: bool = False
    # set by passes.names: the parameter
    python: str = ""


@dataclass(slots=True, eq=False)
class Fault:
    """A fault that an operation declares: the element in the fault's detail, and its type."""

    name: str
    tag: str
    type: Struct
    place: Place
    nillable: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A message part that is sent as a MIME part (WSDL 1.1, 5.2), and its allowed media types."""

    name: str
    media_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a WSDL service: an address at which a port type can be called over one SOAP version.

    `soap` is the version, "1.1" or "1.2". `policies` maps the names of operations with a WS-SecurityPolicy to
    its alternatives.
    """

    name: str
    service: str
    binding: str  # qualified
    port_type: str
    address: str
    soap: str
    mtom: Literal["", "required", "optional"] = ""  # by a policy
    policies: dict[str, tuple[PolicyRow, ...]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class AuthenticationElement:
    """An element or attribute that the client fills in to authenticate a request.

    If it has a `role` of the signing scheme, such as `nonce`, it contains the value for this role. Otherwise
    it contains the elements and attributes in `content`. In the request, it must come before the elements
    with the tags in `before`.
    """

    tag: str
    attribute: bool = False
    role: str = ""
    before: tuple[str, ...] = ()
    content: list[AuthenticationElement] = field(default_factory=list)
    field: Field | None = None  # the field it is declared as, if it has a role


@dataclass(slots=True, eq=False)
class PortForm:
    """The SOAPAction and headers of an operation at one port, if they differ from the first port's."""

    soap_action: str
    action: str  # of WS-Addressing
    request_headers: list[Header]
    response_headers: list[Header]
    # set by passes.signing: headers that the client fills in
    authentication_headers: list[AuthenticationElement] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Operation:
    """An operation. `soap` is False if it is not in the WSDL, but only in the REST table.

    `request` and `response` are the complex types of the messages; `request_tag` and `response_tag` are the
    names of the elements in the SOAP body. Special cases:

    - A message of a simple type: the Struct is generated, and has the field `value`.
    - RPC style: the Struct is generated, and has a field for each part.
    - The body does not have exactly one part: the tag is "", and the fields are the children of the body.
    - One-way: `response_tag` is "", and `response` has no fields.
    """

    name: str
    soap_action: str
    request_tag: str
    response_tag: str
    request: Struct
    response: Struct
    place: Place
    doc: str = ""
    soap: bool = True
    style: Literal["document", "rpc"] = "document"
    encoded: bool = (
        False  # use="encoded": sent as literal with xsi:type; `Contract.notes` describes the limits
    )
    port_type: str = ""
    one_way: bool = False
    request_nillable: bool = False  # True if the element of the request may be nil
    response_nillable: bool = False
    # Elements that may be sent instead of the response's element (substitution group): tag → type.
    response_members: dict[str, Struct] = field(default_factory=dict)
    request_headers: list[Header] = field(default_factory=list)
    response_headers: list[Header] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    header_faults: list[Header] = field(
        default_factory=list
    )  # headers that the response with a fault may have
    action: str = (
        ""  # of WS-Addressing: named in the WSDL, or the default action if WS-Addressing is required
    )
    request_attachments: tuple[Attachment, ...] = ()
    response_attachments: tuple[Attachment, ...] = ()
    # Ports that differ from the first one, by `Service/Port`. The attributes above are the first port's.
    ports: dict[str, PortForm] = field(default_factory=dict)
    # set by passes.rest; its elements are in Clark notation
    rest: RestRow | None = None  # its elements in Clark notation
    # set by passes.signing: elements and attributes that the client fills in, in the message and in SOAP
    # headers
    authentication: list[AuthenticationElement] = field(default_factory=list)
    authentication_headers: list[AuthenticationElement] = field(default_factory=list)
    signed: bool = False
    # set by passes.operations: the keys of `operations` in the settings that name it
    flags: frozenset[str] = frozenset()
    # set by passes.operations: the one list of the response
    list_field: Field | None = None
    # set by passes.names, if the list comes in pages
    pages: PagesRow | None = None
    echoes: tuple[
        EchoRow, ...
    ] = ()  # set by passes.operations: values that a response repeats from its request
    method: str = ""
    whole_method: str = ""  # the method that takes a request object, of the declared or a derived type
    constant: str = ""

    @property
    def safe(self) -> bool:
        """Return True if the operation may be repeated without harm."""
        return "safe" in self.flags

    def forms(self) -> list[Operation | PortForm]:
        """Return the different forms of the operation: its SOAPAction and its headers at each port.

        The first item is this Operation, which has the form at the first port. The other items are the
        values of `ports`: a PortForm for each port whose form differs from the first port's.
        """
        return [self, *self.ports.values()]

    def headers(self) -> list[Header]:
        """Return all headers of requests and responses, of all ports."""
        return [header for form in self.forms() for header in (*form.request_headers, *form.response_headers)]

    def sent_headers(self) -> list[Header]:
        """Return the request headers of all ports. A header of several ports is returned only once.

        `required` is True for a header that all ports require.
        """
        ports = [form.request_headers for form in self.forms()]
        first: dict[str, Header] = {}
        for header in (header for port in ports for header in port):
            first.setdefault(header.tag, header)
        return [
            replace(header, required=all(_requires(port, tag) for port in ports))
            for tag, header in first.items()
        ]


def _requires(headers: list[Header], tag: str) -> bool:
    return any(header.tag == tag and header.required for header in headers)


@dataclass(slots=True)
class Contract:
    """A complete contract: a WSDL or a schema, its operations and types, and the problems found in it."""

    name: str
    settings: ContractSettings
    url: str
    sha256: str
    namespace: str
    service: str
    port: str
    binding: str
    address: str
    operations: list[Operation]
    one_file: bytes  # empty for a contract without a WSDL
    soap: str = "1.1"  # the version of the first port
    schema: bytes = b""  # the additional schema of the project, in the namespace of the contract
    schema_sha256: str = ""  # name of the file with the additional schema
    faults: dict[str, Struct] = field(default_factory=dict)  # by the name of the detail's element
    declared: list[Struct] = field(default_factory=list)  # with `all_types`: all named complex types
    # Generate the types that operations do not need, too: those in `declared`, and enumerations.
    all_types: bool = False
    # Named simple types by qualified name. passes.names keeps those that values of xs:anyType can have.
    simple_types: dict[str, SimpleType] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)  # `service`, `port`, … above are from the first port
    notes: list[Problem] = field(default_factory=list)  # parts that were left out or read less strictly
    remarks: list[Problem] = field(default_factory=list)  # facts worth knowing that do not limit the bindings
    # Generated schema for messages that the WSDL does not declare as elements (RPC style), for validation.
    messages: bytes = b""
    compiles: bool = True  # True if libxml2 compiles the schemas of `one_file` in bounded time and memory
    # Reasons why the schemas are invalid, ignored facets included; also in `notes`.
    invalid: list[Problem] = field(default_factory=list)
    # set by passes.names, in the order of the schema
    structs: list[Struct] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    # set by passes.names: the first class of each port type; and the classes for streams, pages and asyncio,
    # by the name of the service class followed by `Streams`, `Pages`, `Async`, …
    service_class: str = ""
    service_classes: dict[str, str] = field(default_factory=dict)
    further_classes: dict[str, str] = field(default_factory=dict)
    order_options: str = ""  # set by passes.names: the class of the options of an order, "" without options
