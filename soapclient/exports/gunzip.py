"""Unpack gzip as it arrives, checking the length and the CRC of every member.

With isal where it is installed, which is several times faster.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable
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
        self._begin, self._broken = _library()

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
                self._member = self._begin(_GZIP)
            try:
                piece = self._member.decompress(data, _PIECE)
            except self._broken as error:
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


def _library() -> tuple[Callable[[int], _Decompress], type[Exception]]:
    """Return what begins a member, and what it raises for one that is damaged."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib.decompressobj, zlib.error
    # Its objects have all that zlib's have; its stubs take the error's class for an instance.
    return (
        cast("Callable[[int], _Decompress]", isal_zlib.decompressobj),
        cast("type[Exception]", isal_zlib.error),
    )
