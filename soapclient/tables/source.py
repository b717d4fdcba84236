"""Lists as the input of tables: how to get the items of a list, its columns and its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from soapclient.tables.columns import Layout


@dataclass(frozen=True)
class Parts:
    """A list in parts that can be requested separately, such as the days of a range.

    `column` is the name of the value that distinguishes the parts, such as `date`, and `labels` are these
    values. `source` returns the list of one part. `request` is the text of the request, without the value
    that selects a part. `workers` is the number of parts to request at the same time.
    """

    column: str
    labels: Sequence[str]
    source: Callable[[str], Source]
    request: str
    workers: int = 1


@dataclass(frozen=True)
class Source:
    """A list to read as a table.

    `name` is the list's name in errors. `layout` returns its columns, `items` its items, and `total` its
    length, or None if the length is not known. `parts` is set if the list can be requested in parts.
    """

    name: str
    layout: Callable[[], Layout]
    items: Callable[[], Iterable[object]]
    total: Callable[[], int | None] = lambda: None
    parts: Parts | None = None
