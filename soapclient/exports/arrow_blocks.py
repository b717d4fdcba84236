"""Blocks of text as record batches by pyarrow's CSV reader, where it reads just as the row reader does."""

from __future__ import annotations

import csv
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from soapclient.exports.arrow_pattern import UsualText
from soapclient.runtime.settings import Column

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
                pa.BufferReader(data),  # type: ignore[arg-type]  # pyarrow's own stream, which the stubs forget
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
