"""What each port makes of each operation: SOAPAction, style, use, parts and headers (WSDL 1.1, 3).

The model has an operation in the form of the first port that offers it. Here are the others: whoever calls
one of those meets a change that the first one does not have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from lxml import etree

from bindgen.diff.canonical import Said, short
from bindgen.diff.components import soap_bindings
from bindgen.diff.findings import Change, Finding, finding, not_checked
from bindgen.reading.nodes import SOAP, SOAP12, WSDL


@dataclass(frozen=True, slots=True)
class Form:
    """An operation as a port has it. `rest` are the parts, the namespace and the headers of its messages."""

    action: str
    style: str
    rest: Said


@dataclass(slots=True)
class Offered:
    """A port, and its operations by name; of several that share one, in their order."""

    port: str
    forms: dict[str, list[Form]] = field(default_factory=dict)


def read(root: etree._Element) -> list[Offered]:
    """All ports over SOAP; where there are none, the bindings as such."""
    bindings = {each.get("name", "").strip(): each for each in soap_bindings(root)}
    found = [
        _offered(port.get("name", "").strip(), bindings[raw])
        for port in root.iterfind(f"{{{WSDL}}}service/{{{WSDL}}}port")
        if (raw := port.get("binding", "").rpartition(":")[2].strip()) in bindings
    ]
    return found or [_offered(name, binding) for name, binding in bindings.items()]


def compare(
    old: list[Offered], new: list[Offered], names: Collection[str], reported: Collection[tuple[str, str]]
) -> Iterator[Finding]:
    """Changes of the operations `names` at single ports. `reported`: findings, rule and operation."""
    there = {each.port: each for each in new}
    for port in old:
        other = there.get(port.port)
        if other is None:
            continue  # the port is gone, which is a finding of its own
        for name in names:
            path = f"{name}/{port.port}"
            before, after = port.forms.get(name, []), other.forms.get(name, [])
            if bool(before) != bool(after):
                change, said = ("added", "offered now") if after else ("removed", "not offered any more")
                said = f"{name} is {said} at the port {port.port}"
                yield finding(Change(f"operation-{change}", path, said, operations=(name,)))
            for number, forms in enumerate(zip(before, after, strict=False)):
                primary = (_first(old, name, number), _first(new, name, number))
                yield from _forms(name, port.port, forms, primary, reported)


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
        yield finding(Change("soap-action-changed", path, said, operations=(name,)))
    if old.style != new.style and ("operation-style-changed", name) not in reported:
        said = f"{at} is {new.style} now, it was {old.style}"
        yield finding(Change("operation-style-changed", path, said, operations=(name,)))
    if "rest" in changed:
        said = f"{at} the parts, the namespace or the headers of its messages changed"
        yield not_checked(f"{path}/{short(new.rest)}", said, (name,))


def _first(ports: list[Offered], name: str, number: int) -> Form:
    """The form that the model has."""
    return next(each.forms[name][number] for each in ports if len(each.forms.get(name, ())) > number)


def _offered(port: str, binding: etree._Element) -> Offered:
    found = Offered(port)
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
