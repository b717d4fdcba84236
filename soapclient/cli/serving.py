"""Exit cleanly when a signal arrives: stop servers that run until Ctrl-C, and remove temporary files."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import click

from soapclient.cli.failures import Failure


@contextmanager
def until_a_signal() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C or SIGTERM sets. The caller waits for the event."""
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Terminated(SystemExit):
    """Raised if a signal asks the process to end. It ends the process with an exit code."""


@contextmanager
def clean_exit() -> Iterator[None]:
    """Context manager that raises an exception on SIGTERM and SIGHUP, so that temporary files are removed.

    On Ctrl-C, Python itself raises an exception. The handling of a signal does not change if the signal is
    ignored (nohup) or already has a handler.
    """

    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return

    def end(number: int, _: FrameType | None) -> NoReturn:
        """Raise Terminated with the exit code that shells use for the signal."""
        raise Terminated(128 + number)

    signals = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))  # Windows has no SIGHUP
    handled = [item for item in signals if item is not None and signal.getsignal(item) is signal.SIG_DFL]
    before = {number: signal.signal(number, end) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def cannot_serve(host: str, port: int, error: OSError | UnicodeError) -> Failure:
    """Return the failure of a server that cannot listen at an address."""
    reason = getattr(error, "strerror", None) or "it is not an address of this machine"
    return Failure(f"cannot listen at {host} port {port}: {reason}")


def print_token(token: str | None) -> None:
    """Print on stderr the token that requests to paths below `/-/` need. Prints nothing if it is None."""
    if token is not None:
        click.echo(f"soapclient: paths below /-/ need the header 'Authorization: Bearer {token}'", err=True)
