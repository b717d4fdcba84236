"""Read the operations of port types, with the messages that the bindings define.

Port types and bindings are defined in WSDL 1.1, sections 2.4, 2.5 and 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lxml import etree

from bindgen import naming
from bindgen.model import Attachment, Fault, Header, Operation, PortForm
from bindgen.reading import policy
from bindgen.reading.definitions import BoundPort, Part, unsupported
from bindgen.reading.findings import Findings
from bindgen.reading.messages import Body, MessagePart, Messages, Missing, body_namespace
from bindgen.reading.nodes import MIME, SOAP, SOAP12, WSDL, true, words
from bindgen.reading.security_policy import SecurityPolicies

_REQUIRED = f"{{{WSDL}}}required"
_SPACES = (SOAP, SOAP12)


@dataclass(frozen=True, slots=True)
class _PortTypeOperation:
    """An operation as the port type declares it, without a binding.

    `name` is unique in the port type. `wsdl_name` is not, because operations can be overloaded.
    """

    name: str
    node: etree._Element
    input: etree._Element
    output: etree._Element | None

    @property
    def wsdl_name(self) -> str:
        """The name in the WSDL, which overloaded operations share."""
        return self.node.get("name", "").strip()


class Operations:
    """Reads the operations of port types."""

    def __init__(
        self,
        messages: Messages,
        findings: Findings,
        addressed: Collection[etree._Element],
        policies: SecurityPolicies,
    ) -> None:
        """Create a reader.

        `addressed` are the components that require WS-Addressing, from `policy.find_addressed`. `policies`
        reads the WS-SecurityPolicy of each operation.
        """
        self._messages = messages
        self._findings = findings
        self._addressed = addressed
        self._policies = policies

    def read(self, bounds: Sequence[BoundPort], only: Collection[str] | None) -> list[Operation]:
        """Return the operations of all port types in order.

        `bounds` are the ports of the contract. With `only`, returns only the operations with these names.
        """
        by_port_type: dict[str, list[BoundPort]] = {}
        for bound in bounds:
            by_port_type.setdefault(bound.port_type.qname, []).append(bound)
        return [
            operation for same_type in by_port_type.values() for operation in self._port_type(same_type, only)
        ]

    def _port_type(self, bounds: Sequence[BoundPort], only: Collection[str] | None) -> Iterator[Operation]:
        """Yield the operations of one port type. `bounds` are the ports with this port type.

        With `only`, yields only the operations with these names.
        """
        port_type = bounds[0].port_type
        self._note_undeclared(port_type, bounds)
        bound_nodes = [(bound, _nodes_by_name(bound.binding)) for bound in bounds]
        for abstract, index in self._abstract(port_type, only):
            served = [
                (bound, _bound_operation(nodes.get(abstract.wsdl_name, ()), abstract, index))
                for bound, nodes in bound_nodes
            ]
            ports = [(bound, node) for bound, node in served if node is not None]
            if not ports:
                reason = f"no binding has the operation {abstract.wsdl_name!r}; it is omitted"
                self._findings.weaken(port_type.document, abstract.node, reason)
                continue
            try:
                operation = self._operation(*ports[0], abstract)
            except Missing as missing:
                self._findings.refuse(missing.document, missing.node, missing.reason)
                continue
            self._add_ports(operation, abstract, ports)
            for bound, node in ports:
                self._policies.read(bound, operation.name, node, abstract.node)
            yield operation

    def _note_undeclared(self, port_type: Part, bounds: Sequence[BoundPort]) -> None:
        """Add a note for each operation that a binding has, but the port type does not declare."""
        names = {node.get("name", "").strip() for node in port_type.node.iterfind(f"{{{WSDL}}}operation")}
        for bound in bounds:
            for node in bound.binding.node.iterfind(f"{{{WSDL}}}operation"):
                name = node.get("name", "").strip()
                if name not in names:
                    reason = f"the port type {port_type.name!r} has no operation {name!r}; it is omitted"
                    self._findings.weaken(bound.binding.document, node, reason)

    def _abstract(
        self, port_type: Part, only: Collection[str] | None
    ) -> Iterator[tuple[_PortTypeOperation, int]]:
        """Yield the operations that a port type declares, each with an index.

        The index, from 0, is the position among the operations with the same WSDL name (overloaded
        operations). With `only`, yields only the operations with these names.
        """
        names: set[str] = set()
        counts: dict[str, int] = {}
        for node in port_type.node.iterfind(f"{{{WSDL}}}operation"):
            wsdl_name = node.get("name", "").strip()
            if not wsdl_name:
                self._findings.weaken(port_type.document, node, "an operation without a name is omitted")
                continue
            index = counts[wsdl_name] = counts.get(wsdl_name, -1) + 1
            inputs = node.find(f"{{{WSDL}}}input")
            output = node.find(f"{{{WSDL}}}output")
            name = wsdl_name
            if name in names:  # an overloaded operation is named after its message
                name = _message_name(inputs) or wsdl_name
                name = naming.unused(name, names)
                reason = f"a second operation {wsdl_name!r}; it is called {name!r}"
                self._findings.note(port_type.document, node, reason)
            if only is not None and name not in only and wsdl_name not in only:
                names.add(name)
                continue
            names.add(name)
            if inputs is None or (output is not None and _is_before(output, inputs)):
                pattern = "notification" if inputs is None else "solicit-response"
                reason = f"the operation {wsdl_name!r} is started by the server ({pattern}): not supported"
                self._findings.refuse(port_type.document, node, reason)
                continue
            yield _PortTypeOperation(name, node, inputs, output), index

    def _add_ports(
        self,
        operation: Operation,
        abstract: _PortTypeOperation,
        ports: Sequence[tuple[BoundPort, etree._Element]],
    ) -> None:
        """Add to `operation` each port whose SOAPAction or headers differ from the first port.

        `ports` are the ports, each with the operation's node in its binding. `abstract` is the operation in
        the port type.
        """
        if len(ports) == 1:
            return
        first = PortForm(
            operation.soap_action,
            operation.action,
            operation.request_headers,
            operation.response_headers,
        )
        body = _body_form(*ports[0])
        for bound, node in ports[1:]:
            headers = {header.tag: header for header in operation.header_faults}
            fault_headers = self._headers(bound, node, "headerfault")[0]
            operation.header_faults += [
                _unify(header, headers) for header in fault_headers if header.tag not in headers
            ]
            form = self._port_form(bound, node, abstract, operation)
            name = f"{bound.port.service}/{bound.port.name}"
            if _differs(form, first):
                operation.ports[name] = form
            if _body_form(bound, node) != body:
                reason = (
                    f"the port {name} has another form of {abstract.name!r} (style, use, parts or "
                    "namespace); calls at this port use the form of the first port"
                )
                self._findings.weaken(bound.binding.document, node, reason)

    def _port_form(
        self, bound: BoundPort, node: etree._Element, abstract: _PortTypeOperation, operation: Operation
    ) -> PortForm:
        """Return the SOAPAction and headers of an operation at the port `bound`.

        The other arguments describe the same operation. `node` is its XML element in the binding of the port.
        `abstract` is its declaration in the port type. `operation` is its model, as read at the first port.
        """
        soap_action = _soap_action(node)
        first_headers = {header.tag: header for header in operation.headers()}
        request, response = (
            [
                _unify(header, first_headers)
                for header in self._headers(bound, node.find(f"{{{WSDL}}}{end}"))[0]
            ]
            for end in ("input", "output")
        )
        return PortForm(soap_action, self._action(bound, abstract, node, soap_action), request, response)

    def _operation(self, bound: BoundPort, node: etree._Element, abstract: _PortTypeOperation) -> Operation:
        """Read an operation with its messages at `bound`, the first port that has the operation.

        `abstract` is the operation in the port type, and `node` is the operation in the port's binding.
        Raises Missing if a message or another part of the operation cannot be used.
        """
        document = bound.port_type.document
        style = _style(bound, node)
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

    def _action(
        self, bound: BoundPort, abstract: _PortTypeOperation, node: etree._Element, soap_action: str
    ) -> str:
        """Return the value of the header `wsa:Action` in requests; "" if the header is not sent.

        This is the action in the WSDL. If the WSDL has no action but requires WS-Addressing, it is the
        SOAPAction, or else the default action (WS-Addressing 1.0 Metadata, section 4.4).
        """
        if action := policy.action(abstract.input):
            return action
        ends = (*node.iterfind(f"{{{WSDL}}}input"), abstract.node, abstract.input, node)
        if self._addressed and any(element in self._addressed for element in (*bound.nodes, *ends)):
            space, name = bound.port_type.namespace, bound.port_type.name
            return soap_action or policy.default_action(space, name, abstract.node, abstract.input)
        return ""

    def _end(
        self,
        bound: BoundPort,
        abstract: _PortTypeOperation,
        node: etree._Element,
        end: Literal["input", "output"],
        style: str,
    ) -> _Message:
        """Return the request of an operation (`end` "input") or its response (`end` "output").

        `abstract` is the operation in the port type, `node` the operation in the binding. `style` is its
        style, such as "rpc". Raises Missing if a part of the message is not declared or not supported.
        """
        document = bound.port_type.document
        place = document.place(abstract.node)
        response = end == "output"
        struct_name = f"{{{bound.port_type.namespace}}}{abstract.name}{'Response' if response else ''}"
        message_node = abstract.output if response else abstract.input
        if message_node is None:
            return _Message(self._messages.nothing(struct_name, place), [], encoded=False)
        form = node.find(f"{{{WSDL}}}{end}")
        for unread, how in unsupported(form):
            reason = f"its {end} is sent {how}, which is not supported"
            reason = f"the operation {abstract.name!r} is omitted: {reason}"
            raise Missing(bound.binding.document, unread, reason)
        body = _soap_node(form, "body")
        headers, in_headers = self._headers(bound, form)
        parts = self._messages.parts(bound.port_type, message_node)
        own_message = self._messages.named(bound.port_type, message_node)
        attachments = self._attachments(bound, abstract, form, {part.name for part in parts}, body)
        elsewhere = {name for message, name in in_headers if message is own_message}
        elsewhere |= {attachment.name for attachment in attachments}
        body_parts = self._body_parts(bound, body, parts, elsewhere)
        encoded = body is not None and body.get("use", "literal").strip() == "encoded"
        if style == "rpc":
            name = abstract.wsdl_name + ("Response" if response else "")
            space = body_namespace(body)
            tag = f"{{{space}}}{name}" if space else name
            content = self._messages.rpc(body_parts, tag, place, encoded=encoded, response=response)
        else:
            content = self._messages.document(body_parts, struct_name, place)
        return _Message(content, headers, encoded, attachments)

    def _attachments(
        self,
        bound: BoundPort,
        abstract: _PortTypeOperation,
        form: etree._Element | None,
        part_names: Collection[str],
        body: etree._Element | None,
    ) -> tuple[Attachment, ...]:
        """Return the message parts that are sent as MIME parts (mime:multipartRelated).

        `form` is the input or output of the operation in the binding, and `body` the soap:body element in it.
        `part_names` are the names of all parts of the message. If a part has several mime:content elements,
        each of them names a media type that is allowed (WSDL 1.1, sections 5.2 and 5.6).
        """
        if form is None or (related := form.find(f"{{{MIME}}}multipartRelated")) is None:
            return ()
        document = bound.binding.document
        if body is None or related not in body.iterancestors():
            reason = f"the operation {abstract.name!r} is omitted: no mime:part has the soap:body"
            raise Missing(document, related, reason)
        media_types: dict[str, list[str]] = {}
        for node in related.iterfind(f"{{{MIME}}}part/{{{MIME}}}content"):
            name = node.get("part", "").strip()
            if name in part_names:
                media_types.setdefault(name, []).append(node.get("type", "").strip() or "*/*")
            else:
                self._findings.weaken(
                    document, node, f"no part {name!r} in the message; the attachment is omitted"
                )
        for node in related.iterfind(f"{{{MIME}}}part/{{{MIME}}}mimeXml"):
            if (name := node.get("part", "").strip()) in part_names:
                media_types.setdefault(name, []).append("text/xml")
        return tuple(Attachment(name, tuple(dict.fromkeys(types))) for name, types in media_types.items())

    def _body_parts(
        self, bound: BoundPort, body: etree._Element | None, parts: list[MessagePart], elsewhere: set[str]
    ) -> list[MessagePart]:
        """Return the message parts that are sent in the SOAP body.

        These are the parts named by `body`, the soap:body element. If it does not name parts of the message,
        these are all parts except the ones in `elsewhere` (headers and attachments).
        """
        names_value = None if body is None else body.get("parts")
        if names_value is None or body is None:
            return [part for part in parts if part.name not in elsewhere]
        names = names_value.split()
        known_names = {part.name for part in parts}
        for name in names:
            if name not in known_names:
                reason = f"parts has {name!r}, which is not a part of the message"
                self._findings.weaken(bound.binding.document, body, reason)
        if names and not known_names & set(names):
            return [part for part in parts if part.name not in elsewhere]
        return [part for part in parts if part.name in names]

    def _headers(
        self, bound: BoundPort, form: etree._Element | None, kind: str = "header"
    ) -> tuple[list[Header], list[tuple[Part | None, str]]]:
        """Return two lists: the headers in `form`, and the message parts that its soap:header elements name.

        `form` is an operation in a binding, or its input or output. The second list has a pair for each
        message part: the message, and the name of the part.

        If `kind` is "headerfault", soap:headerfault elements are read instead of soap:header elements. A
        soap:headerfault declares a header that reports errors of another header (WSDL 1.1, section 3.7).
        """
        headers: dict[str, Header] = {}
        in_headers: list[tuple[Part | None, str]] = []
        for space in _SPACES:
            for node in () if form is None else form.iter(f"{{{space}}}{kind}"):
                try:
                    message = self._messages.named(bound.binding, node)
                    part = self._part(bound, message, node)
                except Missing as missing:
                    self._findings.weaken(
                        missing.document, missing.node, f"{missing.reason}; the header is omitted"
                    )
                    continue
                in_headers.append((message, part.name))
                inner = body_namespace(node)
                tag = part.tag or (f"{{{inner}}}{part.name}" if inner else part.name)
                struct = self._messages.struct(part, tag if tag.startswith("{") else f"{{}}{tag}")
                place = bound.binding.document.place(node)
                required = true(node, _REQUIRED)
                header = Header(part.name, tag, struct, place, required=required, nillable=part.nillable)
                headers.setdefault(tag, header)
        _disambiguate(headers.values())
        return list(headers.values()), in_headers

    def _part(self, bound: BoundPort, message: Part | None, node: etree._Element) -> MessagePart:
        """Return the part of `message` that `node`, a soap:header, names.

        Raises Missing if `message` is None or does not have this part.
        """
        document, name = bound.binding.document, node.get("part", "").strip()
        if message is None:
            raise Missing(document, node, "the header does not name a message")
        for part in message.node.iterfind(f"{{{WSDL}}}part"):
            if part.get("name", "").strip() == name:
                return self._messages.part(message, part)
        raise Missing(document, node, f"no part {name!r} in the message {message.name!r}")

    def _faults(self, bound: BoundPort, abstract: _PortTypeOperation) -> Iterator[Fault]:
        """Yield the faults that an operation declares. Faults with the same element are yielded once."""
        seen: set[str] = set()
        document = bound.port_type.document
        for node in abstract.node.iterfind(f"{{{WSDL}}}fault"):
            try:
                parts = self._messages.parts(bound.port_type, node)
            except Missing as missing:
                self._findings.weaken(
                    missing.document, missing.node, f"{missing.reason}; the fault is omitted"
                )
                continue
            for part in parts[:1]:
                tag = part.tag or part.name
                if tag not in seen:
                    seen.add(tag)
                    struct = self._messages.struct(part, tag if tag.startswith("{") else f"{{}}{tag}")
                    name = node.get("name", "").strip() or part.name
                    yield Fault(name, tag, struct, document.place(node), nillable=part.nillable)


@dataclass(frozen=True, slots=True)
class _Message:
    body: Body
    headers: list[Header]
    encoded: bool
    attachments: tuple[Attachment, ...] = ()


def _disambiguate(headers: Collection[Header]) -> None:
    """Make the names of headers unique: headers with equal names are named after their elements.

    The name of a header is the name of its part, and parts of different messages can have the same name.
    """
    counts = Counter(header.name for header in headers)
    unique_names = {name for name, times in counts.items() if times == 1}
    for header in headers:
        if counts[header.name] > 1:
            header.name = naming.unused(header.tag.rpartition("}")[2], unique_names)
            unique_names.add(header.name)


def _nodes_by_name(binding: Part) -> dict[str, list[etree._Element]]:
    """Return the nodes for operations in a binding, by the names of the operations."""
    nodes: dict[str, list[etree._Element]] = {}
    for node in binding.node.iterfind(f"{{{WSDL}}}operation"):
        nodes.setdefault(node.get("name", "").strip(), []).append(node)
    return nodes


def _bound_operation(
    same: Sequence[etree._Element], abstract: _PortTypeOperation, index: int
) -> etree._Element | None:
    """Return the node in a binding for an operation of the port type; None if there is none.

    `same` are the nodes with the operation's name. If the operation is overloaded, the result is the node
    with the same input name. If no node has this input name, it is the node at `index` in `same`.
    """
    if len(same) < 2:
        return next(iter(same), None)
    input_name = abstract.input.get("name", "")
    for node in same:
        input_node = node.find(f"{{{WSDL}}}input")
        if input_name and input_node is not None and input_node.get("name", "") == input_name:
            return node
    return same[min(index, len(same) - 1)]


def _soap_operation(node: etree._Element) -> etree._Element | None:
    return next((item for space in _SPACES for item in node.iterfind(f"{{{space}}}operation")), None)


def _soap_action(node: etree._Element) -> str:
    soap = _soap_operation(node)
    return "" if soap is None else soap.get("soapAction", "").strip()


def _style(bound: BoundPort, node: etree._Element) -> str:
    soap = _soap_operation(node)
    return bound.style if soap is None else soap.get("style", bound.style).strip()


def _body_form(bound: BoundPort, node: etree._Element) -> tuple[object, ...]:
    """Return the settings of a binding that determine the SOAP bodies of an operation.

    `node` is the operation in the binding. The first item is the style. Then there is one tuple for the input
    and one for the output: "input" or "output", the use, the parts and, in RPC style, the namespace.
    """
    style = _style(bound, node)
    form: list[object] = [style]
    for end in ("input", "output"):
        body = _soap_node(node.find(f"{{{WSDL}}}{end}"), "body")
        if body is not None:
            parts, space = body.get("parts"), body_namespace(body) if style == "rpc" else ""
            form.append((end, body.get("use", "literal").strip(), parts and tuple(parts.split()), space))
    return tuple(form)


def _unify(header: Header, headers: Mapping[str, Header]) -> Header:
    """Return `header`, a header of another port, with a name that fits the headers of the first port.

    `headers` maps elements to the headers of the first port. If a header of the first port has the same
    element as `header`, the result has its name and type. Otherwise, the result gets a unique name.
    """
    same = headers.get(header.tag)
    if same is not None:
        return replace(header, name=same.name, type=same.type)
    header.name = naming.unused(header.name, {other.name for other in headers.values()})
    return header


def _differs(form: PortForm, other: PortForm) -> bool:
    return _properties(form) != _properties(other)


def _properties(form: PortForm) -> tuple[object, ...]:
    headers = [
        [(header.tag, header.required, header.nillable) for header in part]
        for part in (form.request_headers, form.response_headers)
    ]
    return (form.soap_action, form.action, *headers)


def _soap_node(form: etree._Element | None, name: str) -> etree._Element | None:
    """Return the first SOAP element with this name, such as "body", in the input or output of an operation.

    The element can also be inside a MIME part. Returns None if there is no such element.
    """
    if form is None:
        return None
    return next((item for space in _SPACES for item in form.iter(f"{{{space}}}{name}")), None)


def _message_name(node: etree._Element | None) -> str:
    if node is None:
        return ""
    return (node.get("name") or node.get("message") or "").strip().rpartition(":")[2]


def _is_before(first: etree._Element, second: etree._Element) -> bool:
    parent = first.getparent()
    return parent is not None and parent.index(first) < parent.index(second)
