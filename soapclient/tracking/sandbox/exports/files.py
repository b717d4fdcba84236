"""The file of an export job: gzip-compressed CSV. Equal export requests give equal bytes.

Rows are compressed while they are generated. Small files are kept in memory. Large files share one unnamed
temporary file, so that any number of jobs needs a single file descriptor. The operating system deletes the
temporary file when its last user closes it, even after a crash.
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
_BLOCK = 256 * 1024  # bytes; files that are not much larger are kept in memory
_TRAILER = 8  # bytes at the end of a gzip file, including the CRC


class ExportFile:
    """A gzip file that a background thread writes. Its attributes are valid after `wait` returns True.

    - rows: number of CSV rows without the header.
    - size: bytes of the complete compressed file.
    - length: bytes that can be read, fewer than `size` if the file was truncated.
    - etag: a hash of the content.
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
        weakref.finalize(self, self._stop.set)  # also if the sandbox is never closed
        threading.Thread(
            target=_build, args=(weakref.ref(self), blocks, damage, self._done, self._stop), daemon=True
        ).start()

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for the file. Return True if it is complete."""
        return self._done.wait(seconds)

    def open(self) -> IO[bytes]:
        """Open the file for one reader, with its own position. Raises FileNotFoundError after `close`."""
        content = self._content
        if content is None:
            raise FileNotFoundError("the file of this job has been removed")
        return content.reader()

    def close(self) -> None:
        """Stop writing and remove the file. Open readers can continue."""
        self._stop.set()
        self._content = None

    def _finish(self, rows: int, size: int, etag: str, content: _Content) -> None:
        """Store the results of the background thread. After this, the file can be opened."""
        self.rows, self.size, self.length, self.etag = rows, size, content.length, etag
        self._content = content
        if self._stop.is_set():  # closed in the meantime
            self._content = None


class _SharedFile:
    """The unnamed temporary file that holds all large export files of a process, in numbered blocks."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this
        self._lock = threading.Lock()  # guards the shared file position
        self._free: deque[int] = deque()
        self._blocks = 0
        weakref.finalize(self, self._file.close)

    def put(self, block: bytes) -> int:
        """Write a block and return its number."""
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

    def get(self, number: int, start: int, length: int) -> bytes:
        """Read up to `length` bytes of the block with this number, from the offset `start` in the block."""
        with self._lock:
            self._file.seek(number * _BLOCK + start)
            return self._file.read(length)

    def give_back(self, numbers: list[int]) -> None:
        """Mark blocks as free. Takes no lock because the garbage collector can call this at any moment."""
        self._free.extend(numbers)


# By process id: after a fork, parent and child must not share a file position.
_SHARED_FILES: weakref.WeakValueDictionary[int, _SharedFile] = weakref.WeakValueDictionary()
_SHARED_FILES_LOCK = threading.Lock()


def _shared_file() -> _SharedFile:
    """Return the temporary file for the large export files of this process. Created at the first call."""
    with _SHARED_FILES_LOCK:
        shared = _SHARED_FILES.get(os.getpid())
        if shared is None:
            shared = _SHARED_FILES[os.getpid()] = _SharedFile()
        return shared


class _Content(io.RawIOBase):
    """The bytes of one export file: written once, then read by any number of readers."""

    def __init__(self) -> None:
        self.length = 0
        self._shared: _SharedFile | None = None
        self._blocks: list[int] = []
        self._tail = bytearray()  # bytes that are not in a block yet

    def write(self, data: ReadableBuffer) -> int:
        """Append bytes, moving full blocks to the shared file."""
        self._tail += data
        count = memoryview(data).nbytes
        self.length += count
        while len(self._tail) >= _BLOCK + _TRAILER:  # the trailer stays in memory to be damaged
            self._put(_BLOCK)
        return count

    def complete(self, damage: str | None) -> None:
        """Finish writing, and damage the file if `damage` is not None.

        "truncated" makes the second half of the file unreadable. Any other text makes the CRC wrong.
        """
        if damage == "truncated":
            self.length //= 2
        elif damage is not None:
            self._tail[-_TRAILER] ^= 0xFF
        if self._blocks:
            self._put(len(self._tail))

    def _put(self, count: int) -> None:
        """Move the first `count` bytes that are still in memory to a block of the shared file."""
        if self._shared is None:
            self._shared = _shared_file()
            weakref.finalize(self, self._shared.give_back, self._blocks)
        self._blocks.append(self._shared.put(bytes(self._tail[:count])))
        del self._tail[:count]

    def reader(self) -> io.BufferedReader:
        """Return a new file object that reads the content from its start."""
        return io.BufferedReader(_Reader(self))

    def piece(self, start: int, length: int) -> bytes:
        """Return up to `length` bytes from the position `start` on. Returns b"" at the end."""
        length = min(length, self.length - start)
        if length <= 0:
            return b""
        number, offset = divmod(start, _BLOCK)
        if self._shared is None:
            return bytes(self._tail[start : start + length])
        return self._shared.get(self._blocks[number], offset, min(length, _BLOCK - offset))


class _Reader(io.RawIOBase):
    """Reads the content of an export file, from its own position in the file."""

    def __init__(self, file: _Content) -> None:
        self._file = file
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._file.length}[whence]
        self._position = begin + offset
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        block = self._file.piece(self._position, len(view))
        view[: len(block)] = block
        self._position += len(block)
        return len(block)


def _build(
    owner: weakref.ref[ExportFile],
    blocks: Iterable[tuple[int, bytes]],
    damage: str | None,
    done: threading.Event,
    stop: threading.Event,
) -> None:
    """Write the content of an export file. Runs in a background thread.

    - `owner`: a weak reference to the file, so that the file can be garbage-collected before the thread ends.
      If an error occurs, it is stored in the file's `error`.
    - `blocks`: pieces of CSV, each as (number of its rows, bytes).
    - `damage`: see `_Content.complete`.
    - `done`: this function sets the event at its end.
    - `stop`: the caller sets the event to end this function early.
    """
    try:
        _fill(owner, blocks, damage, stop)
    except Exception as error:  # any error must end the job in the state `failed`
        file = owner()
        if file is not None:
            file.error = f"{type(error).__name__}: {error}"
    done.set()


def _fill(
    owner: weakref.ref[ExportFile],
    blocks: Iterable[tuple[int, bytes]],
    damage: str | None,
    stop: threading.Event,
) -> None:
    """Compress `blocks` until `stop` is set, and store the result in the file. Arguments as for `_build`."""
    content, rows = _Content(), 0
    # Without name and time in the header, the same rows give the same bytes. Level 1 is fast.
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
        file._finish(rows, size, etag, content)
