"""Values that are easily corrupted in transit: in addresses, in bodies, and on days with 23 or 25 hours."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec
import pytest

from soapclient.errors import ContractError
from zxws.publisher.types import AdspaceItem, SubStringIdentifierType

if TYPE_CHECKING:
    from tests.protocols.conftest import Ways

TEXTS = [
    "a b",
    "1+1 = 2 & 3",
    "100 % of ümläut/?#;:@[]",
    "%2B%20+",
    "a=b&signature=c&connectid=d",
    "true",
    "null",
    "12.50",
    "1e5",
    "\"quoted\" \\ 'twice'",
    "<tag> ]]> &amp; {json: [1, 2]}",
    "𝄞 ✓ — \u00a0 \u2028",
    "x" * 1500,
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", TEXTS)
def test_query_text_arrives_unchanged(ways: Ways, text: str) -> None:
    for name, way in ways.items():
        assert way.client.publisher.search_products(query=text).query == text, name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", [*TEXTS, "  blanks around  ", "two\nlines\tand a tab", "", "-0"])
def test_body_text_is_stored_and_returned_unchanged(written_ways: Ways, text: str) -> None:
    for name, way in written_ways.items():
        item = AdspaceItem(
            name=text, url="https://space.example.org/", description=text, adspace_type="website", visitors=0,
            impressions=0, categories=[SubStringIdentifierType(id=13, value=text)], language="de",
            check_number=0,
        )  # fmt: skip
        made = way.client.publisher.create_adspace(adspace_item=item).adspace_item
        assert made.id
        assert msgspec.structs.replace(made, id=None) == item, name
        kept = way.by_soap.publisher.get_adspace(adspace_id=made.id).adspace_item
        assert kept == made, name


@pytest.mark.parametrize("text", ["", ".", ".."])
def test_text_that_would_change_an_address_is_accepted_over_soap(ways: Ways, text: str) -> None:
    assert ways["soap"].client.publisher.get_sale(sale_id=text).sale_item is None


@pytest.mark.parametrize("text", ["\x01", "a\x00b", "\ud800"])
def test_characters_invalid_in_xml_are_refused_before_sending(ways: Ways, text: str) -> None:
    for way in ways.values():
        with pytest.raises(ContractError, match="SearchProducts: query"):
            way.client.publisher.search_products(query=text)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("day", [dt.date(2026, 10, 25), dt.date(2026, 3, 29), dt.date(2026, 7, 1)])
def test_day_is_equal_over_all_protocols_also_at_clock_changes(ways: Ways, day: dt.date) -> None:
    sales, reports, programs = [], [], []
    for way in ways.values():
        publisher = way.client.publisher
        sales.append(list(publisher.iterate.get_sales(date=day, date_type="trackingDate")))
        reports.append(
            publisher.get_report_basic(from_date=day, to_date=day + dt.timedelta(1), group_by=["day"])
        )
        programs.append(publisher.search_programs(start_date=day.replace(year=2015)).total)
    for sale in sales[0]:
        assert sale.tracking_date is not None
        assert sale.tracking_date.date() == day  # in Berlin's local time
    assert {row.day for row in reports[0].report_items or []} == {f"{day}", f"{day + dt.timedelta(1)}"}
    assert len(sales[0]) > 20
    assert 0 < programs[0] < 300
    for each in (sales, reports, programs):
        assert all(one == each[0] for one in each)
