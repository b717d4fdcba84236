"""Gzip CSV files: decompress and verify them, count their rows, and read their records, in constant memory.

A file can be passed in pieces, as it is downloaded.

If isal is installed, decompression is several times faster.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, cast

from soapclient.errors import ExportError, ResponseError

if TYPE_CHECKING:
    from zlib import _Decompress

_GZIP: Final = 31  # zlib's window bits for gzip only
MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 1 << 20  # bytes; a small file can hold gigabytes of zeros
_BLOCK: Final = 1 << 16  # bytes per read
LONGEST_RECORD: Final = 16 << 20  # bytes; a record is held in memory, so a limit stops endless records


class NotGzip(Exception):
    """Raised if data is not gzip: it does not begin with gzip's two-byte signature."""


class Damaged(Exception):
    """Raised if data begins with gzip's signature, but is incomplete or invalid.

    The message has the reason.
    """


class Gunzip:
    """Decompresses a gzip file that is passed in pieces. Yields the content in pieces of bounded size."""

    def __init__(self) -> None:
        self._head = b""
        self._started = False
        self._member: _Decompress | None = None
        self._library = _library()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decompress `data`, the next bytes of the file, and yield the content. Raises NotGzip or Damaged."""
        if not self._started:
            data = self._head + data
            if not MAGIC.startswith(data[:2]):
                raise NotGzip
            if len(data) < len(MAGIC):
                self._head = data
                return
            self._started = True
        while data:
            if self._member is None:
                data = data.lstrip(b"\0")  # gzip allows padding between and after members
                if not data:
                    return
                self._member = self._library.begin(_GZIP)
            try:
                piece = self._member.decompress(data, _PIECE)
            except self._library.broken as error:
                raise Damaged(str(error)) from None
            if piece:
                yield piece
            if self._member.eof:
                data = self._member.unused_data
                self._member = None
            else:
                data = self._member.unconsumed_tail

    def finish(self) -> None:
        """Check, after the last `feed`, that the file is complete. Raises NotGzip or Damaged if it is not."""
        if not self._started:
            raise NotGzip
        if self._member is not None:
            raise Damaged("it is truncated")


class _Library(NamedTuple):
    """A gzip library (zlib or isal).

    `begin` creates a decompressor for one gzip member, `open` opens a file, and `broken` is the exception for
    damaged data.
    """

    begin: Callable[[int], _Decompress]
    open: Callable[..., gzip.GzipFile]
    broken: type[Exception]


def _library() -> _Library:
    try:
        from isal import igzip, isal_zlib
    except ImportError:
        return _Library(zlib.decompressobj, gzip.GzipFile, zlib.error)
    # The objects of isal have the same interface as those in zlib. Its stubs declare the error class as an
    # instance.
    begin = cast("Callable[[int], _Decompress]", isal_zlib.decompressobj)
    return _Library(begin, igzip.IGzipFile, cast("type[Exception]", isal_zlib.error))


_BREAKS: Final = b"\r\n"
# All patterns begin with a literal character: `re` searches for these several times faster than `bytes`.
_TEXT_BEFORE: Final = re.compile(rb'"(?<=[^,\r\n"]")')
_TEXT_AFTER: Final = re.compile(rb'"[^,\r\n"]')
_LONE_RETURN: Final = re.compile(rb"\r(?!\n)")
_BLANK: Final = re.compile(rb"\n\n"), re.compile(rb"\n\r"), re.compile(rb"\r\r")


class RecordCounter:
    """Counts the records that Python's csv.reader would find, including blank lines.

    The data may be passed in pieces of any size. A line break within quotes does not end a record. Assumes
    quotes as in RFC 4180: around complete fields, doubled within them. If a quote is used differently or a
    line is blank, `exact` is False, and only reading the file gives the number of records.
    """

    def __init__(self) -> None:
        self._head: bytes | None = b""  # the first bytes, as long as they may be part of a byte order mark
        self._ended = 0
        self._quoted = False  # the data so far ends within quotes
        self._last = b"\n"  # the last byte outside quotes; `"` after a quoted text
        self._regular = True

    @property
    def records(self) -> int:
        """The number of records so far, including an unfinished one."""
        return self._ended + (self._quoted or self._last not in _BREAKS or bool(self._head))

    @property
    def exact(self) -> bool:
        """True if csv.reader would find the same number of records.

        This is the case if quotes follow RFC 4180 and no line is blank.
        """
        return self._regular and not self._quoted

    def feed(self, data: bytes) -> None:
        """Count the records in the next piece of the unpacked file."""
        if self._head is not None:
            data = self._head + data
            if len(data) < len(BOM_UTF8) and BOM_UTF8.startswith(data):
                self._head = data
                return
            self._head = None
            data = data.removeprefix(BOM_UTF8)
        if not data:
            return
        pieces = data.split(b'"')
        if not self._quoted:
            outside = self._last + b'"'.join(pieces[::2])
        elif len(pieces) > 1:
            outside = self._last + b'"' + b'"'.join(pieces[1::2])
        else:
            return
        self._count(outside)
        if self._regular and (len(pieces) > 1 or self._last == b'"'):
            # Around a quoted text there may only be separators, or a doubled quote.
            self._regular = not (_TEXT_BEFORE.search(outside) or _TEXT_AFTER.search(outside))
        self._quoted ^= len(pieces) % 2 == 0
        self._last = outside[-1:]

    def _count(self, outside: bytes) -> None:
        """Count the ends of records in `outside`, the text outside quotes.

        The first byte of `outside` is the last byte of the previous piece. It is needed to recognise a line
        break across two pieces, and is not counted again.
        """
        lines, returns = outside.count(b"\n"), outside.count(b"\r")
        both = outside.count(b"\r\n") if returns and _LONE_RETURN.search(outside) else returns
        self._ended += lines + returns - both - (self._last in _BREAKS)
        if self._regular:
            possible = (lines > both, returns > 0, returns > both)
            self._regular = not any(
                may_be and blank.search(outside) for may_be, blank in zip(possible, _BLANK, strict=True)
            )


class Inspection:
    """Determines size, hash and number of rows of a gzip CSV file that is passed in pieces.

    `feed` and `finish` raise NotGzip or Damaged.
    """

    def __init__(self) -> None:
        self.size = 0
        self.unpacked = 0  # bytes of decompressed content so far
        self._hash = hashlib.sha256()
        self._gunzip = Gunzip()
        self._counter = RecordCounter()

    @property
    def rows(self) -> int:
        """The number of records so far, without the header."""
        return max(0, self._counter.records - 1)

    @property
    def exact(self) -> bool:
        """True if `rows` is reliable, because quotes follow RFC 4180 and no line is blank."""
        return self._counter.exact

    @property
    def sha256(self) -> str:
        """The SHA-256 of the compressed file, in hex."""
        return self._hash.hexdigest()

    def feed(self, chunk: bytes) -> None:
        """Unpack, count and hash the next piece of the compressed file."""
        self.size += len(chunk)
        self._hash.update(chunk)
        for piece in self._gunzip.feed(chunk):
            if self._counter.records == 0 and piece.startswith(MAGIC):
                raise Damaged("it is compressed twice")
            self.unpacked += len(piece)
            self._counter.feed(piece)

    def finish(self) -> None:
        """Check, after the last piece, that the file is complete. Raises NotGzip or Damaged if it is not."""
        self._gunzip.finish()


def records(path: Path, where: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) for each record, including the header.

    `line` is the number of the record's last line, counted from 1. Blank lines are skipped. Raises
    ResponseError with the line for text that is not UTF-8 or not CSV, and ExportError for an incomplete file.
    `where` names the file in errors.
    """
    with damage_as_export_error(path), open_gzip(path) as packed:
        yield from records_in(packed, where or path.name)


