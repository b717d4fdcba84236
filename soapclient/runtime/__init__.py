"""What every generated package stands on. Written by hand, the only such part of `zxws`.

Knows Python, the shape of an lxml element (a Protocol) and nothing of any carrier; what any WSDL may need
beyond that (elements that are written, values of any type) is in modules of its own, loaded by those alone.
"""

from soapclient.runtime.errors import DecodeError, EncodeError, path_of
from soapclient.runtime.leaves import Choice, Scalar
from soapclient.runtime.operation import (
    AnyOperation,
    Caller,
    ItemPages,
    ItemStream,
    ListOperation,
    OnPage,
    Operation,
    PageCaller,
    PageFields,
    StreamCaller,
)
from soapclient.runtime.protocols import Kept, KeptValue, Node, Reader, Wire, WireValue, Writer
from soapclient.runtime.reader import CountingReader, Finding
from soapclient.runtime.rest import RestForm
from soapclient.runtime.tables import (
    Batch,
    Column,
    Download,
    FaultShape,
    Job,
    Paging,
    ReportWindow,
    Signing,
    Tables,
    Waiter,
)

__all__ = [
    "AnyOperation",
    "Batch",
    "Caller",
    "Choice",
    "Column",
    "CountingReader",
    "DecodeError",
    "Download",
    "EncodeError",
    "FaultShape",
    "Finding",
    "ItemPages",
    "ItemStream",
    "Job",
    "Kept",
    "KeptValue",
    "ListOperation",
    "Node",
    "OnPage",
    "Operation",
    "PageCaller",
    "PageFields",
    "Paging",
    "Reader",
    "ReportWindow",
    "RestForm",
    "Scalar",
    "Signing",
    "StreamCaller",
    "Tables",
    "Waiter",
    "Wire",
    "WireValue",
    "Writer",
    "path_of",
]
