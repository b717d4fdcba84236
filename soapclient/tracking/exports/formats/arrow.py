"""An export as Arrow record batches or a Parquet file, in memory that does not grow with the file.

Blocks of text are parsed in threads by pyarrow's CSV reader, where it reads as the row reader does. It takes
what XSD does not (`0x10`, `1E3` as a decimal, `True`, a blank for the T, text after a closing quote) and
refuses some that XSD has (`+1`, 24:00:00, a seventh digit of a second). One regular expression over each
block finds both; it runs several times faster than the parsing. Such a block is converted value by value
instead, so that both give the same. Importing this needs pyarrow.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from soapclient._support.part_file import NewFile, Written
from soapclient.errors import CellError, ExportError, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tables.arrow import MOMENT, Convert, arrow_type, microseconds, number_with
from soapclient.tables.sinks import GROUP, parquet_writer
from soapclient.tracking.exports.formats.columns import RowReader, cell_type
from soapclient.tracking.exports.formats.gzip_csv import lines_before, records_in, unpacked
from zxws.data.service import PACKAGE

if TYPE_CHECKING:
    from soapclient.tracking.exports.formats.export_file import ExportFile

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
                pa.BufferReader(data),  # type: ignore[arg-type] # any buffer
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


def schema_for(known: Iterable[Column], columns: Iterable[str] = ()) -> pa.Schema:
    """Return the schema: the contract's columns in its order, then those of `columns` it does not know.

    The latter are text. Every column may be null. Raises ConfigError for a type that is none of XSD's.
    """
    kinds = {column.name: cell_type(column).arrow for column in known}
    fields = {name: arrow_type(kind) for name, kind in kinds.items()}
    for name in columns:
        fields.setdefault(name, pa.string())
    return pa.schema([pa.field(name, kind) for name, kind in fields.items()])


_ROWS: Final = 16_384  # in memory at once


class RowColumns:
    """Turns records into record batches of a schema. Raises CellError for what a column cannot hold."""

    def __init__(self, schema: pa.Schema, reader: RowReader, header: Sequence[str], where: str) -> None:
        self._schema = schema
        self._reader = reader
        self._header = tuple(header)
        self._where = where
        self._converts = {field.name: _convert_for(field.type) for field in schema}

    def batches(self, records: Iterable[tuple[int, list[str]]]) -> Iterator[pa.RecordBatch]:
        """Give batches of bounded size."""
        columns: dict[str, list[object]] = {name: [] for name in self._schema.names}
        count = 0
        for line, cells in records:
            row = self._reader.row(cells, line)
            for name, values in columns.items():
                value = row.get(name)
                convert = self._converts[name]
                if value is None or convert is None:
                    values.append(value)
                    continue
                try:
                    values.append(convert(value))
                except ValueError as error:
                    cell = cells[self._header.index(name)]
                    raise CellError(self._where, line, name, cell, str(error)) from None
            count += 1
            if count == _ROWS:
                yield self._batch(columns)
                columns = {name: [] for name in self._schema.names}
                count = 0
        if count:
            yield self._batch(columns)

    def _batch(self, columns: dict[str, list[object]]) -> pa.RecordBatch:
        arrays = [pa.array(columns[field.name], field.type) for field in self._schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _convert_for(kind: pa.DataType) -> Convert | None:
    if isinstance(kind, pa.Decimal128Type):
        return number_with(kind.precision, kind.scale)
    return microseconds if kind == MOMENT else None


_BLOCK: Final = 1 << 20  # bytes of text
_THREADS: Final = min(4, os.cpu_count() or 1)


def schema_of(file: ExportFile) -> pa.Schema:
    """The schema of a file's batches: see schema_for."""
    return schema_for(file.typed)


def batches_of(file: ExportFile, rows: int) -> Iterator[pa.RecordBatch]:
    """Give the file as batches of `rows` rows, the last with fewer; see ExportFile.batches."""
    for pieces in groups_of(file, rows):
        yield from _joined(pieces)


def groups_of(file: ExportFile, rows: int) -> Iterator[list[pa.RecordBatch]]:
    """Give the file as groups of `rows` rows, the last with fewer; each as pieces that were not copied."""
    held: list[pa.RecordBatch] = []
    count = 0
    for piece in _pieces(file):
        begin = 0
        while count + piece.num_rows - begin >= rows:
            end = begin + rows - count
            yield [*held, piece.slice(begin, end - begin)]
            begin, held, count = end, [], 0
        if begin < piece.num_rows:
            held.append(piece.slice(begin))
            count += piece.num_rows - begin
    if held:
        yield held


def table_of(file: ExportFile) -> pa.Table:
    """Read the whole file; see ExportFile.to_arrow."""
    return pa.Table.from_batches(_pieces(file), schema_of(file))


