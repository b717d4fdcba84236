"""A sandbox in users' tests: over each protocol it follows its switches and records the requests."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import pytest

from soapclient import Client, Settings
from soapclient.errors import AmbiguousOutcome, JobFailed, ServiceFault, Timeout
from soapclient.tracking.sandbox import JobScript
from soapclient.tracking.testing import ServedSandbox
from zxws.advertiser.service import GET_PROGRAM_REPORT
from zxws.advertiser.types import AggregatedReport, GetProgramReportResponse
from zxws.data.service import CREATE_REPORT_JOB
from zxws.publisher.service import GET_SALE_BASKET, GET_SALES, SEARCH_PRODUCTS
from zxws.publisher.types import (
    BasketItem,
    GetBalancesResponse,
    GetSaleBasketResponse,
    GetSaleResponse,
    GetSalesResponse,
)

DAY = dt.date(2026, 11, 1)
PROTOCOLS = pytest.mark.parametrize("protocol", ["soap", "rest"])


@pytest.fixture(scope="module")
def served() -> Iterator[ServedSandbox]:
    with ServedSandbox() as made:
        yield made


@pytest.fixture
def sandbox(served: ServedSandbox) -> Iterator[ServedSandbox]:
    served.reset()
    yield served
    served.reset()


@pytest.fixture
def client(sandbox: ServedSandbox, protocol: str) -> Iterator[Client]:
    settings = {"publisher_protocol": protocol, "data_protocol": protocol}
    with sandbox.client(**settings) as made:
        yield made


@pytest.fixture
def soap(sandbox: ServedSandbox) -> Iterator[Client]:
    with sandbox.client() as made:
        yield made


@PROTOCOLS
def test_given_response_is_returned(sandbox: ServedSandbox, client: Client) -> None:
    real = client.publisher.get_sales(date=DAY, date_type="trackingDate", items=2)
    assert real.sale_items
    assert len(real.sale_items) == 2
    given = GetSalesResponse(page=0, items=2, total=2, sale_items=real.sale_items)
    expected = sandbox.expect(GET_SALES).returns(given)
    assert client.publisher.get_sales(date=DAY, date_type="trackingDate") == given
    assert expected.called == 1
    sandbox.verify()


def test_rest_only_response_is_returned(sandbox: ServedSandbox, soap: Client) -> None:
    basket = GetSaleBasketResponse(
        basket_items=[BasketItem(product_name="Boots", amount=Decimal("12.50"), commission=Decimal("1.10"))]
    )
    report = GetProgramReportResponse(
        aggregated_report_list=[AggregatedReport(click_count=3, click_commission=Decimal("0.30"))]
    )
    sandbox.expect(GET_SALE_BASKET).returns(basket)
    sandbox.expect(GET_PROGRAM_REPORT).returns(report)
    with sandbox.client(publisher_protocol="rest") as client:
        assert client.publisher.get_sale_basket(sale_id="7") == basket
        found = client.advertiser.get_program_report(
            program_id=1801, from_date=DAY, to_date=DAY + dt.timedelta(days=1)
        )
    assert found == report
    (asked,) = sandbox.calls(GET_PROGRAM_REPORT)
    assert (asked.request.program_id, asked.request.from_date) == (1801, DAY)


@PROTOCOLS
def test_call_is_recorded_with_its_request(sandbox: ServedSandbox, client: Client) -> None:
    client.publisher.get_sales(date=DAY, date_type="trackingDate", page=0, items=5)
    client.publisher.search_products(query="boots", program_id=[1801, 1802])
    (sales,) = sandbox.calls(GET_SALES)
    assert sales.request == GET_SALES.request_type(date=DAY, date_type="trackingDate", page=0, items=5)
    assert (sales.operation, sales.status) == ("GetSales", 200)
    assert (sales.protocol, sales.connect_id) == (
        client.settings.publisher_protocol,
        client.settings.connect_id,
    )
    (products,) = sandbox.calls(SEARCH_PRODUCTS)
    assert (products.request.query, products.request.program_id) == ("boots", [1801, 1802])
    assert [one.operation for one in sandbox.calls()] == ["GetSales", "SearchProducts"]
    assert sandbox.calls("get_lead") == []


@PROTOCOLS
def test_expected_fault_is_raised(sandbox: ServedSandbox, client: Client) -> None:
    sandbox.expect("GetLead").fails(108, "no such lead").times(1)
    with pytest.raises(ServiceFault, match="no such lead") as caught:
        client.publisher.get_lead(lead_id="1")
    assert caught.value.code == 108
    assert [one.code for one in sandbox.calls("get_lead")] == [108]


@PROTOCOLS
def test_transient_error_is_retried_without_waiting(sandbox: ServedSandbox, client: Client) -> None:
    before = sandbox.clock.now()
    sandbox.expect("GetBalances").unavailable(retry_after=7).times(1)
    sandbox.expect("GetBalances").resets().times(1)
    assert client.publisher.get_balances()
    assert [one.status for one in sandbox.calls("GetBalances")] == [503, None, 200]
    assert sandbox.clock.now() - before > dt.timedelta(seconds=7)
    sandbox.verify()


@pytest.mark.parametrize("processed", [False, True])
def test_an_order_whose_response_is_lost_is_ambiguous(
    sandbox: ServedSandbox, soap: Client, processed: bool
) -> None:
    sandbox.expect(CREATE_REPORT_JOB).resets(processed=processed)
    with pytest.raises(AmbiguousOutcome):
        soap.data.export(report_type="click", from_date=DAY, to_date=DAY)
    assert len(list(soap.data.iterate.get_jobs())) == processed


def test_hanging_response_is_a_timeout(sandbox: ServedSandbox) -> None:
    sandbox.expect("GetBalances").hangs()
    with sandbox.client(deadline=0.3, timeout=0.2, attempts=1) as client, pytest.raises(Timeout):
        client.publisher.get_balances()


def test_invalid_requests_are_still_refused(sandbox: ServedSandbox) -> None:
    sandbox.expect("GetBalances").returns(GetBalancesResponse(page=0, items=0, total=0))
    with sandbox.client(secret_key="wrong") as client, pytest.raises(ServiceFault, match="signature"):
        client.publisher.get_balances()
    assert sandbox.calls() == []
    with pytest.raises(AssertionError, match="GetBalances: expected at least 1 time, called 0"):
        sandbox.verify()


def test_jobs_are_done_at_once_or_follow_a_script(sandbox: ServedSandbox, soap: Client) -> None:
    soap.data.export(report_type="click", from_date=DAY, to_date=DAY).wait()
    sandbox.script_jobs(JobScript(fail="out of paper"))
    with pytest.raises(JobFailed, match="out of paper"):
        soap.data.export(report_type="click", from_date=DAY, to_date=DAY).wait()


def test_sandbox_clock_is_shared_with_clients(sandbox: ServedSandbox, soap: Client) -> None:
    sandbox.clock.set(dt.datetime(2027, 1, 1, tzinfo=dt.UTC))
    assert soap.publisher.get_profile().profile_item is not None
    job = soap.data.export(report_type="click", from_date=DAY, to_date=DAY).wait()
    sandbox.clock.advance(25 * 3600)
    assert soap.data.get_job(job_id=str(job.handle.job_id)).job_item is not None
    (call, *_) = sandbox.calls()
    assert call.moment.year == 2027


def test_own_client_is_configured_by_the_environment(
    sandbox: ServedSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in sandbox.environ.items():
        monkeypatch.setenv(name, text)
    with Client() as client:
        assert client.publisher.get_profile().profile_item is not None
    config = dataclasses.replace(Settings.load(environ=sandbox.environ), publisher_protocol="rest")
    with Client(config) as client:
        assert client.publisher.get_profile().profile_item is not None
    assert [one.protocol for one in sandbox.calls("GetProfile")] == ["soap", "rest"]


def test_reset_restores_the_initial_state(sandbox: ServedSandbox, soap: Client) -> None:
    soap.data.export(report_type="click", from_date=DAY, to_date=DAY)
    sandbox.expect("GetBalances").fails(404)
    sandbox.clock.advance(86400)
    sandbox.reset()
    sandbox.verify()
    assert sandbox.calls() == []
    with sandbox.client() as client:
        assert list(client.data.iterate.get_jobs()) == []
        assert client.publisher.get_balances()
    assert abs(sandbox.clock.now() - dt.datetime.now(dt.UTC)) < dt.timedelta(hours=1)


def test_invalid_expectation_is_refused(sandbox: ServedSandbox) -> None:
    with pytest.raises(ValueError, match="there is no operation 'GetSails'; the operations are Create"):
        sandbox.expect("GetSails")
    with pytest.raises(TypeError, match="GetSales returns GetSalesResponse, not GetSaleResponse"):
        sandbox.expect("GetSales").returns(GetSaleResponse())
    with pytest.raises(ValueError, match="needs an operation"):
        sandbox.expect().returns(GetSaleResponse())
    with pytest.raises(ValueError, match="can have only one outcome"):
        sandbox.expect("GetSales").fails(404).resets()
    with pytest.raises(ValueError, match="times must be 1 or more, got 0"):
        sandbox.expect("GetSales").times(0)
    sandbox.reset()
    sandbox.expect("GetSales")
    sandbox.expect("GetLeads").times(2).fails(404)
    with pytest.raises(AssertionError) as caught:
        sandbox.verify()
    assert str(caught.value) == (
        "GetSales: the expectation does not have an outcome. Add returns(…), or another outcome.; "
        "GetLeads: expected 2 times, called 0"
    )
