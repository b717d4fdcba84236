"""The types of a contract's tables: what its WSDL cannot say and `contracts.toml` says instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """How calls are signed: the service's name in the text to sign, and the authentication elements."""

    service_name: str
    connect_id: str
    timestamp: str
    nonce: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """The elements that page a list, and their bounds."""

    page: str
    items: str
    total: str
    first: int
    default: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultShape:
    """The fault's detail element, its children, and what its codes mean."""

    element: str
    code: str
    reason: str
    error_id: str
    authentication: frozenset[int]
    transient: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Which operations order and tell a job, and which of its fields say what.

    `order` and `poll` are operations, `poll_id` the polling request's field for the job's id, `item` the
    reply's field with the job; the others are fields of the job, None where the contract has no such field.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Where a finished job's file lies when the job does not say; `{id}` is the job's id."""

    fallback_path: str
    compression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """How many partner codes one request may hold: more are asked for in several. `instead` says by what."""

    most: int
    instead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWindow:
    """Which days a report may ask for, and which of its groups exclude each other. `days_back` is counted
    from today; the last day is not included."""

    days_back: int
    apart: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an exported file: its header and the XSD type of its cells."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All that is known of a contract beside its operations. `sha256` is that of its documents in one file.

    `service`, `port`, `binding` and `address` are empty where the contract is a schema without SOAP. Of
    exports, `columns` are those of each report type; `chosen` names the report types whose columns an order
    chooses, and those whose columns these are; `groups` is what a report can be grouped by, `sums` what each
    report type then sums up.
    """

    name: str
    version: str
    namespace: str
    sha256: str
    service: str = ""
    port: str = ""
    binding: str = ""
    address: str = ""
    signing: Signing | None = None
    fault: FaultShape | None = None
    paging: Paging | None = None
    waiter: Waiter | None = None
    download: Download | None = None
    job: Job | None = None
    batch: Batch | None = None
    window: ReportWindow | None = None
    columns: Mapping[str, tuple[Column, ...]] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: tuple[Column, ...] = ()
    sums: Mapping[str, tuple[Column, ...]] = field(default_factory=dict)
