"""The secret and the signatures never appear in output or errors, whatever is called and however it fails."""

from __future__ import annotations

import datetime as dt
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import SoapClientError

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient, Responses
    from tests.support.wire import Exchange, Wire

SECRET = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
DAY = dt.date(2026, 11, 1)


class Heard:
    """Collects every log record of every logger, on all levels."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, record: logging.LogRecord) -> None:
        self.lines += [record.getMessage(), repr(record.args)]
        if record.exc_info:
            self.lines += traceback.format_exception(*record.exc_info)


@pytest.fixture
def heard() -> Iterator[Heard]:
    everything = Heard()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            everything.add(record)

    root, handler = logging.getLogger(), Handler()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield everything
    root.removeHandler(handler)
    root.setLevel(level)


def shown_by(error: BaseException) -> list[str]:
    """Return every representation in which users may see an error."""
    told = [str(error), repr(error), *traceback.format_exception(error)]
    if isinstance(error, SoapClientError):
        told += [repr(vars(error)), repr(pickle.loads(pickle.dumps(error)))]
    return told


def echo(responses: Responses) -> Callable[[Exchange], None]:
    """A service that repeats the request in its fault."""

    def answer(exchange: Exchange) -> None:
        sent = exchange.sent
        authorization, signature = sent.headers["authorization"], sent.fields["signature"]
        said = f"refused: Authorization: {authorization} &lt;signature&gt;{signature}&lt;/signature&gt;"
        body = responses.fault(107, f"{said} signature={signature}")
        exchange.head(500, Content_Length=str(len(body)))
        exchange.write(body)

    return answer


def echo_page(exchange: Exchange) -> None:
    """A proxy whose error page contains the complete request."""
    head = "\n".join(f"{name}: {text}" for name, text in exchange.sent.headers.items())
    body = f"<html>{head}\n\n".encode() + exchange.sent.body
    exchange.head(404, Content_Type="text/html", Content_Length=str(len(body)))
    exchange.write(body)


@pytest.mark.exhaustive
def test_secret_and_signatures_are_not_shown(
    open_client: OpenClient, wire: Wire, responses: Responses, heard: Heard
) -> None:
    client = open_client(on_finding=lambda *_: None, attempts=2)
    told: list[str] = []

    def fails(call: Callable[[], object]) -> None:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - any exception; the test checks how it is displayed
            call()
        told.extend(shown_by(caught.value))

    wire.answers(responses.profile("<badge/>"))
    client.publisher.get_profile()
    wire.answers(responses.sales(responses.sale(1)))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as stream:
        told.append(repr(stream))
        assert len(list(stream)) == 1
    for answer, call in (
        (echo(responses), client.publisher.get_profile),
        (echo_page, client.publisher.get_profile),
        (echo_page, client.publisher.zeep.GetProfile),  # raises zeep's own faults, with the service's texts
    ):
        wire.does(answer)
        fails(call)
    wire.does(lambda exchange: exchange.drop())
    fails(lambda: client.publisher.delete_adspace(adspace_id=1))
    for body in (b"", b"<broken", responses.profile(isAdvertiser="x"), responses.fault(403), b"<html/>"):
        wire.answers(body)
        fails(client.publisher.get_profile)
    wire.answers(b"busy", 503)
    wire.does(lambda exchange: exchange.drop())
    fails(client.publisher.get_profile)
    untyped: Any = client.publisher
    fails(lambda: untyped.get_sales(date=DAY, date_type="nonsense"))
    fails(lambda: untyped.zeep.GetSales(date="nonsense", dateType="nonsense"))
    fails(lambda: untyped.zeep.GetSales(date=DAY, dateType="trackingDate", signature=5))
    engine = client.publisher.engine
    told += [repr(each) for each in (client, client.settings, client.publisher, engine, engine.signer)]
    told += [repr(vars(each)) for each in (client, client.settings, engine, engine.signer)]

    assert any("POST" in line for line in heard.lines), "the log was really listened to"
    assert len(wire.sent) > 10
    text = "\n".join(heard.lines + told)
    assert SECRET not in text
    for sent in wire.sent:
        assert sent.fields["signature"] not in text
        assert sent.headers["authorization"].partition(":")[2] not in text


def test_a_secret_with_odd_characters_signs_and_is_not_shown(
    open_client: OpenClient, wire: Wire, responses: Responses, heard: Heard
) -> None:
    secret = "gehëim & <streng> 'ja' \"nein\" ✓"
    client: Client = open_client(secret_key=secret)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    wire.answers(responses.fault(403), 500)
    with pytest.raises(SoapClientError) as caught:
        client.publisher.get_profile()
    text = "\n".join(heard.lines + shown_by(caught.value) + [repr(client.settings)])
    assert "streng" not in text
