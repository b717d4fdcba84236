"""Settings of a package that are not in a WSDL: signing, faults, paging, jobs and columns."""

# Without `from __future__ import annotations`, as in `schema`.

from typing import Final, Literal

import msgspec

from soapclient.runtime.schema import PortRow


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Immutable base class of all sections of the settings."""


class Signing(Section, frozen=True, kw_only=True):
    """How calls are signed.

    `service_name` is the service's name in the string to sign. `roles` maps the roles of the signing scheme
    to the names of the authentication elements. The first role is the caller's identity. `roles` is empty if
    signatures are sent only in HTTP headers or in the query. If `also_in_headers` is True, the signature of
    an envelope is also sent in HTTP headers, unless the setting `signature_placement` says otherwise.

    >>> from zxws.publisher.service import PACKAGE
    >>> signing = PACKAGE.settings.signing
    >>> print(signing.scheme, signing.identity, signing.roles["signature"])
    zxws connect_id signature
    """

    scheme: str
    service_name: str = ""
    roles: dict[str, str] = {}
    also_in_headers: bool = False

    @property
    def identity(self) -> str:
        """The role of the caller's identity: the first role, or "" if there are no roles."""
        return next(iter(self.roles), "")


class Paging(Section, frozen=True, kw_only=True):
    """The elements for the pages of a list, and their limits.

    `page` is the element for the page number, and `first` the number of the first page. `items` is the
    element for the page size; `default` is its default value and `most` its maximum. `total` is the
    response's element for the total number of items, or "" if responses do not have it.

    >>> from zxws.publisher.service import PACKAGE
    >>> paging = PACKAGE.settings.paging
    >>> range(paging.first, paging.first + 3), min(200, paging.most)  # three pages of 200 items, if allowed
    (range(0, 3), 50)
    """

    page: str
    items: str
    first: int
    default: int
    most: int
    total: str = ""


class FaultShape(Section, frozen=True, kw_only=True):
    """The detail element of a fault, and the meaning of its codes.

    `code`, `reason` and `error_id` are children of `element`. `authentication` and `transient` are the codes
    that mean an authentication error or a transient error.

    >>> from zxws.publisher.service import PACKAGE
    >>> fault = PACKAGE.settings.fault
    >>> print(fault.element, 503 in fault.transient, 403 in fault.authentication)
    SOAPException True True
    """

    element: str
    code: str
    reason: str
    error_id: str
    authentication: frozenset[int]
    transient: frozenset[int]


class Waiter(Section, frozen=True, kw_only=True):
    """Settings for waiting until a job ends: the meaning of its states, and the intervals of polling.

    `waiting`, `done`, `failed` and `expired` are sets of states. A state in none of these sets is reported as
    contract drift, and otherwise treated like a state in `waiting`: the job is polled again.

    `delay` is the time between the first two polls. Each further interval is `factor` times longer, up to
    `most`. Times are in seconds.

    >>> from zxws.data.service import PACKAGE
    >>> waiter = PACKAGE.settings.waiter
    >>> print("running" in waiter.waiting, "canceled" in waiter.failed, waiter.delay, waiter.most)
    True True 0.5 30.0
    """

    waiting: frozenset[str]
    done: frozenset[str]
    failed: frozenset[str]
    expired: frozenset[str]
    delay: float
    factor: float
    most: float


class Job(Section, frozen=True, kw_only=True):
    """The operations that order, poll and list jobs, and the fields of a job (`a.b` if they are nested).

    - `order`, `poll`, `list`: names of methods. `list` returns the account's jobs; None if there is no such
      operation.
    - `poll_id`: the field of the polling request that takes the job id. `poll_type`: the type of this field.
      "" means the same type as in the job.
    - `item`: the field of the polling response that contains the job. "" if the response itself is the job.
    - `ordered_id`: the field of the ordering response that contains the job id. None if this response
      contains the complete job, in the field `item`.
    - `listed_id`, `type`, `created`: fields of a job in the response of `list`: its id, its type and its time
      of creation. If `listed_id` is None, the field `id` has the id.
    - All other attributes: fields of a job in the polling response, such as `id`. None if there is no such
      field.

    >>> from zxws.data.service import PACKAGE
    >>> job = PACKAGE.settings.job
    >>> print(job.order, job.poll, job.item, job.url)
    create_report_job get_job job_item download_url
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
"""The kind of the values of an order's field. It is "date" also for a date-time that stands for a day."""


class OrderField(Section, frozen=True, kw_only=True):
    """A field of the request that orders a job.

    `field` is the Python attribute, joined by dots if it is nested. `wire` is the path of element names in
    the contract, and `types` are the classes of the structures on this path. `several`: the field takes a
    list.

    >>> from zxws.data.service import PACKAGE
    >>> field = PACKAGE.settings.order.filters["date_type"]
    >>> print(field.field, field.wire, *field.values)
    date_type dateType clickDate trackingDate modifiedDate
    """

    field: str
    wire: str
    form: OrderForm = "text"
    several: bool = False
    types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()  # all allowed values, if the contract has a list of them


