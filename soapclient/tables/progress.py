"""Progress bars for long loops, with tqdm or rich (whichever is installed)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol, cast

from soapclient.errors import ConfigError


class Bar(Protocol):
    """A progress bar. Call it with the number of newly completed items and, if known, with the total."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


@contextmanager
def progress_bar(shown: bool, what: str, unit: str, total: int | None = None) -> Iterator[Bar]:
    """Show a progress bar on stderr or in a notebook, if `shown` is True, until the context ends.

    `what` is the title of the bar, `unit` the unit that is counted (`rows`), and `total` the expected number
    of units. Raises ConfigError if neither tqdm nor rich is installed.
    """
    if not shown:
        yield lambda done, total=None: None
        return
    for library, bar in (("tqdm.auto", _tqdm), ("rich.progress", _rich)):
        try:
            module = import_module(library)
        except ModuleNotFoundError:
            continue
        with bar(module, what, unit, total) as update:
            yield update
        return
    raise ConfigError("progress", "needs tqdm or rich", "Install one: pip install tqdm")


class _Tqdm(Protocol):
    total: int | None

    def update(self, n: int) -> object: ...
    def close(self) -> None: ...


@contextmanager
def _tqdm(module: object, what: str, unit: str, total: int | None) -> Iterator[Bar]:
    bar = cast("_Tqdm", getattr(module, "tqdm")(desc=what, unit=f" {unit}", total=total))  # noqa: B009

    def update(done: int, total: int | None = None) -> None:
        if total is not None:
            bar.total = total
        bar.update(done)

    try:
        yield update
    finally:
        bar.close()


@contextmanager
def _rich(module: object, what: str, unit: str, total: int | None) -> Iterator[Bar]:
    import rich.console
    import rich.progress

    console = rich.console.Console(stderr=True)
    with rich.progress.Progress(console=console) as shown:
        task = shown.add_task(f"{what} ({unit})", total=total)

        def update(done: int, total: int | None = None) -> None:
            shown.update(task, advance=done, total=total)

        yield update
