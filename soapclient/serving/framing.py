"""Read the header lines and the body of a request, so that the end of the request is known.

See RFC 9112, sections 2.2 and 6. All reads are limited, and the received bytes are checked.

werkzeug's `DechunkedInput` is not used: if a connection ends inside a chunk, it claims that it filled the
buffer, and CPython then copies the memory behind the buffer or crashes.
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

_DRAIN = 64 * 1024 * 1024  # bytes of a refused body that are read, so that the client sees the refusal
_BLOCK = 1 << 16
_LINE = 4096  # maximum bytes of a chunk's size line or of a trailer line
_TRAILERS = 100
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n")
# Defects that the email parser records for invalid header lines. It drops all following lines, lengths too.
_BROKEN = (
    FirstHeaderLineIsContinuationDefect,
    InvalidHeaderDefect,
    MisplacedEnvelopeHeaderDefect,
    MissingHeaderBodySeparatorDefect,
)


class BadFraming(Exception):
    """Raised if the end of a request cannot be determined, so that the connection cannot be used any more.

    `status` is the HTTP status of the response.
    """

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


class HeaderLines(BufferedIOBase):
    """A stream from which `http.client` reads the header lines of a request.

    A line with a carriage return inside is refused. The email parser of `http.client` would end the line at
    the carriage return, but a proxy in front of the server may not. If the two see different header fields,
    requests can be smuggled.
    """

    def __init__(self, source: BufferedIOBase) -> None:
        self._source = source

    def readline(self, most: int | None = -1, /) -> bytes:
        """Return the next line, up to `most` bytes.

        Raises BadFraming if the line contains a carriage return or a zero byte.
        """
        return checked_line(self._source.readline(-1 if most is None else most))


def checked_line(line: bytes) -> bytes:
    """Return the line unchanged. Raises BadFraming if it contains a carriage return or a zero byte."""
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in text or b"\0" in text:
        raise BadFraming("a line contains a carriage return or a zero byte")
    return line


def read_body(
    source: BufferedIOBase, headers: Message[str, str], version: str, most: int
) -> tuple[bytes, bool]:
    """Return the body of a request, and a boolean: True if the next request can be read from `source`.

    `version` is the HTTP version, such as `HTTP/1.1`. `most` is the maximum size of the body in bytes. If the
    body is longer, the result is one of:

    - `(b"", False)` if the request has a Content-Length;
    - the first `most + 1` bytes and False if the body is chunked.

    In both cases, up to 64 MiB of the remaining body are read and ignored. Raises BadFraming if the length or
    the chunks are invalid, or if the body does not arrive in time. Other errors of the connection raise
    OSError.
    """
    if any(isinstance(defect, _BROKEN) for defect in headers.defects):
        raise BadFraming("a header line is malformed: it must be a field such as Accept: text/xml")
    lengths = headers.get_all("Content-Length", [])
    codings = headers.get_all("Transfer-Encoding", [])
    try:
        if codings:
            _check_codings(codings, lengths, version)
            return _read_chunked(source, most)
        return _read_counted(source, _length(lengths), most)
    except TimeoutError as problem:
        raise BadFraming("the body did not arrive in time") from problem


def _check_codings(codings: list[str], lengths: list[str], version: str) -> None:
    """Check the Transfer-Encoding of a request.

    `codings` and `lengths` are the values of the headers Transfer-Encoding and Content-Length. Raises
    BadFraming if `codings` is not `chunked`, if there are `lengths`, or if `version` is before HTTP/1.1.
    """
    if lengths:
        raise BadFraming("the request has both Content-Length and Transfer-Encoding")
    if version < "HTTP/1.1":
        raise BadFraming(f"{version} does not allow Transfer-Encoding")
    if ",".join(codings).strip(" \t").lower() != "chunked":
        raise BadFraming("the only supported Transfer-Encoding is chunked", 501)


def _length(texts: list[str]) -> int:
    """Return the length in the Content-Length headers, or 0 if there is no such header.

    Raises BadFraming if there is more than one or if it is invalid.
    """
    if not texts:
        return 0
    text = texts[0].strip(" \t")
    if len(texts) > 1 or not (text.isascii() and text.isdigit() and len(text) < 16):
        got = ", ".join(texts)[:40]
        raise BadFraming(f"Content-Length must be one number of bytes, got {got!a}")
    return int(text)


def _read_counted(source: BufferedIOBase, length: int, most: int) -> tuple[bytes, bool]:
    """Read a body of `length` bytes, its Content-Length. The result is as for `read_body`."""
    if length > most:
        left = min(length, _DRAIN)
        while left > 0 and (block := source.read(min(left, _BLOCK))):
            left -= len(block)
        return b"", False
    body = source.read(length)
    if len(body) < length:
        raise BadFraming("the body is shorter than its Content-Length")
    return body, True


def _read_chunked(source: BufferedIOBase, most: int) -> tuple[bytes, bool]:
    """Read a body with the Transfer-Encoding `chunked`. The result is as for `read_body`."""
    body = bytearray()
    left = _DRAIN  # includes the size lines: a chunk of one byte has five bytes around it
    while left > 0:
        line = source.readline(_LINE)
        match = _SIZE.fullmatch(line)
        if match is None:
            raise BadFraming("a chunk must begin with a line with its size in hexadecimal digits")
        size = int(match[1], 16)
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
    """Read and ignore the trailer fields after the last chunk. Raises BadFraming if they are invalid."""
    for _ in range(_TRAILERS):
        line = checked_line(source.readline(_LINE))
        if line == b"\r\n":
            return
        if not line.endswith(b"\r\n"):  # RFC 9112, 2.2 allows a line feed alone only in the header
            raise BadFraming("the end of the body is missing after the last chunk")
    raise BadFraming(f"more than {_TRAILERS} lines after the last chunk")
