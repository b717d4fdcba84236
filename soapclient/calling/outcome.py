"""What a failed attempt means for a write: it was refused, or its outcome is unknown.

One rule for calls and orders (docs/explanation/retries.md#what-proves-that-a-write-was-refused).
"""

from __future__ import annotations

from typing import Final

from soapclient.errors import (
    AmbiguousOutcome,
    BrokenResponse,
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

# Codes of the service's own error that do not say that it refused the request. Success; a redirect; too slow,
# too early, the client went away. Of the codes from 500 on, only 501, 503 and 505 are refusals.
_NOT_A_REFUSAL: Final = frozenset({*range(200, 207), *range(300, 400), 408, 425, 499})
_TURNED_AWAY: Final = frozenset({501, 503, 505})


def classify(error: Exception, operation: str, request_id: str, *, safe: bool) -> None:
    """Raise AmbiguousOutcome from the error of an attempt if it was a write that may have been processed."""
    if safe:
        return
    if isinstance(error, TransportError | ServiceFault | BrokenResponse):
        if not surely_refused(error):
            raise AmbiguousOutcome(operation, _what_failed(error), request_id) from error
    elif isinstance(error, ResponseError):
        error.add_note(f"{operation} was processed: its response came, only not as the contract says")


def surely_refused(error: Exception) -> bool:
    """Return True if an error proves that the service did not process the request.

    This is the only table of proofs. An HTTP status alone proves nothing: a gateway can send any status
    after it forwarded the request.
    """
    match error:
        case ConfigError() | ContractError() | UnsupportedByProtocol() | ClientClosed():
            return True  # refused by this client
        case TransportError():
            return not error.request_sent
        case ServiceFault():  # the reader of the fault knows what came: see `ServiceFault.not_processed`
            return error.not_processed
    return False


def code_refuses(code: int) -> bool:
    """Return True if this code, in the service's own error, says that the request was not processed.

    Documented are 1xx (an invalid request) and 4xx (no access), see docs/explanation/service.md#fault-codes.
    A code in any other error, such as a gateway's, says nothing.
    """
    return (100 <= code < 500 and code not in _NOT_A_REFUSAL) or code in _TURNED_AWAY


def _what_failed(error: TransportError | ServiceFault | BrokenResponse) -> str:
    """Return an error's text without its advice, which is for calls that may be repeated."""
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
