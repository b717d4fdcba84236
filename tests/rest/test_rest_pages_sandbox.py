"""All pages of the sandbox's lists, over both protocols."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from soapclient.errors import ContractError
from soapclient.tracking.client import ProtocolName

if TYPE_CHECKING:
    from soapclient import Client
    from soapclient.tracking.sandbox import Sandbox
    from tests.conftest import RestClient

PROTOCOLS = [("soap", "xml"), ("rest", "xml"), ("rest", "json")]
DAY = dt.date(2026, 11, 1)


@pytest.fixture(params=PROTOCOLS, ids="-".join)
def client(
    request: pytest.FixtureRequest, rest_client: RestClient, rest_sandbox: tuple[Sandbox, str]
) -> Client:
    protocol, form = request.param
    name: ProtocolName = protocol
    return rest_client(rest_sandbox[1], protocol=name, rest_format=form)


@pytest.mark.sampled(1)
def test_pages_of_any_size_return_the_same_sales(client: Client) -> None:
    whole = [sale.id for sale in client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate")]
    first = client.publisher.get_sales(date=DAY, date_type="trackingDate", items=1)
    assert len(whole) == len(set(whole)) == first.total > 3
    told: list[tuple[int, int, int | None]] = []
    found = client.publisher.iterate.get_sales(
        date=DAY, date_type="trackingDate", items=3, on_page=lambda *one: told.append(one)
    )
    assert [sale.id for sale in found] == whole
    assert told[0] == (0, 3, first.total)
    assert [number for number, _, _ in told] == list(range(-(-len(whole) // 3)))
    assert told[-1][1] == len(whole)
    rest = client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate", items=3, page=1)
    assert [sale.id for sale in rest] == whole[3:]


@pytest.mark.sampled(2)
def test_chained_listener_is_called_for_each_page(client: Client) -> None:
    told: list[int] = []
    pages = client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate", items=3)
    assert len(list(pages.on_page(lambda number, *_: told.append(number)))) == pages.given
    assert told == list(range(-(-pages.given // 3)))
    # Nothing is sent before the first page, and a type checker rejects the call.
    with pytest.raises(ContractError):
        next(client.publisher.iterate.get_sales(date=5, date_type="trackingDate").on_page(print))  # type: ignore[call-overload]


def test_search_without_a_match_is_empty(client: Client) -> None:
    assert list(client.publisher.iterate.search_programs(query="no such program anywhere")) == []


@pytest.mark.exhaustive
def test_exclusive_incentives_are_paged(client: Client) -> None:
    """Returns all items if neither page nor items is sent (docs/explanation/service.md#rest-resources)."""
    at_once = client.publisher.search_exclusive_incentives().incentive_items or []
    paged = list(client.publisher.iterate.search_exclusive_incentives(items=2))
    assert [item.id for item in paged] == [item.id for item in at_once]


def test_tracking_categories_are_paged(client: Client) -> None:
    """They have pages over SOAP but not over REST."""
    for application in client.publisher.iterate.get_program_applications(status="confirmed"):
        assert application.program is not None
        assert application.adspace is not None
        program, adspace = application.program.id or 0, application.adspace.id or 0
        response = client.publisher.get_tracking_categories(program_id=program, adspace_id=adspace)
        if response.total > 1:
            break
    else:
        raise AssertionError("no program has two tracking categories")
    found = client.publisher.iterate.get_tracking_categories(program_id=program, adspace_id=adspace)
    items = list(found)
    assert len(items) == response.total == found.total == found.given
    assert items == response.tracking_category_item
