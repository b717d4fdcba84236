"""Export files: CSV and gzip, each compared with Python's own module."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Final

from soapclient.errors import ExportError, ResponseError
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.gzip_csv import Damaged, Inspection, NotGzip, RecordCounter

from .mutation import lines, of_bytes, value
from .target import Seed, Target, Wrong, words_of

_HEADERS: Final = MappingProxyType(
    {
        "sale": "id,trackingDate,modifiedDate,amount,currency,commission,reviewState,adspace,program",
        "click": "id,trackingDate,adspace,adspaceId,program,programId",
    }
)
_ROWS: Final = (
    b'a1,2026-11-01T10:00:00+01:00,2026-11-02T10:00:00+01:00,12.50,EUR,1.25,open,"Blog, one",5\n'
    b'a2,2026-11-01T10:00:00+01:00,,0.00,EUR,0,confirmed,"say ""x""",\n'
    b'a3,2026-11-01T10:00:00Z,2026-11-02,1,USD,1e1,open,"two\nlines",7\n'
)


# ---- CSV


class _Csv:
    """CSV as in exports. We must read what Python's csv module reads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "export.csv.gz"
        self.seeds = (
            *(Seed(kind, header.encode() + b"\n" + _ROWS) for kind, header in _HEADERS.items()),
            Seed("sale", (_HEADERS["sale"] + "\n").encode() + _ROWS * 20),
            Seed("sale", ("\ufeff" + _HEADERS["sale"] + "\r\n").encode() + _ROWS.replace(b"\n", b"\r\n")),
            Seed("click", b'"id","b"\r"1","2"\r'),
            Seed("nothing", b""),
        )

    def mutated(self, seed: Seed, random: Random) -> bytes:
        if random.random() < 0.2:
            return of_bytes(seed.content, random)
        return lines(seed.content, random, within=_cells)

    def run(self, seed: Seed, content: bytes) -> bool:
        right = _by_csv(content)
        _check_count(content, right)
        return self._opened(seed, content, right)

    def _opened(self, seed: Seed, content: bytes, right: list[list[str]] | None) -> bool:
        """Read through a file. Slow, so only one input in ten."""
        if zlib.crc32(content) % 10:
            return right is not None
        self._path.write_bytes(gzip.compress(content, 1, mtime=0))
        try:
            file = ExportFile.open(self._path, report_type="sale", naive_zone=UTC)
            rows = list(file.raw_rows())
        except (ExportError, ResponseError) as error:
            words_of(error)
            if right is not None:
                raise Wrong(f"csv reads {len(right)} records, and it was refused: {error}") from None
            return False
        if right is None:
            raise Wrong(f"csv refuses it, and {len(rows)} rows were read")
        if rows != right[1:]:
            raise Wrong("rows that are not those of the csv module")
        if file.row_count != max(0, len(right) - 1):
            raise Wrong(f"{file.row_count} rows counted, {len(right) - 1} are there")
        try:
            for _ in file:
                pass
        except ResponseError as error:
            words_of(error)
            return False
        return True


def _cells(line: bytes, random: Random) -> bytes:
    cells = line.split(b",")
    at = random.randrange(len(cells))
    way = random.randrange(6)
    if way == 0:
        del cells[at]
    elif way == 1:
        cells.insert(at, random.choice((b"", b'""', b'"', b'"a', b'a"', b'a"b', b'"a"b', b' "a"', b'"a" ')))
    elif way == 2:
        cells[at] = b'"' + cells[at].replace(b'"', b'""') + b'"'
    elif way == 3:
        cells[at] = random.choice(
            (b'"\r"', b'"\n"', b'"\r\n\r"', b'"\0"', b"\0", b'"' + b"x" * 140_000 + b'"', b"\r")
        )
    else:
        cells[at] = value(random, cells[at].decode("utf-8", "replace")).encode("utf-8", "surrogatepass")
    return b",".join(cells)


def _by_csv(content: bytes) -> list[list[str]] | None:
    """Return the nonblank records according to Python's csv module, or None if it rejects the input."""
    try:
        text = content.decode("utf-8-sig")
        return [cells for cells in csv.reader(io.StringIO(text, newline=""), strict=True) if cells]
    except (csv.Error, UnicodeDecodeError):
        return None


