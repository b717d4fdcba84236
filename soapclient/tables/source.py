"""A list as tables see it, whoever has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from soapclient.tables.columns import Layout


@dataclass(frozen=True)
class Parts:
    """A list that comes in parts, each of which can be asked for alone: the days of a range.

    `column` is what tells them apart, `labels` its value in each; `source` gives the list of one. `request`
    says in text what is asked for besides. `workers` is how many are asked for at a time.
    """

    column: str
    labels: Sequence[str]
    source: Callable[[str], Source]
    request: str
    workers: int = 1


@dataclass(frozen=True)
class Source:
    """A list as a table sees it. `name` is what errors call it; `total` tells how many items there are, as
    far as that is known."""

    name: str
    layout: Callable[[], Layout]
    items: Callable[[], Iterable[object]]
    total: Callable[[], int | None] = lambda: None
    parts: Parts | None = None
