"""What `soapclient call` has sent and received: shown as it was on the wire, and the last response kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import click
import requests
from requests.adapters import BaseAdapter

from soapclient.redaction import HIDDEN, redact, redacted_headers

_OPEN: Final = frozenset({"user-agent", "accept", "accept-encoding", "connection"})


class Wire:
    """Listens to a session. `body` is that of the last response, its content encoding undone; None: none came
    yet.

    With `show` requests and responses go to stderr, without signatures, credentials and `secrets`.
    """

    def __init__(self, *, show: bool, secrets: Iterable[str] = ()) -> None:
        self._body: bytearray | None = None
        self._show = show
        self._secrets = tuple(secrets)
        self._shown = True  # the body of the response so far

    @property
    def body(self) -> bytes | None:
        return None if self._body is None else bytes(self._body)

    def listen(self, session: requests.Session) -> None:
        """Hear of all that this session sends from now on."""
        own = {name.lower() for name in session.headers} - _OPEN  # somebody's for all requests, such as a key
        for prefix, adapter in list(session.adapters.items()):
            session.mount(prefix, _Listening(adapter, self, own))

    def sent(self, request: requests.PreparedRequest, own: Iterable[str]) -> None:
        """A request is about to leave; `own` are names of headers whose values are not shown."""
        self.finish()
        headers = {"Host": urlsplit(request.url or "").netloc.rpartition("@")[2], **request.headers}
        hidden = {name: HIDDEN if name.lower() in own else value for name, value in headers.items()}
        self._print("> ", f"{request.method} {request.path_url} HTTP/1.1", hidden)
        body = request.body
        if body:
            self._print_body("> ", body.encode() if isinstance(body, str) else bytes(body))

    def received(self, response: requests.Response) -> None:
        """The head of a response is there; what is read of its body is kept."""
        version = "1.0" if getattr(response.raw, "version", 11) == 10 else "1.1"
        self._print("< ", f"HTTP/{version} {response.status_code} {response.reason}", response.headers)
        self._body = body = bytearray()
        self._shown = False
        read = response.raw.read1

        def read1(*args: Any, **kwargs: Any) -> bytes:  # as urllib3 has it
            piece: bytes = read(*args, **kwargs)
            body.extend(piece)
            return piece

        response.raw.read1 = read1  # type: ignore[method-assign] # our transport reads by it alone

    def finish(self) -> None:
        """Show what has been read of the last response."""
        if not self._shown:
            self._shown = True
            self._print_body("< ", bytes(self._body or b""))

    def _print(self, mark: str, line: str, headers: Mapping[str, str]) -> None:
        if self._show:
            lines = [line, *(f"{name}: {value}" for name, value in redacted_headers(headers).items()), ""]
            self._echo(mark, "\n".join(lines))

    def _print_body(self, mark: str, body: bytes) -> None:
        if self._show and body:
            self._echo(mark, body.decode("utf-8", "backslashreplace"))

    def _echo(self, mark: str, text: str) -> None:
        """Print lines; what a service sends must not be able to write into a terminal."""
        for line in redact(text, self._secrets).split("\n"):
            plain = line.removesuffix("\r").expandtabs()
            safe = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in plain)
            click.echo(f"{mark}{safe}".rstrip(), err=True)


class _Listening(BaseAdapter):
    """An adapter that says what goes through it."""

    def __init__(self, adapter: BaseAdapter, wire: Wire, own: Iterable[str]) -> None:
        super().__init__()
        self._adapter = adapter
        self._wire = wire
        self._own = own

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        self._wire.sent(request, self._own)
        response = self._adapter.send(request, *args, **kwargs)
        self._wire.received(response)
        return response

    def close(self) -> None:
        self._adapter.close()
