"""An export as a Parquet file. Importing this needs pyarrow."""

from __future__ import annotations

import io
import os
from typing import Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from soapclient.exports.formats.arrow import Source, groups_of, schema_of
from soapclient.exports.part_file import NewFile, Written
from soapclient.runtime.settings import Column
from zxws.data.service import PACKAGE

GROUP: Final = 1 << 15  # rows of a row group, which is what has to be held in memory
_BUFFER: Final = 1 << 18  # bytes
_SAMPLE: Final = 1 << 14  # rows by which to tell whether values come again


class ReportSource(Source, Protocol):
    """The verified file that is converted, and what is known of its report."""

    @property
    def report_type(self) -> str: ...
    @property
    def known(self) -> tuple[Column, ...]: ...
    @property
    def types(self) -> tuple[Column, ...]: ...


def write_parquet(file: ReportSource, path: str | os.PathLike[str]) -> Written:
    """Write a file of zstd-compressed columns; see ExportFile.to_parquet."""
    schema = schema_of(file).with_metadata(metadata_of(file))
    rows = 0
    with NewFile(path, file.path) as target:
        groups = groups_of(file, GROUP)
        first = next(groups, [])
        # pyarrow writes a header and a page at a time
        buffered = io.BufferedWriter(target, _BUFFER)  # type: ignore[type-var]  # its `write` is freer
        sink = pa.PythonFile(buffered, "w")
        repeating = _repeating(first, schema)
        with pq.ParquetWriter(
            sink,
            schema,
            compression="zstd",
            use_dictionary=repeating,  # type: ignore[arg-type]  # names are taken, too
        ) as writer:
            pieces = first
            del first
            while pieces:
                group = pa.Table.from_batches(pieces).replace_schema_metadata(schema.metadata)
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
                del pieces, group  # before the next is read
                pieces = next(groups, [])
        buffered.flush()
        return target.finish(rows)


def metadata_of(file: ReportSource) -> dict[str, str]:
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
