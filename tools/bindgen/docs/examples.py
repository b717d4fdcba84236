"""The examples of an operation: its messages in SOAP, REST and JSON, and its call in Python."""

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
from bindgen.model import AuthenticationElement, Contract, Field, Header, Operation, Simple
from bindgen.reading import compiled
from bindgen.rest_table import WHOLE
from bindgen.simple_types import DAY, XSD
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.package import parse_schema
from soapclient.runtime.request_values import wire_of
from soapclient.runtime.schema import wrapper_tag
from soapclient.testing.examples import Examples


class Checker:
    """Validator for examples: all schemas of a contract, compiled together."""

    def __init__(self, contract: Contract) -> None:
        texts: list[bytes] = []
        spaces: list[str] = []
        self._declared: set[str] = set()
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        for raw in filter(None, (contract.one_file, contract.messages, contract.schema)):
            for node in etree.fromstring(raw, parser).iter(f"{{{XSD}}}schema"):
                # Serialised and parsed again, so that the copy declares the prefixes that are in scope.
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
        """Return the reason why the element `node` is invalid.

        Returns "" if the element is valid, or if the schemas cannot be compiled. `rpc` is True if the element
        is the wrapper of an RPC-style body.
        """
        root = etree.fromstring(etree.tostring(node, encoding="UTF-8"))  # a separate document
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
    """An example of a REST request. `target` is the path and query below the base address."""

    method: str
    target: str
    body: etree._Element | None

    @property
    def written(self) -> str:
        """The body as text; "" if there is no body."""
        return "" if self.body is None else text(self.body)


@dataclass(frozen=True, slots=True)
class Example:
    """A message with its title. `kind` is XML or JSON, `problem` the reason why it is invalid, or ""."""

    title: str
    kind: str
    text: str
    problem: str = ""


def text(node: etree._Element) -> str:
    """Serialise an element, indented."""
    etree.indent(node, "  ")
    return etree.tostring(node, encoding="unicode")


