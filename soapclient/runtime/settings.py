"""Settings of a package that are not in a WSDL: signing, faults, paging, jobs and columns."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from soapclient.runtime.schema import PortRow


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Immutable base class of all sections of the settings."""


class Signing(Section, frozen=True, kw_only=True):
    """Signing of calls: the scheme, the service's name in the string to sign, the authentication elements.

    `roles` maps the roles of the scheme to names of elements, the caller's identity first. It is empty if
    only HTTP headers or the query carry signatures. `also_in_headers`: HTTP headers repeat the signature of
    an envelope, unless the setting `signature_placement` says otherwise.
    """

    scheme: str
    service_name: str = ""
    roles: dict[str, str] = {}
    also_in_headers: bool = False

    @property
    def identity(self) -> str:
        """The role that identifies the caller, "" without roles."""
        return next(iter(self.roles), "")


class Paging(Section, frozen=True, kw_only=True):
    """The elements that page a list, and their limits. `total` is "" if responses do not have it."""

    page: str
    items: str
    first: int
    default: int
    most: int
    total: str = ""


class FaultShape(Section, frozen=True, kw_only=True):
    """The fault's detail element, its children, and the meaning of its codes."""

    element: str
    code: str
    reason: str
    error_id: str
    authentication: frozenset[int]
    transient: frozenset[int]


class Waiter(Section, frozen=True, kw_only=True):
    """The meaning of a job's states, and the intervals of polling. A state that is not listed means waiting.

    `delay` is the wait before the second poll, `factor` its growth, `most` the longest wait. All waits are in
    seconds.
    """

    waiting: frozenset[str]
    done: frozenset[str]
    failed: frozenset[str]
    expired: frozenset[str]
    delay: float
    factor: float
    most: float


class Job(Section, frozen=True, kw_only=True):
    """The operations that order and poll a job, and its fields.

    `order`, `poll` and `list` are methods. `list` returns the account's jobs; it is None if there is no such
    operation. `poll_id` is the polling request's field for the job id, and `poll_type` its type ("": the type
    that the job has). `item` is the response field that has the job ("": the response is the job),
    `ordered_id` the field of the order's response if it contains only the id. Nested fields are joined by
    dots. `type`, `created` and `listed_id` are fields of a listed job (`listed_id` is None if it is `id`).
    The others are fields of the job, or None if there is no such field.
    """

    order: str
    poll: str
    poll_id: str
    item: str
    id: str
    status: str
    rows: str | None = None
    size: str | None = None
    url: str | None = None
    message: str | None = None
    compression: str | None = None
    list: str | None = None
    type: str | None = None
    created: str | None = None
    listed_id: str | None = None
    ordered_id: str | None = None
    poll_type: Literal["", "text", "number"] = ""


OrderForm = Literal["text", "date", "int", "decimal", "boolean", "other"]
"""The kind of values that a field of an order takes. A date-time that means a day is a date."""


class OrderField(Section, frozen=True, kw_only=True):
    """A field of an order's request.

    `field` is its attribute, joined by dots if it is nested, `wire` its path in the contract. `types` are the
    classes of the structures on that path. `several`: it takes a list.
    """

    field: str
    wire: str
    form: OrderForm = "text"
    several: bool = False
    types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()  # all allowed values, if the contract lists them


ORDER_KEYWORDS: Final = frozenset(
    (
        *("self", "report_type", "from_date", "to_date", "columns", "group_by"),
        *("ledger", "reorder", "output", "until", "settle", "tolerance"),
    )
)
"""Keywords of the methods that order. A filter with one of these names gets an underscore."""

_ORDER_KEYS: Final = {"report_type": "type", "from_date": "from", "to_date": "to"}


class Order(Section, frozen=True, kw_only=True, rename=_ORDER_KEYS):
    """The fields of an order, by their names in `export`. None if the contract has no such field.

    `operation` is the ordering operation's name in the contract. `separator` joins the names of columns and
    groups if they are one text. `filters` are all other fields by their keywords, `removed` the names of
    filters of earlier versions. `date_type` is the filter that selects the date to compare the days with,
    `default_date` the column of that date if an order does not set it.
    """

    operation: str
    report_type: OrderField
    from_date: OrderField
    to_date: OrderField
    columns: OrderField | None = None
    group_by: OrderField | None = None
    separator: str = ","
    filters: dict[str, OrderField] = {}
    removed: tuple[str, ...] = ()
    date_type: str = ""
    default_date: str = ""

    @property
    def roles(self) -> dict[str, OrderField | None]:
        """The fields that are not filters, by their keywords. None if the contract has no such field."""
        return {
            "report_type": self.report_type,
            "from_date": self.from_date,
            "to_date": self.to_date,
            "columns": self.columns,
            "group_by": self.group_by,
        }

    @property
    def fields(self) -> dict[str, OrderField]:
        """All fields, including filters, that the contract has, by their keywords."""
        roles = {name: field for name, field in self.roles.items() if field is not None}
        return roles | self.filters


class Download(Section, frozen=True, kw_only=True):
    """The path of a finished job's file if the job does not contain it. `{id}` is the job's id."""

    fallback_path: str
    compression: str


class Batch(Section, frozen=True, kw_only=True):
    """Maximum number of partner codes in one request.

    `instead` is the part of the error message that names methods for more codes.
    """

    most: int
    instead: str = ""


class ReportWindow(Section, frozen=True, kw_only=True):
    """The days a report may cover, and the groups that exclude each other.

    `days_back` is counted from today; the last day is not included.
    """

    days_back: int
    apart: tuple[str, ...]


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of an exported file: its header and the XSD type of its cells."""

    name: str
    type: str


class Settings(Section, frozen=True, kw_only=True):
    """All settings of a package, besides its types and operations.

    `sha256` is the hash of its documents in one file. `service`, `port`, `binding` and `address` are the
    values of its first port, or "" if it has no port. `messages`: it has a file `messages.xsd`, the schema of
    messages that no other schema declares (RPC style). `compiles`: libxml2 compiles the schemas in bounded
    time and memory. `naive_zone` is the zone of date-times that have none; if it is empty, they stay naive.

    For exports: `columns` are the columns of each report type. `chosen` maps the report types whose columns
    an order chooses to the report types that have these columns. `groups` are the columns by which a report
    can be grouped, `sums` the columns that each report type then sums up.
    """

    name: str = ""
    version: str = ""
    namespace: str = ""
    sha256: str = ""
    ports: tuple[PortRow, ...] = ()
    messages: bool = False
    compiles: bool = True
    signing: Signing | None = None
    fault: FaultShape | None = None
    paging: Paging | None = None
    waiter: Waiter | None = None
    download: Download | None = None
    job: Job | None = None
    order: Order | None = None
    batch: Batch | None = None
    window: ReportWindow | None = None
    columns: dict[str, tuple[Column, ...]] = {}
    chosen: dict[str, tuple[str, ...]] = {}
    naive_zone: str = ""
    groups: tuple[Column, ...] = ()
    sums: dict[str, tuple[Column, ...]] = {}

    @property
    def service(self) -> str:
        """Name of the first port's service, or ""."""
        return self.ports[0].service if self.ports else ""

    @property
    def port(self) -> str:
        """Name of the first port, or ""."""
        return self.ports[0].name if self.ports else ""

    @property
    def binding(self) -> str:
        """Binding of the first port in Clark notation, or ""."""
        return self.ports[0].binding if self.ports else ""

    @property
    def address(self) -> str:
        """Address of the first port, or ""."""
        return self.ports[0].address if self.ports else ""
