"""Lists as the input of tables: how to get the items of a list, its columns and its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from soapclient.tables.columns import Layout


@dataclass(frozen=True)
class Parts:
    """A list in parts that can be requested separately, such as the days of a range.

    - `column`: the name of the request value that selects a part, such as `date`.
    - `labels`: the values of `column`, one for each part.
    - `source`: a function that returns the list of one part, given its label.
    - `request`: the text of the request, without the value that selects a part.
    - `workers`: the number of parts to request at the same time.
    """

    column: str
    labels: Sequence[str]
    source: Callable[[str], Source]
    request: str
    workers: int = 1


@dataclass(frozen=True)
class Source:
    """A list to read as a table.

    `name` is the list's name in errors. Three functions describe the list: `layout` returns the columns,
    `items` returns the items, and `total` returns the number of items, or None if it is not known. `parts` is
    None if the list cannot be requested in parts.
    """

    name: str
    layout: Callable[[], Layout]
    items: Callable[[], Iterable[object]]
    total: Callable[[], int | None] = lambda: None
    parts: Parts | None = None
