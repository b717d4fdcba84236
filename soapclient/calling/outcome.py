"""What a failed attempt means for an operation that may not be repeated: nothing, or that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ClientClosed,
    ConfigError,
    ConnectionFailed,
    ContractError,
    ResponseError,
    ServiceFault,
    Timeout,
    TransportError,
    UnexpectedResponse,
    UnsupportedByProtocol,
)
from soapclient.transport.bodies import BrokenResponse

# See elsewhere what came of it; too slow; too early; the client went away (nginx).
_IN_DOUBT: Final = frozenset({303, 408, 425, 499})
# Not implemented; turned away; no such version of HTTP.
_REFUSED: Final = frozenset({501, 503, 505})
_SUCCESSES: Final = range(200, 207)


@contextmanager
def classified(operation: str, request_id: str, *, safe: bool) -> Iterator[None]:
    """Around one attempt: its failure, as AmbiguousOutcome where an operation that is not `safe` may have
    been processed all the same."""
    try:
        yield
    except (TransportError, ServiceFault, BrokenResponse) as error:
        if safe or surely_refused(error):
            raise
        raise AmbiguousOutcome(operation, _what_failed(error), request_id) from error
    except ResponseError as error:
        if not safe:
            error.add_note(f"{operation} was processed: its response came, only not as the contract says")
        raise


def surely_refused(error: Exception) -> bool:
    """Whether an error shows that the service did not do what it was asked, for calls and orders alike.

    A fault does that by a code of those documented (1xx, 4xx) or by a detail that the contract declares;
    without either, a fault says no more than its status.
    """
    match error:
        case ConfigError() | ContractError() | UnsupportedByProtocol() | AuthenticationError():
            return True
        case ClientClosed():
            return True
        case ServiceFault():
            return error.detail is not None or _refuses(error)
        case UnexpectedResponse():
            return error.status >= 300 and not _in_doubt(error.status)
        case TransportError():
            return not error.request_sent
    return False


def _refuses(fault: ServiceFault) -> bool:
    """Whether the code of a fault says so; one that is none of the service's leaves it to REST's status.

    Without a code of the service's own it is the status: of a success, where a fault came with one.
    """
    if fault.code >= 100 and fault.code not in _SUCCESSES:
        return not _in_doubt(fault.code)
    return fault.status is not None and fault.status >= 300 and not _in_doubt(fault.status)


def _in_doubt(status: int) -> bool:
    return status in _IN_DOUBT or (status >= 500 and status not in _REFUSED)


def _what_failed(error: TransportError | ServiceFault | BrokenResponse) -> str:
    """An error without its advice, which is for those who may repeat the call."""
    match error:
        case Timeout():
            return f"no complete response within {error.seconds:g} seconds"
        case ConnectionFailed():
            return f"the connection to {error.address} broke: {error.reason}"
        case UnexpectedResponse():
            return f"{error.problem}, HTTP status {error.status}"
        case ServiceFault():
            return f"fault {error.fault_code or error.code}: {error.message or error.reason or 'no reason'}"
        case BrokenResponse():
            return f"{error.path} is {error.value or 'missing'}, expected {error.expected}"
    return type(error).__name__
