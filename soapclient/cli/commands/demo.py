"""`soapclient demo`: a whole job over real HTTP, against the sandbox served in this process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from soapclient.cli.failures import needing_an_extra


@click.command(short_help="Watch a whole job run, without an account.")
@click.option(
    "--rows", default=200_000, show_default=True, type=click.IntRange(1, 10_000_000), help="To export."
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder to keep the exported file in; by default nothing is kept.",
)
def command(rows: int, keep: Path | None) -> None:
    """Watch a whole job run against the built-in sandbox: signed calls, pages of sales, an export.

    The sandbox keeps a reconstructed contract and makes its data up.
    """
    with needing_an_extra():
        from soapclient.cli.demonstration import run

    with _tidied_up():
        run(rows, keep)


@contextmanager
def _tidied_up() -> Iterator[None]:
    """Let what asks a process to end, end it as Ctrl-C does, so that it removes its temporary files.

    That is a request to terminate, or that its terminal is gone, unless it is to outlast that (nohup).
    """

    def end(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    found = (
        getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")
    )  # Windows has no terminals to lose
    asked = [one for one in found if one is not None and signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, end) for one in asked}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
