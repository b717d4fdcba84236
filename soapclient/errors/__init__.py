"""All errors of this package. Messages have the form `what failed: why it failed. What to do.`

    SoapClientError
    ├── ConfigError                 a setting or argument is missing or invalid
    ├── ContractError               a request is invalid according to the contract; nothing was sent
    ├── UnsupportedByProtocol       not available over SOAP, or over REST
    ├── ClientClosed                called after close()
    ├── ServiceFault                the service returned a fault
    │   └── AuthenticationError     a fault because of the credentials or the signature
    ├── TransportError              no usable response
    │   ├── Timeout
    │   ├── ConnectionFailed
    │   ├── AddressRefused          the address is not allowed
    │   └── UnexpectedResponse
    ├── AmbiguousOutcome            a write was sent, and it is unknown if it was processed
    │   └── AmbiguousOrder          it is unknown which job belongs to an order of an export
    ├── ResponseError               a response is invalid according to the contract
    │   ├── BrokenResponse          a response is incomplete, or belongs to another operation
    │   │   └── MisplacedResponse   a response belongs to another request
    │   ├── SecurityError           a response is not signed or encrypted as required
    │   └── CellError               a cell of an export is invalid
    ├── ContractDrift               a response differs from the contract
    ├── TableError                  a column cannot hold a value
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

Errors can be pickled with all their attributes, for process pools and task queues. Texts from the service are
shortened, made printable and redacted.
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
    SecurityError,
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
    "SecurityError",
    "ServiceFault",
    "SoapClientError",
    "TableError",
    "Timeout",
    "TransportError",
    "UnexpectedResponse",
    "UnsupportedByProtocol",
    "UnverifiedExport",
]

for _name in __all__:  # so that tracebacks and pickles name this public module
    globals()[_name].__module__ = __name__
