"""Operations: what a port type offers, in the form that a binding gives it (WSDL 1.1, 2.4, 2.5 and 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lxml import etree

from bindgen import naming
from bindgen.model import ANYTHING, Attachment, Fault, Header, Operation, PortForm
from bindgen.reading import policy
from bindgen.reading.definitions import Bound, Part, note_unknown, unsupported
from bindgen.reading.findings import Findings
from bindgen.reading.messages import Body, MessagePart, Messages, Missing, body_namespace
from bindgen.reading.nodes import MIME, SOAP, SOAP12, WSDL, true, words
from bindgen.simple_types import XSD

_REQUIRED = f"{{{WSDL}}}required"
_SPACES = (SOAP, SOAP12)


@dataclass(frozen=True, slots=True)
class _Abstract:
    """An operation of a port type. `name` is its own among those of the same name."""

    name: str
    node: etree._Element
    input: etree._Element
    output: etree._Element | None

    @property
    def wsdl_name(self) -> str:
        return self.node.get("name", "").strip()


class Operations:
    """Reads the operations of port types."""

    def __init__(
        self,
        messages: Messages,
        findings: Findings,
        addressed: Collection[etree._Element] = frozenset(),
    ) -> None:
        """`addressed` are the components that require WS-Addressing (`policy.addressed`)."""
        self._messages = messages
        self._findings = findings
        self._addressed = addressed

    def read(self, bounds: Sequence[Bound], only: Collection[str] | None) -> list[Operation]:
        """The operations of all port types, in their order, of those whose name is in `only`."""
        by_port_type: dict[str, list[Bound]] = {}
        for bound in bounds:
            by_port_type.setdefault(bound.port_type.qname, []).append(bound)
        return [
            operation for several in by_port_type.values() for operation in self._port_type(several, only)
        ]

    def _port_type(self, bounds: Sequence[Bound], only: Collection[str] | None) -> Iterator[Operation]:
        port_type = bounds[0].port_type
        self._lacking(port_type, bounds)
        for abstract, at in self._abstract(port_type, only):
            served = [(bound, _bound_operation(bound.binding, abstract, at)) for bound in bounds]
            ports = [(bound, node) for bound, node in served if node is not None]
            if not ports:
                why = f"no binding has the operation {abstract.wsdl_name!r}; it is left out"
                self._findings.weaken(port_type.document, abstract.node, why)
                continue
            try:
                operation = self._operation(*ports[0], abstract)
            except Missing as missing:
                self._findings.refuse(missing.document, missing.node, missing.why)
                continue
            self._add_ports(operation, abstract, ports)
            yield operation

    def _lacking(self, port_type: Part, bounds: Sequence[Bound]) -> None:
        """Note what bindings have, and the port type has not."""
        known = {node.get("name", "").strip() for node in port_type.node.iterfind(f"{{{WSDL}}}operation")}
        for bound in bounds:
            for node in bound.binding.node.iterfind(f"{{{WSDL}}}operation"):
                name = node.get("name", "").strip()
                if name not in known:
                    why = f"the port type {port_type.name!r} has no operation {name!r}; it is left out"
                    self._findings.weaken(bound.binding.document, node, why)

    def _abstract(self, port_type: Part, only: Collection[str] | None) -> Iterator[tuple[_Abstract, int]]:
        """The operations of a port type, each with its number among those of its name."""
        names: set[str] = set()
        met: dict[str, int] = {}
        for node in port_type.node.iterfind(f"{{{WSDL}}}operation"):
            own = node.get("name", "").strip()
            if not own:
                self._findings.weaken(port_type.document, node, "an operation without a name is left out")
                continue
            at = met[own] = met.get(own, -1) + 1
            inputs = node.find(f"{{{WSDL}}}input")
            output = node.find(f"{{{WSDL}}}output")
            name = own
            if name in names:  # overloaded: the message tells them apart
                name = _message_name(inputs) or own
                name = naming.unused(name, names)
                why = f"a second operation {own!r}; it is called {name!r}"
                self._findings.note(port_type.document, node, why)
            if only is not None and name not in only and own not in only:
                names.add(name)
                continue
            names.add(name)
            if inputs is None or (output is not None and _before(output, inputs)):
                what = "notification" if inputs is None else "solicit-response"
                why = f"the operation {own!r} is begun by the server ({what}), which is not handled"
                self._findings.refuse(port_type.document, node, why)
                continue
            yield _Abstract(name, node, inputs, output), at

    def _add_ports(
        self, operation: Operation, abstract: _Abstract, ports: Sequence[tuple[Bound, etree._Element]]
    ) -> None:
        """Add the ports whose SOAPAction or headers differ from those of the first."""
        first = PortForm(
            operation.soap_action,
            operation.action,
            operation.request_headers,
            operation.response_headers,
        )
        body = _body_form(*ports[0])
        for bound, node in ports[1:]:
            known = {header.tag: header for header in operation.header_faults}
            others = self._headers(bound, node, "headerfault")[0]
            operation.header_faults += [_like(header, known) for header in others if header.tag not in known]
            form = self._port_form(bound, node, abstract, operation)
            name = f"{bound.port.service}/{bound.port.name}"
            if _differs(form, first):
                operation.ports[name] = form
            if _body_form(bound, node) != body:
                why = (
                    f"the port {name} sends {abstract.name!r} in another form (style, use, parts or "
                    "namespace); calls at this port have the form of the first port"
                )
                self._findings.weaken(bound.binding.document, node, why)

    def _port_form(
        self, bound: Bound, node: etree._Element, abstract: _Abstract, operation: Operation
    ) -> PortForm:
        soap_action = _soap_action(node)
        known = {header.tag: header for header in operation.headers()}
        request, response = (
            [_like(header, known) for header in self._headers(bound, node.find(f"{{{WSDL}}}{end}"))[0]]
            for end in ("input", "output")
        )
        return PortForm(soap_action, self._action(bound, abstract, node, soap_action), request, response)

    def _operation(self, bound: Bound, node: etree._Element, abstract: _Abstract) -> Operation:
        document = bound.port_type.document
        style = _style(bound, node)
        note_unknown(bound.binding.document, node, self._findings)
        soap_action = _soap_action(node)
        request = self._end(bound, abstract, node, "input", style)
        response = self._end(bound, abstract, node, "output", style)
        return Operation(
            name=abstract.name,
            soap_action=soap_action,
            request_tag=request.body.tag,
            response_tag=response.body.tag,
            request=request.body.struct,
            response=response.body.struct,
            place=document.place(abstract.node),
            doc=words(abstract.node.find(f"{{{WSDL}}}documentation")),
            style="rpc" if style == "rpc" else "document",
            encoded=request.encoded or response.encoded,
            port_type=bound.port_type.qname,
            one_way=abstract.output is None,
            request_nillable=request.body.nillable,
            response_nillable=response.body.nillable,
            response_members=dict(response.body.members),
            request_headers=request.headers,
            response_headers=response.headers,
            faults=list(self._faults(bound, abstract)),
            header_faults=self._headers(bound, node, "headerfault")[0],
            action=self._action(bound, abstract, node, soap_action),
            request_attachments=request.attachments,
            response_attachments=response.attachments,
        )

    def _action(self, bound: Bound, abstract: _Abstract, node: etree._Element, soap_action: str) -> str:
        """What `wsa:Action` must say: named, or where WS-Addressing is required the SOAPAction, or by default
        (Web Services Addressing 1.0, Metadata, 4.4)."""
        if named := policy.action(abstract.input):
            return named
        ends = (*node.iterfind(f"{{{WSDL}}}input"), abstract.node, abstract.input, node)
        if self._addressed and any(one in self._addressed for one in (*bound.nodes, *ends)):
            space, name = bound.port_type.namespace, bound.port_type.name
            return soap_action or policy.default_action(space, name, abstract.node, abstract.input)
        return ""

    def _end(
        self,
        bound: Bound,
        abstract: _Abstract,
        node: etree._Element,
        end: Literal["input", "output"],
        style: str,
    ) -> _End:
        """The request or the response. Raises Missing."""
        document = bound.port_type.document
        place = document.place(abstract.node)
        response = end == "output"
        struct_name = f"{{{bound.port_type.namespace}}}{abstract.name}{'Response' if response else ''}"
        said = abstract.output if response else abstract.input
        if said is None:
            return _End(self._messages.nothing(struct_name, place), [], encoded=False)
        form = node.find(f"{{{WSDL}}}{end}")
        for unread, how in unsupported(form):
            why = f"its {end} is sent {how}, which is not supported"
            why = f"the operation {abstract.name!r} is left out: {why}"
            raise Missing(bound.binding.document, unread, why)
        body = _soap_node(form, "body")
        headers, in_headers = self._headers(bound, form)
        parts = self._messages.parts(bound.port_type, said)
        own = self._messages.named(bound.port_type, said)
        attachments = self._attachments(bound, abstract, form, {part.name for part in parts}, body)
        besides = {name for message, name in in_headers if message is own}
        besides |= {attachment.name for attachment in attachments}
        taken = self._chosen(bound, body, parts, besides)
        encoded = body is not None and body.get("use", "literal").strip() == "encoded"
        if encoded and not response and not (style == "rpc" and all(map(_says_its_type, taken))):
            why = (
                'use="encoded": what is of the contract\'s own types is sent without xsi:type and '
                "soapenc:arrayType"
            )
            self._findings.note(bound.binding.document, bound.binding.node, why)
        if style == "rpc":
            name = abstract.wsdl_name + ("Response" if response else "")
            space = body_namespace(body)
            tag = f"{{{space}}}{name}" if space else name
            content = self._messages.rpc(taken, tag, place, encoded=encoded, response=response)
        else:
            content = self._messages.document(taken, struct_name, place)
        return _End(content, headers, encoded, attachments)

    def _attachments(
        self,
        bound: Bound,
        abstract: _Abstract,
        form: etree._Element | None,
        known: Collection[str],
        body: etree._Element | None,
    ) -> tuple[Attachment, ...]:
        """The message parts beside the envelope in mime:multipartRelated; of one part several contents are
        the media types it may have (WSDL 1.1, 5.2 and 5.6)."""
        if form is None or (related := form.find(f"{{{MIME}}}multipartRelated")) is None:
            return ()
        document = bound.binding.document
        if body is None or related not in body.iterancestors():
            why = f"the operation {abstract.name!r} is left out: no mime:part holds the soap:body"
            raise Missing(document, related, why)
        found: dict[str, list[str]] = {}
        for node in related.iterfind(f"{{{MIME}}}part/{{{MIME}}}content"):
            name = node.get("part", "").strip()
            if name in known:
                found.setdefault(name, []).append(node.get("type", "").strip() or "*/*")
            else:
                self._findings.weaken(
                    document, node, f"no part {name!r} in the message; the attachment is left out"
                )
        for node in related.iterfind(f"{{{MIME}}}part/{{{MIME}}}mimeXml"):
            if (name := node.get("part", "").strip()) in known:
                found.setdefault(name, []).append("text/xml")
        return tuple(Attachment(name, tuple(dict.fromkeys(types))) for name, types in found.items())

    def _chosen(
        self, bound: Bound, body: etree._Element | None, parts: list[MessagePart], besides: set[str]
    ) -> list[MessagePart]:
        """The parts that make up the body: those it names, or all that stand nowhere besides."""
        said = None if body is None else body.get("parts")
        if said is None or body is None:
            return [part for part in parts if part.name not in besides]
        names = said.split()
        known = {part.name for part in parts}
        for name in names:
            if name not in known:
                why = f"parts names {name!r}, which the message does not have"
                self._findings.weaken(bound.binding.document, body, why)
        if names and not known & set(names):
            return [part for part in parts if part.name not in besides]
        return [part for part in parts if part.name in names]

    def _headers(
        self, bound: Bound, form: etree._Element | None, kind: str = "header"
    ) -> tuple[list[Header], list[tuple[Part | None, str]]]:
        """Return the headers of a message, and which parts of which messages they are.

        With the kind `headerfault`: the headers that report errors of other headers (WSDL 1.1, 3.7).
        """
        found: dict[str, Header] = {}
        taken: list[tuple[Part | None, str]] = []
        for space in _SPACES:
            for node in () if form is None else form.iter(f"{{{space}}}{kind}"):
                try:
                    message = self._messages.named(bound.binding, node)
                    part = self._part(bound, message, node)
                except Missing as missing:
                    self._findings.weaken(
                        missing.document, missing.node, f"{missing.why}; the header is left out"
                    )
                    continue
                taken.append((message, part.name))
                inner = body_namespace(node)
                tag = part.tag or (f"{{{inner}}}{part.name}" if inner else part.name)
                struct = self._messages.struct(part, tag if tag.startswith("{") else f"{{}}{tag}")
                place = bound.binding.document.place(node)
                required = true(node, _REQUIRED)
                header = Header(part.name, tag, struct, place, required=required, nillable=part.nillable)
                found.setdefault(tag, header)
        _disambiguate(found.values())
        return list(found.values()), taken

    def _part(self, bound: Bound, message: Part | None, node: etree._Element) -> MessagePart:
        document, name = bound.binding.document, node.get("part", "").strip()
        if message is None:
            raise Missing(document, node, "a header that names no message")
        for part in message.node.iterfind(f"{{{WSDL}}}part"):
            if part.get("name", "").strip() == name:
                return self._messages.part(message, part)
        raise Missing(document, node, f"no part {name!r} in the message {message.name!r}")

    def _faults(self, bound: Bound, abstract: _Abstract) -> Iterator[Fault]:
        met: set[str] = set()
        document = bound.port_type.document
        for node in abstract.node.iterfind(f"{{{WSDL}}}fault"):
            try:
                parts = self._messages.parts(bound.port_type, node)
            except Missing as missing:
                self._findings.weaken(missing.document, missing.node, f"{missing.why}; the fault is left out")
                continue
            for part in parts[:1]:
                tag = part.tag or part.name
                if tag not in met:
                    met.add(tag)
                    struct = self._messages.struct(part, tag if tag.startswith("{") else f"{{}}{tag}")
                    name = node.get("name", "").strip() or part.name
                    yield Fault(name, tag, struct, document.place(node), nillable=part.nillable)


def _says_its_type(part: MessagePart) -> bool:
    """Whether an encoded part is sent with `xsi:type`, as `soapclient.soap.encoded` does it."""
    own = part.declared.name.startswith(f"{{{XSD}}}") and part.declared.type != ANYTHING
    return own and part.component is None


@dataclass(frozen=True, slots=True)
class _End:
    body: Body
    headers: list[Header]
    encoded: bool
    attachments: tuple[Attachment, ...] = ()


def _disambiguate(headers: Collection[Header]) -> None:
    """Call those whose parts have the same name in several messages as their elements are called."""
    met = Counter(header.name for header in headers)
    taken = {name for name, times in met.items() if times == 1}
    for header in headers:
        if met[header.name] > 1:
            header.name = naming.unused(header.tag.rpartition("}")[2], taken)
            taken.add(header.name)


def _bound_operation(binding: Part, abstract: _Abstract, at: int) -> etree._Element | None:
    """What a binding says of an operation; of several of a name the one with its message, or in its turn."""
    same = [
        node
        for node in binding.node.iterfind(f"{{{WSDL}}}operation")
        if node.get("name", "").strip() == abstract.wsdl_name
    ]
    if len(same) < 2:
        return next(iter(same), None)
    wanted = abstract.input.get("name", "")
    for node in same:
        said = node.find(f"{{{WSDL}}}input")
        if wanted and said is not None and said.get("name", "") == wanted:
            return node
    return same[min(at, len(same) - 1)]


def _soap_operation(node: etree._Element) -> etree._Element | None:
    return next((found for space in _SPACES for found in node.iterfind(f"{{{space}}}operation")), None)


def _soap_action(node: etree._Element) -> str:
    soap = _soap_operation(node)
    return "" if soap is None else soap.get("soapAction", "").strip()


def _style(bound: Bound, node: etree._Element) -> str:
    soap = _soap_operation(node)
    return bound.style if soap is None else soap.get("style", bound.style).strip()


def _body_form(bound: Bound, node: etree._Element) -> tuple[object, ...]:
    """The form of the bodies of an operation: style, use, parts and, in RPC style, the namespace."""
    style = _style(bound, node)
    found: list[object] = [style]
    for end in ("input", "output"):
        body = _soap_node(node.find(f"{{{WSDL}}}{end}"), "body")
        if body is not None:
            parts, space = body.get("parts"), body_namespace(body) if style == "rpc" else ""
            found.append((end, body.get("use", "literal").strip(), parts and tuple(parts.split()), space))
    return tuple(found)


def _like(header: Header, known: Mapping[str, Header]) -> Header:
    """A header of a further port; an element that the first port has, too, keeps its name and its type."""
    same = known.get(header.tag)
    if same is not None:
        return replace(header, name=same.name, type=same.type)
    header.name = naming.unused(header.name, {other.name for other in known.values()})
    return header


def _differs(form: PortForm, other: PortForm) -> bool:
    return _facts(form) != _facts(other)


def _facts(form: PortForm) -> tuple[object, ...]:
    headers = [
        [(header.tag, header.required, header.nillable) for header in part]
        for part in (form.request_headers, form.response_headers)
    ]
    return (form.soap_action, form.action, *headers)


def _soap_node(form: etree._Element | None, name: str) -> etree._Element | None:
    """The element of SOAP's in one end of a binding's operation, also among attachments."""
    if form is None:
        return None
    return next((found for space in _SPACES for found in form.iter(f"{{{space}}}{name}")), None)


def _message_name(node: etree._Element | None) -> str:
    if node is None:
        return ""
    return (node.get("name") or node.get("message") or "").strip().rpartition(":")[2]


def _before(one: etree._Element, other: etree._Element) -> bool:
    parent = one.getparent()
    return parent is not None and parent.index(one) < parent.index(other)
