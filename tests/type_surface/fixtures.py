"""What users of the pytest fixtures have. Read by type checkers, never run."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import assert_type

import msgspec

from soapclient import Client
from soapclient.tracking.testing import Expectation, RecordedCall, SandboxClock, ServedSandbox
from zxws.publisher.service import GET_SALE, GET_SALES
from zxws.publisher.types import GetSaleResponse, GetSalesRequest, GetSalesResponse


def test_expectations_are_typed(zxws_sandbox: ServedSandbox, zxws_client: Client) -> None:
    assert_type(zxws_sandbox.expect(GET_SALES), Expectation[GetSalesResponse])
    assert_type(zxws_sandbox.expect("GetSales"), Expectation[msgspec.Struct])
    assert_type(zxws_sandbox.expect().resets(processed=True), Expectation[msgspec.Struct])
    response = GetSalesResponse(page=0, items=0, total=0)
    assert_type(zxws_sandbox.expect(GET_SALES).returns(response).times(2), Expectation[GetSalesResponse])
    assert_type(zxws_sandbox.expect(GET_SALES).fails(404).called, int)
    zxws_sandbox.expect(GET_SALE).returns(GetSaleResponse())
    zxws_sandbox.expect(GET_SALE).returns(response)  # type: ignore[arg-type]
    zxws_sandbox.expect(GET_SALE).fails("404")  # type: ignore[arg-type]
    zxws_sandbox.expect(404)  # type: ignore[call-overload]


def test_recorded_calls_are_typed(zxws_sandbox: ServedSandbox, zxws_client: Client) -> None:
    calls = zxws_sandbox.calls(GET_SALES)
    assert_type(calls, list[RecordedCall[GetSalesRequest]])
    assert_type(calls[0].request.date, dt.date)
    assert_type(calls[0].status, int | None)
    assert_type(zxws_sandbox.calls(), list[RecordedCall[msgspec.Struct]])
    print(calls[0].request.day)  # type: ignore[attr-defined]


def test_other_members_are_typed(zxws_sandbox: ServedSandbox) -> None:
    assert_type(zxws_sandbox.clock, SandboxClock)
    assert_type(zxws_sandbox.environ, dict[str, str])
    with zxws_sandbox.client(protocol="soap") as client:
        assert_type(client, Client)
    with ServedSandbox(seed=7) as served:
        assert_type(served, ServedSandbox)
    zxws_sandbox.clock.advance(Decimal(1))  # type: ignore[arg-type]
