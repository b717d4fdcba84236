"""Output that somebody may stop reading, as `head` does, or that a full disk stops: the work goes on, what is
said of it is lost."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ForgivingFile(io.FileIO):
    """A file that takes what its reader no longer does, or its disk; `gone` says that it is so.

    `failed` is the error, unless a reader just went away.
    """

    gone = False
    failed: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, or pretend to."""
        if not self.gone:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.gone = True
                self.failed = None if isinstance(error, BrokenPipeError) else error
        return memoryview(data).nbytes


@contextmanager
def forgiving_output() -> Iterator[ForgivingFile | None]:
    """Within, neither stdout nor stderr fails. Gives stdout's, if it is a file."""
    before = sys.stdout, sys.stderr
    file, sys.stdout = _wrapped(before[0])
    _, sys.stderr = _wrapped(before[1])
    try:
        yield file
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # None where the process was started without one
                stream.flush()
        sys.stdout, sys.stderr = before


def _wrapped(stream: TextIO) -> tuple[ForgivingFile | None, TextIO]:
    if not isinstance(stream, io.TextIOWrapper):
        return None, stream
    raw: object = getattr(stream.buffer, "raw", stream.buffer)  # itself, where Python does not buffer
    if not isinstance(raw, io.FileIO):
        return None, stream
    stream.flush()
    file = ForgivingFile(stream.fileno(), "wb", closefd=False)
    return file, io.TextIOWrapper(
        io.BufferedWriter(file),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
