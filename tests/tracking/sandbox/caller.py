"""An independent client: plain zeep, and five lines of hmac for the signature."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import hmac
import http.client
import io
import json
import socket
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import count
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import pytest
import requests
import zeep
import zeep.exceptions
import zeep.wsdl
from lxml import etree
from zeep.transports import Transport

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobScript
from tests.stage import Stage, StageClock

SERVICES = {"publisherservice": "2011-03-01", "dataservice": "2011-05-01"}
_PLACEHOLDER = "http://sandbox.invalid"  # for the address, so that parsed contracts are shared
_serial = count()


@cache
def _parsed(wsdl: str) -> zeep.wsdl.Document:
    """Return the contract as zeep reads it. Parsing takes longer than most tests."""
    transport = Transport()  # type: ignore[no-untyped-call]  # zeep has no types
    # zeep says that the transport must be a class, and uses an instance
    return zeep.wsdl.Document(io.BytesIO(wsdl.encode()), transport)  # type: ignore[arg-type]


def connected(url: str, timeout: float = 20) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout)


def received(connection: socket.socket) -> bytes:
    """Return everything until the other side ends the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


def new_nonce() -> str:
    return f"nonce-{next(_serial):020d}"


class SoapResponse:
    """A response of zeep, accessed by dotted paths such as `saleItems.saleItem.0.id`."""

    def __init__(self, value: Any) -> None:  # zeep has no types
        self.value = value

    def at(self, path: str) -> Any:
        value = self.value
        for part in path.split("."):
            if value is None:
                return None
            value = value[int(part)] if isinstance(value, list) else getattr(value, part)
        return value

    def number(self, path: str) -> int:
        value = self.at(path)
        assert isinstance(value, int)
        return value

    def text(self, path: str) -> str:
        value = self.at(path)
        assert isinstance(value, str)
        return value

    def each(self, path: str) -> list[SoapResponse]:
        value = self.at(path)
        if value is None:
            return []
        assert isinstance(value, list)
        return [SoapResponse(one) for one in value]

    def entries(self) -> list[SoapResponse]:
        """Return the entries of a list, such as each `saleItems.saleItem`."""
        (name,) = [name for name in dir(self.value) if name.endswith("Items")]
        return self.each(f"{name}.{name.removesuffix('s')}")


