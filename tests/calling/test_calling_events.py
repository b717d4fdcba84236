"""Events of calls over a real socket: hooks, log records, and what they must not contain."""

from __future__ import annotations

import dataclasses
import datetime as dt
import logging
import re
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from soapclient.calling.events import Attempt
from soapclient.clock import ManualClock
from soapclient.errors import (
    AmbiguousOutcome,
    ConfigError,
    ContractError,
    ResponseError,
    ServiceFault,
    UnexpectedResponse,
)
from soapclient.soap import client
from tests.calling.conftest import SPACE, Open, page
from tests.conftest import SECRET_KEY
from tests.support.sales import SALE, xml_of
from tests.support.soap import envelope
from tests.support.soap import fault as soap_fault

if TYPE_CHECKING:
    from tests.support.wire import Recorder

FIELDS = {"service", "operation", "protocol", "attempt", "status", "milliseconds", "bytes"}
FIELDS |= {"request_id", "error_id"}


def fault(protocol: str, code: int = 503, status: int = 503) -> tuple[str, int, str]:
    """A fault of the service that quotes the request."""
    if protocol == "rest":
        body = f'{{"code": {code}, "message": "query is secret-word", "errorId": "E-7"}}'
        return body, status, "application/json"
    texts = f"<code>{code}</code><reason>query is secret-word</reason><errorId>E-7</errorId>"
    detail = f'<SOAPException xmlns="{SPACE}">{texts}</SOAPException>'
    return envelope(soap_fault("s:Server", "query is secret-word", detail)), status, "text/xml"


def records(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record for record in caplog.records if record.name == "soapclient.calls"]


def test_hooks_are_called_for_each_attempt_and_response(
    open_caller: Open, recorder: Recorder, rest_clock: ManualClock, protocol: str
) -> None:
    heard: list[tuple[str, Attempt]] = []

    def respond(attempt: Attempt) -> None:
        rest_clock.advance(1)
        heard.append(("response", attempt))

    client = open_caller(on_attempt=lambda attempt: heard.append(("attempt", attempt)), on_response=respond)
    body, status, kind = page(protocol)
    recorder.answers("gone", 503, "text/plain")
    recorder.answers(body, status, kind)
    client.publisher.search_programs(query="x")
    assert [(name, each.number, each.status, each.seconds) for name, each in heard] == [
        ("attempt", 1, None, None),
        ("response", 1, 503, 0.0),
        ("attempt", 1, 503, 0.0),
        ("attempt", 2, None, None),
        ("response", 2, 200, 0.0),
        ("attempt", 2, 200, 0.0),
    ]
    last, failed = heard[-1][1], heard[2][1]
    assert (last.service, last.operation, last.protocol) == ("publisher", "SearchPrograms", protocol)
    assert (last.received, last.sent) == (len(body), len(recorder.last.body))
    assert isinstance(failed.error, UnexpectedResponse)
    assert {each.request_id for _, each in heard} == {recorder.last.headers["x-request-id"]}
    with pytest.raises(dataclasses.FrozenInstanceError):
        last.number = 3  # type: ignore[misc]


