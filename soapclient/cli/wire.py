"""What `soapclient call` has sent and received: shown as it was on the wire, and the last response kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import click
import requests

from soapclient._support.redaction import HIDDEN, redact, redacted_headers
from soapclient.transport.listening import Listener


class Wire(Listener):
    """Listens to a session. With `show` requests and responses go to stderr, without signatures, credentials
    and `secrets`.
    """

    def __init__(self, *, show: bool, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._show = show
        self._secrets = tuple(secrets)
        self._shown = True  # the body of the response so far

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
        super().received(response)
        self._shown = False

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
