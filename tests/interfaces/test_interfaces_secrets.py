"""The secret and the signatures never appear in errors and logs, however a call fails."""

from __future__ import annotations

import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from soapclient.errors import SoapClientError
from tests.conftest import SECRET_KEY
from tests.interfaces.conftest import break_off, closed_port, vanish

if TYPE_CHECKING:
    from tests.interfaces.conftest import Case
    from tests.support.wire import Exchange

pytestmark = pytest.mark.sampled(2, 4)
API_KEY = "b4Zq-secret-of-a-gateway"
HEADERS = {"X-Api-Key": API_KEY}  # sent with each request


class Shown(logging.Handler):
    """Collects every text that a user may see: errors in all forms, and all records of all loggers."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts += [record.getMessage(), repr(record.args)]
        if record.exc_info:
            self.texts += traceback.format_exception(*record.exc_info)

    def error_of(self, call: Callable[[], object]) -> SoapClientError:
        """Collect the error that a call raises."""
        with pytest.raises(SoapClientError) as caught:
            call()
        error = caught.value
        self.texts += [str(error), repr(error), repr(vars(error)), repr(pickle.loads(pickle.dumps(error)))]
        # With the local variables of the frames, as some log handlers show them.
        self.texts += traceback.TracebackException.from_exception(error, capture_locals=True).format()
        return error

    def check(self, case: Case) -> str:
        """Check that no secret and no signature is shown. Return the collected text."""
        text = "\n".join(self.texts)
        assert SECRET_KEY not in text
        assert API_KEY not in text
        for sent in case.wire.sent:
            for _, _, signature, _ in case.signatures(sent):
                assert len(signature) == 28
                assert signature not in text
                assert quote(signature) not in text
                assert quote(signature, safe="") not in text
        return text


@pytest.fixture
def shown() -> Iterator[Shown]:
    root, handler = logging.getLogger(), Shown()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


def echo(case: Case, *, page: bool) -> Callable[[Exchange], None]:
    """A service, or a proxy with an HTML page, that repeats the request in its error."""

    def answer(exchange: Exchange) -> None:
        sent = exchange.sent
        request = f"{sent.target} {sent.headers} {sent.body.decode()}"
        request += " ".join(
            f"{API_KEY} signature={signature}" for _, _, signature, _ in case.signatures(sent)
        )
        body = f"<html>{request}".encode() if page else case.refusal(107, request)
        kind = "text/html" if page else case.kind
        exchange.head(400, Content_Type=kind, Content_Length=str(len(body)))
        exchange.write(body)

    return answer


def test_echoed_request_shows_no_signature(case: Case, shown: Shown) -> None:
    calls = case.open(headers=HEADERS)
    for page in (False, True):
        for call in (calls.read, calls.write):
            case.wire.does(echo(case, page=page))
            shown.error_of(call)
    assert len(case.wire.sent) == 4
    assert "[hidden]" in shown.check(case)


def test_lost_connection_shows_no_signature(case: Case, shown: Shown) -> None:
    calls = case.open(attempts=2, headers=HEADERS)
    case.drops(vanish, break_off, vanish, break_off)
    for call in (calls.read, calls.write, calls.write):
        shown.error_of(call)
    assert len(case.wire.sent) == 4
    assert case.wire.last.path in shown.check(case)  # urllib3 logs the requests


def test_unsent_request_shows_no_signature(case: Case, shown: Shown) -> None:
    calls = case.open(closed_port(), attempts=1, headers=HEADERS)
    for call in (calls.read, calls.write):
        shown.error_of(call)
    text = shown.check(case)
    assert "127.0.0.1" in text
    for name in ("signature=", "nonce="):
        assert name + "[hidden]" in text or name not in text


def test_undecodable_response_shows_no_signature(case: Case, shown: Shown) -> None:
    calls = case.open(attempts=1, headers=HEADERS)
    for body in (b"", b"<broken", case.profile(isAdvertiser="x"), case.refusal(403), b"<html/>"):
        case.answers(body)
        shown.error_of(calls.read)
    shown.check(case)
    assert len(case.wire.sent) == 5


def test_secret_with_odd_characters_is_not_shown(case: Case, shown: Shown) -> None:
    calls = case.open(secret_key="gehëim & <streng> 'ja' \"nein\" ✓")
    case.answers(case.profile())
    calls.read()
    case.refuses(403)
    shown.error_of(calls.read)
    assert "streng" not in "\n".join(shown.texts)
