"""How a backfill comes along: a bar on a terminal, a line for every tenth elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from soapclient.backfill.loop import Progress

OnProgress = Callable[["Progress"], None]


@contextmanager
def progress_on_stderr() -> Iterator[OnProgress]:
    """Show progress while a backfill runs."""
    if sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bars
        except ImportError:  # rich makes it nicer, nothing more
            pass
        else:
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
                bar = bars.add_task("partitions", total=None)
                yield lambda now: bars.update(
                    bar, completed=now.finished, total=now.total, description=_said(now)
                )
            return
    yield _Lines().show


def _said(now: Progress) -> str:
    return f"{now.rows:,} rows" + (f", {now.failed} failed" if now.failed else "")


class _Lines:
    def __init__(self) -> None:
        self._tenth = -1

    def show(self, now: Progress) -> None:
        tenth = now.finished * 10 // max(1, now.total)
        if tenth > self._tenth:
            self._tenth = tenth
            click.echo(f"soapclient: {now.finished} of {now.total} partitions, {_said(now)}", err=True)
