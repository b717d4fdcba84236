"""How an export comes along: a bar on a terminal, a line for every new state elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from soapclient.tracking.exports.download.download import DownloadProgress
    from soapclient.tracking.exports.jobs.job import JobSnapshot


class Progress(Protocol):
    """Hears of every look at a job, and of every block of its file."""

    def job(self, job: JobSnapshot, /) -> None: ...

    def download(self, done: DownloadProgress, /) -> None: ...


@contextmanager
def progress_on_stderr(say: Callable[[str], None] | None = None) -> Iterator[Progress]:
    """Show progress while an export runs. `say` gets the lines where stderr is no terminal."""
    bars = terminal_bars()
    if bars is None:
        yield _Lines(say or (lambda line: click.echo(f"soapclient: {line}", err=True)))
    else:
        with bars:
            yield _OnTerminal(bars)


def terminal_bars(*, counted: bool = False) -> Bars | None:
    """A bar on stderr, `counted` with how many of how many; None where it is no terminal, or without rich."""
    if not sys.stderr.isatty():
        return None
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )
    except ImportError:  # rich makes it nicer, nothing more
        return None
    text, bar, elapsed = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    columns = (text, bar, MofNCompleteColumn(), elapsed) if counted else (SpinnerColumn(), text, bar, elapsed)
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Lines:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._status = ""
        self._quarter = 0

    def job(self, job: JobSnapshot) -> None:
        status = job.status or job.phase
        if status != self._status:
            self._status = status
            self._say(f"the job is {status}")

    def download(self, done: DownloadProgress) -> None:
        quarter = 0 if not done.total else done.received * 4 // done.total
        if quarter > self._quarter:
            self._quarter = quarter
            self._say(f"downloaded {quarter * 25} % of {done.total:,} bytes")


class _OnTerminal:
    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task = bars.add_task("ordered", total=None)

    def job(self, job: JobSnapshot) -> None:
        self._bars.update(self._task, description=job.status or job.phase)

    def download(self, done: DownloadProgress) -> None:
        self._bars.update(
            self._task, description=f"{done.rows:,} rows", completed=done.received, total=done.total
        )
