"""Errors if a server cannot start, and how a server ends."""

from __future__ import annotations

import errno
import os
import signal
import threading

import pytest

from soapclient.cli.serving import cannot_serve, clean_exit, until_a_signal

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EADDRINUSE, "Address already in use"), "Address already in use"),
        (UnicodeError("label too long"), "it is not an address of this machine"),
    ],
)
def test_unusable_address_is_reported_with_the_reason(error: OSError | UnicodeError, said: str) -> None:
    assert str(cannot_serve("a.example", 80, error)) == f"cannot listen at a.example port 80: {said}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_sets_the_event_only_inside_the_block(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with until_a_signal() as stopped:
        assert not stopped.is_set()
        os.kill(os.getpid(), number)
        assert stopped.wait(60)
    assert signal.getsignal(number) is before


def test_signals_are_handled_only_in_the_main_thread() -> None:
    before, found = signal.getsignal(signal.SIGTERM), []

    def other() -> None:
        with clean_exit():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == [before]
    with clean_exit():
        assert signal.getsignal(signal.SIGTERM) is not before
