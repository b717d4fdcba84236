"""Digest authentication (RFC 7616) for requests that must not be sent twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from soapclient.errors import TransportError

if TYPE_CHECKING:
    import requests


def is_digest(session: requests.Session) -> bool:
    """Return True if the auth of a session is the HTTPDigestAuth of the library requests."""
    from requests.auth import HTTPDigestAuth

    return isinstance(session.auth, HTTPDigestAuth)


class Body(Protocol):
    """A response whose body has not been read yet. `read_all` reads it and returns the response."""

    def read_all(self) -> requests.Response: ...


def authorize(
    session: requests.Session,
    prepared: requests.PreparedRequest,
    body_of: Callable[[requests.Response], Body],
    **options: Any,
) -> None:
    """Add the digest authentication to `prepared` before it is sent, so that it is sent only once.

    HTTPDigestAuth would send the request, and send it again after a 401 with a challenge. But a gateway can
    send a 401 after it has forwarded the request, which would then be processed twice. Therefore this
    function sends a copy of the request without its body, as curl does. If the response to the copy has a
    challenge, the answer to the challenge is added to the headers of `prepared`. Otherwise nothing is added.

    `body_of` wraps the response to the copy, so that its body is read within limits. `options` are arguments
    of `session.send`. Raises the errors of sending the copy and of reading the response.
    """
    from soapclient.transport.connections import exchange

    hooks = prepared.hooks["response"]
    own = [hook for hook in hooks if getattr(hook, "__self__", None) is session.auth]
    prepared.hooks["response"] = [hook for hook in hooks if hook not in own]
    empty = prepared.copy()
    empty.body, empty.hooks = b"", {"response": []}
    empty.headers["Content-Length"] = "0"
    empty.headers.pop("Authorization", None)
    outer = exchange.begin(idle=0.0, head=None, request=None)
    try:
        response = session.send(empty, allow_redirects=False, **options)
        body_of(response).read_all()
    except TransportError as error:
        error.request_sent = False
        raise
    finally:
        exchange.end(outer)
    answer = _DigestAdapter()
    response.connection = answer  # type: ignore[assignment] # the hook sends through it
    for hook in own:
        hook(response)
    prepared.headers.update(answer.headers)


class _DigestAdapter:
    """Adapter that sends nothing. HTTPDigestAuth passes it the request with the answer to the challenge.

    The adapter stores the Authorization header of this request.
    """

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}

    # Any, because requests passes its own options here.
    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        from requests import Response

        self.headers = {"Authorization": request.headers["Authorization"]}
        return Response()