def _check_count(content: bytes, right: list[list[str]] | None) -> None:
    """Compare the record counter with the reader: in one piece, and byte by byte."""
    whole, pieces = RecordCounter(), RecordCounter()
    whole.feed(content)
    step = 1 + len(content) // 500
    for at in range(0, len(content), step):
        pieces.feed(content[at : at + step])
    if (whole.records, whole.exact) != (pieces.records, pieces.exact):
        raise Wrong(f"{whole.records} records in one piece, {pieces.records} in several")
    if right is not None and whole.exact and whole.records != len(right):
        raise Wrong(f"{whole.records} records counted, csv reads {len(right)}")


# ---- gzip


class _Gzip:
    """Gzip files: members, padding, flags, damage. We must read what Python's gzip module reads."""

    def __init__(self, folder: Path) -> None:
        one, more = gzip.compress(b"a,b\n1,2\n", mtime=0), gzip.compress(_ROWS * 3, mtime=0)
        stored = gzip.compress(b"a,b\n" + b"0" * 5000, 0, mtime=0)
        named = b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff\x02\0xxname\0comment\0\0\0" + one[10:]
        bomb = gzip.compress(b"\0" * (300 << 10), 9, mtime=0)
        self.seeds = tuple(
            Seed("gzip", content)
            for content in (
                one, more, one + more, stored, more + b"\0" * 40, one + b"\0" * 3 + one, named, bomb[:9000],
            )
        )  # fmt: skip

    def mutated(self, seed: Seed, random: Random) -> bytes:
        content = seed.content
        way = random.randrange(6)
        if way == 0:
            return content[: random.randrange(len(content) + 1)]
        if way == 1:
            other = random.choice(self.seeds).content
            return content + random.choice((b"", b"\0", b"\0" * 600, b"x", b"\x1f", b"\x1f\x8b")) + other
        if way == 2:
            head = bytearray(content)
            head[random.randrange(min(12, len(head)))] = random.choice(
                (0, 1, 2, 4, 8, 16, 31, 32, 64, 128, 255)
            )
            return bytes(head)
        if way == 3:
            tail = bytearray(content)
            tail[-random.randint(1, min(8, len(tail)))] ^= 1 << random.randrange(8)
            return bytes(tail)
        if way == 4:
            return gzip.compress(of_bytes(content, random), random.randrange(10), mtime=0)
        return of_bytes(content, random)

    def run(self, seed: Seed, content: bytes) -> bool:
        try:
            right: bytes | None = gzip.decompress(content)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            right = None
        except Exception as error:  # a truncated header
            if type(error).__name__ != "error":  # struct.error
                raise
            right = None
        said = ""
        found = Inspection()
        step = 1 + zlib.crc32(content) % 97
        try:
            for at in range(0, len(content), step):
                found.feed(content[at : at + step])
            found.finish()
        except (NotGzip, Damaged) as error:
            said = str(error) or "no gzip"
        if not said and right is None:
            raise Wrong("gzip refuses it, and it was taken")
        if not said and right is not None:
            counter = RecordCounter()
            counter.feed(right)
            if found.rows != max(0, counter.records - 1):
                raise Wrong(f"{found.rows} rows, of what gzip unpacks {counter.records - 1}")
        # zlib checks flags and checksums of headers, which gzip ignores. An empty file is not an export.
        beyond = said in ("no gzip", "it is compressed twice") or _SPECIAL.search(content) is not None
        if said and right is not None and not beyond:
            raise Wrong(f"gzip unpacks {len(right)} bytes, and it was refused: {said}")
        return not said


# The header of a member with a header checksum or unknown flags.
_SPECIAL: Final = re.compile(
    rb"\x1f\x8b.[\x02\x03\x06\x07\x0a\x0b\x0e\x0f\x12\x13\x16\x17\x1a-\x1b\x1e-\xff]", re.DOTALL
)


TARGETS: Final[Sequence[Target]] = (
    Target("gzip", 90_000, _Gzip),
    Target("csv", 130_000, _Csv),
)
