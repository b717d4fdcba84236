"""Where the lines of a request end, and its body (RFC 9112, 2.2 and 6): after some bytes, or in chunks.

Every read has a bound and is checked for what really came. werkzeug's own `DechunkedInput` is not used: where
a connection ends inside a chunk, it claims to have filled the whole buffer, and CPython then copies whatever
lies behind the buffer, or dies of it.
"""

from __future__ import annotations

import re
from email.errors import (
    FirstHeaderLineIsContinuationDefect,
    InvalidHeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)
from email.message import Message
from io import BufferedIOBase

_DRAIN = 64 * 1024 * 1024  # bytes of a refused body that are read, so that its sender sees the refusal
_BLOCK = 1 << 16
_LINE = 4096  # bytes of a chunk's size with its extensions, or of a trailer
_TRAILERS = 100
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n")
# What the email parser records where a header line is none; it drops all that follows, lengths too.
_BROKEN = (
    FirstHeaderLineIsContinuationDefect,
    InvalidHeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)


class BadFraming(Exception):
    """A message whose end cannot be found. `status` is that of HTTP; nothing more can be read there."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class HeaderLines(BufferedIOBase):
    """The lines of a header, as `http.client` reads them. What takes a carriage return for the end of a line,
    as the email parser does, would see other fields than who forwarded the request."""

    def __init__(self, source: BufferedIOBase) -> None:
        self._source = source

    def readline(self, most: int | None = -1, /) -> bytes:
        """The next line. Raises `BadFraming` for one that holds a carriage return or a zero byte."""
        return checked_line(self._source.readline(-1 if most is None else most))


def checked_line(line: bytes) -> bytes:
    """A line as it came. Raises `BadFraming` where a carriage return or a zero byte stands in it."""
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in text or b"\0" in text:
        raise BadFraming("a line holds a carriage return or a zero byte")
    return line


def read_body(
    source: BufferedIOBase, headers: Message[str, str], version: str, most: int
) -> tuple[bytes, bool]:
    """The body, and whether `source` now stands at the next request.

    Of a body of more than `most` bytes at most `most + 1` are returned, or none where its length is given. It
    is read to its end or for 64 MiB. Raises `BadFraming`; OSError other than a timeout as it comes.
    """
    if any(isinstance(defect, _BROKEN) for defect in headers.defects):
        raise BadFraming("a line of the header is no field")
    lengths = headers.get_all("Content-Length", [])
    codings = headers.get_all("Transfer-Encoding", [])
    try:
        if codings:
            _check_codings(codings, lengths, version)
            return _chunked(source, most)
        return _counted(source, _length(lengths), most)
    except TimeoutError as problem:
        raise BadFraming("the body did not come in time") from problem


def _check_codings(codings: list[str], lengths: list[str], version: str) -> None:
    if lengths:
        raise BadFraming("a message has Content-Length or Transfer-Encoding, not both")
    if version < "HTTP/1.1":
        raise BadFraming(f"{version} has no Transfer-Encoding")
    if ",".join(codings).strip(" \t").lower() != "chunked":
        raise BadFraming("the only Transfer-Encoding here is chunked", 501)


def _length(texts: list[str]) -> int:
    if not texts:
        return 0
    text = texts[0].strip(" \t")
    if len(texts) > 1 or not (text.isascii() and text.isdigit() and len(text) < 16):
        raise BadFraming("Content-Length must be one number of bytes")
    return int(text)


def _counted(source: BufferedIOBase, length: int, most: int) -> tuple[bytes, bool]:
    if length > most:
        left = min(length, _DRAIN)
        while left > 0 and (block := source.read(min(left, _BLOCK))):
            left -= len(block)
        return b"", False
    body = source.read(length)
    if len(body) < length:
        raise BadFraming("the body is shorter than its Content-Length")
    return body, True


def _chunked(source: BufferedIOBase, most: int) -> tuple[bytes, bool]:
    body = bytearray()
    left = _DRAIN  # of all that is sent: chunks of one byte have five bytes around it
    while left > 0:
        line = source.readline(_LINE)
        found = _SIZE.fullmatch(line)
        if found is None:
            raise BadFraming("a chunk begins with its size in hexadecimal digits, and the line's end")
        size = int(found[1], 16)
        if size == 0:
            _skip_trailers(source)
            return bytes(body), len(body) <= most
        left -= len(line)
        while size > 0 and left > 0:
            block = source.read(min(size, left, _BLOCK))
            if not block:
                raise BadFraming("the body ends inside a chunk")
            body += block[: most + 1 - len(body)]
            size -= len(block)
            left -= len(block)
        if left > 0 and source.read(2) != b"\r\n":
            raise BadFraming("a chunk is longer than its size, or its end is missing")
    return bytes(body), False


def _skip_trailers(source: BufferedIOBase) -> None:
    for _ in range(_TRAILERS):
        line = checked_line(source.readline(_LINE))
        if line == b"\r\n":
            return
        if not line.endswith(b"\r\n"):  # RFC 9112, 2.2, lets a line feed alone end a line of the header only
            raise BadFraming("the body has no end after its last chunk")
    raise BadFraming(f"there are more than {_TRAILERS} lines after the last chunk")
