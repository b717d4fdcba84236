"""Text of a CSV file in blocks of whole records, cut without parsing."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

_MOST: Final = 1 << 26  # bytes; a block that finds no end by then is left to the slow reader


class Block(NamedTuple):
    """Records, and where they begin: bytes from the beginning of the unpacked file."""

    data: bytes
    offset: int


class Blocks:
    """Cuts a stream into blocks of about `size` bytes, each ending where a record does.

    Quotes are taken to be used as RFC 4180 says; a block cut from a file where they are not may end within a
    record, so whoever reads it has to check that it does not. Where no end of a record comes for long, the
    blocks end before the stream does, and `complete` stays False.
    """

    def __init__(
        self, source: BinaryIO | gzip.GzipFile, size: int, *, begun: bytes = b"", offset: int = 0
    ) -> None:
        self._source = source
        self._size = size
        self._begun = begun
        self._held: list[bytes] = []  # one record that has not ended, looked through already
        self._length = 0  # bytes of it
        self._quoted = False  # it ends within quotes
        self.offset = offset  # where the next block begins
        self.complete = False

    def __iter__(self) -> Iterator[Block]:
        while not self.complete and self._length < _MOST:
            read = self._source.read(self._size)
            self.complete = not read
            piece, self._begun = self._begun + read, b""
            # Counted once: with the unpacking it is what one thread has to do alone.
            quoted = self._quoted ^ (piece.count(b'"') % 2 == 1)
            end = len(piece) if self.complete else self._end_in(piece, quoted)
            self._quoted = quoted
            if end is None:
                self._hold(piece)
                continue
            data = b"".join([*self._held, memoryview(piece)[:end]])
            self._held, self._length = [], 0
            self._hold(piece[end:])
            if data:
                block = Block(data, self.offset)
                self.offset += len(data)
                yield block

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._held.append(piece)
            self._length += len(piece)

    def _end_in(self, piece: bytes, quoted: bool) -> int | None:
        """Return up to where `piece`, which comes after what is held, is whole records; None for nowhere.

        `quoted` tells whether it ends within quotes.
        """
        # A lone carriage return at the very end may be half of a line break.
        before_last = quoted ^ piece.endswith(b'"')
        for sign, length, within in ((b"\n", len(piece), quoted), (b"\r", len(piece) - 1, before_last)):
            end = _last_break(piece, sign, length, within)
            if end:
                return end
        # So it may have been at the end of what is held; by now it is known to be a whole one.
        return 0 if not self._quoted and self._held and self._held[-1].endswith(b"\r") else None


def _last_break(data: bytes, sign: bytes, end: int, quoted: bool) -> int:
    """Return where the last `sign` without quotes ends, 0 for none; `quoted` tells how data[:end] ends."""
    while True:  # backwards, from quote to quote: between two of them all is within or all is without
        quote = data.rfind(b'"', 0, end)
        if not quoted:
            at = data.rfind(sign, quote + 1, end)
            if at >= 0:
                return at + 1
        if quote < 0:
            return 0
        end, quoted = quote, not quoted
