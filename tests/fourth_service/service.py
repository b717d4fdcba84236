"""The meters service on loopback, over SOAP and REST, implemented with lxml and the standard library only.

It validates each SOAP request with the schema of its WSDL, and recomputes each signature.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from lxml import etree

from tests.contracts_matrix.loopback import serving

CLIENT, SECRET = "client-7", "a secret"
SPACE = "{urn:example:meters}"
XSD = "{http://www.w3.org/2001/XMLSchema}"
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
RESOURCES = {
    "GetTariff": ("GET", "/api/tariffs/([^/]+)"),
    "ListReadings": ("GET", "/api/meters/([^/]+)/readings"),
    "AddReading": ("POST", "/api/meters/([^/]+)/readings"),
}
READINGS = [("2026-11-01", "1.5"), ("2026-11-02", "2.5"), ("2026-11-03", "3.5")]


@dataclass
class Meters:
    """The service: recorded requests, and the problems found in them."""

    wsdl: Path
    readings: list[tuple[str, str]] = field(default_factory=lambda: list(READINGS))
    calls: list[tuple[str, str]] = field(default_factory=list)  # operation, place of its signature
    problems: list[str] = field(default_factory=list)
    salts: list[str] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        (schema,) = etree.parse(self.wsdl).iter(f"{XSD}schema")
        self.schema = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))

    # ---- the two protocols

    def exchange(
        self, verb: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        if target == "/soap":
            return 200, "text/xml; charset=utf-8", self.respond_soap(body)
        return 200, "application/xml", etree.tostring(self.respond_rest(verb, target, headers, body))

    def respond_soap(self, body: bytes) -> bytes:
        root = etree.fromstring(body)
        (message,) = root.iterfind(f"{{{ENVELOPE}}}Body/*")
        heads = list(root.iterfind(f"{{{ENVELOPE}}}Header/*"))
        for node in (message, *heads):
            if not self.schema.validate(etree.fromstring(etree.tostring(node))):
                self.problems.append(str(self.schema.error_log.last_error))
        operation = _local(message)
        fields = {_local(node): node.text or "" for node in message.iter("*")}
        if operation == "ListReadings":
            (head,) = heads
            place, seal = "header", {_local(node): node.text or "" for node in head}
        elif operation == "AddReading":
            place, seal = "attributes", {str(key): str(text) for key, text in message[0].items()}
        else:
            place, seal = "message", {"client": fields["client"]}
        self._check(seal, f"meters.{operation}", signed=operation != "GetTariff")
        self.calls.append((operation, place))
        response = self.respond(operation, fields)
        text = etree.tostring(response).decode()
        return f'<e:Envelope xmlns:e="{ENVELOPE}"><e:Body>{text}</e:Body></e:Envelope>'.encode()

    def respond_rest(self, verb: str, target: str, headers: Mapping[str, str], body: bytes) -> etree._Element:
        parts = urlsplit(target)
        fields = {key: texts[0] for key, texts in parse_qs(parts.query).items()}
        operation, name = next(
            (operation, match[1])
            for operation, (method, path) in RESOURCES.items()
            if method == verb and (match := re.fullmatch(path, parts.path))
        )
        if operation == "AddReading":
            reading = etree.fromstring(body)
            if _local(reading) != "reading":
                self.problems.append(f"the body is {_local(reading)}")
            fields |= {_local(node): node.text or "" for node in reading}
        fields["town" if operation == "GetTariff" else "meter"] = name
        roles = {"client": "customer", "at": "seconds", "salt": "salt", "mac": "seal"}
        seal = {key: headers[f"x-seal-{role}"] for key, role in roles.items() if f"x-seal-{role}" in headers}
        uri = parts.path.removeprefix("/api")
        self._check(seal, f"{verb} {uri}", signed=operation != "GetTariff")
        self.calls.append((operation, "HTTP headers"))
        return self.respond(operation, fields)

    def _check(self, seal: Mapping[str, str], what: str, *, signed: bool) -> None:
        wanted = {"client": CLIENT}
        if signed:
            wanted |= {key: seal.get(key, "") for key in ("at", "salt")}
            text = f"{what}|{wanted['at']}|{wanted['salt']}"
            wanted["mac"] = hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest().upper()
            if wanted["salt"] in self.salts:
                self.problems.append("the salt was used before")
            self.salts.append(wanted["salt"])
        if seal != wanted:
            self.problems.append(f"{what}: {dict(seal)} in place of {wanted}")

    # ---- the operations

    def respond(self, operation: str, fields: Mapping[str, str]) -> etree._Element:
        response = etree.Element(f"{SPACE}{operation}Response")

        def add(parent: etree._Element, name: str, text: str = "") -> etree._Element:
            child = etree.SubElement(parent, f"{SPACE}{name}")
            child.text = text or None
            return child

        if operation == "GetTariff":
            add(response, "price", {"Ulm": "0.31"}[fields["town"]])
        elif fields["meter"] != "7":
            self.problems.append(f"meter {fields['meter']}")
        elif operation == "AddReading":
            self.readings.append((fields["day"], fields["value"]))
            add(response, "number", str(len(self.readings)))
        else:
            part, size = int(fields.get("part", "1")), int(fields["size"])
            add(response, "count", str(len(self.readings)))
            for day, value in self.readings[(part - 1) * size : part * size]:
                reading = add(response, "reading")
                add(reading, "day", day)
                add(reading, "value", value)
        self.schema.assertValid(response)
        return response


def _local(node: etree._Element) -> str:
    return etree.QName(node).localname


@contextmanager
def served(service: Meters) -> Iterator[Meters]:
    """Serve the service at a loopback address."""
    with serving(service.exchange, service.problems) as service.url:
        yield service
