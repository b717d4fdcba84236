"""No signature in the errors of zeep's service and in representations. Other errors: tests/leaks."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import SECRET_KEY
from tests.soap.conftest import responses, send
from tests.support.sales import DAY

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Exchange, Wire


def echo_page(exchange: Exchange) -> None:
    """A proxy whose error page contains the complete request."""
    head = "\n".join(f"{name}: {text}" for name, text in exchange.sent.headers.items())
    send(exchange, f"<html>{head}\n\n".encode() + exchange.sent.body, 404, Content_Type="text/html")


@pytest.mark.exhaustive
def test_secret_and_signatures_are_not_shown(
    open_client: OpenClient, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = open_client(attempts=2)
    shown: list[str] = []

    def fails(call: Callable[[], object]) -> None:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - any exception; the test checks how it is displayed
            call()
        shown.extend((str(caught.value), repr(caught.value), *traceback.format_exception(caught.value)))

    wire.answers(responses.sales(responses.sale(1)))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as stream:
        shown.append(repr(stream))
        assert len(list(stream)) == 1
    wire.does(echo_page)
    fails(client.publisher.zeep.GetProfile)  # raises zeep's own faults, with the service's texts
    untyped: Any = client.publisher
    fails(lambda: untyped.get_sales(date=DAY, date_type="nonsense"))
    fails(lambda: untyped.zeep.GetSales(date="nonsense", dateType="nonsense"))
    fails(lambda: untyped.zeep.GetSales(date=DAY, dateType="trackingDate", signature=5))
    engine = client.publisher.engine
    shown += [repr(item) for item in (client, client.settings, client.publisher, engine, engine.signer)]
    shown += [repr(vars(item)) for item in (client, client.settings, engine, engine.signer)]

    assert "POST" in caplog.text, "the log was really listened to"
    text = "\n".join((caplog.text, *shown))
    assert SECRET_KEY not in text
    assert len(wire.sent) >= 2
    for sent in wire.sent:
        assert sent.fields["signature"] not in text
        assert sent.headers["authorization"].partition(":")[2] not in text
