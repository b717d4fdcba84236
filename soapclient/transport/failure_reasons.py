"""Convert the exception of a failed exchange to an error of this package, with its reason in plain words."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from soapclient._support.redaction import shown
from soapclient.errors import ConnectionFailed, Timeout, TransportError
from soapclient.transport.limits import Limits
from soapclient.transport.tls import explained, made_of, tls_error


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


def failure(
    error: Exception, address: str, limits: Limits, *, sent: bool, seconds: float | None = None
) -> TransportError:
    """Convert an exception of requests, urllib3 or the system to a Timeout or ConnectionFailed.

    `sent` is True if the request may have been sent, so that a write may have been processed. `seconds` is
    the timeout that expired; by default, the timeout in `limits`.
    """
    import requests
    from urllib3.exceptions import ReadTimeoutError

    if isinstance(error, requests.ConnectTimeout) and not sent:
        reason = "timed out (setting 'connect_timeout')"
        return ConnectionFailed(address, reason, operation=limits.operation, request_sent=False)
    if isinstance(error, requests.Timeout | ReadTimeoutError | TimeoutError):
        return Timeout(limits.operation, seconds or limits.seconds, request_sent=sent)
    reason = reason_of(error)
    explanation, advice = explained(error, urlsplit(address).hostname or "")
    return ConnectionFailed(
        address, f"{reason}{explanation}", operation=limits.operation, request_sent=sent, advice=advice
    )


@contextmanager
def failures(address: str, limits: Limits) -> Iterator[None]:
    """Context manager that converts errors of a custom zeep transport to Timeout or ConnectionFailed."""
    from http.client import HTTPException

    from requests import RequestException
    from urllib3.exceptions import HTTPError

    limits.deadline.check(limits.operation, request_sent=False)
    try:
        yield
    except (RequestException, HTTPError, HTTPException, OSError) as error:
        raise failure(error, address, limits, sent=may_have_been_sent(error)) from error


def may_have_been_sent(error: Exception) -> bool:
    """Return True if a request may have been sent before this error.

    Used only for connections that this library did not open. For its own connections, `connections.exchange`
    records if a request may have been sent.
    """
    from requests.exceptions import ConnectTimeout, ProxyError
    from urllib3.exceptions import NewConnectionError

    reason = getattr(error.args[0], "reason", None) if error.args else None
    connecting = isinstance(error, ConnectTimeout | ProxyError) or isinstance(reason, NewConnectionError)
    # Of all TLS errors, only a refused certificate is certain to come before the request.
    return not connecting and not isinstance(tls_error(error), ssl.SSLCertVerificationError)