def _joined(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """One batch of all of them, or a few where a column has more text than one can hold (2 GiB)."""
    return batches if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks().to_batches()


def _pieces(file: ExportFile) -> Iterator[pa.RecordBatch]:
    """Batches as they come, of any size but bounded."""
    schema, where = schema_of(file), file.path.name
    slow = RowColumns(
        schema, RowReader(file.columns, file.typed, file.naive_zone, where), file.columns, where
    )
    if not file.columns:
        return
    quick = BlockReader(file.columns, file.typed, schema)
    done = 0
    with unpacked(file.path, file.sha256) as source:
        blocks = _body(file, source)
        done = blocks.offset
        with closing(_ahead(quick, blocks)) as parsed:
            for block, batch in parsed:
                try:
                    yield from [batch] if batch is not None else _slow_block(slow, block.data, where)
                except _Doubtful:
                    break
                done = block.offset + len(block.data)
            else:
                if blocks.complete:
                    return
    # A block does not read as whole records: there is an error in it, or it was cut within a record. The row
    # reader needs no blocks; it knows which.
    line = lines_before(file.path, done)
    with unpacked(file.path, file.sha256) as source:
        while done:
            passed = len(source.read(min(done, _BLOCK)))
            if not passed:  # by now it is shorter than what was read of it
                raise _changed(file)
            done -= passed
        yield from slow.batches(records_in(source, where, line))


class _Doubtful(Exception):
    """A block that the row reader refuses."""


def _slow_block(slow: RowColumns, data: bytes, where: str) -> list[pa.RecordBatch]:
    try:
        return list(slow.batches(records_in(io.BytesIO(data), where, 1)))
    except ResponseError:
        raise _Doubtful from None


def _ahead(reader: BlockReader, blocks: Blocks) -> Generator[tuple[Block, pa.RecordBatch | None], None, None]:
    """Parse a few blocks ahead of the one that is asked for, in order."""
    rest = iter(blocks)
    first = list(itertools.islice(rest, 2))
    if len(first) < 2:  # a small file is read before threads have begun
        for block in first:
            yield block, reader.read(block.data)
        return
    waiting: deque[tuple[Block, Future[pa.RecordBatch | None]]] = deque()
    with ThreadPoolExecutor(_THREADS, "soapclient-arrow") as pool:
        try:
            for block in itertools.chain(first, rest):
                waiting.append((block, pool.submit(reader.read, block.data)))
                if len(waiting) > _THREADS:
                    oldest, batch = waiting.popleft()
                    yield oldest, batch.result()
            while waiting:
                oldest, batch = waiting.popleft()
                yield oldest, batch.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _body(file: ExportFile, source: gzip.GzipFile) -> Blocks:
    """The blocks after the header. Raises ExportError if the header is not the one the file had."""
    begin = source.read(_BLOCK)
    taken = len(begin) - len(begin.removeprefix(BOM_UTF8))

    def lines() -> Iterator[str]:
        nonlocal taken
        for line in io.TextIOWrapper(io.BytesIO(begin[taken:]), "utf-8", "surrogateescape", newline=""):
            taken += len(line.encode("utf-8", "surrogateescape"))
            yield line

    header = next((cells for cells in csv.reader(lines()) if cells), [])
    if tuple(header) != file.columns:
        raise _changed(file)
    return Blocks(source, _BLOCK, begun=begin[taken:], offset=taken)


def _changed(file: ExportFile) -> ExportError:
    return ExportError(f"{file.path}: the file was changed after it was verified. Open it again.")


_SAMPLE: Final = 1 << 14  # rows by which to tell whether values come again


def write_parquet(file: ExportFile, path: str | os.PathLike[str]) -> Written:
    """Write a file of zstd-compressed columns; see ExportFile.to_parquet."""
    schema = schema_of(file).with_metadata(metadata_of(file))
    rows = 0
    with NewFile(path, file.path) as target:
        groups = groups_of(file, GROUP)
        first = next(groups, [])
        with parquet_writer(target, schema, _repeating(first, schema)) as writer:
            pieces = first
            del first
            while pieces:
                group = pa.Table.from_batches(pieces).replace_schema_metadata(schema.metadata)
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
                del pieces, group  # before the next is read
                pieces = next(groups, [])
        return target.finish(rows)


def metadata_of(file: ExportFile) -> dict[str, str]:
    """Where the rows came from. The contract is named only where the columns are those it ships with."""
    found = {"soapclient.source_sha256": file.sha256, "soapclient.report_type": file.report_type}
    if file.known and file.known == PACKAGE.settings.columns.get(file.report_type) and not file.types:
        found["soapclient.contract_sha256"] = PACKAGE.settings.sha256
    return found


def _repeating(group: list[pa.RecordBatch], schema: pa.Schema) -> list[str] | bool:
    """The columns that are worth a dictionary: all of them, but for those whose values hardly come again.

    A dictionary of ids or moments costs a third of all writing, and makes the file larger by a third.
    """
    sample = pa.Table.from_batches(group, schema).slice(0, _SAMPLE)
    if sample.num_rows < _SAMPLE:
        return True
    return [name for name in schema.names if pc.count_distinct(sample[name]).as_py() <= _SAMPLE // 2]
