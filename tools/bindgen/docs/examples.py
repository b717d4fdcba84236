"""The examples of an operation: its messages as SOAP, REST and JSON have them, and its call in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from urllib.parse import quote

from lxml import etree

from bindgen import emit
from bindgen.docs import calls
from bindgen.docs.calls import Bound
from bindgen.model import Contract, Field, Filled, Header, Operation, Simple
from bindgen.reading import compiled
from bindgen.rest_table import WHOLE
from bindgen.simple_types import DAY, XSD
from soapclient.runtime.codec import Codec
from soapclient.runtime.package import parse_schema
from soapclient.runtime.schema import wrapper_tag
from soapclient.testing.examples import Examples


class Checker:
    """The schemas of a contract, its own and those beside it, compiled together."""

    def __init__(self, contract: Contract) -> None:
        texts: list[bytes] = []
        spaces: list[str] = []
        self._declared: set[str] = set()
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        for raw in filter(None, (contract.one_file, contract.messages, contract.schema)):
            for node in etree.fromstring(raw, parser).iter(f"{{{XSD}}}schema"):
                # Serialised and parsed again, so that the prefixes in scope of the document travel along.
                copy = etree.fromstring(etree.tostring(node, with_tail=False, encoding="UTF-8"))
                compiled.unlink(copy)
                texts.append(etree.tostring(copy, encoding="UTF-8"))
                spaces.append(node.get("targetNamespace", ""))
                elements = node.iterchildren(f"{{{XSD}}}element")
                self._declared |= {f"{{{spaces[-1]}}}{element.get('name')}" for element in elements}
        self._schema: etree.XMLSchema | None = None
        with suppress(etree.XMLSchemaParseError):
            self._schema = compiled.schema(texts, spaces)

    def problem(self, node: etree._Element, *, rpc: bool = False) -> str:
        """Why the schemas do not allow an element, in RPC style a wrapper; "" if they do, or cannot tell."""
        root = etree.fromstring(etree.tostring(node, encoding="UTF-8"))  # a document of its own
        if rpc and (tag := wrapper_tag(str(root.tag))) in self._declared:
            root.tag = tag
        if self._schema is None or self._schema.validate(root):
            return ""
        return next((entry.message for entry in self._schema.error_log), "not valid against the schema")


_ENVELOPES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"


@dataclass(frozen=True, slots=True)
class Resource:
    """The example: `target` is path and query below the base address, `body` an element or nothing."""

    method: str
    target: str
    body: etree._Element | None

    @property
    def written(self) -> str:
        """The body as a text; "" for none."""
        return "" if self.body is None else text(self.body)


@dataclass(frozen=True, slots=True)
class Example:
    """A message behind its title; `kind` is XML or JSON, `problem` why the schema does not allow it."""

    title: str
    kind: str
    text: str
    problem: str = ""


def text(node: etree._Element) -> str:
    """The element's text, indented."""
    etree.indent(node, "  ")
    return etree.tostring(node, encoding="unicode")