@dataclass(frozen=True)
class RestResponse:
    """A response over REST."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        """Return the JSON with numbers as strings, so that none is rounded."""
        assert self.headers["Content-Type"] == "application/json; charset=utf-8", self.body
        return json.loads(self.body, parse_float=str, parse_int=str)

    def xml(self) -> etree._Element:
        assert self.headers["Content-Type"] == "application/xml; charset=utf-8", self.body
        return etree.fromstring(self.body)

    def error(self) -> tuple[int, str, str]:
        """Return status, code and reason of a refusal in either format."""
        if self.headers["Content-Type"].startswith("application/json"):
            error = self.json()
            found = {str(name): str(value) for name, value in error.items()}
        else:
            root = self.xml()
            assert etree.QName(root).localname == "response"
            found = {etree.QName(child).localname: child.text or "" for child in root}
        assert list(found) == ["code", "message", "reason", "errorId"]
        return self.status, found["code"], found["reason"]

    def refused(self, status: int, code: int, *words: str) -> bool:
        """Return True if it is a refusal with this status and code, whose reason has these words.

        Raises AssertionError with the status, code and reason of any other refusal.
        """
        *found, reason = self.error()
        assert found == [status, str(code)], f"{found}: {reason}"
        assert all(word in reason for word in words), reason
        return True


@dataclass
class Caller:
    """Calls operations of a served sandbox as one account."""

    url: str
    clock: StageClock
    connect_id: str = SAMPLE_CONNECT_ID
    secret: str = SAMPLE_SECRET_KEY
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        # zeep has no types
        transport = Transport(session=self.session, operation_timeout=20)  # type: ignore[no-untyped-call]
        self.clients = {}
        self.services = {}
        for service, version in SERVICES.items():
            response = self.session.get(f"{self.url}/wsdl/{version}", timeout=20)
            response.raise_for_status()
            contract = _parsed(response.text.replace(self.url, _PLACEHOLDER))
            # zeep has no types.
            client = zeep.Client(contract, transport=transport)  # type: ignore[no-untyped-call]
            (port,) = (port for each in contract.services.values() for port in each.ports.values())
            address = port.binding_options["address"].replace(_PLACEHOLDER, self.url)
            self.clients[service] = client
            self.services[service] = client.create_service(str(port.binding.name), address)  # type: ignore[no-untyped-call]

    def sign(self, *parts: str) -> str:
        mac = hmac.new(self.secret.encode(), "".join(parts).encode(), hashlib.sha1)
        return base64.b64encode(mac.digest()).decode()

    def service_of(self, operation: str) -> str:
        return "dataservice" if "Job" in operation else "publisherservice"

    def auth(self, operation: str) -> dict[str, str]:
        """Return the authentication fields. These are the five lines."""
        timestamp, nonce = f"{self.clock.now():%Y-%m-%dT%H:%M:%S}", new_nonce()
        signature = self.sign(self.service_of(operation), operation.lower(), timestamp, nonce)
        return {"connectId": self.connect_id, "timestamp": timestamp, "nonce": nonce, "signature": signature}

    def call(self, operation: str, /, **fields: object) -> SoapResponse:
        """Call an operation. Fields that are passed replace the computed authentication fields."""
        client = self.clients[self.service_of(operation)]
        name = f"{{{client.wsdl.types.prefix_map['ns0']}}}{operation}Request"
        wanted = client.get_type(name)  # type: ignore[no-untyped-call]  # zeep has no types
        declared = {name for name, _ in wanted.elements}
        auth = {name: value for name, value in self.auth(operation).items() if name in declared}
        proxy = self.services[self.service_of(operation)]
        return SoapResponse(proxy[operation](**{**auth, **fields}))

    def pages(self, operation: str, **fields: object) -> list[SoapResponse]:
        """Return all entries of a list, page by page, until an empty page."""
        found: list[SoapResponse] = []
        for page in count():
            response = self.call(operation, page=page, items=50, **fields)
            entries = response.entries()
            assert (response.number("page"), response.number("items")) == (page, len(entries))
            if not entries:
                assert response.number("total") == len(found)
                return found
            found += entries
        raise AssertionError("count() ends never")

    def refusal(self, operation: str, /, **fields: object) -> tuple[int, str]:
        """Return code and reason of the fault that the call must raise."""
        with pytest.raises(zeep.exceptions.Fault) as caught:
            self.call(operation, **fields)
        return int(caught.value.detail.findtext(".//{*}code")), str(caught.value.message)

    def refused(self, operation: str, number: int, /, *words: str, **fields: object) -> bool:
        """Return True if the call raises a fault with this code, whose reason has these words.

        Raises AssertionError with the code and the reason of any other fault.
        """
        code, reason = self.refusal(operation, **fields)
        assert code == number, f"{code}: {reason}"
        assert all(word in reason for word in words), reason
        return True

    def signed(self, verb: str, uri: str, suffix: str = " GMT") -> tuple[str, str, str]:
        """Return date, nonce and signature of a REST request."""
        when, nonce = f"{self.clock.now():%a, %d %b %Y %H:%M:%S}{suffix}", new_nonce()
        return when, nonce, self.sign(verb, uri, when, nonce)

    def in_headers(self, when: str, nonce: str, signature: str) -> dict[str, str]:
        return {"Authorization": f"ZXWS {self.connect_id}:{signature}", "Date": when, "nonce": nonce}

    def in_query(self, when: str, nonce: str, signature: str) -> str:
        quoted = (quote(part, safe="") for part in (when, nonce, signature))
        return "connectid={}&date={}&nonce={}&signature={}".format(self.connect_id, *quoted)

    def headers(self, verb: str, uri: str) -> dict[str, str]:
        """Return signature headers."""
        return self.in_headers(*self.signed(verb, uri))

    def query(self, verb: str, uri: str) -> str:
        """Return a signature as query parameters."""
        return self.in_query(*self.signed(verb, uri))

    def ask(
        self,
        verb: str,
        base: str,
        target: str,
        body: str | bytes | None = None,
        media: str | None = None,
        *,
        auth: Literal["headers", "query", "id", "none"] = "headers",
        signed: str | None = None,
        **headers: str,
    ) -> RestResponse:
        """Send one REST request. `target` is sent unchanged; `signed` replaces its path in the signature."""
        uri = target.partition("?")[0] if signed is None else signed
        if auth == "headers":
            headers = {**self.headers(verb, uri), **headers}
        elif auth == "query":
            target += ("&" if "?" in target else "?") + self.query(verb, uri)
        elif auth == "id":
            headers = {"Authorization": f"ZXWS {self.connect_id}", **headers}
        if media is not None:
            headers["Content-Type"] = media
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=20)
        try:
            data = body.encode() if isinstance(body, str) else body
            connection.request(verb, base + target, data, headers)
            response = connection.getresponse()
            return RestResponse(response.status, response.headers, response.read())
        finally:
            connection.close()

    def rest(
        self,
        verb: str,
        uri: str,
        query: str = "",
        *,
        form: str = "json",
        headers: dict[str, str] | None = None,
    ) -> requests.Response:
        """Make a REST call, signed in headers unless some are given. The address selects the interface."""
        base = f"/{form}/2011-05-01" if uri.startswith("/jobs") else f"/{form}/2011-03-01"
        if uri.startswith(("/report/", "/member/")):
            base = "/2015-03-01"
        sent = self.headers(verb, uri) if headers is None else headers
        url = f"{self.url}{base}{uri}{query and '?'}{query}"
        return self.session.request(verb, url, headers=sent, timeout=20)

    def download(self, job_id: str, verb: str = "GET", **headers: str) -> requests.Response:
        uri = f"/jobs/job/id/{job_id}/download"
        return self.session.request(
            verb,
            f"{self.url}/xml/{SERVICES['dataservice']}{uri}",
            headers={**self.headers(verb, uri), **headers},
            timeout=20,
        )

    def order(self, **fields: object) -> str:
        """Order a report, by default one day of clicks, and return the job's id."""
        day = date(2026, 11, 1)
        given = {"reportType": "click", "fromDate": day, "toDate": day, **fields}
        return self.call("CreateReportJob", **given).text("id")

    def export(self, **fields: object) -> list[list[str]]:
        """Order, advance the clock, download, and read with the csv module."""
        job_id = self.order(**fields)
        self.clock.advance(3)
        response = self.download(job_id)
        assert response.status_code == 200, response.text
        text = gzip.decompress(response.content).decode("utf-8")
        return list(csv.reader(io.StringIO(text, newline=""), strict=True))

    def post(self, body: str | bytes, version: str = "2011-03-01", **headers: str) -> requests.Response:
        """Post bytes to the SOAP address."""
        given = {"Content-Type": "text/xml; charset=utf-8", **headers}
        data = body.encode() if isinstance(body, str) else body
        return self.session.post(f"{self.url}/soap/{version}", data=data, headers=given, timeout=20)


def ordered(stage: Stage, **script: Any) -> str:
    """Order a report whose job follows a script, and return the job's id."""
    stage.sandbox.jobs.script(JobScript(**script))
    return stage.caller.order()