@pytest.mark.parametrize("hook", ["on_attempt", "on_response"])
def test_exception_in_a_hook_is_logged_and_does_not_fail_the_call(
    open_caller: Open, recorder: Recorder, protocol: str, hook: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(attempt: Attempt) -> None:
        raise RuntimeError("a mistake of the hook")

    recorder.answers(*page(protocol))
    assert open_caller(**{hook: fail}).publisher.search_programs(query="x").total == 0
    assert len(recorder.sent) == 1
    assert {record.getMessage() for record in records(caplog)} == {
        f"the hook {hook} failed in a call of SearchPrograms"
    }
    for record in records(caplog):  # a formatter may use the fields of all records
        assert vars(record).keys() >= FIELDS
        assert record.request_id == recorder.last.headers["x-request-id"]


class Later:
    async def __call__(self, *heard: object) -> None: ...


async def later(*heard: object) -> None: ...


@pytest.mark.parametrize(
    "hook", [later, Later(), partial(later, 1), 5], ids=["function", "object", "partial", "no function"]
)
@pytest.mark.parametrize("name", ["on_attempt", "on_response", "on_finding"])
def test_coroutine_hook_is_refused(open_caller: Open, name: str, hook: object) -> None:
    with pytest.raises(ConfigError, match=f"^{name}: must be a function, got") as refused:
        open_caller(**{name: hook})
    assert refused.value.setting == name


def test_coroutine_page_listener_is_refused(open_caller: Open) -> None:
    publisher, hook = open_caller().publisher, cast("Any", later)  # mypy rejects it, too
    with pytest.raises(ConfigError, match="on_page: must be a function, got a coroutine function"):
        publisher.iterate.search_programs(query="x").on_page(hook)


def test_one_record_for_each_attempt_and_for_each_retry(
    open_caller: Open, recorder: Recorder, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    recorder.answers(*fault(protocol))
    recorder.answers(*page(protocol))
    with caplog.at_level(logging.DEBUG, "soapclient.calls"):
        open_caller().publisher.search_programs(query="x")
    first, retry, second = records(caplog)
    assert [each.levelname for each in (first, retry, second)] == ["DEBUG", "INFO", "DEBUG"]
    for each, attempt, status in ((first, 1, 503), (retry, 1, 503), (second, 2, 200)):
        assert vars(each).keys() >= FIELDS
        assert (each.service, each.operation, each.protocol) == ("publisher", "SearchPrograms", protocol)
        assert (each.attempt, each.status) == (attempt, status)
        assert each.request_id == recorder.last.headers["x-request-id"]
    assert (first.error_id, retry.error_id, second.error_id) == ("E-7", "E-7", None)
    assert second.bytes == len(page(protocol)[0])
    assert second.milliseconds == 0  # by the clock of the test
    assert (retry.reason, retry.wait) == ("ServiceFault 503", 0.5)
    assert retry.getMessage() == "SearchPrograms: attempt 1 failed (ServiceFault 503), retry in 0.50 s"


@pytest.mark.exhaustive
def test_failed_call_prints_nothing_if_logging_is_not_configured(recorder: Recorder, protocol: str) -> None:
    """Run in another process, because pytest configures logging in this process."""
    recorder.answers(*fault(protocol, 400, 400))
    code = (
        "import sys\nfrom soapclient import Client, Settings\nfrom soapclient.errors import ServiceFault\n"
        "config = Settings.load(environ={}, connect_id='A', secret_key='no secret',"
        " publisher_url=sys.argv[1], rest_format='json')\n"
        "try:\n    Client(config, protocol=sys.argv[2]).publisher.search_programs(query='x')\n"
        "except ServiceFault:\n    print('failed')\n"
    )
    run = [sys.executable, "-c", code, recorder.url, protocol]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("failed\n", "")


def test_failed_call_logs_a_warning_and_a_successful_call_nothing(
    open_caller: Open, recorder: Recorder, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = open_caller()
    recorder.answers(*page(protocol))
    client.publisher.search_programs(query="x")
    assert records(caplog) == []
    recorder.answers(*fault(protocol, 400, 400))
    with pytest.raises(ServiceFault) as caught:
        client.publisher.search_programs(query="x")
    [record] = records(caplog)
    assert (record.levelname, record.error_id) == ("WARNING", "E-7")
    assert record.request_id == caught.value.request_id
    assert record.getMessage() == "SearchPrograms: failed (ServiceFault 400)"
    assert recorder.last.headers["x-request-id"] == caught.value.request_id
    caplog.clear()
    with pytest.raises(ContractError):
        client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="bogus")  # type: ignore[arg-type]
    assert records(caplog) == []  # nothing was sent


def test_unknown_outcome_logs_the_request_id(
    open_caller: Open, recorder: Recorder, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    recorder.answers("gone", 502, "text/plain")
    with pytest.raises(AmbiguousOutcome) as caught:
        open_caller().publisher.delete_adspace(adspace_id=7)
    sent = recorder.last.headers["x-request-id"]
    assert caught.value.request_id == sent
    assert f"The request {sent} may have been processed. Check before retrying." in str(caught.value)
    [record] = records(caplog)
    assert record.getMessage() == "DeleteAdspace: failed (UnexpectedResponse: HTTP status 502)"


def test_no_record_has_a_secret_a_signature_or_a_body(
    open_caller: Open, recorder: Recorder, protocol: str, caplog: pytest.LogCaptureFixture
) -> None:
    for answer in (fault(protocol), fault(protocol), page(protocol)):
        recorder.answers(*answer)
    with caplog.at_level(logging.DEBUG):
        open_caller().publisher.search_programs(query="secret-word")
    written = "\n".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)
    assert len(records(caplog)) == 5
    for part in (SECRET_KEY, "secret-word", "<s:Envelope", '"total"'):
        assert part not in written
    for sent in recorder.sent:
        signed = [sent.headers.get("authorization", "").partition(":")[2]]
        signed += re.findall(r"<(?:\w+:)?signature>(.+?)<", sent.body.decode())[:1]
        assert not [each for each in signed if each and each in written]


def test_zeep_logs_only_warnings_by_default() -> None:
    assert client
    assert logging.getLogger("zeep").level == logging.WARNING
    assert not logging.getLogger("zeep.transports").isEnabledFor(logging.DEBUG)


def test_an_error_among_the_items_of_a_stream_names_its_call(
    open_caller: Open, recorder: Recorder, protocol: str
) -> None:
    sale = xml_of("saleItem", SALE)
    listed = f"<page>0</page><items>2</items><total>2</total><saleItems>{sale}<saleItem/></saleItems>"
    body = f'<GetSalesResponse xmlns="{SPACE}">{listed}</GetSalesResponse>'
    recorder.answers(envelope(body) if protocol == "soap" else body, 200, "text/xml")
    stream = open_caller().publisher.stream.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    with pytest.raises(ResponseError, match=r"saleItem\[2\]") as caught, stream as items:
        list(items)
    assert caught.value.request_id == recorder.last.headers["x-request-id"]
