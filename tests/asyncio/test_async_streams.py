"""Streams of `AsyncClient`: opened, read, left early, cancelled and closed, over loopback."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from soapclient.errors import ResponseError
from soapclient.runtime import AsyncItemStream, ItemStream
from soapclient.tracking.async_client import AsyncExport
from soapclient.tracking.exports.export import Export
from tests.asyncio.running import client_of, looped
from tests.stage import Stage
from zxws.publisher.service import (
    PublisherService,
    PublisherServiceAsync,
    PublisherServiceAsyncPages,
    PublisherServiceAsyncStreams,
)
from zxws.publisher.types import SaleItem

DAY = dt.date(2026, 11, 1)


@looped
async def test_items_before_an_error_are_returned(stage: Stage) -> None:
    space = "http://api.zanox.com/namespace/2011-03-01/"
    items = "".join(
        f'<trackingCategoryItem id="{at}"><name>n</name></trackingCategoryItem>' for at in range(9)
    )
    stage.response = (
        f'<GetTrackingCategoriesResponse xmlns="{space}"><page>0</page><items>10</items><total>10</total>'
        f"<trackingCategoryItem>{items}<trackingCategoryItem><name>n</name></trackingCategoryItem>"
        "</trackingCategoryItem></GetTrackingCategoriesResponse>"
    )
    found: list[object] = []
    async with client_of(stage) as client:
        stream = client.publisher.stream.get_tracking_categories(adspace_id=1, program_id=1)
        async with stream as categories:
            with pytest.raises(ResponseError, match=r"trackingCategoryItem.*@id is missing.*after 9 items"):
                await _gathered(categories, found)
    assert len(found) == 9


@looped
async def test_stream_is_closed_on_early_exit(stage: Stage) -> None:
    async with client_of(stage, pool_size=1) as client:
        for _ in range(3):  # each needs the only thread
            async with client.publisher.stream.search_programs() as programs:
                async for _ in programs:
                    break
        with pytest.raises(ValueError, match="mine"):
            async with client.publisher.stream.search_programs() as programs:
                raise ValueError("mine")
        with pytest.raises(RuntimeError, match="not open"):
            await anext(programs)


@looped
async def test_error_while_a_stream_is_closed_is_raised(stage: Stage) -> None:
    async with client_of(stage) as client:
        stream: Any = client.publisher.stream.search_programs(items=1)
        opened = stream._opened

        @contextmanager
        def lost(streams: object) -> Iterator[object]:
            with opened(streams) as found:
                yield found
            raise OSError("lost while closing")

        stream._opened = lost
        with pytest.raises(OSError, match=r"^lost while closing$"):
            async with stream as programs:
                await anext(programs)


@pytest.mark.exhaustive
@looped
async def test_cancelled_read_of_a_stream_loses_no_items(stage: Stage) -> None:
    """The read is cancelled while it waits for items."""
    async with client_of(stage) as client:
        whole = [item.id async for item in client.publisher.iterate.search_programs()]
        async with client.publisher.stream.search_programs(items=50) as programs:
            found = []
            for _ in range(3):
                task = asyncio.ensure_future(anext(programs))
                await asyncio.sleep(0)
                task.cancel()
                found += [
                    one.id
                    for one in await asyncio.gather(task, return_exceptions=True)
                    if not isinstance(one, BaseException)
                ]
            found += [item.id async for item in programs]
        assert found == whole[:50]


@looped
async def test_closing_the_client_ends_a_stream(stage: Stage) -> None:
    client = client_of(stage)
    stream = client.publisher.stream.search_programs()
    async with stream as programs:
        await client.aclose()
        with pytest.raises(RuntimeError, match="not open"):
            await anext(programs)


@looped
async def test_closing_a_stream_in_another_task_ends_the_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, go_on = threading.Event(), threading.Event()
    read = AsyncItemStream._read

    def held(self: AsyncItemStream[Any, Any], stream: ItemStream[Any, Any]) -> None:
        reading.set()
        assert go_on.wait(60)
        read(self, stream)

    monkeypatch.setattr(AsyncItemStream, "_read", held)
    async with client_of(stage) as client:
        stream = client.publisher.stream.search_programs()
        programs = await stream.__aenter__()
        item = asyncio.create_task(anext(programs))
        await asyncio.to_thread(reading.wait)
        closing = asyncio.create_task(stream.__aexit__(None, None, None))
        await asyncio.sleep(0)
        go_on.set()
        await closing
        with pytest.raises(RuntimeError, match="the stream was closed during the read"):
            await item


@looped
async def test_unopened_stream_error_says_how_to_open_it(stage: Stage) -> None:
    async with client_of(stage) as client:
        sales = client.publisher.stream.get_sales(date=DAY, date_type="trackingDate")
        with pytest.raises(RuntimeError, match="Use it with `async with`"):
            _ = sales.head
        with pytest.raises(RuntimeError, match="Use it with `async with`"):
            await anext(sales)
        async with sales:
            first = await anext(sales)
            assert isinstance(first, SaleItem)


def test_async_classes_have_the_docstrings_of_the_methods() -> None:
    """`help()` inspects the class and makes no call."""
    plain = PublisherService.get_sales.__doc__
    assert plain
    for owner in (PublisherServiceAsync, PublisherServiceAsyncStreams, PublisherServiceAsyncPages):
        assert owner.get_sales.__doc__ == plain
    assert AsyncExport.wait.__doc__ == Export.wait.__doc__


async def _gathered(items: AsyncIterable[object], found: list[object]) -> None:
    async for each in items:
        found.append(each)
