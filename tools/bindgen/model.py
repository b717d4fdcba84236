"""The intermediate representation: what a contract says, freed of XML, filled in by the passes.

Reading the documents fills the wire facts; an attribute below a line "set by" is for the pass it names.
Qualified names are in Clark notation, `{namespace}name`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from bindgen.problems import Place, Problem
from bindgen.settings import ContractSettings
from soapclient.runtime.schema import EchoRow, PagesRow, RestRow
from soapclient.runtime.schema import Facets as Facets
from soapclient.runtime.schema import Role as Role


@dataclass(slots=True, eq=False)
class Simple:
    """A built-in simple type: its constant in the bindings' run time, and its Python type."""

    xsd: str
    scalar: str
    annotation: str


@dataclass(slots=True, eq=False)
class Enum:
    """An enumerated simple type."""

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
    """A simple type of several values in one text, parted by white space (xs:list)."""

    qname: str
    item: Simple | Enum | UnionOf
    place: Place
    facets: Facets | None = None  # of the items


@dataclass(slots=True, eq=False)
class UnionOf:
    """A simple type whose text is of the first of its members that takes it (xs:union)."""

    qname: str
    members: list[Simple | Enum | ListOf]
    place: Place


@dataclass(slots=True, eq=False)
class Anything:
    """xs:anyType, and complex types of mixed content. `annotation` is the type in Python."""

    annotation: str


ANYTHING = Anything("AnyValue")  # of elements: decoded by xsi:type, else kept as an `AnyElement`
ANY_ELEMENT = Anything("AnyElement")  # of wildcards and of the whole content of an element


@dataclass(frozen=True, slots=True)
class Wildcard:
    """What xs:any or xs:anyAttribute lets in: `namespaces` and `process` as the schema has them.

    `target` is the target namespace of the schema that declares it, of which `namespaces` may speak.
    """

    namespaces: str = "##any"
    process: str = "strict"
    target: str = field(default="", compare=False)


SimpleType = Simple | Enum | ListOf | UnionOf


@dataclass(slots=True, eq=False)
class Field:
    """A part of a complex type.

    `kind`: an element, an attribute, the text beside attributes; "any" for elements of a wildcard
    (type ANYTHING), "any_attributes" for attributes of one; "group" for elements that stand together: `type`
    is then a Struct with a `holder`, and `least` and `most` say how often the group comes; "content" for all
    that an element of mixed content (type ANY_ELEMENT) or a message (type ANYTHING) holds. Of messages alone:
    "nil" for whether it is nil.
    """

    wire: str
    kind: Literal["element", "attribute", "text", "any", "any_attributes", "group", "content", "nil"]
    tag: str  # an element's qualified name, an attribute's key, "" for the others
    type: Type
    least: int
    most: int | None
    place: Place
    default: str | None = None
    doc: str = ""
    fixed: str | None = None
    nillable: bool = False
    of_nil: bool = False  # of a message whose element may be nil: then there is no value, whatever `least`
    type_name: str = ""  # the declared type's qualified name; "" for an anonymous one
    facets: Facets | None = None  # of a simple type that has any
    # The choices whose arm it is, outer to inner: (the choice's path in its type, the arm from 0).
    choices: tuple[tuple[str, int], ...] = ()
    wildcard: Wildcard | None = None
    # minOccurs of its own particle, whatever choice or optional group is around it; -1 where it has none.
    own_least: int = -1
    grouped: bool = False  # a sequence or all around it, nearer than any choice, may be left out as a whole
    # All sequences and alls around it that may be left out as a whole, outer to inner, by names in its type.
    optional_in: tuple[str, ...] = ()
    # set by passes.fields: the field wraps a list; this is the list's item
    item: Field | None = None
    # set by passes.fields
    may_be_missing: bool = False
    # set by passes.fields: where else it may stand, as (kind, tag)
    elsewhere: tuple[tuple[Literal["element", "attribute"], str], ...] = ()
    # set by passes.fields
    refused: str = ""
    refused_values: dict[str, str] = field(default_factory=dict)
    # set by passes.rest: the one protocol that has it ("" for both), whether changes alone will do, and
    # whether REST does without it
    protocol: Literal["", "soap", "rest"] = ""
    partial: bool = False
    rest_optional: bool = False
    # set by passes.names
    python: str = ""

    @property
    def required(self) -> bool:
        """Whether a value must be there in Python's eyes, too."""
        optional = self.may_be_missing or self.rest_optional or self.of_nil
        return self.least > 0 and self.most == 1 and not optional

    @property
    def repeats(self) -> bool:
        """Whether the element itself repeats, without one that wraps the list."""
        return self.most != 1


