"""Output streams that tolerate write errors, such as a closed pipe (`head`) or a full disk.

After an error, further output is discarded silently.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class ForgivingFile(io.FileIO):
    """A file that never raises write errors. After the first error, it discards all data.

    `gone` is then True, and `failed` is the error, or None if the reader closed the pipe.
    """

    gone = False
    failed: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data, or discard it if a write failed. Returns the number of bytes in `data`."""
        if not self.gone:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.gone = True
                self.failed = None if isinstance(error, BrokenPipeError) else error
        return memoryview(data).nbytes


@contextmanager
def forgiving_output() -> Iterator[ForgivingFile | None]:
    """Ignore errors of writing to stdout and stderr in a `with` block.

    Yields the `ForgivingFile` of stdout, or None if stdout does not write to a file descriptor.
    """
    original = sys.stdout, sys.stderr
    file, sys.stdout = _make_forgiving(original[0])
    _, sys.stderr = _make_forgiving(original[1])
    try:
        yield file
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # None if the process was started without it
                stream.flush()
        sys.stdout, sys.stderr = original


def _make_forgiving(stream: TextIO) -> tuple[ForgivingFile | None, TextIO]:
    """Wrap a stream so that write errors are ignored.

    Returns the ForgivingFile, which ignores the errors, and the text stream that writes to this file. Returns
    (None, stream) if the stream does not write to a file descriptor.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return None, stream
    # Without buffering, the buffer is the raw file
    raw: object = getattr(stream.buffer, "raw", stream.buffer)
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
