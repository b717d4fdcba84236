"""Errors of the sandbox: the error codes, their HTTP statuses and titles, and the exception `Busy`.

The ranges of codes are the service's own (`docs/explanation/service.md#fault-codes`): 1xx means an invalid
request, 4xx means access denied. The individual codes are chosen by this sandbox; no public source records
them.
"""

from __future__ import annotations

from enum import IntEnum

from soapclient.serving import faults
from soapclient.serving.faults import InvalidValue as InvalidValue


class Code(IntEnum):
    """The error codes, which give the reason why the sandbox refused a request."""

    MALFORMED = faults.MALFORMED  # not XML, not an envelope, a DOCTYPE, several body children, RPC style
    MEDIA_TYPE = 101
    UNKNOWN_OPERATION = 102
    INVALID = 103  # rejected by the schema
    SOAP_ACTION = 104
    OUT_OF_RANGE = 105  # valid in the schema, but not accepted by the service
    REMOVED = 106
    UNKNOWN_VALUE = 107
    UNKNOWN_ID = 108
    TAKEN = 109  # the item exists already
    TOO_LARGE = faults.TOO_LARGE
    UNCHANGEABLE = 111
    BAD_PARAMETER = 230
    NO_ID = 401
    DENIED = 403
    NOT_FOUND = 404
    METHOD = 405
    NOT_DONE = 409
    EXPIRED = 410
    INTERNAL = 500
    NOT_IMPLEMENTED = 501
    BUSY = 503
    OWN_RESPONSE = 502  # the sandbox's own response breaks the contract; REST sends the name of a code


class Busy(InvalidValue):
    """An error that is sent as HTTP 503, over SOAP and over REST.

    `retry_after` is sent as the Retry-After header, in seconds. If it is None, the header is omitted.
    """

    def __init__(self, retry_after: int | None) -> None:
        super().__init__(Code.BUSY, "the service is busy; retry later")
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}


def http_status(code: int) -> int:
    """Return the HTTP status over REST for an error with this code. SOAP always uses 500."""
    if code == Code.TOO_LARGE:
        return 413
    if code == Code.MEDIA_TYPE:
        return 415
    if code == Code.OWN_RESPONSE or code > 599:
        return 500
    return 400 if code < 400 else int(code)


def title(code: int) -> str:
    """Return a short text for the code, such as `access denied`."""
    if code < 400:
        return "invalid request"
    if code in (Code.NO_ID, Code.DENIED):
        return "access denied"
    return Code(code).name.replace("_", " ").lower() if code in set(Code) else "refused"
