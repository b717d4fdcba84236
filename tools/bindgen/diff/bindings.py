"""Compare the operations of each port: SOAPAction, style, use, parts, headers (WSDL 1.1, section 3).

The model describes only the operations at the first port. This module compares the operations at the other
ports. A change at such a port breaks only the callers of this port.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from bindgen.diff.canonical import Content, short
from bindgen.diff.components import soap_bindings
from bindgen.diff.findings import Change, Finding, finding, not_checked
from bindgen.diff.pairs import match
from bindgen.reading.nodes import SOAP, SOAP12, WSDL


@dataclass(frozen=True, slots=True)
class Form:
    """The properties that an operation has at one port.

    `action` is the SOAPAction. `style` is the style and the use, such as `document/literal`. `rest` has all
    other properties: the parts, the namespace and the headers of the messages.
    """

    action: str
    style: str
    rest: Content


@dataclass(slots=True)
class PortOperations:
    """A port and its operations.

    `forms` maps the name of an operation to its properties at this port. An overloaded operation has several
    items, in the order of the WSDL. `service` is the name of the service, which distinguishes ports with the
    same name. It is empty if the WSDL has bindings but no service.
    """

    service: str
    port: str
    port_type: str
    forms: dict[str, list[Form]] = field(default_factory=dict)


def read(root: etree._Element) -> list[PortOperations]:
    """Return all SOAP ports of a WSDL with their operations.

    If the WSDL has no SOAP port, each of its SOAP bindings is returned as a port without a service. `root` is
    the root element of the WSDL.
    """
    bindings = {node.get("name", "").strip(): node for node in soap_bindings(root)}
    ports = [
        _read_port(service.get("name", "").strip(), port.get("name", "").strip(), bindings[raw])
        for service in root.iterfind(f"{{{WSDL}}}service")
        for port in service.iterfind(f"{{{WSDL}}}port")
        if (raw := port.get("binding", "").rpartition(":")[2].strip()) in bindings
    ]
    return ports or [_read_port("", name, binding) for name, binding in bindings.items()]


def compare(
    old: list[PortOperations],
    new: list[PortOperations],
    names: Collection[str],
    reported: Collection[tuple[str, str]],
) -> Iterator[Finding]:
    """Yield the changes of operations that affect only some of the ports.

    `names` are the operations to compare. `reported` are the findings so far, as (rule, operation). Ports are
    matched by service and name, then by name alone. Ports that exist only on one side are skipped, because
    the module `operations` reports them.
    """
    matched = match(old, new, lambda item: (item.service, item.port), lambda item: item.port).both
    labels = qualified((item.service, item.port) for item in old)
    for port, other in matched:
        label = labels[port.service, port.port]
        for name in names:
            before, after = port.forms.get(name, []), other.forms.get(name, [])
            if bool(before) != bool(after):
                change, verb = ("added", "offered now") if after else ("removed", "no longer offered")
                message = f"{name} is {verb} at the port {label}"
                yield finding(Change(f"operation-{change}", f"{name}/{label}", message, operations=(name,)))
            for number, forms in enumerate(zip(before, after, strict=False)):
                primary = (_primary_form(old, port, name, number), _primary_form(new, other, name, number))
                yield from _forms(name, label, forms, primary, reported)


def qualified(ports: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a label for each (service, port): the name of the port, or `SERVICE/PORT` if it is ambiguous."""
    unique_ports = list(dict.fromkeys(ports))
    counts = Counter(port for _, port in unique_ports)
    return {
        (service, port): f"{service}/{port}" if counts[port] > 1 else port for service, port in unique_ports
    }


