"""A reader that counts what a reply holds beyond its contract."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

from zxws._runtime.errors import path_of
from zxws._runtime.protocols import Node

_SCHEMA_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"

# A service may say something else each time: what is kept of it must not grow with the replies.
_LONGEST_DETAIL = 120
_MOST_DETAILS = 50
_OTHERS = "…"

Kind = Literal["element", "attribute", "value", "missing", "naive-time"]


class Finding(NamedTuple):
    """A departure from the contract at one path (without indexes); `detail` is the unknown value."""

    kind: Kind
    path: str
    detail: str


def bounded(finding: Finding, known: Mapping[Finding, int]) -> Finding:
    """`finding` as it is counted beside those `known`: a path has 50 details at most, the rest are one."""
    if finding in known or not finding.detail:
        return finding
    details = sum(each.path == finding.path and each.kind == finding.kind for each in known)
    return finding if details < _MOST_DETAILS else finding._replace(detail=_OTHERS)


class CountingReader:
    """Counts findings; gives date-times without a zone the one it is told.

    `naive_zone` and `report_zone` default to UTC.
    """

    def __init__(self, naive_zone: dt.tzinfo = dt.UTC, report_zone: dt.tzinfo = dt.UTC) -> None:
        self._naive_zone = naive_zone
        self._report_zone = report_zone
        self.findings: Counter[Finding] = Counter()

    @property
    def naive_zone(self) -> dt.tzinfo:
        return self._naive_zone

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._report_zone

    def unknown_element(self, node: Node) -> None:
        if isinstance(node.tag, str):  # lxml gives comments and instructions a function for a tag
            self._count("element", path_of(node, index=False), "")

    def unknown_attribute(self, node: Node, name: str) -> None:
        if not name.startswith(
            _SCHEMA_INSTANCE
        ):  # schema instance attributes speak about the document, not in it
            self._count("attribute", f"{path_of(node, index=False)}/@{name}", "")

    def unknown_value(self, node: Node, value: str) -> None:
        self._count("value", path_of(node, index=False), value)

    def missing(self, node: Node, name: str) -> None:
        self._count("missing", f"{path_of(node, index=False)}/{name}", "")

    def naive_time(self, node: Node, text: str) -> None:
        self._count("naive-time", path_of(node, index=False), "")

    def _count(self, kind: Kind, path: str, detail: str) -> None:
        detail = detail if len(detail) <= _LONGEST_DETAIL else detail[:_LONGEST_DETAIL] + _OTHERS
        self.findings[bounded(Finding(kind, path, detail), self.findings)] += 1
