"""The file of a job: rows, compressed as they come, into a temporary file; the same bytes every time."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import tempfile
import threading
import weakref
from collections.abc import Iterable
from pathlib import Path

_DAMAGE_AT = 8  # the CRC stands in the last eight bytes


class ExportFile:
    """A gzip file being written by a thread of its own. `wait` until `ready`, then read its numbers.

    rows: of the CSV, without the header. size: bytes of the compressed file. etag: from its content.
    """

    def __init__(self, blocks: Iterable[tuple[int, bytes]], damage: str | None = None) -> None:
        handle, name = tempfile.mkstemp(prefix="soapclient-sandbox-", suffix=".csv.gz")
        self.path = Path(name)
        self.rows = 0
        self.size = 0
        self.etag = ""
        self.error: str | None = None
        self._done = threading.Event()
        self._stop = threading.Event()
        # Also at exit and when the sandbox is just dropped; the thread holds none of this.
        self._remove = weakref.finalize(self, _discard, self.path, self._stop)
        threading.Thread(
            target=_build,
            args=(weakref.ref(self), handle, self.path, blocks, damage, self._done, self._stop),
            daemon=True,
        ).start()

    def wait(self, seconds: float) -> bool:
        """True once the file is complete."""
        return self._done.wait(seconds)

    def close(self) -> None:
        """Stop writing and remove the file."""
        self._remove()


def _discard(path: Path, stop: threading.Event) -> None:
    stop.set()
    # A system that keeps open files from being removed leaves it to the writer, see `_build`.
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _build(
    owner: weakref.ref[ExportFile],
    handle: int,
    path: Path,
    blocks: Iterable[tuple[int, bytes]],
    damage: str | None,
    done: threading.Event,
    stop: threading.Event,
) -> None:
    rows = 0
    error: str | None = None
    size, etag = 0, ""
    try:
        with os.fdopen(handle, "wb") as raw:
            # No name and no time in the header, level 1: the same rows give the same bytes, fast.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=1) as packed:
                for count, text in blocks:
                    if stop.is_set():
                        break
                    packed.write(text)
                    rows += count
            size = raw.tell()
        if damage is not None:
            _spoil(path, size, damage)
        with path.open("rb") as raw:
            etag = hashlib.file_digest(raw, "sha256").hexdigest()[:32]
    except Exception as problem:  # whatever it is, the job must end in a state that says so
        error = f"{type(problem).__name__}: {problem}"
    if stop.is_set():
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    file = owner()
    if file is not None:
        file.rows, file.size, file.etag, file.error = rows, size, etag, error
    done.set()


def _spoil(path: Path, size: int, damage: str) -> None:
    with path.open("r+b") as raw:
        if damage == "truncated":
            raw.truncate(size // 2)
        else:
            raw.seek(size - _DAMAGE_AT)
            crc = raw.read(1)
            raw.seek(size - _DAMAGE_AT)
            raw.write(bytes([crc[0] ^ 0xFF]))
