"""A reader that counts what a response holds beyond its contract."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient.runtime.errors import path_of
from soapclient.runtime.protocols import Node

_SCHEMA_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"

# A service may say something else each time: what is kept of it must not grow with the responses.
_LONGEST_DETAIL = 120
_MOST_DETAILS = 50
_MOST_NAMES = 50
_MOST_FINDINGS = 2_000
_LONGEST_PATH = 400
_OTHERS = "…"

Kind = Literal["element", "attribute", "value", "missing", "naive-time", "shortened", "schema"]


class Finding(NamedTuple):
    """One case of contract drift, at one path (without indexes); `detail` is the unknown value."""

    kind: Kind
    path: str
    detail: str


def bounded(finding: Finding, known: Mapping[Finding, int]) -> Finding:
    """`finding` as it is counted beside those `known`, whose number has a bound whatever the service says.

    A path has 50 details at most and an element 50 unknown names (of elements, and of attributes), the rest
    are one; what goes beyond 2,000 findings is one for each kind. Long paths and details are cut.
    """
    if finding in known:
        return finding
    finding = finding._replace(
        path=_cut(finding.path, _LONGEST_PATH), detail=_cut(finding.detail, _LONGEST_DETAIL)
    )
    if finding in known:
        return finding
    if len(known) >= _MOST_FINDINGS:
        return Finding(finding.kind, _OTHERS, "")
    if finding.kind in ("element", "attribute"):
        parent = finding.path.rpartition("/")[0]
        rest = Finding(finding.kind, f"{parent}/{_OTHERS}".lstrip("/"), "")
        same = (each for each in known if each.kind == finding.kind)
        full = rest in known or sum(each.path.rpartition("/")[0] == parent for each in same) >= _MOST_NAMES
        return rest if full else finding
    if not finding.detail:
        return finding
    rest = finding._replace(detail=_OTHERS)
    same = (each for each in known if each.kind == finding.kind)
    full = rest in known or sum(each.path == finding.path for each in same) >= _MOST_DETAILS
    return rest if full else finding


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most + len(_OTHERS) else text[:most] + _OTHERS


class CountingReader:
    """Counts findings; gives date-times without a zone the given one.

    `naive_zone` and `report_zone` default to UTC; where `naive_zone` is None, such date-times stay without
    one, and are no finding. `check_deadline` is called for each list item and each finding, so that no
    response takes longer to read than its call may take; by default it does nothing. `skips_invalid`: read
    optional fields with an invalid value as None and count a finding, instead of raising an error.
    """

    def __init__(
        self,
        naive_zone: dt.tzinfo | None = dt.UTC,
        report_zone: dt.tzinfo = dt.UTC,
        *,
        skips_invalid: bool = False,
    ) -> None:
        self._naive_zone = naive_zone
        self._report_zone = report_zone
        self._skips_invalid = skips_invalid
        self.findings: Counter[Finding] = Counter()
        self.check_deadline: Callable[[], None] = _no_deadline

    @property
    def naive_zone(self) -> dt.tzinfo | None:
        return self._naive_zone

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._report_zone

    def skip_invalid(self, node: Node, text: str, attribute: str = "") -> bool:
        if self._skips_invalid:
            path = path_of(node, index=False) + (f"/@{attribute}" if attribute else "")
            self._count("value", path, NOT_SHOWN if is_secret(path) else text)
        return self._skips_invalid

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

    def text_between(self, path: str, text: str) -> None:
        """Count text at a path where only elements are allowed."""
        self._count("value", path, text)

    def missing(self, node: Node, name: str) -> None:
        self._count("missing", f"{path_of(node, index=False)}/{name}", "")

    def naive_time(self, node: Node, text: str) -> None:
        if self.naive_zone is not None:
            self._count("naive-time", path_of(node, index=False), "")

    def shortened(self, node: Node, text: str) -> None:
        self._count("shortened", path_of(node, index=False), "")

    def _count(self, kind: Kind, path: str, detail: str) -> None:
        self.check_deadline()
        self.findings[bounded(Finding(kind, path, detail), self.findings)] += 1


def _no_deadline() -> None:
    """Do nothing: reading may take any time."""