def _forms(
    name: str,
    port: str,
    forms: tuple[Form, Form],
    primary: tuple[Form, Form],
    reported: Collection[tuple[str, str]],
) -> Iterator[Finding]:
    """Yield the changes of the operation `name` at `port`, except changes that other findings already show.

    `forms` are the old and the new properties of the operation at this port. `primary` are its old and new
    properties at the first port of the port type, whose changes are already reported. `reported` are the
    other findings, as (rule, operation).
    """
    old, new = forms
    subject, path = f"{name}: at the port {port},", f"{name}/{port}"
    changed = {
        attribute
        for attribute in ("action", "rest")
        if len({getattr(form, attribute) for form in forms}) > 1
        and [getattr(form, attribute) for form in forms] != [getattr(form, attribute) for form in primary]
    }
    if "action" in changed:
        message = f"{subject} SOAPAction is {new.action!r} now, it was {old.action!r}"
        cause = "the SOAPAction changed at some ports"
        yield finding(Change("soap-action-changed", path, message, operations=(name,), cause=cause))
    if old.style != new.style and ("operation-style-changed", name) not in reported:
        message = f"{subject} is {new.style} now, it was {old.style}"
        cause = f"operations are {new.style} at some ports now, they were {old.style}"
        yield finding(Change("operation-style-changed", path, message, operations=(name,), cause=cause))
    if "rest" in changed:
        message = f"{subject} the parts, the namespace or the headers of its messages changed"
        yield not_checked(f"{path}/{short(new.rest)}", message, (name,))


def _primary_form(ports: list[PortOperations], port: PortOperations, name: str, number: int) -> Form:
    """Return the properties of the operation `name` at the first port that has the port type of `port`.

    The model of the contract has these properties. `number` is the index of the operation among the
    operations with the same name (overloads).
    """
    return next(
        other.forms[name][number]
        for other in ports
        if other.port_type == port.port_type and len(other.forms.get(name, ())) > number
    )


def _read_port(service: str, port: str, binding: etree._Element) -> PortOperations:
    """Return a port with its operations, read from its binding. `service` and `port` are names."""
    result = PortOperations(service, port, binding.get("type", "").rpartition(":")[2].strip())
    style = _first_attribute(binding.iterchildren(*_soap_names("binding")), "style") or "document"
    for node in binding.iterfind(f"{{{WSDL}}}operation"):
        operation_style = _first_attribute(node.iterchildren(*_soap_names("operation")), "style") or style
        uses: dict[str, str] = {}
        rest: list[Content] = []
        for end in ("input", "output"):
            for inner in node.iterfind(f"{{{WSDL}}}{end}"):
                uses[end] = _first_attribute(inner.iter(*_soap_names("body")), "use") or "literal"
                rest += [(end, *part) for part in _rest(inner, operation_style)]
        request = uses.get("input", "literal")
        response = uses.get("output", request)
        words = f"{operation_style}, {request} requests and {response} responses"
        form = Form(
            _first_attribute(node.iter(*_soap_names("operation")), "soapAction"),
            f"{operation_style}/{request}" if request == response else words,
            tuple(rest),
        )
        result.forms.setdefault(node.get("name", "").strip(), []).append(form)
    return result


def _rest(end: etree._Element, style: str) -> list[Content]:
    """Return the properties for `Form.rest`: body parts, namespace and headers of one message.

    `end` is the wsdl:input or wsdl:output of the message. `style` is the operation's style.
    """
    parts_found: list[Content] = []
    for body in end.iter(*_soap_names("body")):
        parts = body.get("parts")
        space = body.get("namespace", "").strip() if style == "rpc" else ""
        if parts is not None or space:
            parts_found.append(("body", parts if parts is None else " ".join(parts.split()), space))
    headers = []
    for header in end.iter(*_soap_names("header")):
        message = header.get("message", "").rpartition(":")[2].strip()
        required = header.get(f"{{{WSDL}}}required", "").strip() in ("true", "1")
        headers.append(("header", message, header.get("part", "").strip(), required))
    return [*parts_found, *sorted(headers)]


def _first_attribute(nodes: Iterator[etree._Element], name: str) -> str:
    """Return the attribute `name` of the first element; "" if `nodes` is empty."""
    return next((node.get(name, "").strip() for node in nodes), "")


def _soap_names(name: str) -> tuple[str, str]:
    """Return the tags of the WSDL extension element `name`, such as "body", for SOAP 1.1 and for SOAP 1.2."""
    return f"{{{SOAP}}}{name}", f"{{{SOAP12}}}{name}"
