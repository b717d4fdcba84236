"""An export as a Parquet file. Importing this needs pyarrow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from soapclient.exports.arrow import groups_of, schema_of
from soapclient.exports.written import NewFile, Written
from zxws.data.tables import TABLES

if TYPE_CHECKING:
    from soapclient.exports.rows import ExportFile

GROUP: Final = 1 << 17  # rows of a row group, which is what has to be held in memory


def write_parquet(file: ExportFile, path: str | os.PathLike[str]) -> Written:
    """Write a file of zstd-compressed columns; see ExportFile.to_parquet."""
    schema = schema_of(file).with_metadata(metadata_of(file))
    rows = 0
    with NewFile(path, file.path) as target:
        sink = pa.PythonFile(target, "w")
        with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
            for pieces in groups_of(file, GROUP):
                group = pa.Table.from_batches(pieces).replace_schema_metadata(schema.metadata)
                writer.write_table(group, row_group_size=GROUP)
                rows += group.num_rows
        return target.finish(rows)


def metadata_of(file: ExportFile) -> dict[str, str]:
    """Where the rows came from. The contract is named only where the columns are those it ships with."""
    found = {"soapclient.source_sha256": file.sha256, "soapclient.report_type": file.report_type}
    if file.known and file.known == TABLES.columns.get(file.report_type):
        found["soapclient.contract_sha256"] = TABLES.sha256
    return found
