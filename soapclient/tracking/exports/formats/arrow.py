"""Convert an export to Arrow record batches or a Parquet file, in memory that does not grow with the file.

pyarrow's CSV reader parses blocks of text in threads. It is used only for blocks from which it reads the same
values as `RowReader`. pyarrow accepts some text that XSD does not allow (`0x10`, `1E3` as a decimal, `True`,
a blank instead of the T, text after a closing quote) and rejects some that XSD allows (`+1`, 24:00:00, a
seventh fractional digit). Blocks with such text are converted row by row with `RowReader`. They are detected
in one of two ways:

- If the quotes in the file follow RFC 4180, which is usual and was checked when its records were counted:
  pyarrow splits the block into cells, and `are_usual` checks the cells of each column before they are cast.
- Otherwise, a regular expression checks the text of the block.

Importing this module requires pyarrow.
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
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from soapclient._support.part_file import NewFile, Written
from soapclient.errors import CellError, ExportError, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tables.arrow import MOMENT, arrow_type, microseconds, number_with
from soapclient.tables.arrow_arrays import Convert
from soapclient.tables.sinks import GROUP, parquet_writer
from soapclient.tracking.exports.formats.columns import RowReader, cell_type
from soapclient.tracking.exports.formats.gzip_csv import lines_before, records_in, unpacked
from soapclient.tracking.exports.formats.usual_cells import are_usual
from zxws.data.service import PACKAGE

if TYPE_CHECKING:
    from soapclient.tracking.exports.formats.export_file import ExportFile

_MAX_HELD: Final = 1 << 26  # bytes; longer records are left to the slow reader


class Block(NamedTuple):
    """A block of complete CSV records, and its byte offset in the unpacked file."""

    data: bytes
    offset: int


class Blocks:
    """Cuts a stream into blocks of about `size` bytes, each ending at the end of a record.

    Assumes quotes as in RFC 4180. With other quotes, a block may end within a record, so the code that parses
    a block must check this. If a record is longer than 64 MiB, iteration stops before the end of the stream
    and `complete` stays False.
    """

    def __init__(
        self, source: BinaryIO | gzip.GzipFile, size: int, *, begun: bytes = b"", offset: int = 0
    ) -> None:
        self._source = source
        self._size = size
        self._begun = begun
        self._held: list[bytes] = []  # the pieces of an unfinished record, already scanned
        self._length = 0  # bytes in `_held`
        self._quoted = False  # `_held` ends within quotes
        self.offset = offset  # start of the next block
        self.complete = False

    def __iter__(self) -> Iterator[Block]:
        while not self.complete and self._length < _MAX_HELD:
            read = self._source.read(self._size)
            self.complete = not read
            piece, self._begun = self._begun + read, b""
            # Count quotes only once: this runs in one thread only, as does the decompression.
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
        """Return the index in `piece` after the last record that ends in `piece`.

        `quoted` is True if the end of `piece` is within quotes. If no record ends in `piece`, 0 or None is
        returned:

        - 0: `_held`, the rest of the earlier pieces, is a complete record. It ends with a carriage return,
          which is a complete line break because `piece` does not begin with a line feed.
        - None: `_held` and `piece` are the beginning of a record.
        """
        # A lone carriage return at the very end may be half of a line break.
        before_last = quoted ^ piece.endswith(b'"')
        for sign, length, within in ((b"\n", len(piece), quoted), (b"\r", len(piece) - 1, before_last)):
            end = _last_break(piece, sign, length, within)
            if end:
                return end
        # A carriage return at the end of `_held` is now known to be a complete line break.
        return 0 if not self._quoted and self._held and self._held[-1].endswith(b"\r") else None


def _last_break(data: bytes, sign: bytes, end: int, quoted: bool) -> int:
    """Return the index after the last line break in data[:end], or 0 if there is none.

    `sign` is the byte that is the line break. Line breaks within quotes do not count. `quoted` is True if
    data[:end] ends within quotes.
    """
    while True:  # backwards from quote to quote, because the text between two quotes is either quoted or not
        quote = data.rfind(b'"', 0, end)
        if not quoted:
            at = data.rfind(sign, quote + 1, end)
            if at >= 0:
                return at + 1
        if quote < 0:
            return 0
        end, quoted = quote, not quoted


_TEXT: Final = r'(?:[^",\r\n][^,\r\n"]*|"(?:[^"]|"")*")?'


class FastPathCheck:
    """Finds blocks that pyarrow may parse: each cell has the usual form of its type (`CellType.usual`)."""

    def __init__(self, header: Sequence[str], known: Iterable[Column]) -> None:
        forms = {column.name: cell_type(column).usual for column in known}
        # Most files quote only text columns. Without other quotes, the pattern is a third faster.
        self._patterns = tuple(
            _rows([_cell(forms.get(name), quoted) for name in header]) for quoted in (False, True)
        )

    def is_usual(self, block: bytes) -> bool:
        """Return True if all records of a block are complete and all their cells have the usual form.

        A cell has the usual form if it is empty or matches the pattern of its column's type
        (`CellType.usual`). Quotes around it are allowed. The block must end with a line break.
        """
        ends = pa.array([0, len(block)], pa.int32()).buffers()[1]
        array = pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(block)])  # not copied
        return any(pc.match_substring_regex(array, pattern)[0].as_py() for pattern in self._patterns)


def _rows(cells: list[str]) -> str:
    # Both readers skip blank lines.
    return rf"\A[\r\n]*(?:{','.join(cells)}[\r\n]+)*\z"


def _cell(form: str | None, quoted: bool) -> str:
    if form is None:
        return _TEXT
    return f'(?:{form}|"(?:{form})"|"")?' if quoted else f"(?:{form})?"


_PARSE: Final = pyarrow.csv.ParseOptions(newlines_in_values=True)


class BlockReader:
    """Parses blocks of complete records, without a header, with pyarrow. Thread-safe.

    `regular`: True if it is known that quotes in all blocks are used as in RFC 4180.
    """

    def __init__(
        self, header: Sequence[str], known: Iterable[Column], schema: pa.Schema, *, regular: bool = False
    ) -> None:
        known = tuple(known)
        self._header = list(header)
        self._schema = schema
        self._usual = None if regular else FastPathCheck(header, known)
        forms = {column.name: cell_type(column).usual for column in known}
        # The columns to check and cast, with the forms of their cells.
        self._casts = {
            name: (form, schema.field(name).type) for name in header if regular and (form := forms.get(name))
        }
        self._convert = pyarrow.csv.ConvertOptions(
            column_types={
                name: pa.string() if name in self._casts else schema.field(name).type for name in header
            },
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        )

    def read(self, data: bytes) -> pa.RecordBatch | None:
        """Return the block as a batch, or None if it must be converted row by row (`RowColumns`)."""
        if not data.endswith((b"\n", b"\r")):
            data += b"\n"  # the end of the file
        # pyarrow would remove a byte order mark at the start of any block, as at the start of a file
        if data.startswith(BOM_UTF8) or not (self._usual is None or self._usual.is_usual(data)):
            return None
        if data.startswith((b"\n", b"\r")) and not data.strip(b"\r\n"):
            return pa.RecordBatch.from_pylist([], self._schema)
        read = pyarrow.csv.ReadOptions(column_names=self._header, use_threads=False, block_size=len(data) + 1)
        try:
            table = pyarrow.csv.read_csv(
                # pyarrow's own stream, which is missing in the stubs
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
        arrays = dict(zip(self._header, batch.columns, strict=True))
        try:
            for name, (form, kind) in self._casts.items():
                cells = arrays[name]
                assert isinstance(cells, pa.StringArray)  # as in `_convert`
                if not are_usual(cells, form):
                    return None
                arrays[name] = cells.cast(kind)
        except pa.ArrowInvalid:
            return None
        return pa.RecordBatch.from_arrays(
            [
                arrays[field.name] if field.name in arrays else pa.nulls(batch.num_rows, field.type)
                for field in self._schema
            ],
            schema=self._schema,
        )

    def _too_long(self, batch: pa.RecordBatch, size: int) -> bool:
        """Return True if a cell is longer than Python's csv module allows.

        `size` is the size in bytes of the block that `batch` was parsed from.
        """
        limit = csv.field_size_limit()
        if size <= limit:
            return False
        texts = [column for column in batch.columns if isinstance(column, pa.StringArray)]
        return any(
            text.nbytes > limit and (pc.max(pc.binary_length(text)).as_py() or 0) > limit for text in texts
        )


def schema_for(known: Iterable[Column], columns: Iterable[str] = ()) -> pa.Schema:
    """Return an Arrow schema: the `known` columns with their types, then the other `columns` as strings.

    Every column is nullable. Raises ConfigError if a type is not an XSD type.
    """
    kinds = {column.name: cell_type(column).arrow for column in known}
    fields = {name: arrow_type(kind) for name, kind in kinds.items()}
    for name in columns:
        fields.setdefault(name, pa.string())
    return pa.schema([pa.field(name, kind) for name, kind in fields.items()])


_ROWS: Final = 16_384  # rows in memory


class RowColumns:
    """Converts CSV records to Arrow record batches with a given schema, value by value.

    Raises CellError for a value outside the range of its Arrow type.
    """

    def __init__(self, schema: pa.Schema, reader: RowReader, header: Sequence[str], where: str) -> None:
        self._schema = schema
        self._reader = reader
        self._header = tuple(header)
        self._where = where
        self._converts = {field.name: _convert_for(field.type) for field in schema}

    def batches(self, records: Iterable[tuple[int, list[str]]]) -> Iterator[pa.RecordBatch]:
        """Yield batches of at most 16,384 rows.

        `records` are the rows: pairs of a line number and a list of cells.
        """
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
    """Return the schema of a file's batches; see schema_for."""
    return _schema_of(file.typed)


