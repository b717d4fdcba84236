"""Find a finished job's file: from its address, by hand through a few redirects, to a reply that holds it."""

from __future__ import annotations

import contextlib
from typing import Final

from soapclient.clock import Deadline
from soapclient.dates import retry_after
from soapclient.errors import (
    AuthenticationError,
    JobExpired,
    SoapClientError,
    TransportError,
    UnexpectedReply,
)
from soapclient.exports.address import Home, no_credentials, redirected
from soapclient.exports.http import OPERATION, Getter, Reply
from soapclient.exports.job import JobSnapshot
from soapclient.redaction import excerpt

MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEAD: Final = 2048  # bytes of an error's body that are looked at

_PROBLEMS: Final = {
    404: "the service knows no such file",
    409: "the file is not ready yet",
}


def fetch(getter: Getter, url: str, home: Home, job: JobSnapshot, deadline: Deadline) -> Reply:
    """GET a file; return the reply with status 200, its body not yet read. The caller closes it.

    Credentials go with every step as long as the address is the service's own; once a step has led
    elsewhere, with none that follow. Raises JobExpired, AuthenticationError, UnexpectedReply, ReplyError (an
    address nothing is fetched from) and what the getter raises.
    """
    trusted = True
    for _ in range(MOST_REDIRECTS + 1):
        home.check(url, "download address")
        trusted = trusted and home.owns(url)
        reply = getter.get(url, home.signed_headers if trusted else no_credentials, deadline)
        if reply.status == 200:
            return reply
        try:
            location = reply.headers.get("Location")
            if reply.status not in _REDIRECTS or not location:
                raise _refusal(reply, job, trusted)
            url = redirected(url, location)
        finally:
            reply.close()
    raise UnexpectedReply(
        reply.status, None, b"", problem=f"more than {MOST_REDIRECTS} redirects", operation=OPERATION
    )


def unexpected(reply: Reply, body: bytes, problem: str) -> UnexpectedReply:
    """Return the error for a reply that is not the file; `body` is its start."""
    return UnexpectedReply(
        reply.status,
        reply.headers.get("Content-Type"),
        body,
        problem=problem,
        operation=OPERATION,
        retry_after=retry_after(reply.headers),
    )


def _refusal(reply: Reply, job: JobSnapshot, trusted: bool) -> SoapClientError:
    if reply.status == 410:
        return JobExpired(str(job.id))
    body = b""
    with contextlib.suppress(TransportError):  # the status says more than how its explanation broke off
        for chunk in reply.chunks():
            body += chunk
            if len(body) >= _HEAD:
                break
    if trusted and reply.status in {401, 403}:
        return AuthenticationError(reply.status, excerpt(body), operation=OPERATION)
    problem = _PROBLEMS.get(reply.status, "the file was not given")
    return unexpected(reply, body, f"export job {job.id}: {problem}")
