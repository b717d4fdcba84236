"""What each port makes of each operation: SOAPAction, style, use, parts and headers (WSDL 1.1, 3).

The model has an operation in the form of the first port that offers it. Here are the others: whoever calls
one of those meets a change that the first one does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from bindgen.diff.canonical import Said, short
from bindgen.diff.components import soap_bindings
from bindgen.diff.findings import Change, Finding, finding, not_checked
from bindgen.diff.pairs import match
from bindgen.reading.nodes import SOAP, SOAP12, WSDL


@dataclass(frozen=True, slots=True)
class Form:
    """An operation as a port has it. `rest` are the parts, the namespace and the headers of its messages."""

    action: str
    style: str
    rest: Said


@dataclass(slots=True)
class Offered:
    """A port and the forms of its operations by name. Overloaded operations have one form each, in order.

    Two services may have ports of the same name. `service` is empty if the WSDL has bindings but no service.
    """

    service: str
    port: str
    port_type: str
    forms: dict[str, list[Form]] = field(default_factory=dict)


def read(root: etree._Element) -> list[Offered]:
    """Return all ports over SOAP. A WSDL without a service has each of its bindings as a port."""
    bindings = {each.get("name", "").strip(): each for each in soap_bindings(root)}
    ports = [
        _offered(service.get("name", "").strip(), port.get("name", "").strip(), bindings[raw])
        for service in root.iterfind(f"{{{WSDL}}}service")
        for port in service.iterfind(f"{{{WSDL}}}port")
        if (raw := port.get("binding", "").rpartition(":")[2].strip()) in bindings
    ]
    return ports or [_offered("", name, binding) for name, binding in bindings.items()]


def compare(
    old: list[Offered], new: list[Offered], names: Collection[str], reported: Collection[tuple[str, str]]
) -> Iterator[Finding]:
    """Yield changes of the operations `names` at single ports.

    Ports are matched by service and name, then by name alone. A port that only one side has is reported with
    the ports. `reported` are the findings so far, as (rule, operation).
    """
    both = match(old, new, lambda each: (each.service, each.port), lambda each: each.port).both
    labels = qualified((each.service, each.port) for each in old)
    for port, other in both:
        label = labels[port.service, port.port]
        for name in names:
            before, after = port.forms.get(name, []), other.forms.get(name, [])
            if bool(before) != bool(after):
                change, verb = ("added", "offered now") if after else ("removed", "not offered any more")
                message = f"{name} is {verb} at the port {label}"
                yield finding(Change(f"operation-{change}", f"{name}/{label}", message, operations=(name,)))
            for number, forms in enumerate(zip(before, after, strict=False)):
                primary = (_first(old, port, name, number), _first(new, other, name, number))
                yield from _forms(name, label, forms, primary, reported)


def qualified(ports: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Label ports, given as (service, port): the port's name, or `SERVICE/PORT` if two services have it."""
    known = list(dict.fromkeys(ports))
    counts = Counter(port for _, port in known)
    return {(service, port): f"{service}/{port}" if counts[port] > 1 else port for service, port in known}


def _forms(
    name: str,
    port: str,
    forms: tuple[Form, Form],
    primary: tuple[Form, Form],
    reported: Collection[tuple[str, str]],
) -> Iterator[Finding]:
    """Where a form changed otherwise than the one that the model has, which is looked into."""
    old, new = forms
    at, path = f"{name}: at the port {port},", f"{name}/{port}"
    changed = {
        what
        for what in ("action", "rest")
        if len({getattr(each, what) for each in forms}) > 1
        and [getattr(each, what) for each in forms] != [getattr(each, what) for each in primary]
    }
    if "action" in changed:
        said = f"{at} SOAPAction is {new.action!r} now, it was {old.action!r}"
        cause = "the SOAPAction changed at single ports"
        yield finding(Change("soap-action-changed", path, said, operations=(name,), cause=cause))
    if old.style != new.style and ("operation-style-changed", name) not in reported:
        said = f"{at} is {new.style} now, it was {old.style}"
        cause = f"operations are {new.style} at single ports now, they were {old.style}"
        yield finding(Change("operation-style-changed", path, said, operations=(name,), cause=cause))
    if "rest" in changed:
        said = f"{at} the parts, the namespace or the headers of its messages changed"
        yield not_checked(f"{path}/{short(new.rest)}", said, (name,))


def _first(ports: list[Offered], port: Offered, name: str, number: int) -> Form:
    """Return the form that the model has: that of the first port with the port type of `port`."""
    return next(
        each.forms[name][number]
        for each in ports
        if each.port_type == port.port_type and len(each.forms.get(name, ())) > number
    )


def _offered(service: str, port: str, binding: etree._Element) -> Offered:
    found = Offered(service, port, binding.get("type", "").rpartition(":")[2].strip())
    style = _said(binding.iterchildren(*_named("binding")), "style") or "document"
    for node in binding.iterfind(f"{{{WSDL}}}operation"):
        own = _said(node.iterchildren(*_named("operation")), "style") or style
        uses: dict[str, str] = {}
        rest: list[Said] = []
        for end in ("input", "output"):
            for inner in node.iterfind(f"{{{WSDL}}}{end}"):
                uses[end] = _said(inner.iter(*_named("body")), "use") or "literal"
                rest += [(end, *each) for each in _rest(inner, own)]
        request = uses.get("input", "literal")
        response = uses.get("output", request)
        words = f"{own}, {request} requests and {response} responses"
        form = Form(
            _said(node.iter(*_named("operation")), "soapAction"),
            f"{own}/{request}" if request == response else words,
            tuple(rest),
        )
        found.forms.setdefault(node.get("name", "").strip(), []).append(form)
    return found


def _rest(end: etree._Element, style: str) -> list[Said]:
    """The parts and the namespace of the body, then the headers."""
    found: list[Said] = []
    for body in end.iter(*_named("body")):
        parts = body.get("parts")
        space = body.get("namespace", "").strip() if style == "rpc" else ""
        if parts is not None or space:
            found.append(("body", parts if parts is None else " ".join(parts.split()), space))
    headers = []
    for header in end.iter(*_named("header")):
        message = header.get("message", "").rpartition(":")[2].strip()
        required = header.get(f"{{{WSDL}}}required", "").strip() in ("true", "1")
        headers.append(("header", message, header.get("part", "").strip(), required))
    return [*found, *sorted(headers)]


def _said(nodes: Iterator[etree._Element], name: str) -> str:
    """An attribute of the first of these elements."""
    return next((each.get(name, "").strip() for each in nodes), "")


def _named(name: str) -> tuple[str, str]:
    return f"{{{SOAP}}}{name}", f"{{{SOAP12}}}{name}"
