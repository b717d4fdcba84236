"""What users of tables have. Read by type checkers, never run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import assert_type

import pandas as pd
import polars as pl
import pyarrow as pa

from soapclient import AsyncClient, Client, days
from soapclient._support.part_file import Written
from soapclient.runtime import ItemPages
from soapclient.tables import rows_of
from zxws.publisher.types import SaleItem


def of_lists(client: Client, day: dt.date) -> None:
    span = days(day, "2026-09-30", workers=4)
    sales = client.publisher.iterate.get_sales(date=span, date_type="trackingDate")
    assert_type(sales, ItemPages[SaleItem])
    assert_type(sales.day, dt.date | None)
    assert_type(sales.to_arrow(zone="Europe/Berlin", types={"amount": pa.string()}), pa.Table)
    assert_type(sales.to_pandas(zone=dt.UTC), pd.DataFrame)
    assert_type(sales.to_polars(progress=True), pl.DataFrame)
    assert_type(sales.to_parquet("sales.parquet"), Written)
    assert_type(sales.to_csv("sales.csv"), Written)
    assert_type(sales.to_excel("sales.xlsx"), Written)
    assert_type(sales.schema(), pa.Schema)
    assert_type(sales.batches(1000), Iterator[pa.RecordBatch])
    for sale in sales.on_page(lambda page, read, total: None):
        assert_type(sale, SaleItem)
    sales.to_pandas(zones="UTC")  # type: ignore[call-arg]
    days(day)  # type: ignore[call-arg]
    with client.publisher.stream.get_sales(date=day, date_type="trackingDate") as stream:
        assert_type(stream.to_polars(), pl.DataFrame)
    assert_type(rows_of(client.publisher.get_sales(date=day)).to_pandas(), pd.DataFrame)
    assert_type(client.publisher.report(from_date=day, to_date=day, by_state=True).to_arrow(), pa.Table)


async def of_lists_for_asyncio(client: AsyncClient, day: dt.date) -> None:
    sales = client.publisher.iterate.get_sales(date=days(day, day), date_type="trackingDate")
    assert_type(await sales.to_pandas(), pd.DataFrame)
    assert_type(await sales.to_parquet("sales.parquet"), Written)
    assert_type((await client.publisher.report(from_date=day, to_date=day)).to_polars(), pl.DataFrame)