class OperationExamples:
    """Builds the examples of all operations of a contract, from the schema.json and types of its package."""

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
        """Return Python code that calls the operation with the example request."""
        values = calls.Values(self._codec)
        headers = [
            (header.python, values.read(header.type.python, self._element(header.type.python, header.tag)))
            for header in operation.request_headers
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
        """Return the example of a REST request; None if the operation has no REST form."""
        form = operation.rest
        if form is None:
            return None
        root = self._request(operation, rest=True)
        fields = {field.wire: field for field in operation.request.all_fields() if field.protocol != "soap"}
        children = [child for child in root if etree.QName(child).localname in fields]
        texts: dict[str, list[str]] = {}
        for child in children:
            name = etree.QName(child).localname
            # A day is sent as a date in an address, and as midnight in a document.
            is_day = fields[name].type is DAY
            texts.setdefault(name, []).append((child.text or "")[: 10 if is_day else None])
        path, *pieces = form.path.split("{")
        for name, piece in zip(form.in_path, pieces, strict=True):
            path += quote((texts.get(name) or ["…"])[0], safe="") + piece.partition("}")[2]
        query = []
        for parameter in form.query:
            values = [parameter.spelling.get(value, value) for value in texts.get(parameter.field, [])]
            values = [parameter.separator.join(values)] if values and parameter.separator else values
            query += [f"{quote(parameter.name, safe='')}={quote(value, safe='')}" for value in values]
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
        """Yield the SOAP request and response. For an operation without SOAP, yield only the response."""
        if operation.soap:
            yield self._checked("Example request", self._sent(operation), operation)
            if not operation.one_way:
                yield self._checked("Example response", self._received(operation), operation)
            return
        response = self._element(operation.response.python, operation.response_tag)
        if self._contract.one_file:
            yield self._checked("Example response", response, operation)
        else:  # a contract without SOAP uses JSON
            with suppress(EncodeError):  # REST supports neither nil nor derived types
                document = wire_of(response, self._codec, operation.response.python)
                yield Example("Example response", "JSON", json.dumps(document, indent=2, ensure_ascii=False))

    # ---- elements

    def _request(self, operation: Operation, *, rest: bool = False) -> etree._Element:
        """Build the request without authentication.

        With `rest`, include the fields that exist only over REST.
        """
        fields = self._codec.fields(operation.request.python)
        rest_only = [field.python for field in fields if rest and field.row.protocol == "rest"]
        texts = self._paging(operation)
        return self._element(operation.request.python, operation.request_tag, given=rest_only, texts=texts)

    def _element(
        self, name: str, tag: str, *, given: list[str] | None = None, texts: Mapping[str, str] | None = None
    ) -> etree._Element:
        """Build an example element of the type `name` with few namespace prefixes.

        `tag` is the name of the element. The element has the fields of its type. Of each choice (xs:choice),
        it has one alternative. It does not have the fields that exist only over REST. `given` are fields to
        include anyway. `texts` maps fields to their values. The fields in `given` and `texts` have their
        Python names.
        """

        def build(nsmap: Mapping[str | None, str] | None = None) -> etree._Element:
            return self._examples.element(
                name, tag or "parts", complete=True, given=given or (), texts=texts, nsmap=nsmap
            )

        first = build()
        spaces = [etree.QName(node).namespace or "" for node in first.iter("*") if tag or node is not first]
        names: dict[str | None, str] = {}
        for space in filter(None, dict.fromkeys([*spaces, *self._codec.schema.namespaces.values()])):
            names[f"n{len(names) + 1}" if names or "" in spaces else None] = space
        root = build({**names, "xsi": _INSTANCE})
        etree.cleanup_namespaces(root, keep_ns_prefixes=[prefix for prefix in names if prefix])
        return root

    def _sent(self, operation: Operation) -> etree._Element:
        """Build the SOAP envelope of a request, with placeholders in the authentication elements."""
        request = self._request(operation)
        self._fill(request, operation.authentication)
        envelope = self._envelope(operation, operation.request_tag, request, operation.request_headers)
        if operation.authentication_headers:
            if len(envelope) == 1:
                envelope.insert(0, envelope.makeelement(f"{{{etree.QName(envelope).namespace}}}Header"))
            self._fill(envelope[0], operation.authentication_headers)
        return envelope

    def _fill(self, parent: etree._Element, places: list[AuthenticationElement]) -> None:
        """Add placeholders to `parent` for the values that the client fills in to authenticate.

        `places` are the elements and attributes that contain these values.
        """
        for place in places:
            takes_a_word = place.field is None or _takes_a_word(place.field)
            value = place.role.upper().replace("_", "-") if takes_a_word else "1"
            if place.attribute:
                parent.set(place.tag, value)
                continue
            node = next(parent.iterchildren(place.tag), None)
            if node is None:
                node = parent.makeelement(place.tag)
                index = next(
                    (index for index, child in enumerate(parent) if child.tag in place.before), len(parent)
                )
                parent.insert(index, node)
            if place.role:
                node.text = value
            self._fill(node, place.content)

    def _received(self, operation: Operation) -> etree._Element:
        """Build the SOAP envelope of a response."""
        response = self._element(operation.response.python, operation.response_tag)
        return self._envelope(operation, operation.response_tag, response, operation.response_headers)

    def _envelope(
        self, operation: Operation, tag: str, content: etree._Element, headers: list[Header]
    ) -> etree._Element:
        """Build the envelope of a message.

        soap:Body contains the element `content`, whose name is `tag`. If `tag` is "", the contract has no
        element for the body; in this case, soap:Body contains only the children of `content`.
        """
        version = self._versions.get(operation.port_type, self._contract.soap)
        space = _ENVELOPES.get(version, _ENVELOPES["1.1"])
        root = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
        if headers:
            header = etree.SubElement(root, f"{{{space}}}Header")
            header.extend(self._element(part.type.python, part.tag) for part in headers)
        body = etree.SubElement(root, f"{{{space}}}Body")
        body.extend([content] if tag else list(content))
        return root

    def _checked(self, title: str, message: etree._Element, operation: Operation) -> Example:
        """Return a message as an example, with the validation error if it is invalid."""
        problem = ""
        if not operation.encoded:  # SOAP encoding does not follow the schemas
            in_envelope = etree.QName(message).localname == "Envelope"
            content = [child for part in message for child in part] if in_envelope else [message]
            rpc = operation.style == "rpc"
            problem = next(filter(None, (self._checker.problem(node, rpc=rpc) for node in content)), "")
        return Example(title, "XML", text(message), problem)

    def _paging(self, operation: Operation) -> dict[str, str]:
        """Return the values of the paging fields for the first page with the default size.

        Keys are the Python names of the fields. Returns {} if the operation has no paging fields.
        """
        paging = self._contract.settings.section("paging")
        texts = {
            str(paging.get("page")): paging.get("first"),
            str(paging.get("items")): paging.get("default"),
        }
        return {
            field.python: str(texts[field.wire])
            for field in operation.request.all_fields()
            if operation.pages
            and texts.get(field.wire) is not None
            and getattr(field.type, "annotation", "") == "int"
        }


def _takes_a_word(field: Field) -> bool:
    return isinstance(field.type, Simple) and field.type.annotation == "str" and field.facets is None
