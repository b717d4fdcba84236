"""Every type of every package of the corpus can be a table: the minimal and the complete value are rows, and
an independent reader finds all their values.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from soapclient.runtime.nil import NIL
from soapclient.runtime.package import package
from soapclient.runtime.record import Record
from soapclient.tables.arrow import Batches
from soapclient.tables.arrow_arrays import Columns
from soapclient.tables.columns import Layout, layout_of_type
from soapclient.testing import builders
from tests.corpus.conftest import Packages, for_each_contract

pytestmark = pytest.mark.sampled(4)

BUILT_IN = ("zxws.publisher", "zxws.data", "zxws.advertiser")


class ByValue(Batches):
    """Converts each value by itself."""

    def _array(self, column: Any, items: Sequence[object], columns: Columns) -> Any:
        return self._array_by_value(column, items)


def by_value(name: str, layout: Layout, rows: list[Any]) -> pa.Table:
    batches = ByValue(name, layout, "UTC")
    return pa.Table.from_batches(batches.of(rows, 1), batches.schema)


def check(name: str) -> int:
    """Make a table of each type of a package. Return the number of types."""
    types, count = importlib.import_module(f"{name}.types"), 0
    codec = package(name).codec
    for kind in list(vars(types).values()):
        if not (isinstance(kind, type) and issubclass(kind, Record) and kind.__module__ == types.__name__):
            continue
        layout = layout_of_type(codec, kind.__name__)
        names = [column.name.casefold() for column in layout.columns]
        assert len(set(names)) == len(names) <= 1_000
        empty = Batches(name, layout, "UTC").schema
        rows: list[Any] = [builders.build(kind), builders.complete(kind)]
        batches = Batches(name, layout, "UTC")
        table = pa.Table.from_batches(batches.of(rows, 1), batches.schema)
        assert table.schema == empty
        assert table.equals(by_value(name, layout, rows))
        count += 1
        if not names:
            assert kind.__struct_fields__ == ()
            continue
        file = io.BytesIO()
        pq.write_table(table, file)
        assert pq.read_table(file).equals(table)
        # Everything in a complete value is in its row.
        complete = table.slice(1).to_pylist()[0]
        for column in layout.columns:
            if len(column.path) == 1 and column.shape.kind != "name":
                value = getattr(rows[1], column.path[0], None)
                assert (complete[column.name] is None) == (value is None or value is NIL), column
    return count


@for_each_contract
def test_every_type_becomes_a_table(path: Path, packages: Packages) -> None:
    assert check(packages(path).contract.name)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_type_of_the_tracking_service_becomes_a_table(name: str) -> None:
    assert check(name) > 5
