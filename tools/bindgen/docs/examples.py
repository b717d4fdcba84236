"""The examples of an operation: its messages as SOAP, REST and JSON have them, and its call in Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from lxml import etree

from bindgen import naming
from bindgen.docs import calls
from bindgen.docs.calls import Bound
from bindgen.docs.instances import Examples, Free, Part, Text, Tree
from bindgen.model import Contract, Field, Header, Operation, Simple
from bindgen.reading import compiled
from bindgen.rest_table import WHOLE
from bindgen.simple_types import XSD
from soapclient.runtime.schema import RestRow


class Checker:
    """The schemas of a contract, its own and those beside it, compiled together."""

    def __init__(self, contract: Contract) -> None:
        texts: list[bytes] = []
        spaces: list[str] = []
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        for raw in filter(None, (contract.one_file, contract.messages, contract.schema)):
            for node in etree.fromstring(raw, parser).iter(f"{{{XSD}}}schema"):
                # Serialised and parsed again, so that the prefixes in scope of the document travel along.
                copy = etree.fromstring(etree.tostring(node, with_tail=False, encoding="UTF-8"))
                compiled.unlink(copy)
                texts.append(etree.tostring(copy))
                spaces.append(node.get("targetNamespace", ""))
        self._schema: etree.XMLSchema | None = None
        with suppress(etree.XMLSchemaParseError):
            self._schema = compiled.schema(texts, spaces)

    def problem(self, node: etree._Element) -> str:
        """Why the schemas do not allow an element; "" where they do, or where there are none to ask."""
        root = etree.fromstring(etree.tostring(node, encoding="UTF-8"))  # a document of its own
        if self._schema is None or self._schema.validate(root):
            return ""
        return next((entry.message for entry in self._schema.error_log), "not valid against the schema")


_ENVELOPES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
Headers = Iterable[tuple[str, Tree]]


def envelope(tag: str, tree: Tree | None, headers: Headers = (), soap: str = "1.1") -> etree._Element:
    """A whole message. Without a `tag` the parts of `tree` are the body's own children; no tree, no body's
    content. `headers` are their tags and values."""
    space = _ENVELOPES[soap]
    root = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    header = None
    for name, value in headers:
        header = etree.SubElement(root, f"{{{space}}}Header") if header is None else header
        header.append(element(name, value))
    body = etree.SubElement(root, f"{{{space}}}Body")
    if tree is not None and tag:
        body.append(element(tag, tree))
    elif tree is not None:
        for child in element("parts", tree):
            body.append(child)
    return root


def element(tag: str, tree: Tree) -> etree._Element:
    """The value as an element of that tag (Clark notation)."""
    spaces = dict.fromkeys([naming.space(tag), *_spaces(tree)])
    names: dict[str | None, str] = {}
    for space in filter(None, spaces):
        names[f"n{len(names) + 1}" if names or "" in spaces else None] = space
    if any(_derives(each) for each in _trees(tree)):
        names["xsi"] = _INSTANCE
    root = etree.Element(tag, nsmap=names)
    _fill(root, tree)
    return root


def text(node: etree._Element) -> str:
    """The element's text, indented."""
    etree.indent(node, "  ")
    return etree.tostring(node, encoding="unicode")


def _fill(node: etree._Element, tree: Tree) -> None:
    if _derives(tree) and not tree.struct.holder:
        space, name = naming.space(tree.struct.qname), tree.struct.name
        prefix = next((prefix for prefix, each in node.nsmap.items() if each == space), None)
        node.set(f"{{{_INSTANCE}}}type", f"{prefix}:{name}" if prefix else name)
    for part in tree.parts:
        field, value = part.field, part.value
        if field.kind == "any":
            etree.SubElement(node, _wild_tag(field, str(node.tag)))
        elif isinstance(value, Tree):
            _fill(node if field.kind == "group" else etree.SubElement(node, field.tag), value)
        elif field.kind == "attribute":
            node.set(field.tag, _text(value))
        elif field.kind in ("text", "element"):
            (node if field.kind == "text" else etree.SubElement(node, field.tag)).text = _text(value)


