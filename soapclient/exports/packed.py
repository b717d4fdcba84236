"""An export's content, unpacked as it is read, from the very file that was verified."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from soapclient.errors import ExportError
from soapclient.exports.csv_file import damage_told, open_gzip


@contextmanager
def unpacked(path: Path, sha256: str) -> Iterator[gzip.GzipFile]:
    """Open a gzip file to be read to its end. Raises ExportError if it is damaged.

    So too, when it was read to its end, if it is no longer the file with this SHA-256.
    """
    with damage_told(path), path.open("rb", buffering=0) as raw:
        hashed = _Hashed(raw)
        with open_gzip(path, io.BufferedReader(hashed, 1 << 17)) as content:
            yield content
        if hashed.ended and hashed.sha256 != sha256:
            raise ExportError(f"{path}: the file was changed after it was verified. Open it again.")


class _Hashed(io.RawIOBase):
    def __init__(self, raw: io.FileIO) -> None:
        self._raw = raw
        self._hash = hashlib.sha256()
        self.ended = False

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # what BufferedReader hands in
        count = self._raw.readinto(buffer) or 0
        self._hash.update(buffer[:count])
        self.ended = self.ended or not count
        return count
