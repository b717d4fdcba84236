"""Blocks of CSV text as record batches by pyarrow's CSV reader, where it reads as the row reader does.

pyarrow takes what XSD does not (`0x10`, `1E3` as a decimal, `True`, a blank for the T, text after a closing
quote) and refuses some that XSD has (`+1`, 24:00:00, a seventh digit of a second). One regular expression
over each block finds both; it runs several times faster than the parsing.
"""

from __future__ import annotations

import csv
import gzip
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from soapclient.exports.formats.columns import cell_type
from soapclient.runtime.settings import Column

_MOST: Final = 1 << 26  # bytes; a block that finds no end by then is left to the slow reader


class Block(NamedTuple):
    """Records, and where they begin: bytes from the beginning of the unpacked file."""

    data: bytes
    offset: int


class Blocks:
    """Cuts a stream into blocks of about `size` bytes, each ending where a record does.

    Quotes are taken to be used as RFC 4180 says; a block cut from a file where they are not may end within a
    record, so whoever reads it has to check that it does not. Where no end of a record comes for long, the
    blocks end before the stream does, and `complete` stays False.
    """

    def __init__(
        self, source: BinaryIO | gzip.GzipFile, size: int, *, begun: bytes = b"", offset: int = 0
    ) -> None:
        self._source = source
        self._size = size
        self._begun = begun
        self._held: list[bytes] = []  # one record that has not ended, looked through already
        self._length = 0  # bytes of it
        self._quoted = False  # it ends within quotes
        self.offset = offset  # where the next block begins
        self.complete = False

    def __iter__(self) -> Iterator[Block]:
        while not self.complete and self._length < _MOST:
            read = self._source.read(self._size)
            self.complete = not read
            piece, self._begun = self._begun + read, b""
            # Counted once: with the unpacking it is what one thread has to do alone.
            quoted = self._quoted ^ (piece.count(b'"') % 2 == 1)
            end = len(piece) if self.complete else self._end_in(piece, quoted)
            self._quoted = quoted
            if end is None:
                self._hold(piece)
                continue
            data = b"".join([*self._held, memoryview(piece)[:end]])
            self._held, self._length = [], 0
            self._hold(piece[end:])
            if data:
                block = Block(data, self.offset)
                self.offset += len(data)
                yield block

    def _hold(self, piece: bytes) -> None:
        if piece:
            self._held.append(piece)
            self._length += len(piece)

    def _end_in(self, piece: bytes, quoted: bool) -> int | None:
        """Return up to where `piece`, which comes after what is held, is whole records; None for nowhere.

        `quoted` tells whether it ends within quotes.
        """
        # A lone carriage return at the very end may be half of a line break.
        before_last = quoted ^ piece.endswith(b'"')
        for sign, length, within in ((b"\n", len(piece), quoted), (b"\r", len(piece) - 1, before_last)):
            end = _last_break(piece, sign, length, within)
            if end:
                return end
        # So it may have been at the end of what is held; by now it is known to be a whole one.
        return 0 if not self._quoted and self._held and self._held[-1].endswith(b"\r") else None


def _last_break(data: bytes, sign: bytes, end: int, quoted: bool) -> int:
    """Return where the last `sign` without quotes ends, 0 for none; `quoted` tells how data[:end] ends."""
    while True:  # backwards, from quote to quote: between two of them all is within or all is without
        quote = data.rfind(b'"', 0, end)
        if not quoted:
            at = data.rfind(sign, quote + 1, end)
            if at >= 0:
                return at + 1
        if quote < 0:
            return 0
        end, quoted = quote, not quoted


_TEXT: Final = r'(?:[^",\r\n][^,\r\n"]*|"(?:[^"]|"")*")?'


class UsualText:
    """Recognises blocks whose every cell is in the usual form of its column's type."""

    def __init__(self, header: Sequence[str], known: Iterable[Column]) -> None:
        forms = {column.name: cell_type(column).usual for column in known}
        # Most files have quotes around text alone: without the other case the expression is a third faster.
        self._patterns = tuple(
            _rows([_cell(forms.get(name), quoted) for name in header]) for quoted in (False, True)
        )

    def is_usual(self, block: bytes) -> bool:
        """Whether the block is whole records, all of them usual. It has to end in a line break."""
        ends = pa.array([0, len(block)], pa.int32()).buffers()[1]
        one = pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(block)])  # not copied
        return any(pc.match_substring_regex(one, each)[0].as_py() for each in self._patterns)


def _rows(cells: list[str]) -> str:
    # Blank lines are no records, for both readers.
    return rf"\A[\r\n]*(?:{','.join(cells)}[\r\n]+)*\z"


def _cell(form: str | None, quoted: bool) -> str:
    if form is None:
        return _TEXT
    return f'(?:{form}|"(?:{form})"|"")?' if quoted else f"(?:{form})?"


_PARSE: Final = pyarrow.csv.ParseOptions(newlines_in_values=True)


class BlockReader:
    """Reads blocks of whole records without a header. Threads may share it."""

    def __init__(self, header: Sequence[str], known: Iterable[Column], schema: pa.Schema) -> None:
        self._header = list(header)
        self._schema = schema
        self._usual = UsualText(header, known)
        self._convert = pyarrow.csv.ConvertOptions(
            column_types={name: schema.field(name).type for name in header},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        )

    def read(self, data: bytes) -> pa.RecordBatch | None:
        """Return the block as a batch; None if the row reader has to look at it."""
        if not data.endswith((b"\n", b"\r")):
            data += b"\n"  # the end of the file
        # pyarrow would take a byte order mark at the start of any block for one of the file
        if data.startswith(BOM_UTF8) or not self._usual.is_usual(data):
            return None
        if data.startswith((b"\n", b"\r")) and not data.strip(b"\r\n"):
            return pa.RecordBatch.from_pylist([], self._schema)
        read = pyarrow.csv.ReadOptions(column_names=self._header, use_threads=False, block_size=len(data) + 1)
        try:
            table = pyarrow.csv.read_csv(
                # pyarrow's own stream, which the stubs forget
                pa.BufferReader(data),  # type: ignore[arg-type]
                read_options=read,
                parse_options=_PARSE,
                convert_options=self._convert,
            )
        except pa.ArrowInvalid:
            return None
        (batch,) = table.combine_chunks().to_batches()
        if self._too_long(batch, len(data)):
            return None
        given = dict(zip(self._header, batch.columns, strict=True))
        return pa.RecordBatch.from_arrays(
            [
                given[field.name] if field.name in given else pa.nulls(batch.num_rows, field.type)
                for field in self._schema
            ],
            schema=self._schema,
        )

    def _too_long(self, batch: pa.RecordBatch, size: int) -> bool:
        """Whether a cell may be longer than the csv module takes."""
        limit = csv.field_size_limit()
        if size <= limit:
            return False
        texts = [column for column in batch.columns if isinstance(column, pa.StringArray)]
        return any(
            text.nbytes > limit and (pc.max(pc.binary_length(text)).as_py() or 0) > limit for text in texts
        )
