"""The interface between lists and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from soapclient.tables.columns import Layout


@dataclass(frozen=True)
class Parts:
    """A list in parts that can be requested separately, such as the days of a range.

    `column` identifies the parts, and `labels` are its values. `source` returns the list of a part. `request`
    is the text of the request, without the value that selects a part. `workers` is the number of parts to
    request at the same time.
    """

    column: str
    labels: Sequence[str]
    source: Callable[[str], Source]
    request: str
    workers: int = 1


@dataclass(frozen=True)
class Source:
    """A list to read as a table. `name` is its name in errors. `total` returns its length if known."""

    name: str
    layout: Callable[[], Layout]
    items: Callable[[], Iterable[object]]
    total: Callable[[], int | None] = lambda: None
    parts: Parts | None = None
