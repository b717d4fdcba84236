"""What no WSDL can say of a package, as its settings file says it: signing, faults, paging, jobs, columns."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from soapclient.runtime.schema import PortRow


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the settings: immutable."""


class Signing(Section, frozen=True, kw_only=True):
    """How calls are signed: the scheme, the service's name in the text to sign, and the authentication
    elements."""

    scheme: str
    service_name: str
    connect_id: str
    timestamp: str
    nonce: str
    signature: str


class Paging(Section, frozen=True, kw_only=True):
    """The elements that page a list, and their bounds."""

    page: str
    items: str
    total: str
    first: int
    default: int
    most: int


class FaultShape(Section, frozen=True, kw_only=True):
    """The fault's detail element, its children, and what its codes mean."""

    element: str
    code: str
    reason: str
    error_id: str
    authentication: frozenset[int]
    transient: frozenset[int]


class Waiter(Section, frozen=True, kw_only=True):
    """What a job's states mean, and how to wait. A state named nowhere is read as waiting.

    `delay` is the wait before the second poll, `factor` its growth, `most` the longest wait; all in seconds.
    """

    waiting: frozenset[str]
    done: frozenset[str]
    failed: frozenset[str]
    expired: frozenset[str]
    delay: float
    factor: float
    most: float


class Job(Section, frozen=True, kw_only=True):
    """Which operations order and poll a job, and which of its fields say what.

    `order`, `poll` and `list` are methods; `list` returns the account's jobs, None if there is no such
    operation. `poll_id` is the polling request's field for the job's id, of `poll_type` ("": as the job has
    it). `item` is the response's field with the job, `ordered_id` the field of the order's response with the
    id alone. `type`, `created` and `listed_id` are fields of a listed job (`listed_id` is None if it is
    `id`), the others are fields of the job; None if it has no such field.
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


Form = Literal["text", "date", "int", "decimal", "boolean", "other"]
"""The kind of values that a field of an order takes. A date-time that means a day is a date."""


class OrderField(Section, frozen=True, kw_only=True):
    """A field of an order's request.

    `field` is its attribute, joined by dots if it is nested, `wire` its path in the contract. `types` are the
    classes of the structures on the way. `several`: it takes a list.
    """

    field: str
    wire: str
    form: Form = "text"
    several: bool = False
    types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()  # all allowed ones, if the contract lists them


ORDER_KEYWORDS: Final = frozenset(
    (
        *("self", "report_type", "from_date", "to_date", "columns", "group_by"),
        *("ledger", "reorder", "output", "until", "settle", "tolerance"),
    )
)
"""Keywords of the methods that order; a filter of such a name gets an underscore."""

_ORDER_KEYS: Final = {"report_type": "type", "from_date": "from", "to_date": "to"}


class Order(Section, frozen=True, kw_only=True, rename=_ORDER_KEYS):
    """Which fields of an order say what, by the names that `export` has for them; None if the contract has no
    such field. `operation` is the ordering operation's name in the contract.

    `separator` joins the names of columns and groups if they are one text. `filters` are all other fields by
    their keywords, `removed` those that earlier versions had. `date_type` is the filter that says which date
    the days are compared with, `default_date` the column of that date if an order does not say.
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
        """The fields with a role, by their keywords."""
        return {
            "report_type": self.report_type,
            "from_date": self.from_date,
            "to_date": self.to_date,
            "columns": self.columns,
            "group_by": self.group_by,
        }

    @property
    def fields(self) -> dict[str, OrderField]:
        """All fields that the contract has, by their keywords."""
        roles = {name: field for name, field in self.roles.items() if field is not None}
        return roles | self.filters


class Download(Section, frozen=True, kw_only=True):
    """Where a finished job's file lies when the job does not say; `{id}` is the job's id."""

    fallback_path: str
    compression: str


class Batch(Section, frozen=True, kw_only=True):
    """How many partner codes one request may hold: more are asked for in several. `instead` says by what."""

    most: int
    instead: str = ""


class ReportWindow(Section, frozen=True, kw_only=True):
    """Which days a report may ask for, and which of its groups exclude each other. `days_back` is counted
    from today; the last day is not included."""

    days_back: int
    apart: tuple[str, ...]


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of an exported file: its header and the XSD type of its cells."""

    name: str
    type: str


class Settings(Section, frozen=True, kw_only=True):
    """All that is known of a package beside its types and operations.

    `sha256` is that of its documents in one file. `service`, `port`, `binding` and `address` are those of its
    first port, empty where it has none. `messages`: it has a file `messages.xsd`, the schema of messages that
    no schema declares (RPC style). `compiles`: whether libxml2 takes the schemas, in bounded time and memory.
    `naive_zone` is the zone of date-times that come without one; if it is empty, they stay naive.
    Of exports, `columns` are those of each report type; `chosen` names the report types whose columns an
    order chooses, and those whose columns these are; `groups` is what a report can be grouped by, `sums` what
    each report type then sums up.
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
        return self.ports[0].service if self.ports else ""

    @property
    def port(self) -> str:
        return self.ports[0].name if self.ports else ""

    @property
    def binding(self) -> str:
        return self.ports[0].binding if self.ports else ""

    @property
    def address(self) -> str:
        return self.ports[0].address if self.ports else ""
