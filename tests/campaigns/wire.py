"""HTTP/1.1 as bytes on a socket: bounded reads of messages, and responses with arbitrary content."""

from __future__ import annotations

import socket
from dataclasses import dataclass, replace
from typing import Final

MOST_HEAD: Final = 1 << 16
MOST_BODY: Final = 1 << 26
_PIECE: Final = 1 << 16

Fields = tuple[tuple[str, str], ...]
"""Header fields in their order."""


class BrokenMessage(Exception):
    """The data is not an HTTP/1.1 message, is too long, or is incomplete."""


@dataclass(frozen=True)
class Head:
    """A start line and its header fields."""

    start: str
    fields: Fields

    def get(self, name: str) -> str:
        """Return the first field with this name (case-insensitive), or an empty string."""
        return next((text for field, text in self.fields if field.lower() == name), "")

    @property
    def length(self) -> int:
        """The value of Content-Length, or 0 if it is missing."""
        text = self.get("content-length") or "0"
        if not (text.isascii() and text.isdigit()) or int(text) > MOST_BODY:
            raise BrokenMessage(f"Content-Length {text[:40]!r}")
        return int(text)

    def with_field(self, name: str, text: str | None) -> Head:
        """Return a copy with this field replaced. If `text` is None, the field is removed."""
        kept = tuple(pair for pair in self.fields if pair[0].lower() != name.lower())
        return replace(self, fields=kept if text is None else (*kept, (name, text)))

    def packed(self) -> bytes:
        """Return the bytes to send, including the final blank line."""
        lines = [self.start, *(f"{name}: {text}" for name, text in self.fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")


@dataclass(frozen=True)
class Response:
    """A complete response, received or to be sent."""

    head: Head
    body: bytes

    @property
    def status(self) -> int:
        return int(self.head.start.split(" ")[1])

    @property
    def media(self) -> str:
        """The media type without parameters."""
        return self.head.get("content-type").partition(";")[0].strip().lower()

    def with_body(self, body: bytes) -> Response:
        """Return a copy with another body and a matching Content-Length."""
        return Response(self.head.with_field("Content-Length", str(len(body))), body)

    def with_field(self, name: str, text: str | None) -> Response:
        """Return a copy with one header field changed. See `Head.with_field`."""
        return replace(self, head=self.head.with_field(name, text))

    def packed(self) -> bytes:
        return self.head.packed() + self.body


def response(status: int, body: bytes, media: str) -> Response:
    fields = (("Content-Type", media), ("Content-Length", str(len(body))))
    return Response(Head(f"HTTP/1.1 {status} As Said", fields if media else fields[1:]), body)


class Incoming:
    """Reads messages from a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._left = b""

    def head(self) -> Head | None:
        """Read the next head. Return None at end of stream. Raises OSError and BrokenMessage."""
        while b"\r\n\r\n" not in self._left:
            if len(self._left) > MOST_HEAD:
                raise BrokenMessage("a head that does not end")
            piece = self._connection.recv(_PIECE)
            if not piece and not self._left:
                return None
            if not piece:
                raise BrokenMessage("the end came in a head")
            self._left += piece
        text, _, self._left = self._left.partition(b"\r\n\r\n")
        start, *lines = text.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        return Head(start, tuple((name.strip(), value.strip()) for name, _, value in pairs))

    def exactly(self, count: int) -> bytes:
        """Read exactly `count` bytes. Raises OSError, and BrokenMessage if there are fewer."""
        while len(self._left) < count:
            piece = self._connection.recv(min(_PIECE, count - len(self._left)))
            if not piece:
                raise BrokenMessage("the end came in a body")
            self._left += piece
        body, self._left = self._left[:count], self._left[count:]
        return body

    def rest(self) -> bytes:
        """Read until end of stream."""
        while len(self._left) <= MOST_BODY and (piece := self._connection.recv(_PIECE)):
            self._left += piece
        body, self._left = self._left, b""
        return body


def ask(address: tuple[str, int], head: Head, body: bytes, seconds: float = 30.0) -> Response:
    """Send a request over a new connection and return the response. Raises OSError and BrokenMessage."""
    with socket.create_connection(address, timeout=seconds) as connection:
        connection.sendall(head.with_field("Connection", "close").packed() + body)
        incoming = Incoming(connection)
        came = incoming.head()
        if came is None:
            raise BrokenMessage("no response")
        told = came.get("content-length")
        bare = head.start.startswith("HEAD ") or came.start.split(" ")[1] in ("204", "304")
        content = b"" if bare else incoming.exactly(came.length) if told else incoming.rest()
        # The caller decides whether to keep its own connection.
        return Response(came.with_field("Connection", None), content)
