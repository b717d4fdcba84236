"""A reader that counts drift findings: the differences between a response and the contract."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient.runtime.errors import path_of
from soapclient.runtime.protocols import Node

_SCHEMA_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"

# These limits keep memory bounded: a service can send different values in each response.
_MAX_DETAIL = 120
_MAX_DETAILS = 50
_MAX_NAMES = 50
_MAX_FINDINGS = 2_000
_MAX_PATH = 400
_OTHERS = "…"

FindingKind = Literal["element", "attribute", "value", "missing", "naive-time", "shortened", "schema"]
"""The kind of a difference from the contract."""


class Finding(NamedTuple):
    """One kind of contract drift at one path (without indexes). `detail` is the unknown value, if any.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     rule = server.on("GetWeather").drifts("element")
    ...     response = service.get_weather(city="Rome")
    ...     for operation, finding in service.drift.counts():
    ...         print(operation, finding.kind, finding.path)
    GetWeather element GetWeatherResponse/unheardOf
    """

    kind: FindingKind
    path: str
    detail: str


def bounded(finding: Finding, known: Mapping[Finding, int]) -> Finding:
    """Return `finding`, or a more general finding if a limit is reached.

    `known` maps the previous findings to their counts. The limits are:

    - 50 details per path, 50 unknown elements per parent, and 50 unknown attributes per element. Beyond such
      a limit, one general finding for the path, the parent or the element is returned.
    - 2,000 findings. Beyond this limit, one general finding for each kind is returned.
    - 400 characters per path and 120 per detail. Longer texts are cut.
    """
    if finding in known:
        return finding
    finding = finding._replace(path=_cut(finding.path, _MAX_PATH), detail=_cut(finding.detail, _MAX_DETAIL))
    if finding in known:
        return finding
    if len(known) >= _MAX_FINDINGS:
        return Finding(finding.kind, _OTHERS, "")
    if finding.kind in ("element", "attribute"):
        parent = finding.path.rpartition("/")[0]
        rest = Finding(finding.kind, f"{parent}/{_OTHERS}".lstrip("/"), "")
        same = (item for item in known if item.kind == finding.kind)
        full = rest in known or sum(item.path.rpartition("/")[0] == parent for item in same) >= _MAX_NAMES
        return rest if full else finding
    if not finding.detail:
        return finding
    rest = finding._replace(detail=_OTHERS)
    same = (item for item in known if item.kind == finding.kind)
    full = rest in known or sum(item.path == finding.path for item in same) >= _MAX_DETAILS
    return rest if full else finding


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit + len(_OTHERS) else text[:limit] + _OTHERS


class CountingReader:
    """Reader that counts findings, and adds a time zone to date-times without a zone.

    - `naive_zone`: the zone to add. If it is None, date-times without a zone stay naive without a finding.
    - `report_zone`: the time zone of reports.
    - `skips_invalid`: an optional field with an invalid value is read as None and counted as a finding. If
      `skips_invalid` is False, an error is raised instead.
    - `check_deadline`: a function that is called for each list item and each finding. By default, it does
      nothing. The caller can set a function that raises an error when the deadline has passed.

    >>> from lxml import etree
    >>> from soapclient.runtime import CountingReader
    >>> from weather.service import GET_WEATHER  # bindgen init weather --file weather.wsdl
    >>> recorded = '''<GetWeatherResponse xmlns="urn:example:weather">
    ...     <degrees>21.5</degrees><seen>2026-11-01T12:00:00</seen><wind>4</wind>
    ... </GetWeatherResponse>'''
    >>> reader = CountingReader()
    >>> print(GET_WEATHER.read_response(etree.fromstring(recorded), reader).degrees)
    21.5
    >>> for finding, number in reader.findings.items():
    ...     print(finding.kind, finding.path, number)
    naive-time GetWeatherResponse/seen 1
    element GetWeatherResponse/wind 1
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
        """The zone that date-times without a zone get. None if they stay naive."""
        return self._naive_zone

    @property
    def report_zone(self) -> dt.tzinfo:
        """The time zone of reports: a reporting day begins and ends at midnight in this zone."""
        return self._report_zone

    def skip_invalid(self, node: Node, text: str, attribute: str = "") -> bool:
        """Return True if an invalid value must be skipped, False if the caller must raise an error instead.

        A value that must be skipped is also counted as a finding. `text` is the invalid value. `attribute` is
        the name of the attribute with the value; "" for the value of an element.
        """
        if self._skips_invalid:
            path = path_of(node, index=False) + (f"/@{attribute}" if attribute else "")
            self._count("value", path, NOT_SHOWN if is_secret(path) else text)
        return self._skips_invalid

    def unknown_element(self, node: Node) -> None:
        """Count an unknown element. Comments are ignored."""
        if isinstance(node.tag, str):  # in lxml, the tag of a comment or an instruction is a function
            self._count("element", path_of(node, index=False), "")

    def unknown_attribute(self, node: Node, name: str) -> None:
        """Count an unknown attribute. Attributes of xsi are ignored."""
        # These attributes describe the document and are not part of its data.
        if not name.startswith(_SCHEMA_INSTANCE):
            self._count("attribute", f"{path_of(node, index=False)}/@{name}", "")

    def unknown_value(self, node: Node, value: str) -> None:
        """Count a value that the contract does not allow but that can be read."""
        self._count("value", path_of(node, index=False), value)

    def text_between(self, path: str, text: str) -> None:
        """Count text at a path that may contain only elements."""
        self._count("value", path, text)

    def missing(self, node: Node, name: str) -> None:
        """Count a missing element or attribute."""
        self._count("missing", f"{path_of(node, index=False)}/{name}", "")

    def naive_time(self, node: Node, text: str) -> None:
        """Count a date-time without a zone, unless `naive_zone` is None."""
        if self.naive_zone is not None:
            self._count("naive-time", path_of(node, index=False), "")

    def shortened(self, node: Node, text: str) -> None:
        """Count a value that has lost a part, because the Python type cannot represent this part."""
        self._count("shortened", path_of(node, index=False), "")

    def _count(self, kind: FindingKind, path: str, detail: str) -> None:
        self.check_deadline()
        self.findings[bounded(Finding(kind, path, detail), self.findings)] += 1


def _no_deadline() -> None:
    """Do nothing. The default of `check_deadline`, with which decoding has no time limit."""
