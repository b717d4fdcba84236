"""Unpack gzip as it arrives, checking the length and the CRC of every member."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zlib import _Decompress

_GZIP: Final = 31  # zlib's window bits for "gzip, and nothing else"
MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 1 << 20  # bytes; a small file can hold gigabytes of zeros


class NotGzip(Exception):
    """The data does not begin as gzip does."""


class Damaged(Exception):
    """The data begins as gzip, but is not whole; the text says how."""


class Gunzip:
    """Takes a gzip file in pieces, gives its content in pieces of bounded size."""

    def __init__(self) -> None:
        self._head = b""
        self._started = False
        self._member: _Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give what `data` adds to the content. Raises NotGzip or Damaged."""
        if not self._started:
            data = self._head + data
            if not MAGIC.startswith(data[:2]):
                raise NotGzip
            if len(data) < len(MAGIC):
                self._head = data
                return
            self._started = True
        while data:
            if self._member is None:
                data = data.lstrip(b"\0")  # padding between and after members, as gzip allows it
                if not data:
                    return
                self._member = zlib.decompressobj(_GZIP)
            try:
                piece = self._member.decompress(data, _PIECE)
            except zlib.error as error:
                raise Damaged(str(error)) from None
            if piece:
                yield piece
            if self._member.eof:
                data = self._member.unused_data
                self._member = None
            else:
                data = self._member.unconsumed_tail

    def finish(self) -> None:
        """Raise NotGzip or Damaged unless the data ended where a member did."""
        if not self._started:
            raise NotGzip
        if self._member is not None:
            raise Damaged("it is cut off")
