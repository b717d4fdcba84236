"""The file of a job: rows, compressed as they come; the same bytes every time.

A small one is held in memory, large ones together in one file without a name: that is gone with its last
reader, however the process ends, and takes one descriptor, however many jobs there are.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer
_BLOCK = 256 * 1024  # bytes; what has hardly more is held in memory
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


class _Place:
    """The unnamed file that all large files of a process share, in blocks: one descriptor for any number."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this
        self._lock = threading.Lock()  # for the position, which all share
        self._free: deque[int] = deque()
        self._blocks = 0
        weakref.finalize(self, self._file.close)

    def put(self, block: bytes) -> int:
        """Write a block; return its number."""
        with self._lock:
            try:
                number = self._free.pop()
            except IndexError:
                number = self._blocks
                self._blocks += 1
            try:
                self._file.seek(number * _BLOCK)
                view = memoryview(block)
                while view:
                    view = view[self._file.write(view) :]
            except BaseException:
                self._free.append(number)
                raise
        return number

    def get(self, number: int, start: int, most: int) -> bytes:
        """Read a piece of a block."""
        with self._lock:
            self._file.seek(number * _BLOCK + start)
            return self._file.read(most)

    def give_back(self, numbers: list[int]) -> None:
        """Let blocks be used again. Takes no lock: garbage is collected at any moment."""
        self._free.extend(numbers)


_PLACES: weakref.WeakValueDictionary[int, _Place] = (
    weakref.WeakValueDictionary()
)  # of each process, by its id
_PLACES_LOCK = threading.Lock()


def _place() -> _Place:
    with _PLACES_LOCK:
        place = _PLACES.get(os.getpid())
        if place is None:
            place = _PLACES[os.getpid()] = _Place()
        return place


class _Content(io.RawIOBase):
    """The bytes of one file: written once, to its end, then read by any number of readers."""

    def __init__(self) -> None:
        self.length = 0
        self._place: _Place | None = None
        self._blocks: list[int] = []
        self._tail = bytearray()  # what is in no block

    def write(self, data: ReadableBuffer) -> int:
        self._tail += data
        count = memoryview(data).nbytes
        self.length += count
        while len(self._tail) >= _BLOCK + _DAMAGE_AT:  # where damage is done stays at hand
            self._put(_BLOCK)
        return count

    def complete(self, damage: str | None) -> None:
        """Nothing more is written; do the damage."""
        if damage == "truncated":
            self.length //= 2
        elif damage is not None:
            self._tail[-_DAMAGE_AT] ^= 0xFF
        if self._blocks:
            self._put(len(self._tail))

    def _put(self, count: int) -> None:
        if self._place is None:
            self._place = _place()
            weakref.finalize(self, self._place.give_back, self._blocks)
        self._blocks.append(self._place.put(bytes(self._tail[:count])))
        del self._tail[:count]

    def reader(self) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def piece(self, start: int, most: int) -> bytes:
        """Some of the bytes from `start` on, at most so many; none at the end."""
        most = min(most, self.length - start)
        if most <= 0:
            return b""
        number, at = divmod(start, _BLOCK)
        if self._place is None:
            return bytes(self._tail[start : start + most])
        return self._place.get(self._blocks[number], at, min(most, _BLOCK - at))


class _Reader(io.RawIOBase):
    """One reader's own position in a file."""

    def __init__(self, file: _Content) -> None:
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
        block = self._file.piece(self._at, len(view))
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
        _fill(owner, blocks, damage, stop)
    except Exception as problem:  # whatever it is, the job must end in a state that says so
        file = owner()
        if file is not None:
            file.error = f"{type(problem).__name__}: {problem}"
    done.set()


def _fill(
    owner: weakref.ref[ExportFile],
    blocks: Iterable[tuple[int, bytes]],
    damage: str | None,
    stop: threading.Event,
) -> None:
    content, rows = _Content(), 0
    # No name and no time in the header, level 1: the same rows give the same bytes, fast.
    with gzip.GzipFile(filename="", mode="wb", fileobj=content, mtime=0, compresslevel=1) as packed:
        for count, text in blocks:
            if stop.is_set():
                break
            packed.write(text)
            rows += count
    size = content.length
    content.complete(damage)
    with content.reader() as reader:
        etag = hashlib.file_digest(reader, "sha256").hexdigest()[:32]
    file = owner()
    if file is not None:
        file._built(rows, size, etag, content)
