"""Shared parts of commands that serve until Ctrl-C, and the clean end of commands on signals."""

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
    """Yield an event that Ctrl-C or SIGTERM sets, so that everything is closed in order."""
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
    """A signal asked the process to end."""


@contextmanager
def clean_exit() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the process as Ctrl-C does, so that it removes its temporary files.

    Signals that are ignored (nohup) or that have another handler stay as they are.
    """

    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return

    def end(number: int, _: FrameType | None) -> NoReturn:
        """Raise Terminated with the exit code of the signal."""
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
    """Return the failure for a server that cannot be opened."""
    reason = getattr(error, "strerror", None) or "it is not an address of this machine"
    return Failure(f"cannot listen at {host} port {port}: {reason}")


def print_token(token: str | None) -> None:
    """Print to stderr the token that paths below `/-/` require; None: they require none."""
    if token is not None:
        click.echo(f"soapclient: paths below /-/ need the header 'Authorization: Bearer {token}'", err=True)
