"""How the demonstration is laid out: how long it took, what it was, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import click

Say = Callable[[str], None]


@contextmanager
def chapter(title: str) -> Iterator[Say]:
    """Time what happens inside, then print it with the text it said. Colours show on a terminal only."""
    started = perf_counter()
    said: list[str] = []
    yield said.append
    seconds = click.style(f"{perf_counter() - started:7.2f} s", dim=True)
    click.echo(f"{seconds}  {click.style(f'{title:<9}', fg='cyan', bold=True)}  {' '.join(said)}")


def more(text: str) -> None:
    """Print a line that belongs to the chapter before it."""
    click.echo(f"{'':22}{text}")
