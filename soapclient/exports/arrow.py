"""An export as Arrow record batches, in memory that does not grow with the file.

pyarrow's CSV reader parses blocks of text in threads. A block with anything it would read otherwise than the
row reader goes the slow way, so that a value is the same by both ways. Importing this needs pyarrow.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import os
from codecs import BOM_UTF8 as BOM
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from soapclient.errors import ExportError, ReplyError
from soapclient.exports.arrow_blocks import BlockReader
from soapclient.exports.arrow_rows import RowColumns
from soapclient.exports.arrow_types import schema_for
from soapclient.exports.blocks import Block, Blocks
from soapclient.exports.cells import RowReader
from soapclient.exports.csv_file import lines_before, records_in
from soapclient.exports.packed import unpacked

if TYPE_CHECKING:
    from soapclient.exports.rows import ExportFile

_BLOCK: Final = 1 << 20  # bytes of text
_THREADS: Final = min(4, os.cpu_count() or 1)


def schema_of(file: ExportFile) -> pa.Schema:
    """The schema of a file's batches: see arrow_types.schema_for."""
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
    """Read the whole file; see ExportFile.to_table."""
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
    except ReplyError:
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
    taken = len(begin) - len(begin.removeprefix(BOM))

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
