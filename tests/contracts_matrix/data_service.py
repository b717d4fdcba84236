"""A Data service on loopback for any variant of the contract, by lxml, hmac, gzip and http.server alone.

It serves the variant's WSDL, validates every request by its schema, recomputes every signature, keeps the
jobs that were ordered, and serves their files. What the variant calls things is in `Names`.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from tests.contracts_matrix.loopback import as_json, serving

CONNECT_ID, SECRET_KEY = "0123456789ABCDEF0123", "a key of this test"
XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
SPACE = "http://data.zanox.com/namespace/2011-05-01/"
VERSION = "2011-05-01"
PATHS = ("/data?wsdl", f"/soap/{VERSION}")
COLUMNS = ("clickId", "clickDate", "programId", "currency", "commission")


@dataclass(frozen=True, kw_only=True)
class Names:
    """What a variant calls the fields, and how it writes lists."""

    first: str = "fromDate"
    last: str = "toDate"
    type: str = "reportType"
    job_id: str = "@id"
    polled: str = "jobId"
    status: str = "status"
    created: str = "createDate"
    listed_type: str = "reportType"
    order: tuple[str, ...] = ("type", "status", "created")  # of the elements of a job
    separator: str = ","


Fields = list[tuple[str, str]]


@dataclass
class DataService:
    """Jobs are done at once. `lose` is how many orders are processed without a response."""

    document: bytes
    names: Names = Names()
    lose: int = 0
    orders: list[Fields] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    nonces: list[str] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        schema = etree.fromstring(self.document).find(f"{WSDL}types/{XSD}schema")
        assert schema is not None
        self.schema = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))

    def exchange(
        self, verb: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, str, bytes] | None:
        """Respond to a request; None if the response is to be lost."""
        if (verb, target) == ("GET", PATHS[0]):
            return 200, "text/xml", self.document
        if (verb, target) == ("POST", PATHS[1]):
            response = self.respond(body)
            return None if response is None else (200, "text/xml; charset=utf-8", response)
        _, form, version, path = urlsplit(target).path.split("/", 3)
        self._check_headers(verb, headers, f"/{path}")
        if (form not in ("xml", "json"), version) != (False, VERSION):
            raise LookupError(f"{verb} {target}")
        if path.endswith("/download"):
            return 200, "application/gzip", self.file_of(int(path.split("/")[-2]))
        response = self._rest(verb, path, dict(parse_qsl(urlsplit(target).query)), body)
        if response is None:
            return None
        if form == "xml":
            return 200, "application/xml", response
        return 200, "application/json", json.dumps(as_json(etree.fromstring(response))).encode()

    # ---- SOAP

    def respond(self, body: bytes) -> bytes | None:
        """Answer a call; None if the response is to be lost."""
        (request,) = etree.fromstring(body).iterfind(f"{{{ENVELOPE}}}Body/*")
        if not self.schema.validate(request):
            self.errors.append(f"request: {self.schema.error_log.last_error}")
        name = etree.QName(request).localname.removesuffix("Request")
        fields = _elements(request)
        self._check_body(name, dict(fields))
        known = [one for one in fields if one[0] not in ("connectId", "timestamp", "nonce", "signature")]
        text = self._answer(name, known)
        if text is None:
            return None
        return f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body>{text}</e:Body></e:Envelope>'.encode()

    # ---- REST

    def _rest(self, verb: str, path: str, query: dict[str, str], body: bytes) -> bytes | None:
        resource = path.rpartition("/")
        if (verb, resource[0]) == ("POST", "jobs/reports/type"):
            content = (
                _leaves(json.loads(body)) if body.startswith(b"{") else _elements(etree.fromstring(body))
            )
            text = self._answer("CreateReportJob", [(self.names.type, resource[2]), *content])
        elif (verb, resource[0]) == ("GET", "jobs/job/id"):
            text = self._answer("GetJob", [(self.names.polled, resource[2])])
        elif (verb, path) == ("GET", "jobs"):
            text = self._answer("GetJobs", list(query.items()))
        else:
            raise LookupError(f"{verb} {path}")
        return None if text is None else text.encode()

    # ---- operations

    def _answer(self, name: str, known: Fields) -> str | None:
        """The response to an operation; None if it is to be lost."""
        self.calls.append(name)
        if name == "CreateReportJob":
            self.orders.append(known)
            self.created.append(
                f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
            )  # as the header Date of its responses
            if self.lose:
                self.lose -= 1
                return None
            content = self._job(len(self.orders))
        elif name == "GetJob":
            content = self._job(int(dict(known)[self.names.polled]))
        else:
            page = int(dict(known).get("page", 0))
            jobs = "".join(map(self._job, range(1, len(self.orders) + 1))) if page == 0 else ""
            count = len(self.orders) if page == 0 else 0
            content = f"<page>{page}</page><items>{count}</items><total>{len(self.orders)}</total>"
            content += f"<jobItems>{jobs}</jobItems>"
        text = f'<{name}Response xmlns="{SPACE}">{content}</{name}Response>'
        self.schema.assertValid(etree.fromstring(text))
        return text

    def _job(self, number: int) -> str:
        names, kind = self.names, dict(self.orders[number - 1])[self.names.type]
        texts = {
            "type": f"<{names.listed_type}>{kind}</{names.listed_type}>",
            "status": f"<{names.status}>done</{names.status}>",
            "created": f"<{names.created}>{self.created[number - 1]}</{names.created}>",
        }
        inner = "".join(texts[part] for part in names.order)
        if names.job_id.startswith("@"):
            return f'<jobItem {names.job_id[1:]}="{number}">{inner}</jobItem>'
        return f"<jobItem><{names.job_id}>{number}</{names.job_id}>{inner}</jobItem>"

    # ---- signatures

    def _check_body(self, operation: str, fields: dict[str, str]) -> None:
        text = f"dataservice{operation.lower()}{fields.get('timestamp')}{fields.get('nonce')}"
        self._check(fields.get("connectId"), fields.get("signature"), text, fields.get("nonce"))

    def _check_headers(self, verb: str, headers: Mapping[str, str], uri: str) -> None:
        scheme, _, both = headers.get("authorization", "").partition(" ")
        connect_id, _, signature = both.partition(":")
        text = f"{verb}{uri}{headers.get('date')}{headers.get('nonce')}"
        self._check(connect_id if scheme == "ZXWS" else None, signature, text, headers.get("nonce"))

    def _check(self, connect_id: str | None, signature: str | None, text: str, nonce: str | None) -> None:
        mac = hmac.new(SECRET_KEY.encode(), text.encode(), hashlib.sha1).digest()
        wanted = (CONNECT_ID, base64.b64encode(mac).decode())
        if (connect_id, signature) != wanted or nonce in self.nonces:
            self.errors.append(f"signature: {(connect_id, signature)} instead of {wanted}")
        self.nonces.append(nonce or "")

    # ---- files

    def file_of(self, job: int) -> bytes:
        """The file of a job: a row for each day that was ordered, with the columns that were chosen."""
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
        texts = [text for name, text in fields if name in names]
        return (
            texts if len(texts) > 1 else [part for text in texts for part in text.split(self.names.separator)]
        )


def _elements(node: etree._Element) -> Fields:
    """The elements that hold a text, by their names."""
    return [(etree.QName(each).localname, each.text or "") for each in node.iter("*") if not len(each)]


def _leaves(value: Mapping[str, object]) -> Fields:
    """The same of JSON."""
    found: Fields = []
    for name, inner in value.items():
        for each in inner if isinstance(inner, list) else [inner]:
            found += _leaves(each) if isinstance(each, dict) else [(name, str(each))]
    return found


@contextmanager
def served(service: DataService) -> Iterator[DataService]:
    """Serve it while this lasts."""
    with serving(service.exchange, service.errors) as service.url:
        yield service
