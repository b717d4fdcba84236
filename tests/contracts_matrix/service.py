"""A small service for any variant of a contract, over loopback: it serves the documents, checks each request
against their schemas, recomputes its signature, and builds responses from the schemas.

It uses lxml and the standard library only, so agreement with the client proves something. `respond` builds
the response to a request, and `meant` interprets a request over REST. A subclass may override both.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from tests.contracts_matrix.loopback import as_json, serving

XSD = "http://www.w3.org/2001/XMLSchema"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP_BINDINGS = ("http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/soap12/")
ENVELOPES = {
    "http://schemas.xmlsoap.org/soap/envelope/": "text/xml; charset=utf-8",
    "http://www.w3.org/2003/05/soap-envelope": "application/soap+xml; charset=utf-8",
}
CONNECT_ID, SECRET_KEY = "0123456789ABCDEF0123", "a key of the matrix"
ROLES = ("connectId", "timestamp", "nonce", "signature")
TOTAL = 3  # items of each list
_TEXTS = {
    "boolean": "true",
    "dateTime": "2026-11-01T10:00:00Z",
    "date": "2026-11-01",
    "float": "1.5",
    "double": "1.5",
    "decimal": "1.50",
    "anyURI": "https://service.example/",
    "string": "text",
}
_DEEPEST = 3
_RESOURCES = {
    "profiles": "GetProfile",
    "adspaces": "GetAdspaces",
    "programs": "SearchPrograms",
    "reports": "GetSales",
}
Fields = list[tuple[str, str]]  # of a request, by their names, in its order


@dataclass
class Exchange:
    """A request: its protocol, its operation, and the places of its signature."""

    protocol: str
    operation: str
    places: tuple[str, ...]
    fields: Mapping[str, str]
    nonce: str


@dataclass
class Service:
    """A service with the given documents; the first is the WSDL. `name` is its name in SOAP signatures."""

    name: str
    documents: Mapping[str, bytes]
    folder: Path
    exchanges: list[Exchange] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    nonces: set[str] = field(default_factory=set)
    heard: list[tuple[str, str]] = field(default_factory=list)  # (operation, protocol) of all calls
    refused: Mapping[str, int] = field(default_factory=dict)  # operation → code of its fault over SOAP 1.1
    url: str = ""

    def __post_init__(self) -> None:
        for file, text in self.documents.items():
            (self.folder / file).write_bytes(text)
        self.wsdl = etree.fromstring(next(iter(self.documents.values())))
        roots = [etree.fromstring(text) for text in self.documents.values()]
        self.schemas = [node for root in roots for node in root.iter(f"{{{XSD}}}schema")]
        self.namespace = self.wsdl.get("targetNamespace", "")
        self.version = next(self.wsdl.iter("{*}address")).get("location", "").rpartition("/")[2]
        # The schema of the WSDL, in a file next to the schemas it imports.
        (schema,) = self.wsdl.iterfind(f"{WSDL}types/{{{XSD}}}schema")
        file_of_schema = self.folder / "in-wsdl.xsd"
        file_of_schema.write_bytes(etree.tostring(schema))
        self.compiled = etree.XMLSchema(etree.parse(file_of_schema))
        self.components = {
            (etree.QName(node).localname, f"{{{self._space(schema)}}}{node.get('name')}"): node
            for schema in self.schemas
            for node in schema
            if node.get("name")
        }

    def _space(self, schema: etree._Element) -> str:
        return schema.get("targetNamespace", self.namespace)

    def called(self) -> str:
        """The operations that were called, and the protocols, for the table."""
        operations, protocols = (dict.fromkeys(names) for names in zip(*self.heard, strict=True))
        return f"{', '.join(operations)}; {', '.join(protocols)}"

    # ---- what the WSDL says

    def operation_of(self, action: str) -> etree._Element:
        """Return the binding's operation with this SOAPAction."""
        for space in SOAP_BINDINGS:
            for node in self.wsdl.iter(f"{{{space}}}operation"):
                if node.get("soapAction") == action and (parent := node.getparent()) is not None:
                    return parent
        raise LookupError(f"no operation has the SOAPAction {action!r}")

    def element(self, operation: str, end: str) -> str:
        """Return the element of an operation's input or output, in Clark notation."""
        (message,) = self.wsdl.iterfind(f"{WSDL}portType/{WSDL}operation[@name='{operation}']/{WSDL}{end}")
        name = message.get("message", "").rpartition(":")[2]
        (part,) = self.wsdl.iterfind(f"{WSDL}message[@name='{name}']/{WSDL}part")
        return _meant(part, part.get("element", ""), self.namespace)

    def roles(self, operation: str) -> set[str]:
        """Return the roles whose elements the contract declares in an operation's request or headers."""
        found = set()
        tags = [self.element(operation, "input")]
        for node in self.wsdl.iterfind(f"{WSDL}binding/{WSDL}operation[@name='{operation}']/{WSDL}input"):
            for space in SOAP_BINDINGS:
                for header in node.iterfind(f"{{{space}}}header"):
                    part = header.get("part")
                    (each,) = self.wsdl.iterfind(f"{WSDL}message/{WSDL}part[@name='{part}']")
                    tags.append(_meant(each, each.get("element", ""), self.namespace))
        for tag in tags:
            sample = etree.Element(tag)
            self._fill(sample, self.components["element", tag], {}, 0, every=True)
            found |= {etree.QName(node).localname for node in sample.iter()} & {*ROLES}
            found |= {str(key) for node in sample.iter() for key in node.attrib} & {*ROLES}
        return found

    # ---- requests

    def exchange(
        self, verb: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, str, bytes] | None:
        file = target.removeprefix("/wsdl/")
        if (verb, file in self.documents) == ("GET", True):
            return 200, "text/xml", self.documents[file]
        if (verb, target) == ("POST", f"/soap/{self.version}"):
            response = self.respond_soap(headers, target, body)
        else:
            response = self.respond_rest(verb, headers, target, body)
        if response is None:
            return None
        return 500 if b"Fault>" in response[1] else 200, *response

    def respond_soap(self, headers: Mapping[str, str], path: str, body: bytes) -> tuple[str, bytes] | None:
        root = etree.fromstring(body)
        space = etree.QName(root).namespace or ""
        media = ENVELOPES[space]
        action = headers.get("soapaction", "").strip('"')
        if "soap+xml" in media:
            action = headers["content-type"].partition("action=")[2].strip('"')
        operation = self.operation_of(action).get("name", "")
        (message,) = root.iterfind(f"{{{space}}}Body/*")
        for node in (message, *root.iterfind(f"{{{space}}}Header/*")):
            if not self.compiled.validate(etree.fromstring(etree.tostring(node))):
                self.problems.append(f"{operation}: {self.compiled.error_log.last_error}")
        if message.tag != self.element(operation, "input"):
            self.problems.append(f"{operation}: the element {message.tag!r}")
        attributes = [(str(key), str(text)) for node in root.iter("*") for key, text in node.items()]
        fields = leaves(root) + [(name, text) for name, text in attributes if name in ROLES]
        places = self._in_envelope(operation, dict(fields))
        places += self._in_http_headers("POST", _unversioned(path, "soap"), headers)
        self.heard.append((operation, "SOAP"))
        self._note("soap", operation, places, fields, headers)
        response = self.respond(operation, fields)
        if response is None:
            return None
        if operation in self.refused:
            response = self.fault(operation, space)
        envelope = etree.Element(f"{{{space}}}Envelope")
        etree.SubElement(envelope, f"{{{space}}}Body").append(response)
        return media, etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")

    def respond_rest(
        self, verb: str, headers: Mapping[str, str], target: str, body: bytes
    ) -> tuple[str, bytes] | None:
        parts = urlsplit(target)
        form, version, *segments = parts.path.strip("/").split("/")
        if (form in ("xml", "json"), version) != (True, self.version):
            raise LookupError(f"{verb} {target}")
        operation, fields = self.meant(verb, segments, parse_qsl(parts.query), body)
        places = self._in_http_headers(verb, "/" + "/".join(segments), headers)
        self.heard.append((operation, "REST" if form == "xml" else "REST in JSON"))
        self._note("rest", operation, places, fields, headers)
        response = self.respond(operation, fields)
        if response is None:
            return None
        if form == "xml":
            return "application/xml", etree.tostring(response)
        return "application/json", json.dumps(as_json(response)).encode()

    def meant(self, verb: str, segments: list[str], query: Fields, body: bytes) -> tuple[str, Fields]:
        """Return the operation of a request over REST, and its fields."""
        return _RESOURCES[segments[0]], query

    def _note(
        self, protocol: str, operation: str, places: list[str], fields: Fields, headers: Mapping[str, str]
    ) -> None:
        if not places:
            self.problems.append(f"{operation}: no authentication at all")
        nonce = dict(fields).get("nonce") or headers.get("nonce", "")
        if nonce in self.nonces:
            self.problems.append(f"{operation}: the nonce {nonce!r} again")
        self.nonces |= {nonce} - {""}
        self.exchanges.append(Exchange(protocol, operation, tuple(places), dict(fields), nonce))

    def _in_envelope(self, operation: str, texts: Mapping[str, str]) -> list[str]:
        """Compare the authentication elements of the envelope with the elements the contract declares."""
        declared = self.roles(operation)
        if {*texts} & {*ROLES} != declared:
            self.problems.append(f"{operation}: {sorted({*texts} & {*ROLES})} in place of {sorted(declared)}")
        if not declared:
            return []
        if texts.get("connectId") != CONNECT_ID:
            self.problems.append(f"{operation}: connectId {texts.get('connectId')!r}")
        if "signature" in declared:
            text = f"{self.name}{operation.lower()}{texts.get('timestamp')}{texts.get('nonce')}"
            if texts.get("signature") != _hmac(text):
                self.problems.append(f"{operation}: the signature in the envelope is wrong")
        return ["envelope"]

    def _in_http_headers(self, verb: str, uri: str, headers: Mapping[str, str]) -> list[str]:
        sent, nonce = headers.get("authorization"), headers.get("nonce")
        if sent is None:
            return []
        wanted = f"ZXWS {CONNECT_ID}"
        if nonce is not None:
            wanted += ":" + _hmac(f"{verb}{uri}{headers.get('date')}{nonce}")
        if sent != wanted:
            self.problems.append(f"{verb} {uri}: Authorization {sent!r} in place of {wanted!r}")
        return ["HTTP headers" if nonce is None else "HTTP headers, signed"]

    # ---- templates

    def respond(self, operation: str, fields: Fields) -> etree._Element | None:
        """Return the response to an operation; None if it must get lost."""
        named = dict(fields)
        page, items = int(named.get("page") or 0), int(named.get("items") or 10)
        count = max(0, min(items, TOTAL - page * items))
        known = {"page": str(page), "items": str(count), "total": str(TOTAL), "*": str(count)}
        known["@id"] = next((text for name, text in fields if name.endswith("Id") and name not in ROLES), "1")
        return self.made(operation, known)

    def fault(self, operation: str, space: str) -> etree._Element:
        """The fault that the contract declares for an operation, with its details by the schema."""
        tag = self.element(operation, "fault")
        detail = etree.Element(tag)
        known = {"code": str(self.refused[operation]), "reason": "no such thing", "errorId": "E-1"}
        self._fill(detail, self.components["element", tag], known, 0)
        self.compiled.assertValid(detail)
        fault = etree.Element(f"{{{space}}}Fault", nsmap={"e": space})
        etree.SubElement(fault, "faultcode").text = "e:Server"
        etree.SubElement(fault, "faultstring").text = "refused"
        etree.SubElement(fault, "detail").append(detail)
        return fault

    def made(self, operation: str, known: Mapping[str, str]) -> etree._Element:
        """Build a response by the schema. `known` maps fields to texts, and * to the number of list items."""
        tag = self.element(operation, "output")
        root = etree.Element(tag)
        self._fill(root, self.components["element", tag], known, 0)
        self.compiled.assertValid(root)
        return root

    def _fill(
        self,
        node: etree._Element,
        declaration: etree._Element,
        known: Mapping[str, str],
        depth: int,
        *,
        every: bool = False,
    ) -> None:
        """Fill an element by its declaration. With `every`, fill optional children, too."""
        kind = declaration.find(f"{{{XSD}}}complexType")
        simple = declaration.find(f"{{{XSD}}}simpleType")
        if kind is None and simple is None:
            name = _meant(declaration, declaration.get("type", ""), self.namespace)
            if name.startswith(f"{{{XSD}}}"):
                node.text = known.get(etree.QName(node).localname, _TEXTS.get(name.rpartition("}")[2], "1"))
                return
            kind = self.components.get(("complexType", name))
            simple = self.components.get(("simpleType", name))
        if kind is None:
            assert simple is not None
            node.text = known.get(etree.QName(node).localname) or self._simple(simple)
            return
        for part in self._parts(kind):
            if part.tag == f"{{{XSD}}}attribute":
                if part.get("use") == "required" or part.get("name") == "id":
                    node.set(part.get("name", ""), known.get("@id", "1"))
            elif part.tag == f"{{{XSD}}}extension":
                node.text = "text"
            else:
                self._child(node, part, known, depth, every=every)

    def _child(
        self, node: etree._Element, part: etree._Element, known: Mapping[str, str], depth: int, *, every: bool
    ) -> None:
        if part.get("ref"):
            tag = _meant(part, part.get("ref", ""), self.namespace)
            declaration = self.components["element", tag]
        else:
            (schema,) = part.iterancestors(f"{{{XSD}}}schema")
            qualified = part.get("form", schema.get("elementFormDefault")) == "qualified"
            space = self._space(schema)
            tag, declaration = f"{{{space}}}{part.get('name')}" if qualified else part.get("name", ""), part
        many = part.get("maxOccurs", "1") != "1"
        if part.get("minOccurs") == "0" and depth >= _DEEPEST and not every:
            return
        for _ in range(int(known.get("*", "1")) if many else 1):
            child = etree.SubElement(node, tag)
            self._fill(child, declaration, known if depth < 2 else {}, depth + 1, every=every and depth < 1)

    def _parts(self, kind: etree._Element) -> Iterator[etree._Element]:
        for child in kind:
            name = etree.QName(child).localname
            if name in ("sequence", "all"):
                yield from (part for part in child if part.tag == f"{{{XSD}}}element")
            elif name == "attribute":
                yield child
            elif name in ("complexContent", "simpleContent"):
                (extension,) = child.iterchildren(f"{{{XSD}}}extension")
                if name == "simpleContent":
                    yield extension
                else:
                    base = _meant(extension, extension.get("base", ""), self.namespace)
                    yield from self._parts(self.components["complexType", base])
                yield from self._parts(extension)

    def _simple(self, kind: etree._Element) -> str:
        first = kind.find(f".//{{{XSD}}}enumeration")
        if first is not None:
            return first.get("value", "")
        base = kind.find(f"{{{XSD}}}restriction")
        return _TEXTS.get((base.get("base", "") if base is not None else "").rpartition(":")[2], "1")


def _meant(node: etree._Element, name: str, default: str) -> str:
    """A qualified name in Clark notation."""
    prefix, _, local = name.rpartition(":")
    return f"{{{node.nsmap.get(prefix or None, default)}}}{local}"


Served = TypeVar("Served", bound=Service)


def leaves(root: etree._Element) -> Fields:
    """The elements that hold a text, by their names."""
    return [(etree.QName(node).localname, node.text or "") for node in root.iter("*") if not len(node)]


def _unversioned(path: str, protocol: str) -> str:
    """What SOAP headers sign: the path without `/soap` and the version, `/` if nothing is left."""
    rest = path.removeprefix(f"/{protocol}").split("/")
    return "/" + "/".join(rest[2:])


def _hmac(text: str) -> str:
    return base64.b64encode(hmac.new(SECRET_KEY.encode(), text.encode(), hashlib.sha1).digest()).decode()


@contextmanager
def served(service: Served) -> Iterator[Served]:
    """The service at an address of loopback."""
    with serving(service.exchange, service.problems) as service.url:
        yield service
