"""Look through a gzip-csv file as it passes: is it whole, how long, how many rows, which SHA-256."""

from __future__ import annotations

import hashlib

from soapclient.exports.gunzip import MAGIC, Damaged, Gunzip
from soapclient.exports.records import RecordCounter


class Inspection:
    """Takes the file in pieces; NotGzip and Damaged come from `feed` and `finish`."""

    def __init__(self) -> None:
        self.size = 0
        self._hash = hashlib.sha256()
        self._gunzip = Gunzip()
        self._counter = RecordCounter()

    @property
    def rows(self) -> int:
        """The records so far but the header."""
        return max(0, self._counter.records - 1)

    @property
    def exact(self) -> bool:
        """Whether `rows` can be believed: the quotes stand where they should, and no line is blank."""
        return self._counter.exact

    @property
    def sha256(self) -> str:
        """Of the file as it is, in hex."""
        return self._hash.hexdigest()

    def feed(self, chunk: bytes) -> None:
        """Take the next piece."""
        self.size += len(chunk)
        self._hash.update(chunk)
        for piece in self._gunzip.feed(chunk):
            if self._counter.records == 0 and piece.startswith(MAGIC):
                raise Damaged("it is packed twice")
            self._counter.feed(piece)

    def finish(self) -> None:
        """Take the end."""
        self._gunzip.finish()
