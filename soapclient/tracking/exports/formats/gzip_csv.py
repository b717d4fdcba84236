"""Gzip CSV: unpack, verify and count it as it arrives, and read its records, in constant memory.

With isal, where it is installed, unpacking is several times faster.
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

_GZIP: Final = 31  # zlib's window bits for "gzip, and nothing else"
MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 1 << 20  # bytes; a small file can hold gigabytes of zeros
_BLOCK: Final = 1 << 16  # bytes that are read at once
LONGEST_RECORD: Final = 16 << 20  # bytes; a record is held as a whole, and a bomb is a record without an end


class NotGzip(Exception):
    """The data does not begin as gzip does."""


class Damaged(Exception):
    """The data begins as gzip, but is not whole; the text says how."""


class Gunzip:
    """Takes a gzip file in pieces, gives its content in pieces of bounded size."""

    def __init__(self) -> None:
        self._head = b""
        self._started = False
        self._member: _Decompress | None = None
        self._library = _library()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give what `data` adds to the content. Raises NotGzip or Damaged."""
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
                data = data.lstrip(b"\0")  # padding between and after members, as gzip allows it
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
        """Raise NotGzip or Damaged unless the data ended where a member did."""
        if not self._started:
            raise NotGzip
        if self._member is not None:
            raise Damaged("it is cut off")


class _Library(NamedTuple):
    """What unpacks: what begins a member, what opens a file, and what both raise for damage."""

    begin: Callable[[int], _Decompress]
    open: Callable[..., gzip.GzipFile]
    broken: type[Exception]


def _library() -> _Library:
    try:
        from isal import igzip, isal_zlib
    except ImportError:
        return _Library(zlib.decompressobj, gzip.GzipFile, zlib.error)
    # Its objects have all that zlib's have; its stubs take the error's class for an instance.
    begin = cast("Callable[[int], _Decompress]", isal_zlib.decompressobj)
    return _Library(begin, igzip.IGzipFile, cast("type[Exception]", isal_zlib.error))


_BREAKS: Final = b"\r\n"
# Patterns that begin with a sign: these `re` looks for several times faster than `bytes` does.
_TEXT_BEFORE: Final = re.compile(rb'"(?<=[^,\r\n"]")')
_TEXT_AFTER: Final = re.compile(rb'"[^,\r\n"]')
_LONE_RETURN: Final = re.compile(rb"\r(?!\n)")
_BLANK: Final = re.compile(rb"\n\n"), re.compile(rb"\n\r"), re.compile(rb"\r\r")


class RecordCounter:
    """Counts the records that Python's csv.reader would find, blank lines among them, whatever the pieces.

    A line break within quotes does not end a record. Quotes are taken to be used as RFC 4180 says: around
    whole fields, doubled within. Where one is not, or a line is blank, `exact` is False: then only a reader
    knows how many records there are.
    """

    def __init__(self) -> None:
        self._head: bytes | None = b""  # the start, as long as it may be part of a byte order mark
        self._ended = 0
        self._quoted = False  # we are within quotes
        self._last = b"\n"  # the last byte outside quotes; `"` stands for all that was within a pair of them
        self._regular = True

    @property
    def records(self) -> int:
        """How many there were so far, an unfinished one counted."""
        return self._ended + (self._quoted or self._last not in _BREAKS or bool(self._head))

    @property
    def exact(self) -> bool:
        """Whether the reader finds just these: all quotes stand as they should, and no line is blank."""
        return self._regular and not self._quoted

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
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
            # What was quoted has only separators around it, or quotes that were doubled.
            self._regular = not (_TEXT_BEFORE.search(outside) or _TEXT_AFTER.search(outside))
        self._quoted ^= len(pieces) % 2 == 0
        self._last = outside[-1:]

    def _count(self, outside: bytes) -> None:
        """Count what ends in a text without what is quoted; its first byte was counted before."""
        lines, returns = outside.count(b"\n"), outside.count(b"\r")
        both = outside.count(b"\r\n") if returns and _LONE_RETURN.search(outside) else returns
        self._ended += lines + returns - both - (self._last in _BREAKS)
        if self._regular:
            possible = (lines > both, returns > 0, returns > both)
            self._regular = not any(
                may_be and blank.search(outside) for may_be, blank in zip(possible, _BLANK, strict=True)
            )


