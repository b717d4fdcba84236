"""A gzip-csv file on disk as records of text, in constant memory."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from soapclient.errors import ExportError, ReplyError


def records(path: Path, where: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """Give (line, cells) of each record, the header among them; `line` is the record's last, from 1.

    Blank lines are left out. Raises ReplyError, with the line, for text that is not UTF-8 or not CSV, and
    ExportError for a file that is not whole. `where` names the file in errors.
    """
    where = where or path.name
    broken: tuple[type[Exception], ...] = (gzip.BadGzipFile, EOFError, zlib.error, *_isal_errors())
    line = 0
    # utf-8-sig: a byte order mark is no part of the first column's name
    with open_gzip(path) as packed, io.TextIOWrapper(packed, "utf-8-sig", newline="") as text:
        reader = csv.reader(text, strict=True)
        try:
            for cells in reader:
                line = reader.line_num
                if cells:
                    yield line, cells
        except csv.Error as error:
            raise ReplyError(f"{where} line {line + 1}", str(error), "CSV as RFC 4180 has it") from None
        except UnicodeDecodeError as error:
            found = repr(error.object[error.start : error.end])
            raise ReplyError(f"{where} after line {line}", found, "text in UTF-8") from None
        except broken as error:
            raise ExportError(f"{path}: the file is damaged ({error}). Download it again.") from None


def header_of(path: Path, where: str | None = None) -> tuple[str, ...]:
    """Return the names in the first record; none if the file holds no record."""
    for _, cells in records(path, where):
        return tuple(cells)
    return ()


def count_rows(path: Path) -> int:
    """Count the records after the header, slowly and without assumptions about quotes."""
    return max(0, sum(1 for _ in records(path)) - 1)


def open_gzip(path: Path) -> gzip.GzipFile:
    """Open a gzip file for reading: with isal where it is installed, which is several times faster."""
    try:
        from isal import igzip
    except ImportError:
        return gzip.GzipFile(path, "rb")
    opened: Callable[[Path, str], gzip.GzipFile] = igzip.IGzipFile  # it does not say its own types
    return opened(path, "rb")


def _isal_errors() -> tuple[type[Exception], ...]:
    try:
        from isal import isal_zlib
    except ImportError:
        return ()
    return (cast("type[Exception]", isal_zlib.error),)  # its stubs take the class for an instance