@dataclass(slots=True, eq=False)
class Struct:
    """A complex type: attributes first, then elements in order, or the text of simple content.

    `holder` is "" for a complex type. The others have no element of their own, their fields are children of
    whoever has the group: "substitution" is one element of a substitution group (one field for each that may
    stand there, exactly one is set), "choice" and "sequence" are one turn of a group that repeats.
    """

    qname: str  # of an anonymous type, or of a holder, from its path: `{ns}Outer_inner`
    place: Place
    fields: list[Field] = field(default_factory=list)
    base: Struct | None = None  # what it extends; its fields come first
    doc: str = ""
    anonymous: bool = False
    abstract: bool = False
    restricts: Struct | None = None  # what it restricts; its `fields` are all it has, inherited ones too
    derived: list[Struct] = field(default_factory=list)  # what extends or restricts it, one step
    all_group: bool = False  # xs:all: the order of the elements is free
    choices: dict[str, int] = field(default_factory=dict)  # a choice's path → 1 where one arm must be there
    holder: Literal["", "substitution", "choice", "sequence"] = ""
    wider: list[Wildcard] = field(default_factory=list)  # for attributes, beside the one it inherits
    # set by passes.fields: what is not in the contract is kept, in the attribute `unknown`
    keeps_unknown: bool = False
    # set by passes.rest: changes of it are sent alone
    changes: bool = False
    # set by passes.names; `unknown` and `python_changes` where there is such a thing
    python: str = ""
    unknown: str = ""
    python_changes: str = ""

    @property
    def name(self) -> str:
        """The schema's name, without the namespace."""
        return self.qname.rpartition("}")[2]

    def all_fields(self) -> list[Field]:
        """Inherited fields, then its own."""
        return [field for struct in self.line() for field in struct.fields]

    def line(self) -> list[Struct]:
        """All that it extends, the uppermost first, then itself."""
        found: list[Struct] = []
        above: Struct | None = self
        while above is not None:
            found.append(above)
            above = above.base
        return found[::-1]

    def standing_for(self) -> list[Struct]:
        """It and all that derive from it, in any number of steps."""
        found: dict[int, Struct] = {}
        todo = [self]
        while todo:
            struct = todo.pop()
            if id(struct) not in found:
                found[id(struct)] = struct
                todo += reversed(struct.derived)
        return list(found.values())


Type = Simple | Enum | ListOf | UnionOf | Anything | Struct