class OperationExamples:
    """Makes the examples of all operations of a contract, by the rows of its package."""

    def __init__(self, contract: Contract, bound: Bound) -> None:
        self._contract = contract
        self._bound = bound
        types = ModuleType(f"{contract.name}.types")
        exec(compile(emit.types.emit(contract), "types.py", "exec"), types.__dict__)
        self._codec = Codec(parse_schema(contract.name, emit.rows.emit(contract)), types)
        self._examples = Examples(self._codec)
        self._checker = Checker(contract)
        self._versions = {port.port_type: port.soap for port in reversed(contract.ports)}

    def call(self, operation: Operation, protocol: calls.ProtocolName | None = None) -> str:
        """The call in Python."""
        values = calls.Values(self._codec)
        headers = [
            (each.python, values.read(each.type.python, self._element(each.type.python, each.tag)))
            for each in operation.request_headers
        ]
        request = values.read(operation.request.python, self._request(operation, rest=True))
        return calls.call(
            operation,
            request,
            values,
            self._bound(operation),
            headers=headers,
            protocol=protocol,
            whole=operation.request.abstract,
        )

    def resource(self, operation: Operation) -> Resource | None:
        """What REST sends."""
        form = operation.rest
        if form is None:
            return None
        root = self._request(operation, rest=True)
        fields = {field.wire: field for field in operation.request.all_fields() if field.protocol != "soap"}
        children = [child for child in root if etree.QName(child).localname in fields]
        given: dict[str, list[str]] = {}
        for child in children:
            name = etree.QName(child).localname
            # A day is a day in an address; the midnight it begins with is how a document says it.
            day = fields[name].type is DAY
            given.setdefault(name, []).append((child.text or "")[: 10 if day else None])
        path, *pieces = form.path.split("{")
        for name, piece in zip(form.in_path, pieces, strict=True):
            path += quote((given.get(name) or ["…"])[0], safe="") + piece.partition("}")[2]
        query = []
        for parameter in form.query:
            values = [parameter.spelling.get(each, each) for each in given.get(parameter.field, [])]
            values = [parameter.separator.join(values)] if values and parameter.separator else values
            query += [f"{quote(parameter.name, safe='')}={quote(each, safe='')}" for each in values]
        target = f"{path}{'?' if query else ''}{'&'.join(query)}"
        body = None
        if form.body == WHOLE:
            body = root
            elsewhere = {*form.in_path, *(parameter.field for parameter in form.query)}
            for child in root:
                if child not in children or etree.QName(child).localname in elsewhere:
                    root.remove(child)
            body.tag = form.root or body.tag
        elif form.body:
            body = next((child for child in children if etree.QName(child).localname == form.body), None)
            if body is not None:
                body.tag = form.root
        return Resource(form.method, target, body)

    def messages(self, operation: Operation) -> Iterator[Example]:
        """The request and the response; of an operation that REST alone has, the response."""
        if operation.soap:
            yield self._checked("Example request", self._sent(operation), operation)
            if not operation.one_way:
                yield self._checked("Example response", self._received(operation), operation)
            return
        response = self._element(operation.response.python, operation.response_tag)
        if self._contract.one_file:
            yield self._checked("Example response", response, operation)
        else:  # nothing but REST, which has JSON
            document = self._plain(operation.response.python, response)
            yield Example("Example response", "JSON", json.dumps(document, indent=2, ensure_ascii=False))

    # ---- elements

    def _request(self, operation: Operation, *, rest: bool = False) -> etree._Element:
        """The request as a caller gives it, with what `rest` alone has."""
        fields = self._codec.fields(operation.request.python)
        given = [field.python for field in fields if rest and field.row.protocol == "rest"]
        texts = self._paging(operation)
        return self._element(operation.request.python, operation.request_tag, given=given, texts=texts)

    def _element(
        self, name: str, tag: str, *, given: list[str] | None = None, texts: Mapping[str, str] | None = None
    ) -> etree._Element:
        """An element of a type, complete, with as few prefixes as can be."""

        def made(nsmap: Mapping[str | None, str] | None = None) -> etree._Element:
            return self._examples.element(
                name, tag or "parts", complete=True, given=given or (), texts=texts, nsmap=nsmap
            )

        first = made()
        said = [etree.QName(node).namespace or "" for node in first.iter("*") if tag or node is not first]
        names: dict[str | None, str] = {}
        for space in filter(None, dict.fromkeys([*said, *self._codec.schema.namespaces.values()])):
            names[f"n{len(names) + 1}" if names or "" in said else None] = space
        root = made({**names, "xsi": _INSTANCE})
        etree.cleanup_namespaces(root, keep_ns_prefixes=[each for each in names if each])
        return root

    def _sent(self, operation: Operation) -> etree._Element:
        """The request in its envelope, with a word in capitals for each element that a signer fills in."""
        request = self._request(operation)
        self._fill(request, operation.authentication)
        envelope = self._envelope(operation, operation.request_tag, request, operation.request_headers)
        if operation.authentication_headers:
            if len(envelope) == 1:
                envelope.insert(0, envelope.makeelement(f"{{{etree.QName(envelope).namespace}}}Header"))
            self._fill(envelope[0], operation.authentication_headers)
        return envelope

    def _fill(self, parent: etree._Element, places: list[Filled]) -> None:
        """Add what a signer fills in, in its place, with a word for the value."""
        for place in places:
            takes_a_word = place.field is None or _takes_a_word(place.field)
            value = place.role.upper().replace("_", "-") if takes_a_word else "1"
            if place.attribute:
                parent.set(place.tag, value)
                continue
            node = next(parent.iterchildren(place.tag), None)
            if node is None:
                node = parent.makeelement(place.tag)
                at = next((at for at, child in enumerate(parent) if child.tag in place.before), len(parent))
                parent.insert(at, node)
            if place.role:
                node.text = value
            self._fill(node, place.content)

    def _received(self, operation: Operation) -> etree._Element:
        """The response in its envelope."""
        response = self._element(operation.response.python, operation.response_tag)
        return self._envelope(operation, operation.response_tag, response, operation.response_headers)

    def _envelope(
        self, operation: Operation, tag: str, content: etree._Element, headers: list[Header]
    ) -> etree._Element:
        """A whole message. Without a `tag` the parts of the content are the body's own children."""
        version = self._versions.get(operation.port_type, self._contract.soap)
        space = _ENVELOPES.get(version, _ENVELOPES["1.1"])
        root = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
        if headers:
            header = etree.SubElement(root, f"{{{space}}}Header")
            header.extend(self._element(each.type.python, each.tag) for each in headers)
        body = etree.SubElement(root, f"{{{space}}}Body")
        body.extend([content] if tag else list(content))
        return root

    def _checked(self, title: str, message: etree._Element, operation: Operation) -> Example:
        problem = ""
        if not operation.encoded:  # of what SOAP encodes in its own way the schemas say something else
            in_envelope = etree.QName(message).localname == "Envelope"
            content = [child for part in message for child in part] if in_envelope else [message]
            rpc = operation.style == "rpc"
            problem = next(filter(None, (self._checker.problem(node, rpc=rpc) for node in content)), "")
        return Example(title, "XML", text(message), problem)

    def _plain(self, name: str, node: etree._Element) -> object:
        """A value in the service's JSON form: `@` before attributes, `$` for the text beside them, every
        value a string."""
        found: dict[str, object] = {}
        for field in self._codec.fields(name):
            if field.kind == "attribute" and field.tag in node.attrib:
                found[f"@{field.name}"] = node.get(field.tag)
            elif field.kind == "text":
                found["$"] = node.text
            elif field.kind == "element":
                values = [
                    self._plain(field.holds, each) if field.holds else each.text
                    for child in node.findall(field.tag)
                    for each in (child if field.item else [child])
                ]
                if values and field.item:
                    found[field.name] = {etree.QName(field.item).localname: values}
                elif values:
                    found[field.name] = values if field.repeats else values[0]
        return found

    def _paging(self, operation: Operation) -> dict[str, str]:
        """The first page of the usual size, where the contract says what these are."""
        paging = self._contract.settings.section("paging")
        usual = {
            str(paging.get("page")): paging.get("first"),
            str(paging.get("items")): paging.get("default"),
        }
        return {
            field.python: str(usual[field.wire])
            for field in operation.request.all_fields()
            if operation.pages
            and usual.get(field.wire) is not None
            and getattr(field.type, "annotation", "") == "int"
        }


def _takes_a_word(field: Field) -> bool:
    return isinstance(field.type, Simple) and field.type.annotation == "str" and field.facets is None
