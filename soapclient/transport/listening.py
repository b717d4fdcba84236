"""What a session sends and receives, for those who show it: `soapclient call --trace`, the console."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import requests
from requests.adapters import BaseAdapter

_OPEN: Final = frozenset({"user-agent", "accept", "accept-encoding", "connection"})


class Listener:
    """Listens to a session. `body` is that of the last response, as far as it was read, its content encoding
    undone; None: none came yet."""

    def __init__(self) -> None:
        self._body: bytearray | None = None

    @property
    def body(self) -> bytes | None:
        return None if self._body is None else bytes(self._body)

    def listen(self, session: requests.Session) -> None:
        """Hear of all that this session sends from now on."""
        own = {name.lower() for name in session.headers} - _OPEN  # somebody's for all requests, such as a key
        for prefix, adapter in list(session.adapters.items()):
            session.mount(prefix, _Listening(adapter, self, own))

    def sent(self, request: requests.PreparedRequest, own: Iterable[str]) -> None:
        """A request is about to leave; `own` are names of headers whose values are not to be shown."""

    def received(self, response: requests.Response) -> None:
        """The head of a response is there; what is read of its body is kept."""
        self._body = body = bytearray()
        read = response.raw.read1

        def read1(*args: Any, **kwargs: Any) -> bytes:  # as urllib3 has it
            piece: bytes = read(*args, **kwargs)
            body.extend(piece)
            return piece

        response.raw.read1 = read1  # type: ignore[method-assign] # our transport reads by it alone


class _Listening(BaseAdapter):
    """An adapter that says what goes through it."""

    def __init__(self, adapter: BaseAdapter, listener: Listener, own: Iterable[str]) -> None:
        super().__init__()
        self._adapter = adapter
        self._listener = listener
        self._own = own

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        self._listener.sent(request, self._own)
        response = self._adapter.send(request, *args, **kwargs)
        self._listener.received(response)
        return response

    def close(self) -> None:
        self._adapter.close()
