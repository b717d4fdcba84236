"""Files made of an export: whole under their name or not there, with the numbers of what was written."""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from soapclient.exports.part_file import PartFile


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written. `size` is in bytes, `sha256` is that of the file, in hex."""

    path: Path
    rows: int
    size: int
    sha256: str


class NewFile(io.RawIOBase):
    """Write-only stream to `path`, which takes its name with `finish` alone; left otherwise, it is removed.

    Raises ValueError for the path of the `source`, ExportError if another is writing the file, OSError where
    the file system refuses.
    """

    def __init__(self, path: str | os.PathLike[str], source: Path) -> None:
        target = Path(path)
        if target.exists() and target.samefile(source):
            raise ValueError(f"{target} is the export itself; name another file")
        self._part = PartFile(target)
        self._part.restart()
        self._hash = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> NewFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._part.__exit__(kind, error, trace)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # any buffer is bytes to what is below
        self._part.write(data)
        self._hash.update(data)
        count = memoryview(data).nbytes
        self._size += count
        return count

    def finish(self, rows: int) -> Written:
        """Bring the file to the disk and give it its name."""
        self._part.finish()
        return Written(self._part.target, rows, self._size, self._hash.hexdigest())
