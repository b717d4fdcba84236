"""What commands that serve until Ctrl-C have in common, and how those end well that are asked to end."""

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


class AskedToEnd(SystemExit):
    """By a signal."""


@contextmanager
def tidied_up() -> Iterator[None]:
    """Let what asks a process to end, end it as Ctrl-C does, so that it removes its temporary files.

    That is a request to terminate, or that its terminal is gone, unless it is to outlast that (nohup), or
    something else takes care of it.
    """

    if threading.current_thread() is not threading.main_thread():  # no other one may
        yield
        return

    def end(number: int, _: FrameType | None) -> NoReturn:
        raise AskedToEnd(128 + number)

    found = (
        getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")
    )  # Windows has no terminals to lose
    asked = [one for one in found if one is not None and signal.getsignal(one) is signal.SIG_DFL]
    before = {one: signal.signal(one, end) for one in asked}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def cannot_serve(host: str, port: int, error: OSError | UnicodeError) -> Failure:
    """What is said where a server cannot be opened."""
    reason = getattr(error, "strerror", None) or "this is not an address of this machine"
    return Failure(f"cannot serve at {host} port {port}: {reason}")


def print_token(token: str | None) -> None:
    """Print the token of `/-/` to stderr if other machines can reach the server."""
    if token is not None:
        click.echo(f"soapclient: paths below /-/ need the header 'Authorization: Bearer {token}'", err=True)
