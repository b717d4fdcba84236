"""The file of a job: rows, compressed as they come; the same bytes every time.

A small one is kept in memory, a large one in a file without a name: it is gone with its last reader, however
the process ends.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
import threading
import weakref
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MEMORY = 256 * 1024  # bytes; above that a job takes a file descriptor
_DAMAGE_AT = 8  # the CRC stands in the last eight bytes


class ExportFile:
    """A gzip file being written by a thread of its own. `wait` until `ready`, then read its numbers.

    rows: of the CSV, without the header. size: bytes of the compressed file. etag: from its content. length:
    bytes that are really there, fewer than `size` where it was truncated.
    """

    def __init__(self, blocks: Iterable[tuple[int, bytes]], damage: str | None = None) -> None:
        self.rows = 0
        self.size = 0
        self.length = 0
        self.etag = ""
        self.error: str | None = None
        self._content: _Content | None = None
        self._done = threading.Event()
        self._stop = threading.Event()
        weakref.finalize(self, self._stop.set)  # also when the sandbox is just dropped
        threading.Thread(
            target=_build, args=(weakref.ref(self), blocks, damage, self._done, self._stop), daemon=True
        ).start()

    def wait(self, seconds: float) -> bool:
        """True once the file is complete."""
        return self._done.wait(seconds)

    def open(self) -> IO[bytes]:
        """The file from its beginning, for one reader. Raises FileNotFoundError once it was closed."""
        content = self._content
        if content is None:
            raise FileNotFoundError("the file of this job has been removed")
        return content.reader()

    def close(self) -> None:
        """Stop writing and remove the file; who reads it already reads on."""
        self._stop.set()
        self._content = None

    def _built(self, rows: int, size: int, etag: str, content: _Content) -> None:
        self.rows, self.size, self.length, self.etag = rows, size, content.length, etag
        self._content = content
        if self._stop.is_set():  # in the meantime
            self._content = None


class _Content(Protocol):
    length: int

    def reader(self) -> IO[bytes]: ...


class _InMemory:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self.length = len(content)

    def reader(self) -> IO[bytes]:
        return io.BytesIO(self._content)


class _OnDisk:
    """A file known by its descriptor alone, which closes with the last who holds this."""

    def __init__(self, descriptor: int, length: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()  # for the position, which all readers share
        self.length = length
        weakref.finalize(self, os.close, descriptor)

    def reader(self) -> IO[bytes]:
        return io.BufferedReader(_Reader(self))

    def read(self, start: int, most: int) -> bytes:
        with self._lock:
            os.lseek(self._descriptor, start, os.SEEK_SET)
            return os.read(self._descriptor, most)


class _Reader(io.RawIOBase):
    """One reader's own position in a shared file."""

    def __init__(self, file: _OnDisk) -> None:
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.length}[whence]
        self._at = begin + offset
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        block = self._file.read(self._at, len(view))
        view[: len(block)] = block
        self._at += len(block)
        return len(block)


def _build(
    owner: weakref.ref[ExportFile],
    blocks: Iterable[tuple[int, bytes]],
    damage: str | None,
    done: threading.Event,
    stop: threading.Event,
) -> None:
    try:
        with tempfile.SpooledTemporaryFile(max_size=_MEMORY) as raw:
            rows = _write(raw, blocks, stop)
            size = raw.tell()
            if damage is not None:
                _spoil(raw, size, damage)
            raw.seek(0)
            etag = hashlib.file_digest(raw, "sha256").hexdigest()[:32]
            length = raw.tell()
            raw.seek(0)
            on_disk = length > _MEMORY
            content = _OnDisk(os.dup(raw.fileno()), length) if on_disk else _InMemory(raw.read())
        file = owner()
        if file is not None:
            file._built(rows, size, etag, content)
    except Exception as problem:  # whatever it is, the job must end in a state that says so
        file = owner()
        if file is not None:
            file.error = f"{type(problem).__name__}: {problem}"
    done.set()


def _write(raw: IO[bytes], blocks: Iterable[tuple[int, bytes]], stop: threading.Event) -> int:
    rows = 0
    # No name and no time in the header, level 1: the same rows give the same bytes, fast.
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=1) as packed:
        for count, text in blocks:
            if stop.is_set():
                break
            packed.write(text)
            rows += count
    return rows


def _spoil(raw: IO[bytes], size: int, damage: str) -> None:
    if damage == "truncated":
        raw.truncate(size // 2)
        return
    raw.seek(size - _DAMAGE_AT)
    crc = raw.read(1)
    raw.seek(size - _DAMAGE_AT)
    raw.write(bytes([crc[0] ^ 0xFF]))
