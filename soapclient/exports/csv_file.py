"""A gzip-csv file on disk as records of text, in constant memory."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from soapclient.errors import ExportError, ReplyError

_PIECE = 1 << 20  # bytes


def records(path: Path, where: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Give (line, cells) of each record, the header among them; `line` is the record's last, from 1.

    Blank lines are left out. Raises ReplyError, with the line, for text that is not UTF-8 or not CSV, and
    ExportError for a file that is not whole. `where` names the file in errors.
    """
    with damage_told(path), open_gzip(path) as packed:
        yield from records_in(packed, where or path.name)


def records_in(
    stream: BinaryIO | gzip.GzipFile, where: str, begin: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Give the records of unpacked text as `records` does, from where `begin` lines stand before it."""
    line = begin
    # utf-8-sig: a byte order mark is no part of the first column's name
    with io.TextIOWrapper(stream, "utf-8" if begin else "utf-8-sig", newline="") as text:
        reader = csv.reader(text, strict=True)
        try:
            for cells in reader:
                line = begin + reader.line_num
                if cells:
                    yield line, cells
        except csv.Error as error:
            raise ReplyError(f"{where} line {line + 1}", str(error), "CSV as RFC 4180 has it") from None
        except UnicodeDecodeError as error:
            found = repr(error.object[error.start : error.end])
            raise ReplyError(f"{where} after line {line}", found, "text in UTF-8") from None


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
    with damage_told(path), open_gzip(path) as packed:
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
    try:
        from isal import igzip
    except ImportError:
        return gzip.GzipFile(path, "rb", fileobj=packed)
    opened: Callable[..., gzip.GzipFile] = igzip.IGzipFile  # it does not say its own types
    return opened(path, "rb", fileobj=packed)


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Turn what the gzip libraries raise into ExportError."""
    broken: tuple[type[Exception], ...] = (gzip.BadGzipFile, EOFError, zlib.error, *_isal_errors())
    try:
        yield
    except broken as error:
        raise ExportError(f"{path}: the file is damaged ({error}). Download it again.") from None


def _isal_errors() -> tuple[type[Exception], ...]:
    try:
        from isal import isal_zlib
    except ImportError:
        return ()
    return (cast("type[Exception]", isal_zlib.error),)  # its stubs take the class for an instance