@lru_cache(maxsize=32)  # many small exports have the same columns
def _schema_of(typed: tuple[Column, ...]) -> pa.Schema:
    return schema_for(typed)


def batches_of(file: ExportFile, rows: int) -> Iterator[pa.RecordBatch]:
    """Yield the file as batches of `rows` rows (the last may have fewer); see ExportFile.batches."""
    for pieces in groups_of(file, rows):
        yield from _combine(pieces)


def groups_of(file: ExportFile, rows: int) -> Iterator[list[pa.RecordBatch]]:
    """Yield the rows of a file in groups of `rows` rows. The last group may have fewer rows.

    Each group is a list of slices of batches. Slices refer to the data of the batches and do not copy it.
    """
    held: list[pa.RecordBatch] = []
    count = 0
    for piece in _read_batches(file):
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
    """Read the complete file into an Arrow table; see ExportFile.to_arrow."""
    return pa.Table.from_batches(_read_batches(file), schema_of(file))


def _combine(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Combine batches into one, or a few if a column has more than 2 GiB of text (the limit of a batch)."""
    return batches if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks().to_batches()


def _read_batches(file: ExportFile) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file as batches. Their sizes differ, but are limited."""
    schema, where = schema_of(file), file.path.name
    slow = RowColumns(
        schema, RowReader(file.columns, file.typed, file.naive_zone, where), file.columns, where
    )
    if not file.columns:
        return
    quick = BlockReader(file.columns, file.typed, schema, regular=file._regular)
    done = 0
    with unpacked(file.path, file.sha256) as source:
        blocks = _body(file, source)
        done = blocks.offset
        with closing(_parse_ahead(quick, blocks)) as parsed:
            for block, batch in parsed:
                try:
                    yield from [batch] if batch is not None else _slow_block(slow, block.data, where)
                except _BlockRejected:
                    break
                done = block.offset + len(block.data)
            else:
                if blocks.complete:
                    return
    # A block is invalid: it contains an error, or it was cut within a record. Read the rest with the row
    # reader, which does not need blocks and reports a real error.
    line = lines_before(file.path, done)
    with unpacked(file.path, file.sha256) as source:
        while done:
            passed = len(source.read(min(done, _BLOCK)))
            if not passed:  # the file is now shorter than before
                raise _changed(file)
            done -= passed
        yield from slow.batches(records_in(source, where, line))


class _BlockRejected(Exception):
    """Raised if `RowColumns` rejects a block, because the block is invalid or ends within a record."""


def _slow_block(slow: RowColumns, data: bytes, where: str) -> list[pa.RecordBatch]:
    try:
        return list(slow.batches(records_in(io.BytesIO(data), where, 1)))
    except ResponseError:
        raise _BlockRejected from None


def _parse_ahead(
    reader: BlockReader, blocks: Blocks
) -> Generator[tuple[Block, pa.RecordBatch | None], None, None]:
    """Yield blocks with their batches in order, while threads parse a few blocks ahead.

    The batch is None if the block must be converted row by row (`RowColumns`).
    """
    rest = iter(blocks)
    first = list(itertools.islice(rest, 2))
    if len(first) < 2:  # for a small file, threads would take longer to start than to read
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
    """Return the blocks of CSV records after the header of `source`, the unpacked content of `file`.

    Raises ExportError if the header has changed since the file was opened.
    """
    begin = source.read(_BLOCK)
    header_size = len(begin) - len(begin.removeprefix(BOM_UTF8))

    def lines() -> Iterator[str]:
        nonlocal header_size
        for line in io.TextIOWrapper(io.BytesIO(begin[header_size:]), "utf-8", "surrogateescape", newline=""):
            header_size += len(line.encode("utf-8", "surrogateescape"))
            yield line

    header = next((cells for cells in csv.reader(lines()) if cells), [])
    if tuple(header) != file.columns:
        raise _changed(file)
    return Blocks(source, _BLOCK, begun=begin[header_size:], offset=header_size)


def _changed(file: ExportFile) -> ExportError:
    return ExportError(f"{file.path}: the file was changed after it was verified. Open it again.")


_SAMPLE: Final = 1 << 14  # rows; sample for detecting repeated values


def write_parquet(file: ExportFile, path: str | os.PathLike[str], *, temporary: bool = False) -> Written:
    """Write an export as a Parquet file with zstd compression; see ExportFile.to_parquet.

    `temporary` is as in `PartFile.finish`.
    """
    schema = schema_of(file).with_metadata(metadata_of(file))
    rows = 0
    with NewFile(path, file.path, temporary=temporary) as target:
        groups = groups_of(file, GROUP)
        first = next(groups, [])
        with parquet_writer(target, schema, _dictionary_columns(first, schema)) as writer:
            pieces = first
            del first
            while pieces:
                group = pa.Table.from_batches(pieces).replace_schema_metadata(schema.metadata)
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
                del pieces, group  # free the memory before reading the next group
                pieces = next(groups, [])
        return target.finish(rows)


def metadata_of(file: ExportFile) -> dict[str, str]:
    """Return the metadata for the Parquet file of an export, as a dict from key to value.

    The values are the hash of the export file, its report type and, if it has the columns and types of the
    contract that the package ships, the hash of this contract.
    """
    metadata = {"soapclient.source_sha256": file.sha256, "soapclient.report_type": file.report_type}
    if file.known and file.known == PACKAGE.settings.columns.get(file.report_type) and not file.types:
        metadata["soapclient.contract_sha256"] = PACKAGE.settings.sha256
    return metadata


def _dictionary_columns(group: list[pa.RecordBatch], schema: pa.Schema) -> list[str] | bool:
    """Return the columns for which a Parquet file should use dictionary encoding; True means all columns.

    Columns with mostly unique values, such as ids or times, are left out: their dictionary would take a third
    of the writing time and make the file a third larger. `group` has the first rows of the file. Returns True
    if these are too few rows to decide.
    """
    sample = pa.Table.from_batches(group, schema).slice(0, _SAMPLE)
    if sample.num_rows < _SAMPLE:
        return True
    return [name for name in schema.names if pc.count_distinct(sample[name]).as_py() <= _SAMPLE // 2]
