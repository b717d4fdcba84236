"""What the sandbox says when it refuses: one exception, one table of codes.

The ranges are the service's own (`docs/explanation/service.md#fault-codes`): 1xx an invalid request, 4xx
access denied. The single codes inside them are this sandbox's choice; nothing public records them.
"""

from __future__ import annotations

from enum import IntEnum

from soapclient.serving import faults
from soapclient.serving.faults import InvalidValue as InvalidValue


class Code(IntEnum):
    """Why a request was refused."""

    MALFORMED = faults.MALFORMED  # no XML, no envelope, a DOCTYPE, several body children, an rpc-shaped body
    MEDIA_TYPE = 101
    UNKNOWN_OPERATION = 102
    INVALID = 103  # the schema refuses it
    SOAP_ACTION = 104
    OUT_OF_RANGE = 105  # a value the schema allows and the service does not
    REMOVED = 106
    UNKNOWN_VALUE = 107
    UNKNOWN_ID = 108
    TAKEN = 109  # there is one already
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
    OWN_RESPONSE = 502  # what we were about to send breaks the contract; REST sends the name of a code


class Busy(InvalidValue):
    """Come back later: `retry_after` seconds later, if given. HTTP says it over both protocols."""

    def __init__(self, retry_after: int | None) -> None:
        super().__init__(Code.BUSY, "too much to do; ask again later")
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}


def http_status(code: int) -> int:
    """The HTTP status of a refusal over REST (SOAP always says 500)."""
    if code == Code.TOO_LARGE:
        return 413
    if code == Code.MEDIA_TYPE:
        return 415
    if code == Code.OWN_RESPONSE or code > 599:
        return 500
    return 400 if code < 400 else int(code)


def title(code: int) -> str:
    """A short message that goes with the code."""
    if code < 400:
        return "invalid request"
    if code in (Code.NO_ID, Code.DENIED):
        return "access denied"
    return Code(code).name.replace("_", " ").lower() if code in set(Code) else "refused"
