"""What every generated package stands on. Written by hand, the only such part of `zxws`.

Knows msgspec-free Python, the shape of an lxml element (a Protocol) and nothing of any carrier.
"""

from zxws._runtime.errors import DecodeError, EncodeError, path_of
from zxws._runtime.leaves import Choice, Scalar
from zxws._runtime.operation import AnyOperation, Caller, ItemStream, ListOperation, Operation, StreamCaller
from zxws._runtime.protocols import Node, Reader, Wire, WireValue, Writer
from zxws._runtime.reader import CountingReader, Finding
from zxws._runtime.tables import Column, Download, FaultShape, Job, Paging, Signing, Tables, Waiter

__all__ = [
    "AnyOperation",
    "Caller",
    "Choice",
    "Column",
    "CountingReader",
    "DecodeError",
    "Download",
    "EncodeError",
    "FaultShape",
    "Finding",
    "ItemStream",
    "Job",
    "ListOperation",
    "Node",
    "Operation",
    "Paging",
    "Reader",
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
