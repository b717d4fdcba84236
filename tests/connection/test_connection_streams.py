"""A list whose items are in the response itself, next to other fields, and are decoded while it arrives."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import msgspec
import pytest

from soapclient.errors import ResponseError
from soapclient.runtime import CountingReader, ListOperation
from soapclient.runtime.schema import OperationRow
from soapclient.soap.operations import TypedOperation
from soapclient.soap.streams import ResponseStream
from tests.connection.conftest import SPACE
from tests.soap.conftest import Pieces
from tests.support.soap import envelope

XSI = "http://www.w3.org/2001/XMLSchema-instance"


class Stations(ListOperation[Any, Any, str]):
    """GetWeather, treated as a list of stations."""

    @property
    def row(self) -> OperationRow:
        return msgspec.structs.replace(super().row, list="station")


def streamed(weather: ModuleType, content: str, size: int, reader: CountingReader) -> ResponseStream:
    body = envelope(f'<GetWeatherResponse xmlns="{SPACE}">{content}</GetWeatherResponse>').encode()
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    operation = TypedOperation(Stations(weather.PACKAGE, "GetWeather"))
    response: Any = Pieces()
    return ResponseStream(operation, response, pieces, reader)


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
@pytest.mark.parametrize("stations", [[], ["Rome"], ["Rome", "Oslo", "Rome"]])
def test_items_next_to_other_fields_are_streamed(weather: ModuleType, size: int, stations: list[str]) -> None:
    listed = "".join(f"<station>{name}</station>" for name in stations)
    content = f"<degrees>1.50</degrees><sky>clear</sky>{listed}<seen>2026-11-20T12:00:00Z</seen>"
    reader = CountingReader()
    stream = streamed(weather, content, size, reader)
    assert list(stream) == stations
    head: Any = stream.head
    assert (str(head.degrees), head.sky, head.seen.year, head.station) == ("1.50", "clear", 2026, [])
    whole: Any = streamed(weather, content, size, reader).collect()
    assert whole.station == stations
    assert not reader.findings


def test_unknown_elements_next_to_the_items_are_counted(weather: ModuleType) -> None:
    reader = CountingReader()
    content = "<degrees>1</degrees><sky>clear</sky><station>a</station><new/><station>b</station>"
    assert list(streamed(weather, content, 5, reader)) == ["a", "b"]
    assert [(each.kind, each.path) for each in reader.findings] == [("element", "GetWeatherResponse/new")]


def test_missing_required_field_is_an_error(weather: ModuleType) -> None:
    stream = streamed(weather, "<degrees>1</degrees><station>a</station>", 5, CountingReader())
    assert next(stream) == "a"
    with pytest.raises(ResponseError, match="sky"):
        next(stream)


@pytest.mark.parametrize("size", [5, 10_000])
def test_error_has_the_position_of_an_item_next_to_other_fields(weather: ModuleType, size: int) -> None:
    nil = f'<station xmlns:i="{XSI}" i:nil="true"/>'
    content = f"<degrees>1</degrees><sky>clear</sky><station>a</station><station>b</station>{nil}<station/>"
    stream = streamed(weather, content, size, CountingReader())
    assert [next(stream), next(stream)] == ["a", "b"]
    with pytest.raises(ResponseError) as caught:
        next(stream)
    assert caught.value.path == "GetWeatherResponse/station[3]"
    assert caught.value.items_returned == 2