class Inspection:
    """Takes the file in pieces; NotGzip and Damaged come from `feed` and `finish`."""

    def __init__(self) -> None:
        self.size = 0
        self.unpacked = 0  # bytes of the content so far
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
            self.unpacked += len(piece)
            self._counter.feed(piece)

    def finish(self) -> None:
        """Take the end."""
        self._gunzip.finish()


def records(path: Path, where: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Give (line, cells) of each record, the header among them; `line` is the record's last, from 1.

    Blank lines are left out. Raises ResponseError, with the line, for text that is not UTF-8 or not CSV, and
    ExportError for a file that is not whole. `where` names the file in errors.
    """
    with damage_as_export_error(path), open_gzip(path) as packed:
        yield from records_in(packed, where or path.name)


def records_in(
    stream: BinaryIO | gzip.GzipFile, where: str, begin: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Give the records of unpacked text as `records` does, from where `begin` lines stand before it."""
    line = begin
    bounded = _Bounded(stream)
    with io.TextIOWrapper(io.BufferedReader(bounded, _BLOCK), "utf-8", newline="") as text:
        try:
            # A byte order mark is no part of the first column's name; half a one is an error, which Python's
            # utf-8-sig takes for an empty text.
            first = "" if begin else text.readline().removeprefix("\ufeff")
            reader = csv.reader(chain((first,), text) if first else text, strict=True)
            for cells in reader:
                bounded.left = LONGEST_RECORD
                line = begin + reader.line_num
                if cells:
                    yield line, cells
        except _TooLong:
            most = f"a record of at most {LONGEST_RECORD} bytes"
            raise ResponseError(f"{where} line {line + 1}", "more without an end", most) from None
        except csv.Error as error:
            raise ResponseError(f"{where} line {line + 1}", str(error), "CSV as RFC 4180 has it") from None
        except UnicodeDecodeError as error:
            found = repr(error.object[error.start : error.end])
            raise ResponseError(f"{where} after line {line}", found, "text in UTF-8") from None


class _TooLong(Exception):
    """A record does not end."""


class _Bounded(io.RawIOBase):
    """A stream of which `left` bytes may be read; whoever has used some up says so."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile) -> None:
        self._stream = stream
        self.left = LONGEST_RECORD

    def readable(self) -> bool:
        return True

    # what BufferedReader hands in
    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # of bytes alone
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
    """Return the names in the first record; none if the file holds no record."""
    for _, cells in records(path, where):
        return tuple(cells)
    return ()


def count_rows(path: Path) -> int:
    """Count the records after the header, slowly: as they are read. Raises what `records` raises."""
    return max(0, sum(1 for _ in records(path)) - 1)


def lines_before(path: Path, offset: int) -> int:
    """Count the line breaks in the first `offset` bytes of the unpacked file, as the csv module does."""
    count, after_return = 0, False
    with damage_as_export_error(path), open_gzip(path) as packed:
        while offset and (data := packed.read(min(offset, _PIECE))):
            offset -= len(data)
            count += data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            count -= after_return and data.startswith(b"\n")
            after_return = data.endswith(b"\r")
    return count


def open_gzip(path: Path, packed: BinaryIO | None = None) -> gzip.GzipFile:
    """Open a gzip file for reading: with isal where it is installed, which is several times faster.

    `packed` is read instead of the file if it is given.
    """
    return _library().open(path, "rb", fileobj=packed)


@contextmanager
def damage_as_export_error(path: Path) -> Iterator[None]:
    """Turn what the gzip libraries raise into ExportError."""
    broken = (gzip.BadGzipFile, EOFError, zlib.error, _library().broken)
    try:
        yield
    except broken as error:
        raise ExportError(f"{path}: the file is damaged ({error}). Download it again.") from None


@contextmanager
def unpacked(path: Path, sha256: str) -> Iterator[gzip.GzipFile]:
    """Open a gzip file to be read to its end. Raises ExportError if it is damaged.

    So too, when it was read to its end, if it is no longer the file with this SHA-256.
    """
    with damage_as_export_error(path), path.open("rb", buffering=0) as raw:
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

    # what BufferedReader hands in
    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # of bytes alone
        count = self._raw.readinto(buffer) or 0
        self._hash.update(buffer[:count])
        self.ended = self.ended or not count
        return count
