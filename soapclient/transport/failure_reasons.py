"""Convert the exception of a failed exchange to a reason in plain words."""

from __future__ import annotations

from soapclient._support.redaction import shown
from soapclient.transport.tls import made_of


def reason_of(error: Exception) -> str:
    """Return why an exchange failed, in plain words.

    Prefers the message of the operating system, because the messages of requests and urllib3 contain the
    representations of Python objects.
    """
    from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected

    causes = list(made_of(error, context=False))
    prefix = "the proxy: " if any(type(cause).__name__ == "ProxyError" for cause in causes) else ""
    for cause in causes:
        if isinstance(cause, IncompleteRead):
            partial: object = cause.partial  # bytes, or the number of bytes in urllib3's subclass
            count = partial if isinstance(partial, int) else len(cause.partial)
            return f"the response broke off after {count:,} bytes"
        if isinstance(cause, RemoteDisconnected):
            return "the server closed the connection without a response"
        if isinstance(cause, BadStatusLine):
            return f"the response is not HTTP: {shown(str(cause))}"
        if isinstance(cause, OSError) and cause.strerror:
            return prefix + cause.strerror
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return f"{type(reason or error).__name__}: {reason or error}"