def records_in(
    stream: BinaryIO | gzip.GzipFile, where: str, begin: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Yield the records of a stream of unpacked CSV, like `records`.

    `begin` is the number of lines in the file before the start of the stream. `where` names the file in
    errors.
    """
    line = begin
    bounded = _LimitedStream(stream)
    with io.TextIOWrapper(io.BufferedReader(bounded, _BLOCK), "utf-8", newline="") as text:
        try:
            # A byte order mark is not part of the first column's name. An incomplete one must be an error:
            # Python's utf-8-sig would read it as an empty text.
            first = "" if begin else text.readline().removeprefix("\ufeff")
            reader = csv.reader(chain((first,), text) if first else text, strict=True)
            for cells in reader:
                bounded.left = LONGEST_RECORD
                line = begin + reader.line_num
                if cells:
                    yield line, cells
        except _TooLong:
            limit = f"a record of at most {LONGEST_RECORD} bytes"
            raise ResponseError(f"{where} line {line + 1}", "a longer record", limit) from None
        except csv.Error as error:
            raise ResponseError(
                f"{where} line {line + 1}", str(error), "CSV in the format of RFC 4180"
            ) from None
        except UnicodeDecodeError as error:
            invalid = repr(error.object[error.start : error.end])
            raise ResponseError(f"{where} after line {line}", invalid, "text in UTF-8") from None


class _TooLong(Exception):
    """Raised if a record is longer than LONGEST_RECORD."""


class _LimitedStream(io.RawIOBase):
    """A stream that raises _TooLong after `left` more bytes.

    `records_in` resets `left` to LONGEST_RECORD after each record.
    """

    def __init__(self, stream: BinaryIO | gzip.GzipFile) -> None:
        self._stream = stream
        self.left = LONGEST_RECORD

    def readable(self) -> bool:
        return True

    # BufferedReader always passes a memoryview
    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # narrower than any buffer
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.left -= len(data)
        if self.left < 0:
            raise _TooLong
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def header_of(path: Path, where: str | None = None) -> tuple[str, ...]:
    """Return the column names in the file's first record; an empty tuple if the file has no record.

    `where` names the file in errors.
    """
    for _, cells in records(path, where):
        return tuple(cells)
    return ()


def count_rows(path: Path) -> int:
    """Count the records after the header by reading them (slow). Raises the errors of `records`."""
    return max(0, sum(1 for _ in records(path)) - 1)


def lines_before(path: Path, offset: int) -> int:
    """Count the line breaks in the first `offset` bytes of the unpacked file. Counts like the csv module."""
    count, after_return = 0, False
    with damage_as_export_error(path), open_gzip(path) as packed:
        while offset and (data := packed.read(min(offset, _PIECE))):
            offset -= len(data)
            count += data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            count -= after_return and data.startswith(b"\n")
            after_return = data.endswith(b"\r")
    return count


def open_gzip(path: Path, packed: BinaryIO | None = None) -> gzip.GzipFile:
    """Open a gzip file to read its unpacked content. Uses isal if installed, which is several times faster.

    `packed` is a stream of gzip data. If it is not None, it is read instead of the file at `path`.
    """
    return _library().open(path, "rb", fileobj=packed)


@contextmanager
def damage_as_export_error(path: Path) -> Iterator[None]:
    """Convert errors of the gzip libraries in a `with` block to ExportError."""
    broken = (gzip.BadGzipFile, EOFError, zlib.error, _library().broken)
    try:
        yield
    except broken as error:
        raise ExportError(f"{path}: the file is damaged ({error}). Download it again.") from None


@contextmanager
def unpacked(path: Path, sha256: str) -> Iterator[gzip.GzipFile]:
    """Yield a stream of the unpacked content of a gzip file. Raises ExportError if the file is damaged.

    `sha256` is the expected hash of the file. If the stream was read to its end and the hash differs,
    ExportError is raised, too.
    """
    with damage_as_export_error(path), path.open("rb", buffering=0) as raw:
        hashed = _HashingStream(raw)
        with open_gzip(path, io.BufferedReader(hashed, 1 << 17)) as content:
            yield content
        if hashed.ended and hashed.sha256 != sha256:
            raise ExportError(f"{path}: the file was changed after it was verified. Open it again.")


class _HashingStream(io.RawIOBase):
    def __init__(self, raw: io.FileIO) -> None:
        self._raw = raw
        self._hash = hashlib.sha256()
        self.ended = False

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def readable(self) -> bool:
        return True

    # BufferedReader always passes a memoryview
    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # narrower than any buffer
        count = self._raw.readinto(buffer) or 0
        self._hash.update(buffer[:count])
        self.ended = self.ended or not count
        return count
