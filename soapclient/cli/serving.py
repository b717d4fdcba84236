"""What commands that serve until Ctrl-C have in common."""

from __future__ import annotations

import ipaddress
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from soapclient.cli.failures import Failure


@contextmanager
def until_a_signal() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a request to terminate sets, so that everything is closed in its order."""
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def reached_at(url: str, host: str) -> str:
    """Where this machine reaches a server: one that listens everywhere has no address to call."""
    try:
        everywhere = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return url
    return url.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]") if everywhere else url


def cannot_serve(host: str, port: int, error: OSError | UnicodeError) -> Failure:
    """What is said where a server cannot be opened."""
    reason = getattr(error, "strerror", None) or "this is not an address of this machine"
    return Failure(f"cannot serve at {host} port {port}: {reason}")
