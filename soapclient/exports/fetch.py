"""Find a finished job's file: from its address, by hand through a few redirects, to a reply that holds it."""

from __future__ import annotations

import contextlib
from typing import Final

from soapclient.clock import Deadline
from soapclient.errors import (
    AuthenticationError,
    SoapClientError,
    TransportError,
    UnexpectedReply,
)
from soapclient.exports.address import Home, no_credentials, redirected
from soapclient.exports.http import OPERATION, Getter, Reply
from soapclient.exports.job import JobSnapshot
from soapclient.exports.ranges import NOT_SATISFIABLE, PARTIAL, Since
from soapclient.redaction import excerpt
from soapclient.transport.dates import retry_after

MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_OF_A_PART: Final = frozenset({PARTIAL, NOT_SATISFIABLE})
_HEAD: Final = 2048  # bytes of an error's body that are looked at

_PROBLEMS: Final = {
    404: "the service knows no such file",
    410: "the address of the file has run out, though the job is done",
    409: "the file is not ready yet",
}


class AddressExpired(Exception):
    """Nothing is given at this address any more; the job may tell another. Else `refusal` is the error."""

    def __init__(self, refusal: SoapClientError) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


def fetch(
    getter: Getter, url: str, home: Home, job: JobSnapshot, deadline: Deadline, since: Since | None = None
) -> Reply:
    """GET a file, or the rest of it; return the reply, its body not yet read. The caller closes it.

    Its status is 200; where `since` was asked for, it may be 206 or 416 as well. Credentials go with every
    step as long as the address is the service's own; once a step has led elsewhere, with none that follow.
    Raises AddressExpired, AuthenticationError, UnexpectedReply, ReplyError (an address nothing is fetched
    from) and what the getter raises.
    """
    headers = {} if since is None else since.headers()
    trusted = True
    for _ in range(MOST_REDIRECTS + 1):
        home.check(url, "download address")
        trusted = trusted and home.owns(url)
        reply = getter.get(
            url,
            home.signed_headers if trusted and not home.in_query else no_credentials,
            deadline,
            headers=headers,
            query_for=home.signed_query if trusted and home.in_query else None,
        )
        if reply.status == 200 or (since is not None and reply.status in _OF_A_PART):
            return reply
        try:
            location = reply.headers.get("Location")
            if reply.status not in _REDIRECTS or not location:
                refusal = _refusal(reply, job, trusted)
                # Elsewhere an address that was signed for a time is refused like this when that is over.
                if reply.status == 410 or (not trusted and reply.status in {403, 404}):
                    raise AddressExpired(refusal)
                raise refusal
            url = redirected(url, location)
        finally:
            reply.close()
    raise UnexpectedReply(
        reply.status, None, b"", problem=f"more than {MOST_REDIRECTS} redirects", operation=OPERATION
    )


def unexpected(reply: Reply, body: bytes, problem: str, *, damaged: bool = False) -> UnexpectedReply:
    """Return the error for a response that is not the file; `body` is its start."""
    return UnexpectedReply(
        reply.status,
        reply.headers.get("Content-Type"),
        body,
        problem=problem,
        operation=OPERATION,
        retry_after=retry_after(reply.headers),
        damaged=damaged,
    )


def _refusal(reply: Reply, job: JobSnapshot, trusted: bool) -> SoapClientError:
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
