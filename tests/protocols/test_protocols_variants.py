"""Preconditions of the comparisons in this folder: the ways differ, and their sandboxes do not."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from werkzeug.wrappers import Request

from soapclient import Client

if TYPE_CHECKING:
    from tests.protocols.conftest import Ways


@pytest.mark.exhaustive
def test_each_variant_has_the_protocol_of_its_name(fresh_ways: Ways) -> None:
    for name, way in fresh_ways.items():
        codes = way.sandbox.partner_codes(str(way.client.settings.connect_id))
        seen: list[Request] = []
        way.sandbox.interfere = seen.append
        way.client.publisher.get_profile()
        way.client.publisher.delete_adspace(adspace_id=7)
        way.client.data.get_jobs()
        public = len(seen)
        way.client.publisher.search_programs()
        way.client.advertiser.get_partnerships(partner_code=codes)
        *theirs, advertiser = seen
        beginning = "/soap/" if name == "soap" else f"/{way.form}/"
        assert len(theirs) == 4
        assert all(one.path.startswith(f"{beginning}2011-0") for one in theirs)
        assert advertiser.path == "/2015-03-01/member/partnership"
        for one in [*seen[:public], advertiser]:
            assert ("signature" in one.args) == (way.signature == "query"), one.url
            assert (":" in one.headers.get("Authorization", "")) == (way.signature == "headers"), one.url
        assert ("connectid" in seen[public].args) == (way.signature == "query")
        assert "signature" not in seen[public].args
        assert ":" not in seen[public].headers.get("Authorization", "")


def test_all_clients_have_the_same_clock(ways: Ways) -> None:
    assert len({way.clock.now() for way in ways.values()}) == 1
    assert len({way.client.publisher.engine.clock.now() for way in ways.values()}) == 1


DAY = dt.date(2026, 11, 1)
# A call, and its address from docs/explanation/service.md#rest-resources: names, spelling and order of the
# parameters.
ADDRESSES: list[tuple[Callable[[Client], object], str]] = [
    (
        lambda c: c.publisher.get_admedia(
            program_id=1, region="DE", format=2, admedium_type="imageText", purpose="startPage",
            partner_ship="indirect", category_id=3, adspace_id=4, items=5, page=6,
        ),
        "/admedia?program=1&region=DE&format=2&admediumtype=imageText&purpose=startPage"
        "&partnership=indirect&category=3&adspace=4&items=5&page=6",
    ),
    (
        lambda c: c.publisher.search_incentives(
            program_id=1, adspace_id=2, incentive_type="freeProducts", region="AT", items=3, page=4
        ),
        "/incentives?program=1&adspace=2&incentiveType=freeProducts&region=AT&items=3&page=4",
    ),
    (lambda c: c.publisher.search_exclusive_incentives(), "/incentives/exclusive"),
    (
        lambda c: c.publisher.search_products(
            query="a b+c", search_type="phrase", region="DE", min_price=1, max_price=2, program_id=[3, 4],
            has_images=False, adspace_id=5, partnership="all", ean="6", merchant_category=["x,y", "z"],
            items=7, page=8,
        ),
        "/products?q=a%20b%2Bc&searchtype=phrase&region=DE&minprice=1&maxprice=2&programs=3%2C4"
        "&hasimages=false&adspace=5&partnership=all&ean=6&merchantcategory=x%2Cy&merchantcategory=z"
        "&items=7&page=8",
    ),
    *(
        (
            lambda c, kind=kind: c.publisher.get_leads(
                date=DAY, date_type=kind, program_id=1, adspace_id=2, review_state="open", items=3, page=4
            ),
            f"/reports/leads/date/2026-11-01?datetype={spelled}&program=1&adspace=2&state=open&items=3&page=4",
        )
        for kind, spelled in (
            ("trackingDate", "tracking_date"),
            ("modifiedDate", "modified_date"),
            ("reviewStateChangedDate", "review_state_changed_date"),
        )
    ),
    (
        lambda c: c.publisher.get_report_basic(
            from_date=DAY, to_date=DAY, date_type="modifiedDate", currency="EUR", program_id=1,
            admedium_id=2, adspace_id=3, review_state="rejected", group_by=["day", "program"],
        ),
        "/reports/basic?fromdate=2026-11-01&todate=2026-11-01&datetype=modified_date&currency=EUR&program=1"
        "&admedium=2&adspace=3&state=rejected&groupby=day%2Cprogram",
    ),
    (
        lambda c: c.publisher.search_programs(
            query="ü", start_date=DAY, region="DE", partner_ship="direct", has_products=True, industry=1,
            is_exclusive=False, items=2, page=3,
        ),
        "/programs?q=%C3%BC&startdate=2026-11-01&region=DE&partnership=DIRECT&hasproducts=true&industry=1"
        "&isexclusive=false&items=2&page=3",
    ),
    (
        lambda c: c.publisher.get_program_applications(
            program_id=1, adspace_id=2, status="open", items=3, page=4
        ),
        "/programapplications?program=1&adspace=2&status=open&items=3&page=4",
    ),
    (
        lambda c: c.publisher.get_tracking_categories(program_id=1, adspace_id=2),
        "/programapplications/program/1/adspace/2/trackingcategories",
    ),
    (lambda c: c.publisher.get_balances(items=3), "/payments/balances?items=3"),
    (lambda c: c.publisher.get_sale_basket(sale_id="a b"), "/reports/sales/sale/a%20b/basket"),
]  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("at", range(len(ADDRESSES)), ids=lambda at: ADDRESSES[at][1].partition("?")[0])
def test_call_uses_the_recorded_address_followed_by_the_signature(written_ways: Ways, at: int) -> None:
    call, address = ADDRESSES[at]
    for way in written_ways.values():
        if way.protocol == "soap":
            continue
        seen: list[Request] = []
        way.sandbox.interfere = seen.append
        call(way.client)
        way.sandbox.interfere = None
        sent = seen.pop()  # the last one: a read is repeated if its response is identical to another's
        assert len(seen) <= 1
        target = sent.environ["REQUEST_URI"]
        base = f"/{way.form}/2011-03-01{address}"
        assert target == base if way.signature == "headers" else target.startswith(base)
        behind = target.removeprefix(base).lstrip("?&").split("&") if target != base else []
        names = [one.partition("=")[0] for one in behind]
        # docs/explanation/service.md#signing: in this order
        signed = ["connectid", "date", "nonce", "signature"]
        assert names in ([[]] if way.signature == "headers" else [signed, ["connectid"]])