@dataclass(slots=True, eq=False)
class Header:
    """A header of an operation: a message part beside the body."""

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
    """The typed detail of a fault of an operation."""

    name: str
    tag: str
    type: Struct
    place: Place
    nillable: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A message part in a MIME part of its own (WSDL 1.1, 5.2), and the media types it may have."""

    name: str
    media_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Port:
    """Where a port type is served, and in which version of SOAP ("1.1" or "1.2")."""

    name: str
    service: str
    binding: str  # qualified
    port_type: str
    address: str
    soap: str


@dataclass(slots=True, eq=False)
class Filled:
    """An element or attribute that the client fills in to authenticate a request: with the value of a `role`,
    or with `content`. `before` are the tags of the elements that follow it."""

    tag: str
    attribute: bool = False
    role: Role = ""
    before: tuple[str, ...] = ()
    content: list[Filled] = field(default_factory=list)
    field: Field | None = None  # of a role, if it is declared as a field


@dataclass(slots=True, eq=False)
class PortForm:
    """What a port says of an operation, if it differs from the first port that has the operation."""

    soap_action: str
    action: str  # of WS-Addressing
    request_headers: list[Header]
    response_headers: list[Header]
    # set by passes.signing: headers that the client fills in
    authentication_headers: list[Filled] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Operation:
    """An operation of the WSDL (`soap`), or of the REST table alone.

    A message of simple type, or of RPC style, has a Struct made up for it: the text as the field `value`, the
    parts as fields. With an empty tag ("" where the body has several parts or none) the fields are the body's
    own children. A one-way operation has an empty `response_tag` and a `response` without fields.
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
    encoded: bool = False  # use="encoded": sent as literal with xsi:type, see the note about it
    port_type: str = ""
    one_way: bool = False
    request_nillable: bool = False  # whether the request's element may be nil; so for the response's
    response_nillable: bool = False
    # elements that may stand for the response's
    response_members: dict[str, Struct] = field(default_factory=dict)
    request_headers: list[Header] = field(default_factory=list)
    response_headers: list[Header] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    header_faults: list[Header] = field(default_factory=list)  # headers that a fault's response may have
    action: str = ""  # of WS-Addressing: what the WSDL says or, where it asks for WS-Addressing, what follows
    request_attachments: tuple[Attachment, ...] = ()
    response_attachments: tuple[Attachment, ...] = ()
    # Ports that differ from the first one, by `Service/Port`. The attributes above are those of the first.
    ports: dict[str, PortForm] = field(default_factory=dict)
    # set by passes.rest
    rest: RestRow | None = None  # its elements in Clark notation
    # set by passes.signing: what the client fills in, in the message and in SOAP headers
    authentication: list[Filled] = field(default_factory=list)
    authentication_headers: list[Filled] = field(default_factory=list)
    signed: bool = False
    # set by passes.operations: the keys of `operations` in the settings that name it
    flags: frozenset[str] = frozenset()
    # set by passes.operations: the one list of the response
    list_field: Field | None = None
    # set by passes.names; `pages` where the list comes in pages
    pages: PagesRow | None = None
    echoes: tuple[EchoRow, ...] = ()  # set by passes.operations: what a response repeats of its request
    method: str = ""
    whole_method: str = ""  # takes the request whole, of whatever type that may stand for the declared one
    constant: str = ""

    @property
    def safe(self) -> bool:
        """Return True if it may be repeated without harm."""
        return "safe" in self.flags

    def forms(self) -> list[Operation | PortForm]:
        """The operation as the first port has it, and as those have it that differ."""
        return [self, *self.ports.values()]

    def headers(self) -> list[Header]:
        """All headers, of requests and responses, of all ports."""
        return [header for form in self.forms() for header in (*form.request_headers, *form.response_headers)]

    def sent_headers(self) -> list[Header]:
        """The request headers of all ports, each element once; required if all ports require it."""
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
    """A whole contract."""

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
    schema: bytes = b""  # the schema beside it, in the namespace of the contract
    schema_sha256: str = ""  # of the file that it is read from
    faults: dict[str, Struct] = field(default_factory=dict)  # by the name of the detail's element
    declared: list[Struct] = field(default_factory=list)  # with `all_types`: all named complex types
    all_types: bool = (
        False  # generate types that no operation needs, too: those in `declared` and enumerations
    )
    # Named simple types by qualified name. passes.names leaves those that elements of xs:anyType can have.
    simple_types: dict[str, SimpleType] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)  # `service`, `port`, … above say the first of them
    notes: list[Problem] = field(default_factory=list)  # what was left out or weakened, and is worth a word
    remarks: list[Problem] = field(default_factory=list)  # what is worth a word, and no obstacle to anybody
    # The schema made up for messages that none declares (RPC style), for validation; empty where not needed.
    messages: bytes = b""
    compiles: bool = True  # whether libxml2 takes the schemas of `one_file`, in bounded time and memory
    # What makes the schemas invalid, facets that are ignored, too; in `notes` as well.
    invalid: list[Problem] = field(default_factory=list)
    # set by passes.names, in the order of the schema
    structs: list[Struct] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    # set by passes.names: the first of the classes by port type, and those of streams, pages and asyncio, by
    # the name of the service class with `Streams`, `Pages`, `Async`, … behind it
    service_class: str = ""
    service_classes: dict[str, str] = field(default_factory=dict)
    further_classes: dict[str, str] = field(default_factory=dict)
    order_options: str = ""  # set by passes.names: the class of an order's options, if it has any
