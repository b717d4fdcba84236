"""Progress of an export: a bar on a terminal, otherwise a line for every new state."""

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
    """Receives the state of a job and the progress of its download."""

    def job(self, job: JobSnapshot, /) -> None:
        """Show the state of a job."""
        ...

    def download(self, done: DownloadProgress, /) -> None:
        """Show the progress of a download; `done` has the bytes and rows received so far."""
        ...


@contextmanager
def progress_on_stderr(say: Callable[[str], None] | None = None) -> Iterator[Progress]:
    """Show the progress of an export on stderr. Yields the object that receives the progress.

    If stderr is not a terminal, `say` is called with each line. By default, the line is printed on stderr.
    """
    bars = terminal_bars()
    if bars is None:
        yield _Lines(say or (lambda line: click.echo(f"soapclient: {line}", err=True)))
    else:
        with bars:
            yield _TerminalBars(bars)


def terminal_bars(*, counted: bool = False) -> Bars | None:
    """Return rich's progress bars, which are shown on stderr.

    Returns None if stderr is not a terminal, or if rich is not installed. If `counted` is True, the number of
    completed steps and the total number, such as `3/12`, are shown next to the bar.
    """
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
    except ImportError:  # rich is optional
        return None
    text, bar, elapsed = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    columns = (text, bar, MofNCompleteColumn(), elapsed) if counted else (SpinnerColumn(), text, bar, elapsed)
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Lines:
    """Prints a line for each new state of the job, and for each quarter of the download."""

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


class _TerminalBars:
    """Shows the job's state and the progress of the download in a bar on the terminal."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task = bars.add_task("ordered", total=None)

    def job(self, job: JobSnapshot) -> None:
        self._bars.update(self._task, description=job.status or job.phase)

    def download(self, done: DownloadProgress) -> None:
        self._bars.update(
            self._task, description=f"{done.rows:,} rows", completed=done.received, total=done.total
        )
