"""Observers of the requests and responses of a session, for `soapclient call --trace` and the console."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import requests
from requests.adapters import BaseAdapter

_OPEN: Final = frozenset({"user-agent", "accept", "accept-encoding", "connection"})


class Observer:
    """Observes a session. Subclasses show the requests and responses.

    `body` is the decoded body of the last response, as far as it was read; None if there was no response.
    """

    def __init__(self) -> None:
        self._body: bytearray | None = None

    @property
    def body(self) -> bytes | None:
        """The decoded body of the last response, as far as it was read; None without a response."""
        return None if self._body is None else bytes(self._body)

    def listen(self, session: requests.Session) -> None:
        """Observe all requests that the session sends from now on."""
        own = {name.lower() for name in session.headers} - _OPEN  # set by the user, such as an API key
        for prefix, adapter in list(session.adapters.items()):
            session.mount(prefix, _ObservedAdapter(adapter, self, own))

    def sent(self, request: requests.PreparedRequest, own: Iterable[str]) -> None:
        """Called before a request is sent.

        `own` are the names, in lower case, of the user's headers, whose values must not be shown.
        """

    def failed(self) -> None:
        """Called when sending a request failed, so that no head of a response arrived."""

    def progressed(self) -> None:
        """Called after each read of a part of the body."""

    def received(self, response: requests.Response) -> None:
        """Called when the head of a response has arrived. From then on, `body` grows as the body is read."""
        self._body = body = bytearray()
        read = response.raw.read1

        def read1(*args: Any, **kwargs: Any) -> bytes:  # same signature as in urllib3
            """Read from the body as usual, and keep a copy of the bytes."""
            chunk: bytes = read(*args, **kwargs)
            body.extend(chunk)
            self.progressed()
            return chunk

        response.raw.read1 = read1  # type: ignore[method-assign] # the only method that the transport reads with


class _ObservedAdapter(BaseAdapter):
    """Wraps an adapter of a session, and reports its requests and responses to an observer."""

    def __init__(self, adapter: BaseAdapter, observer: Observer, own: Iterable[str]) -> None:
        super().__init__()
        self._adapter = adapter
        self._observer = observer
        self._own = own

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """Send a request with the wrapped adapter."""
        self._observer.sent(request, self._own)
        try:
            response = self._adapter.send(request, *args, **kwargs)
        except BaseException:
            self._observer.failed()
            raise
        self._observer.received(response)
        return response

    def close(self) -> None:
        """Close the wrapped adapter."""
        self._adapter.close()
