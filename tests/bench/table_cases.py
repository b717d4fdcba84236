"""Cases that make tables of lists."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from lxml import etree

from tests.bench import call_cases, ours
from tests.bench.cases import OURS, Case, Opened, Prepared, Way
from tests.bench.server import served
from tests.bench.shapes import SALE, SALES, SALES_SPACE, Shape, Values, document, sales_of, sales_values

if TYPE_CHECKING:
    import pyarrow

    from soapclient.tables.source import Source

COLUMNS, ROWS, POLARS = "pa.table of ready columns", "pa.Table.from_pylist of ready rows", "polars.DataFrame"
_POSTED: Final = "requests.post, lxml's parse, pa.table of ready columns"


def flat(shape: Shape, values: Values, prefix: str = "") -> Values:
    """Return the row of a table: nested fields become columns, lists stay."""
    row: Values = {}
    for field in shape.all_fields:
        name, value = f"{prefix}{ours.snake(field.name)}", values[field.name]
        if isinstance(field.kind, Shape) and isinstance(value, dict):
            row |= flat(field.kind, value, f"{name}_")
        else:
            row[name] = value
    return row


def _pylist(table: object) -> object:
    rows: list[Values] = table.to_pylist()  # type: ignore[attr-defined]  # a table of pyarrow
    return rows


def _read(count: int) -> tuple[list[Values], Callable[[], pyarrow.Table]]:
    """Return the expected rows, and a function that makes a table of the decoded items."""
    from soapclient.tables.tabular import TableMethods, source_of
    from zxws.publisher.service import GET_SALES

    response = ours.sales_reader()(document(SALES, sales_values(count), SALES_SPACE))
    items: list[object] = response.sale_items  # type: ignore[attr-defined]  # GetSalesResponse

    class Items(TableMethods):
        def _source(self) -> Source:
            return source_of(GET_SALES, lambda: iter(items))

    return [flat(SALE, sale) for sale in sales_of(count)], lambda: Items().to_arrow()


@contextlib.contextmanager
def _open_arrow(size: int) -> Iterator[Opened]:
    import pyarrow

    rows, to_arrow = _read(size)
    schema = to_arrow().schema
    columns = {name: [row[name] for row in rows] for name in schema.names}

    def by_polars() -> Prepared:
        import polars

        empty = polars.from_arrow(schema.empty_table())
        assert isinstance(empty, polars.DataFrame)
        make = partial(polars.DataFrame, columns, schema=empty.schema)
        return Prepared(make, lambda frame: frame.to_dicts())  # type: ignore[attr-defined]  # a frame

    yield Opened(
        rows,
        {
            COLUMNS: lambda: Prepared(lambda: pyarrow.table(columns, schema=schema), _pylist),
            ROWS: lambda: Prepared(lambda: pyarrow.Table.from_pylist(rows, schema=schema), _pylist),
            POLARS: by_polars,
            OURS: lambda: Prepared(to_arrow, _pylist),
        },
    )


@contextlib.contextmanager
def _open_list(size: int) -> Iterator[Opened]:
    import pyarrow
    import requests

    rows, to_arrow = _read(size)
    schema = to_arrow().schema
    columns = {name: [row[name] for row in rows] for name in schema.names}
    with served(document(SALES, sales_values(size), SALES_SPACE)) as url:

        def posted() -> object:
            etree.fromstring(requests.post(url, data=b"", timeout=60).content)
            return pyarrow.table(columns, schema=schema)

        def ours_way() -> Prepared:
            service = call_cases.publisher(url)

            def run() -> object:
                with service.stream.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate") as sales:
                    return sales.to_arrow()

            return Prepared(run, _pylist)

        yield Opened(rows, {_POSTED: lambda: Prepared(posted, _pylist), OURS: ours_way})


_ARROW: Final = ("pyarrow",)
CASES: Final = (
    Case(
        name="arrow", title="`to_arrow` of sales that are already decoded",
        base_is="floor", unit="sale", size=10_000, few=300,
        ways=(Way(COLUMNS, _ARROW), Way(OURS, _ARROW), Way(ROWS, _ARROW), Way(POLARS, ("polars", *_ARROW))),
        open=_open_arrow,
    ),
    Case(
        name="arrow-list", title="A list of sales over HTTP as an Arrow table",
        base_is="floor", unit="sale", size=10_000, few=300, reads=True,
        ways=(Way(_POSTED, _ARROW), Way(OURS, _ARROW)), open=_open_list,
    ),
)  # fmt: skip