ORDER_KEYWORDS: Final = frozenset(
    (
        *("self", "report_type", "from_date", "to_date", "columns", "group_by"),
        *("ledger", "reorder", "output", "until", "settle", "tolerance"),
    )
)
"""Keywords of the methods that order a report. A filter of the same name gets an underscore at its end."""

_ORDER_KEYS: Final = {"report_type": "type", "from_date": "from", "to_date": "to"}


class Order(Section, frozen=True, kw_only=True, rename=_ORDER_KEYS):
    """The fields of the request that orders a report job. Attributes have the names of arguments of `export`.

    A field is None if the contract does not have it. `operation` is the ordering operation's name in the
    contract. `separator` joins the names in `columns` and in `group_by` if the field is one text. `filters`
    are all other fields by their keywords, `removed` the names of filters of earlier versions.

    A row of a report has several dates. The filter named `date_type` selects one of them; the default is the
    date in the column `default_date`. A report contains the rows for which this date is from `from_date` to
    `to_date`.

    >>> from zxws.data.service import PACKAGE
    >>> order = PACKAGE.settings.order
    >>> print(order.operation, order.from_date.wire, *list(order.filters)[:3])
    CreateReportJob fromDate date_type review_state currency
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
        """The fields except filters, as a dict from the name of the argument of `export` to the field.

        The value is None if the contract does not have the field.
        """
        return {
            "report_type": self.report_type,
            "from_date": self.from_date,
            "to_date": self.to_date,
            "columns": self.columns,
            "group_by": self.group_by,
        }

    @property
    def fields(self) -> dict[str, OrderField]:
        """All fields that the contract has, including filters, by the names of the arguments of `export`."""
        roles = {name: field for name, field in self.roles.items() if field is not None}
        return roles | self.filters


class Download(Section, frozen=True, kw_only=True):
    """How to download the file of a finished job.

    `fallback_path` is the path of the file if the job does not contain its URL. `{id}` is the job's id.

    >>> from zxws.data.service import PACKAGE
    >>> download = PACKAGE.settings.download
    >>> print(download.fallback_path.format(id="42"), download.compression)
    /jobs/job/id/42/download gzip-csv
    """

    fallback_path: str
    compression: str


class Batch(Section, frozen=True, kw_only=True):
    """The maximum number of partner codes in one request (`most`).

    `instead` is a text that names the methods without this limit. The error for a larger request quotes it.

    >>> from zxws.advertiser.service import PACKAGE
    >>> codes, most = [f"A{number}" for number in range(60)], PACKAGE.settings.batch.most
    >>> [len(codes[start : start + most]) for start in range(0, len(codes), most)]
    [25, 25, 10]
    """

    most: int
    instead: str = ""


class ReportWindow(Section, frozen=True, kw_only=True):
    """The days that a report may cover, and the groupings that cannot be combined.

    A report can begin at most `days_back` days before today. `apart` lists values of the argument `group_by`
    of which a request may contain only one.

    >>> import datetime as dt
    >>> from zxws.advertiser.service import PACKAGE
    >>> window = PACKAGE.settings.window
    >>> print(dt.date(2026, 11, 1) - dt.timedelta(days=window.days_back), window.apart)
    2026-08-03 ('day', 'month')
    """

    days_back: int
    apart: tuple[str, ...]


class Column(msgspec.Struct, frozen=True, array_like=True):
    """A column of an exported file: its header and the XSD type of its cells.

    >>> from zxws.data.service import PACKAGE
    >>> for column in PACKAGE.settings.columns["click"][:2]:
    ...     print(column.name, column.type)
    clickId xsd:long
    clickDate xsd:dateTime
    """

    name: str
    type: str


class Settings(Section, frozen=True, kw_only=True):
    """All settings of a package: everything in `schema.json` except types and operations.

    `sha256` is the hash of the contract in one file. `service`, `port`, `binding` and `address` are the
    values of the first port, or "" if there is no port. `messages`: the package has a file `messages.xsd`,
    the schema of messages that no other schema declares (RPC style). `compiles`: libxml2 can compile the
    schemas in bounded time and memory. `naive_zone` is the zone for date-times without a zone; if it is
    empty, such date-times stay naive.

    For exports:

    - `columns`: the columns of each report type.
    - `chosen`: the report types whose orders can select columns. Each report type is mapped to keys of
      `columns`; the order can select the columns that `columns` has under these keys.
    - `groups`: the columns by which a report can be grouped.
    - `sums`: by report type, the columns that a grouped report sums up.

    >>> from zxws.data.service import PACKAGE
    >>> settings = PACKAGE.settings
    >>> print(settings.service, settings.address, *settings.columns)
    DataService https://data.invalid/soap/2011-05-01 click clickin lead sale ...
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
