"""A single text may be as long as a response. libxml2's limit of ten million bytes does not apply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import ResponseError, UnexpectedResponse
from tests.protocols.test_protocols_invalid_values import FIELDS, SPACE, answer, opened
from tests.support.sales import sales, stream_of_sales

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

LENGTH = 10_100_000
Read = Callable[[Client], list[Any]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("protocol", ["soap", "xml", "json"])
@pytest.mark.parametrize("read", [sales, stream_of_sales])
def test_long_text_is_read(rest_client: RestClient, recorder: Recorder, protocol: str, read: Read) -> None:
    answer(recorder, protocol, {**FIELDS, "reviewNote": "x" * LENGTH})
    (item,) = read(opened(rest_client, protocol))
    assert len(item.review_note) == LENGTH


@pytest.mark.sampled(2)
@pytest.mark.parametrize("protocol", ["soap", "xml", "json"])
@pytest.mark.parametrize("read", [sales, stream_of_sales])
def test_a_text_beyond_the_limit_names_the_setting(
    rest_client: RestClient, recorder: Recorder, protocol: str, read: Read
) -> None:
    answer(recorder, protocol, {**FIELDS, "reviewNote": "x" * LENGTH})
    client = opened(rest_client, protocol, max_response_bytes=10_000_000, attempts=1)
    with pytest.raises(UnexpectedResponse, match="raise the setting 'max_response_bytes'"):
        read(client)


@pytest.mark.parametrize("protocol", ["soap", "xml"])
@pytest.mark.parametrize("depth", [1_000, 50_000])
def test_deep_nesting_is_an_error(
    rest_client: RestClient, recorder: Recorder, protocol: str, depth: int
) -> None:
    answer(recorder, protocol, {**FIELDS, "reviewNote": "<n>" * depth + "</n>" * depth})
    client = opened(rest_client, protocol, attempts=1)
    with pytest.raises(ResponseError):
        sales(client)


@pytest.mark.parametrize("read", [sales, stream_of_sales])
def test_entities_are_not_expanded(rest_client: RestClient, recorder: Recorder, read: Read) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    doctype = f'<!DOCTYPE r [<!ENTITY e0 "0123456789">{entities}]>'
    recorder.answers(f'{doctype}<GetSalesResponse xmlns="{SPACE}" a="&e9;"/>', kind="application/xml")
    with pytest.raises(ResponseError):
        read(opened(rest_client, "xml", attempts=1))
