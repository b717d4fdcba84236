"""Runtime library of the generated packages: operations, services, simple types, decoding and settings."""

from soapclient.runtime.asynchronous import AsyncCaller, AsyncItemPages, AsyncItemStream
from soapclient.runtime.errors import DecodeError, EncodeError, path_of
from soapclient.runtime.findings import CountingReader, Finding, FindingKind
from soapclient.runtime.frames import SchemaOptions, TableOptions
from soapclient.runtime.nil import NIL, Nil
from soapclient.runtime.operations import (
    AnyOperation,
    Caller,
    HeaderCaller,
    ItemPages,
    ItemStream,
    ListOperation,
    OnPage,
    Operation,
    PageCaller,
    StreamCaller,
)
from soapclient.runtime.package import OutdatedPackage, Package
from soapclient.runtime.protocols import Kept, KeptValue, Node, Reader, Wire, WireValue
from soapclient.runtime.schema import PagesRow, PortRow, RestRow
from soapclient.runtime.service import (
    AsyncEngine,
    DriftCounts,
    SentAttachments,
    Service,
    ZeepClient,
    ZeepService,
)
from soapclient.runtime.settings import (
    Batch,
    Column,
    Download,
    FaultShape,
    Job,
    Order,
    OrderField,
    OrderForm,
    Paging,
    ReportWindow,
    Settings,
    Signing,
    Waiter,
)
from soapclient.runtime.simple_types import Choice, Scalar

__all__ = [
    "NIL",
    "AnyOperation",
    "AsyncCaller",
    "AsyncEngine",
    "AsyncItemPages",
    "AsyncItemStream",
    "Batch",
    "Caller",
    "Choice",
    "Column",
    "CountingReader",
    "DecodeError",
    "Download",
    "DriftCounts",
    "EncodeError",
    "FaultShape",
    "Finding",
    "FindingKind",
    "HeaderCaller",
    "ItemPages",
    "ItemStream",
    "Job",
    "Kept",
    "KeptValue",
    "ListOperation",
    "Nil",
    "Node",
    "OnPage",
    "Operation",
    "Order",
    "OrderField",
    "OrderForm",
    "OutdatedPackage",
    "Package",
    "PageCaller",
    "PagesRow",
    "Paging",
    "PortRow",
    "Reader",
    "ReportWindow",
    "RestRow",
    "Scalar",
    "SchemaOptions",
    "SentAttachments",
    "Service",
    "Settings",
    "Signing",
    "StreamCaller",
    "TableOptions",
    "Waiter",
    "Wire",
    "WireValue",
    "ZeepClient",
    "ZeepService",
    "path_of",
]
