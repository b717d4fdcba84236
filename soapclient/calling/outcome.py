"""Decide if a failed write was certainly not processed, or if its outcome is unknown.

Calls and pending orders use the same rule (docs/explanation/retries.md#what-proves-that-a-write-was-refused).
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
    SecurityError,
    ServiceFault,
    Timeout,
    TransportError,
    UnexpectedResponse,
    UnsupportedByProtocol,
)

# Codes in an error body of the service that do not prove a refusal: success, redirect, timeout, too early,
# client closed. Of the codes from 500 on, only 501, 503 and 505 prove a refusal.
_NOT_A_REFUSAL: Final = frozenset({*range(200, 207), *range(300, 400), 408, 425, 499})
_TURNED_AWAY: Final = frozenset({501, 503, 505})


def classify(error: Exception, operation: str, request_id: str, *, safe: bool) -> None:
    """Raise AmbiguousOutcome if a write that failed with `error` may have been processed.

    If the service has sent a complete but invalid response, the write was processed: in this case, a note is
    added to `error`, and nothing is raised. A response that is not signed or encrypted as required proves
    nothing. Does nothing if the call is `safe` (not a write).
    """
    if safe:
        return
    if isinstance(error, TransportError | ServiceFault | BrokenResponse | SecurityError):
        if not surely_refused(error):
            raise AmbiguousOutcome(operation, _what_failed(error), request_id) from error
    elif isinstance(error, ResponseError):
        error.add_note(
            f"The request was processed: the service responded to {operation}, but the response is not valid."
        )


def surely_refused(error: Exception) -> bool:
    """Return True if an error proves that the service did not process the request.

    An HTTP status alone is not a proof, because a gateway can send any status after it has forwarded the
    request. All code that needs this rule calls this function.
    """
    match error:
        case ConfigError() | ContractError() | UnsupportedByProtocol() | ClientClosed():
            return True  # refused by this client
        case TransportError():
            return not error.request_sent
        case ServiceFault():  # set by the code that read the fault
            return error.not_processed
    return False


def code_refuses(code: int) -> bool:
    """Return True if a code in an error body of the service means that the request was not processed.

    The documented codes are 1xx (invalid request) and 4xx (no access), see
    docs/explanation/service.md#fault-codes. A code in another error, such as a gateway's, proves nothing.
    """
    return (100 <= code < 500 and code not in _NOT_A_REFUSAL) or code in _TURNED_AWAY


def _what_failed(error: TransportError | ServiceFault | BrokenResponse | SecurityError) -> str:
    """Return what failed, for the message of AmbiguousOutcome.

    The advice in the error's own message is left out. It may be to retry, which is wrong for a write.
    """
    match error:
        case Timeout():
            return f"no complete response within {error.seconds:g} seconds"
        case ConnectionFailed():
            return f"the connection to {error.address} broke: {error.reason}"
        case UnexpectedResponse():
            return f"{error.problem}, HTTP status {error.status}"
        case ServiceFault():
            return f"fault {error.fault_code or error.code}: {error.message or error.reason or 'no reason'}"
        case SecurityError():
            return f"the response is not secured as required: {error.problem}"
        case BrokenResponse():
            return f"{error.path} is {error.value or 'missing'}, expected {error.expected}"
    return type(error).__name__
