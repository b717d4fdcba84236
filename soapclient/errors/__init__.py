"""All errors, as one small tree: `what failed: why it failed. What to do.`

    SoapClientError
    ├── ConfigError                 a setting is missing or impossible
    ├── ContractError               a request is not valid by the contract; nothing was sent
    ├── UnsupportedByProtocol       not available over SOAP, or over REST
    ├── ClientClosed                called after close()
    ├── ServiceFault                the service returned a fault
    │   └── AuthenticationError     ... because of the credentials or the signature
    ├── TransportError              no usable response
    │   ├── Timeout
    │   ├── ConnectionFailed
    │   ├── AddressRefused          ... because nothing is fetched from this address
    │   └── UnexpectedResponse
    ├── AmbiguousOutcome            a write was sent, and nothing proves whether it was processed
    │   └── AmbiguousOrder          ... of an export
    ├── ResponseError               a response is not valid by the contract
    │   ├── BrokenResponse          ... or incomplete
    │   │   └── MisplacedResponse   ... or the response to another request
    │   └── CellError               ... a cell of an export
    ├── ContractDrift               a response was read, and differs from the contract
    ├── TableError                  a value does not fit its column
    └── ExportError
        ├── JobFailed
        ├── JobExpired
        │   └── JobUnknown
        ├── DeadlineExceeded
        ├── CorruptDownload
        ├── ColumnsDiffer
        ├── NotThisExport           a file belongs to another order
        │   ├── NotThisRequest
        │   ├── NotTheseColumns
        │   └── UnverifiedExport
        ├── LedgerError             a file of the state directory cannot be used
        └── LedgerBusy

Every error can be pickled with all its attributes (for process pools and task queues). Text from
the service is shortened, made printable and redacted.
"""

from soapclient.errors._base import (
    ClientClosed,
    ConfigError,
    ContractError,
    SoapClientError,
    UnsupportedByProtocol,
)
from soapclient.errors._calls import (
    AddressRefused,
    AmbiguousOutcome,
    AuthenticationError,
    BrokenResponse,
    ConnectionFailed,
    ContractDrift,
    MisplacedResponse,
    ResponseError,
    ServiceFault,
    TableError,
    Timeout,
    TransportError,
    UnexpectedResponse,
)
from soapclient.errors._exports import (
    AmbiguousOrder,
    CellError,
    ColumnDrift,
    ColumnsDiffer,
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    JobUnknown,
    LedgerBusy,
    LedgerError,
    NotTheseColumns,
    NotThisExport,
    NotThisRequest,
    UnverifiedExport,
)

__all__ = [
    "AddressRefused",
    "AmbiguousOrder",
    "AmbiguousOutcome",
    "AuthenticationError",
    "BrokenResponse",
    "CellError",
    "ClientClosed",
    "ColumnDrift",
    "ColumnsDiffer",
    "ConfigError",
    "ConnectionFailed",
    "ContractDrift",
    "ContractError",
    "CorruptDownload",
    "DeadlineExceeded",
    "ExportError",
    "JobExpired",
    "JobFailed",
    "JobUnknown",
    "LedgerBusy",
    "LedgerError",
    "MisplacedResponse",
    "NotTheseColumns",
    "NotThisExport",
    "NotThisRequest",
    "ResponseError",
    "ServiceFault",
    "SoapClientError",
    "TableError",
    "Timeout",
    "TransportError",
    "UnexpectedResponse",
    "UnsupportedByProtocol",
    "UnverifiedExport",
]

for _name in __all__:  # the modules below are not public: tracebacks and pickles name this one
    globals()[_name].__module__ = __name__
