"""Show the requests and responses of `soapclient call` on stderr, and keep the body of the last response."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import click
import requests

from soapclient._support.redaction import HIDDEN, redact, redacted_headers
from soapclient.auth.issued import issued
from soapclient.transport.observers import Observer


class ExchangePrinter(Observer):
    """Prints the requests and responses of a session on stderr if `show` is True.

    The body of the last response is kept even if `show` is False. Signatures, credentials and `secrets` are
    not printed.
    """

    def __init__(self, *, show: bool, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._show = show
        self._secrets = tuple(secrets)
        self._shown = True  # whether the body of the last response was shown

    def sent(self, request: requests.PreparedRequest, own: Iterable[str]) -> None:
        """Print a request.

        `own` are the lower-case names of the user's own headers, whose values (such as API keys) are hidden.
        """
        self.finish()
        headers = {"Host": urlsplit(request.url or "").netloc.rpartition("@")[2], **request.headers}
        hidden = {name: HIDDEN if name.lower() in own else value for name, value in headers.items()}
        self._print("> ", f"{request.method} {request.path_url} HTTP/1.1", hidden)
        body = request.body
        if body:
            self._print_body("> ", body.encode() if isinstance(body, str) else bytes(body))

    def received(self, response: requests.Response) -> None:
        """Print the status and headers of a response. Its body is recorded while the client reads it."""
        version = "1.0" if getattr(response.raw, "version", 11) == 10 else "1.1"
        self._print("< ", f"HTTP/{version} {response.status_code} {response.reason}", response.headers)
        super().received(response)
        self._shown = False

    def finish(self) -> None:
        """Print the body of the last response, or the part of it that the client has read."""
        if not self._shown:
            self._shown = True
            self._print_body("< ", bytes(self._body or b""))

    def _print(self, mark: str, line: str, headers: Mapping[str, str]) -> None:
        """Print the first line and the headers of a message. `mark` is put before each line."""
        if self._show:
            lines = [line, *(f"{name}: {value}" for name, value in redacted_headers(headers).items()), ""]
            self._echo(mark, "\n".join(lines))

    def _print_body(self, mark: str, body: bytes) -> None:
        """Print a body. `mark` is put before each line."""
        if self._show and body:
            self._echo(mark, body.decode("utf-8", "backslashreplace"))

    def _echo(self, mark: str, text: str) -> None:
        """Print lines, each after `mark`.

        Control characters are escaped, so that a service cannot control the terminal.
        """
        for line in redact(text, {*self._secrets, *issued.proofs()}).split("\n"):
            expanded = line.removesuffix("\r").expandtabs()
            safe = "".join(char if char.isprintable() else repr(char)[1:-1] for char in expanded)
            click.echo(f"{mark}{safe}".rstrip(), err=True)