def _text(value: Text | Free) -> str:
    return "anything" if isinstance(value, Free) else value.text


def _wild_tag(field: Field, owner: str) -> str:
    """The tag of an element that a wildcard within an element of the tag `owner` lets in."""
    namespaces = field.wildcard.namespaces.split() if field.wildcard is not None else []
    first = namespaces[0] if namespaces else "##any"
    if first == "##targetNamespace":
        first = naming.space(owner)
    if first == "##local" or not first:
        return "anything"
    return "{urn:example}anything" if first.startswith("##") else f"{{{first}}}anything"


def _derives(tree: Tree) -> bool:
    return tree.struct is not tree.declared and not tree.struct.anonymous


def _trees(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree.parts:
        if isinstance(part.value, Tree):
            yield from _trees(part.value)


def _spaces(tree: Tree) -> Iterator[str]:
    """The namespaces of everything in it, "" for none."""
    for each in _trees(tree):
        if _derives(each):
            yield naming.space(each.struct.qname)
        for part in each.parts:
            if part.field.kind == "element":
                yield naming.space(part.field.tag)


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


def resource(operation: Operation, form: RestRow, tree: Tree) -> Resource:
    """The example of an operation that REST has; `tree` is its request, of which REST takes its part."""
    parts = [part for part in tree.parts if part.field.protocol != "soap" and not part.field.refused]
    given: dict[str, list[str]] = {}
    for part in parts:
        if isinstance(part.value, Text):
            # A day is a day in an address; the midnight it begins with is how a document says it.
            day = getattr(part.value.kind, "annotation", "") == "dt.date"
            given.setdefault(part.field.wire, []).append(part.value.text[: 10 if day else None])
    path, *pieces = form.path.split("{")
    for name, piece in zip(form.in_path, pieces, strict=True):
        path += quote((given.get(name) or ["…"])[0], safe="") + piece.partition("}")[2]
    query = []
    for parameter in form.query:
        texts = [parameter.spelling.get(text, text) for text in given.get(parameter.field, [])]
        texts = [parameter.separator.join(texts)] if texts and parameter.separator else texts
        query += [f"{quote(parameter.name, safe='')}={quote(text, safe='')}" for text in texts]
    target = f"{path}{'?' if query else ''}{'&'.join(query)}"
    return Resource(form.method, target, _resource_body(operation, form, parts, tree))


def json_document(tree: Tree) -> str:
    """An example response in the service's JSON form: `@` before attributes, `$` for the text beside them,
    every value a string, the root left out."""
    return json.dumps(_plain(tree), indent=2, ensure_ascii=False)


def _resource_body(
    operation: Operation, form: RestRow, parts: list[Part], tree: Tree
) -> etree._Element | None:
    if form.body == WHOLE:
        elsewhere = {*form.in_path, *(parameter.field for parameter in form.query)}
        rest = [part for part in parts if part.field.wire not in elsewhere]
        return element(form.root or operation.request_tag, Tree(tree.struct, tree.declared, rest))
    for part in parts:
        if form.body and part.field.wire == form.body and isinstance(part.value, Tree):
            return element(form.root, part.value)
    return None


def _plain(tree: Tree) -> dict[str, object]:
    found: dict[str, object] = {}
    for part in tree.parts:
        field = part.field
        key = f"@{field.wire}" if field.kind == "attribute" else "$" if field.kind == "text" else field.wire
        value = _plain(part.value) if isinstance(part.value, Tree) else _text(part.value)
        if field.repeats:
            listed = found.setdefault(key, [])
            assert isinstance(listed, list)  # a field's key is its own
            listed.append(value)
        else:
            found[key] = value
    return found


_ROLES = ("connect_id", "timestamp", "nonce", "signature")


@dataclass(frozen=True, slots=True)
class Example:
    """A message behind its title; `kind` is XML or JSON, `problem` why the schema does not allow it."""

    title: str
    kind: str
    text: str
    problem: str = ""


class OperationExamples:
    """Makes the examples of all operations of a contract."""

    def __init__(self, contract: Contract, bound: Bound) -> None:
        self._contract = contract
        self._bound = bound
        self._examples = Examples()
        self._checker = Checker(contract)
        signing = contract.settings.section("signing")
        self._roles = {str(signing.get(role, role)): role.upper().replace("_", "-") for role in _ROLES}
        self._versions = {port.port_type: port.soap for port in reversed(contract.ports)}

    def request(self, operation: Operation, *, signing: bool) -> Tree:
        """The example request: as a caller gives it or, with `signing`, as it is sent over SOAP, with a word
        in capitals for each element that a signer fills in."""
        shown = [field for field in operation.request.all_fields() if not field.refused]
        texts = self._paging(operation)
        if signing:
            own = [field for field in operation.request.fields if not field.refused]
            inherited = shown[: len(shown) - len(own)]
            for at, field in operation.authentication_fields:
                own.insert(at, field)
                if isinstance(field.type, Simple) and field.type.annotation == "str" and field.facets is None:
                    texts[id(field)] = self._roles.get(field.wire, field.wire.upper())
            shown = [field for field in (*inherited, *own) if field.protocol != "rest"]
        return self._examples.of(operation.request, fields=shown, texts=texts)

    def response(self, operation: Operation) -> Tree:
        """The example response."""
        return self._examples.of(operation.response)

    def sent(self, operation: Operation) -> etree._Element:
        """The request in its envelope."""
        tree = self.request(operation, signing=True)
        return self._envelope(operation, operation.request_tag, tree, operation.request_headers)

    def received(self, operation: Operation) -> etree._Element:
        """The response in its envelope."""
        return self._envelope(
            operation, operation.response_tag, self.response(operation), operation.response_headers
        )

    def _envelope(self, operation: Operation, tag: str, tree: Tree, headers: list[Header]) -> etree._Element:
        version = self._versions.get(operation.port_type, "1.1")
        parts = [(header.tag, self._examples.of(header.type)) for header in headers]
        return envelope(tag, tree, parts, version if version in ("1.1", "1.2") else "1.1")

    def call(self, operation: Operation, protocol: calls.ProtocolName | None = None) -> str:
        """The call in Python."""
        tree = self.request(operation, signing=False)
        headers = [(each, self._examples.of(each.type)) for each in operation.request_headers]
        return calls.call(operation, tree, self._bound(operation), headers=headers, protocol=protocol)

    def resource(self, operation: Operation) -> Resource | None:
        """What REST sends."""
        if operation.rest is None:
            return None
        return resource(operation, operation.rest, self.request(operation, signing=False))

    def messages(self, operation: Operation) -> Iterator[Example]:
        """The request and the response; of an operation that REST alone has, the response."""
        if operation.soap:
            yield self._checked("Example request", self.sent(operation), operation)
            if not operation.one_way:
                yield self._checked("Example response", self.received(operation), operation)
            return
        tree = self.response(operation)
        if self._contract.one_file:
            yield self._checked("Example response", element(operation.response_tag, tree), operation)
        else:  # nothing but REST, which has JSON
            yield Example("Example response", "JSON", json_document(tree))

    def _checked(self, title: str, message: etree._Element, operation: Operation) -> Example:
        problem = ""
        if not operation.encoded:  # of what SOAP encodes in its own way the schemas say something else
            in_envelope = etree.QName(message).localname == "Envelope"
            content = [child for part in message for child in part] if in_envelope else [message]
            problem = next(filter(None, map(self._checker.problem, content)), "")
        return Example(title, "XML", text(message), problem)

    def _paging(self, operation: Operation) -> dict[int, str]:
        """The first page of the usual size, where the contract says what these are."""
        paging = self._contract.settings.section("paging")
        usual = {
            str(paging.get("page")): paging.get("first"),
            str(paging.get("items")): paging.get("default"),
        }
        return {
            id(field): str(usual[field.wire])
            for field in operation.request.all_fields()
            if operation.pages
            and usual.get(field.wire) is not None
            and getattr(field.type, "annotation", "") == "int"
        }
