"""The intermediate representation: what a contract says, freed of XML, filled in by the passes.

Reading the documents fills the wire facts; an attribute below a line "set by" is for the pass it names.
Qualified names are in Clark notation, `{namespace}name`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bindgen.problems import Place, Problem
from bindgen.settings import ContractSettings


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
class Field:
    """An element, an attribute or the text of a complex type."""

    wire: str
    kind: Literal["element", "attribute", "text"]
    tag: str  # an element's qualified name, an attribute's key, "" for text
    type: Simple | Enum | Struct
    least: int
    most: int | None
    place: Place
    default: str | None = None
    doc: str = ""
    # set by passes.wrapped_lists: the field wraps a list; this is the list's item
    item: Field | None = None
    # set by passes.optionality
    may_be_missing: bool = False
    # set by passes.refused
    refused: str = ""
    refused_values: dict[str, str] = field(default_factory=dict)
    # set by passes.carriers: the one carrier that has it ("" for both), and whether changes alone will do
    carrier: Literal["", "soap", "rest"] = ""
    partial: bool = False
    # set by passes.names
    python: str = ""

    @property
    def required(self) -> bool:
        """Whether a value must be there in Python's eyes, too."""
        return self.least > 0 and self.most == 1 and not self.may_be_missing

    @property
    def repeats(self) -> bool:
        """Whether the element itself repeats, without one that wraps the list."""
        return self.most != 1


@dataclass(slots=True, eq=False)
class Struct:
    """A complex type: attributes first, then elements in order, or the text of simple content."""

    qname: str
    place: Place
    fields: list[Field] = field(default_factory=list)
    base: Struct | None = None
    doc: str = ""
    # set by passes.unknown: what is not in the contract is kept, in the attribute `unknown`
    keeps_unknown: bool = False
    # set by passes.carriers: changes of it are sent alone
    changes: bool = False
    # set by passes.names; `unknown` and `python_changes` where there is such a thing
    python: str = ""
    function: str = ""
    unknown: str = ""
    python_changes: str = ""

    @property
    def name(self) -> str:
        """The schema's name, without the namespace."""
        return self.qname.rpartition("}")[2]

    def all_fields(self) -> list[Field]:
        """Inherited fields, then its own."""
        return [*(self.base.all_fields() if self.base else ()), *self.fields]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter of a REST resource, and the request's element that gives it."""

    name: str
    field: str
    separator: str = ""
    spelling: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loose:
    """Tags of a list whose nesting is not known, and of its errors, whose name has one of some endings."""

    list_tag: str
    item_tag: str
    errors_tag: str
    error_tag: str
    endings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rest:
    """A row of the REST table. `wrapped` is root and list."""

    method: str
    path: str
    in_path: tuple[str, ...] = ()
    query: tuple[Parameter, ...] = ()
    body: str = ""
    body_tag: str = ""
    partial: bool = False
    roots: tuple[str, ...] = ()
    wrapped: tuple[str, str] | None = None
    loose: Loose | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """Attributes: the request's page and number of items, the reply's page and total; "" for one it lacks."""

    page: str
    items: str
    reply_page: str
    reply_total: str


@dataclass(slots=True, eq=False)
class Operation:
    """A document/literal operation: one element asks, one answers. `soap`: the WSDL has it."""

    name: str
    soap_action: str
    request_tag: str
    reply_tag: str
    request: Struct
    reply: Struct
    place: Place
    doc: str = ""
    soap: bool = True
    # set by passes.carriers
    rest: Rest | None = None
    # set by passes.authentication
    authentication: list[str] = field(default_factory=list)
    signed: bool = False
    # set by passes.safety
    safe: bool = False
    # set by passes.streams: the one wrapped list of the reply
    list_field: Field | None = None
    # set by passes.names; `pages` where the list comes in pages
    pages: Pages | None = None
    method: str = ""
    constant: str = ""


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
    schema: bytes = b""  # the schema beside it
    faults: dict[str, Struct] = field(default_factory=dict)  # by the name of the detail's element
    problems: list[Problem] = field(default_factory=list)
    # set by passes.reachable, in the order of the schema
    structs: list[Struct] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    # set by passes.names
    service_class: str = ""
    stream_class: str = ""
    page_class: str = ""
