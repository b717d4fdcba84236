"""The call loop: writes that are interrupted, and duplicates of earlier responses."""

from __future__ import annotations

from contextvars import copy_context
from datetime import timedelta

import pytest

from soapclient.calling.loop import InFlight, Loop
from soapclient.clock import ManualClock
from soapclient.errors import AmbiguousOutcome, MisplacedResponse
from tests.calling.test_calling_loop import Came, loop_of


def identified(loop: Loop, content: bytes, *further: bytes) -> object:
    call = loop.call("GetSales", safe=True)
    call.identify(content, further)
    assert call.limits.operation == "GetSales"
    return call.limits.request


def test_equal_requests_have_a_new_checksum_after_a_write(clock: ManualClock) -> None:
    loop = loop_of(clock)
    first = identified(loop, b"<a>1</a>")
    assert isinstance(first, int)
    assert identified(loop, b"<a>", b"1", b"</a>") == first
    assert identified(loop, b"<a>2</a>") != first
    assert identified(loop, b"<a>1</a>", b"2") != first
    loop.run(loop.call("CreateAdspace", safe=False), lambda offset: None)
    assert identified(loop, b"<a>1</a>") != first


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("sent", [None, 0, 34])
def test_write_whose_wait_is_interrupted_may_have_been_processed(
    clock: ManualClock, caplog: pytest.LogCaptureFixture, sent: int | None, lost: bool
) -> None:
    """Before the response, the interrupt itself gets the note; after it, only if the result is lost."""
    loop, in_flight = loop_of(clock), InFlight()
    call = loop.call("CreateAdspace", safe=False)

    def attempt(offset: timedelta) -> str:
        call.sent_bytes = sent
        if not lost:
            raise KeyboardInterrupt
        return "answer"

    def run() -> str:
        in_flight.watch()
        return loop.run(call, attempt)

    if lost:
        assert copy_context().run(run) == "answer"
        interrupt: BaseException = KeyboardInterrupt()
        in_flight.interrupted(interrupt)
        assert not hasattr(interrupt, "__notes__")
        in_flight.interrupted(interrupt, result_lost=True)
    else:
        with pytest.raises(KeyboardInterrupt) as caught:
            copy_context().run(run)
        interrupt = caught.value
    note = f"CreateAdspace: {'the response is lost' if lost else 'no response was read'}. The request "
    note += f"{call.request_id} may have been processed. Check before retrying."
    notes = [] if sent is None else [note]
    assert getattr(interrupt, "__notes__", []) == notes
    assert [text for text in caplog.messages if "may have been" in text] == notes


def test_failed_write_has_no_note(clock: ManualClock) -> None:
    loop = loop_of(clock)
    call = loop.call("CreateAdspace", safe=False)

    def attempt(offset: timedelta) -> None:
        call.sent_bytes = 34
        raise LookupError

    with pytest.raises(LookupError) as caught:
        loop.run(call, attempt)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("reused", [True, False])
def test_duplicate_of_an_earlier_response_is_repeated_at_once_on_a_new_connection(
    clock: ManualClock, reused: bool
) -> None:
    """Only a used connection can deliver it. On a new one, the retry waits as after other errors."""
    loop, idle = loop_of(clock), list[float | None]()
    call = loop.call("GetSales", safe=True)

    def attempt(offset: timedelta) -> str:
        idle.append(call.limits.idle)
        call.arrived(Came(reused=reused))
        if len(idle) == 1:
            raise MisplacedResponse("page", 2, "1", operation="GetSales")
        return "answer"

    assert loop.run(call, attempt) == "answer"
    assert idle == [None, 0.0]
    assert call.limits.operation == "GetSales"
    assert len(clock.sleeps) == (0 if reused else 1)


def test_write_is_not_repeated_after_a_duplicate_of_an_earlier_response(clock: ManualClock) -> None:
    loop, offsets = loop_of(clock), list[timedelta]()
    call = loop.call("CreateAdspace", safe=False)

    def attempt(offset: timedelta) -> None:
        offsets.append(offset)
        call.arrived(Came(reused=True))
        raise MisplacedResponse("page", 2, "1", operation="CreateAdspace")

    with pytest.raises(AmbiguousOutcome):
        loop.run(call, attempt)
    assert len(offsets) == 1
