"""A Data service on loopback for any variant of the contract: the service of the matrix, with jobs.

It keeps the ordered jobs and serves their files. `Names` has the names that the variant uses.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from lxml import etree

from tests.contracts_matrix.service import ROLES, Fields, Service, leaves

COLUMNS = ("clickId", "clickDate", "programId", "currency", "commission")


@dataclass(frozen=True, kw_only=True)
class Names:
    """Names of the fields in a variant, and its separator of list items."""

    first: str = "fromDate"
    last: str = "toDate"
    type: str = "reportType"
    job_id: str = "@id"
    polled: str = "jobId"
    status: str = "status"
    created: str = "createDate"
    listed_type: str = "reportType"
    separator: str = ","
    done: str = "done"
    ordered_id: str = ""  # the element with the id, if the response to an order has no job
    responses: tuple[str, ...] = ()  # the elements that are jobs themselves
    file: str = ""  # the element around the URL of the file


@dataclass
class DataService(Service):
    """A service whose jobs are done at once. The first `lose` orders are processed without a response."""

    names: Names = Names()
    lose: int = 0
    orders: list[Fields] = field(default_factory=list)
    created: list[str] = field(default_factory=list)

    @property
    def calls(self) -> list[str]:
        """The operations that were called."""
        return [exchange.operation for exchange in self.exchanges]

    # ---- REST

    def respond_rest(
        self, verb: str, headers: Mapping[str, str], target: str, body: bytes
    ) -> tuple[str, bytes] | None:
        _, _, version, path = target.split("/", 3)
        if (verb, version, path.rpartition("/")[2]) != ("GET", self.version, "download"):
            return super().respond_rest(verb, headers, target, body)
        self.heard.append(("download", "REST"))
        self._note("rest", "download", self._in_http_headers(verb, f"/{path}", headers), [], headers)
        return "application/gzip", self.file_of(int(path.split("/")[-2]))

    def meant(self, verb: str, segments: list[str], query: Fields, body: bytes) -> tuple[str, Fields]:
        *resource, last = segments
        if (verb, resource) == ("POST", ["jobs", "reports", "type"]):
            json_body = body.startswith(b"{")
            content = _json_leaves(json.loads(body)) if json_body else leaves(etree.fromstring(body))
            return "CreateReportJob", [(self.names.type, last), *content]
        if (verb, resource) == ("GET", ["jobs", "job", "id"]):
            return "GetJob", [(self.names.polled, last)]
        if (verb, segments) == ("GET", ["jobs"]):
            return "GetJobs", query
        raise LookupError(f"{verb} {segments}")

    # ---- operations

    def respond(self, operation: str, fields: Fields) -> etree._Element | None:
        known: dict[str, str] = {}
        if operation == "CreateReportJob":
            self.orders.append([one for one in fields if one[0] not in ROLES])
            # As the header Date of its responses.
            self.created.append(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
            if self.lose:
                self.lose -= 1
                return None
            jobs = [len(self.orders)]
            known = {self.names.ordered_id: str(jobs[0])}
        elif operation == "GetJob":
            jobs = [int(dict(fields)[self.names.polled])]
        else:
            page = int(dict(fields).get("page", 0))
            jobs = [] if page else [*range(1, len(self.orders) + 1)]
            known = {"page": str(page), "items": str(len(jobs)), "total": str(len(self.orders))}
        if f"{operation}Response" in self.names.responses:
            return self.made(operation, self._job(jobs[0]))
        return self.made(operation, {**known, "jobItem": " ".join(map(str, jobs))})

    def _child(
        self, node: etree._Element, part: etree._Element, known: Mapping[str, str], depth: int, *, every: bool
    ) -> None:
        """Return a job with its type, status and date, and without other optional elements."""
        name, parent = part.get("name", ""), etree.QName(node).localname
        if name == "jobItem" and not every:
            for job in known.get(name, "").split():
                super()._child(node, part, self._job(int(job)), 0, every=False)
        elif parent == self.names.file:
            super()._child(node, part, known, 0, every=every)
        elif every or part.get("minOccurs") != "0" or name in known or not self._holds_a_job(parent):
            super()._child(node, part, known, depth, every=every)

    def _holds_a_job(self, element: str) -> bool:
        return element in ("jobItem", *self.names.responses)

    def _job(self, number: int) -> dict[str, str]:
        names = self.names
        return {
            names.job_id: str(number),
            names.listed_type: dict(self.orders[number - 1])[names.type],
            names.status: names.done,
            names.created: self.created[number - 1],
            **self._file(number),
        }

    def _file(self, number: int) -> dict[str, str]:
        url = f"{self.url}/xml/{self.version}/files/{number}/download"
        return {self.names.file: "", "url": url} if self.names.file else {}

    # ---- files

    def file_of(self, job: int) -> bytes:
        """Return the file of a job: a row for each ordered day, with the chosen columns."""
        fields = self.orders[job - 1]
        columns = self._listed(fields, "columns", "column") or list(COLUMNS)
        groups = self._listed(fields, "groupBy", "group")
        if groups:
            columns = list(dict.fromkeys([*groups, "currency", "count", "commission"]))
        named = dict(fields)
        first, last = (date.fromisoformat(named[name][:10]) for name in (self.names.first, self.names.last))
        lines = [",".join(columns)]
        for number in range((last - first).days + 1):
            day = first + timedelta(days=number)
            cells = {
                "clickId": str(9_007_199_254_740_993 + number),
                "clickDate": f"{day}T23:30:00+01:00",
                "reviewStateChangedDate": f"{day}T00:30:00+01:00",
                "programId": named.get("programId", "1803"),
                "currency": "EUR",
                "commission": "0.10",
                "day": str(day),
                "count": "3",
            }
            lines.append(",".join(cells[column] for column in columns))
        return gzip.compress("".join(f"{line}\r\n" for line in lines).encode(), mtime=0)

    def _listed(self, fields: Fields, *names: str) -> list[str]:
        texts = [text for name, text in fields if name in names and text]
        return texts[0].split(self.names.separator) if len(texts) == 1 else texts


def _json_leaves(value: Mapping[str, object]) -> Fields:
    """The members of JSON that hold a value, by their names."""
    found: Fields = []
    for name, inner in value.items():
        for each in inner if isinstance(inner, list) else [inner]:
            found += _json_leaves(each) if isinstance(each, dict) else [(name, str(each))]
    return found
