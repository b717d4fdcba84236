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
from bindgen.diff.pairs import Change
from bindgen.reading.extensions import SOAP, SOAP12, WSDL


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
) -> Iterator[Change]:
    """Changes of the operations `names` at single ports. `reported`: findings, rule and operation."""
    there = {each.port: each for each in new}
    for port in old:
        other = there.get(port.port)
        if other is None:
            continue  # the port is gone, which is a finding of its own
        for name in names:
            before, after = port.forms.get(name, []), other.forms.get(name, [])
            if bool(before) != bool(after):
                change = "operation-added" if after else "operation-removed"
                said_ = (
                    f"{name} is {'offered now' if after else 'not offered any more'} at the port {port.port}"
                )
                yield Change(change, f"{name}/{port.port}", said_, operations=(name,))
            for number, forms in enumerate(zip(before, after, strict=False)):
                primary = (_first(old, name, number), _first(new, name, number))
                yield from _forms(name, port.port, forms, primary, reported)


def _forms(
    name: str,
    port: str,
    forms: tuple[Form, Form],
    primary: tuple[Form | None, Form | None],
    reported: Collection[tuple[str, str]],
) -> Iterator[Change]:
    old, new = forms
    first_old, first_new = primary
    at, path = f"{name}: at the port {port},", f"{name}/{port}"

    def as_first(what: str) -> bool:
        """Whether it changed as it did in the form that the model has, which is looked into."""
        return (
            first_old is not None
            and first_new is not None
            and (getattr(old, what), getattr(new, what))
            == (getattr(first_old, what), getattr(first_new, what))
        )

    if old.action != new.action and not as_first("action"):
        said_ = f"{at} SOAPAction is {new.action!r} now, it was {old.action!r}"
        yield Change("soap-action-changed", path, said_, operations=(name,))
    if old.style != new.style and ("operation-style-changed", name) not in reported:
        yield Change(
            "operation-style-changed",
            path,
            f"{at} is {new.style} now, it was {old.style}",
            operations=(name,),
        )
    if old.rest != new.rest and not as_first("rest"):
        said_ = f"{at} the parts, the namespace or the headers of its messages changed"
        yield Change("not-checked", f"{path}/{short(new.rest)}", said_, operations=(name,))


def _first(ports: list[Offered], name: str, number: int) -> Form | None:
    """The form that the model has."""
    return next((each.forms[name][number] for each in ports if len(each.forms.get(name, ())) > number), None)


def _offered(port: str, binding: etree._Element) -> Offered:
    found = Offered(port)
    style = _style(binding, "binding", "document")
    for node in binding.iterfind(f"{{{WSDL}}}operation"):
        own = _style(node, "operation", style)
        uses: dict[str, str] = {}
        rest: list[Said] = []
        for end in ("input", "output"):
            for inner in node.iterfind(f"{{{WSDL}}}{end}"):
                body = next((each for each in inner.iter(*_named("body"))), None)
                uses[end] = "literal" if body is None else body.get("use", "literal").strip()
                rest += [(end, *each) for each in _rest(inner, own)]
        action = next((each.get("soapAction", "").strip() for each in node.iter(*_named("operation"))), "")
        form = Form(action, _words(own, uses), tuple(rest))
        found.forms.setdefault(node.get("name", "").strip(), []).append(form)
    return found


def _rest(end: etree._Element, style: str) -> list[Said]:
    """The parts and the namespace of the body, then the headers."""
    found: list[Said] = []
    for body in end.iter(*_named("body")):
        parts = body.get("parts")
        space = body.get("namespace", "").strip() if style == "rpc" else ""
        found += [("body", parts if parts is None else " ".join(parts.split()), space)]
    found = [each for each in found if each != ("body", None, "")]
    headers = []
    for header in end.iter(*_named("header")):
        message = header.get("message", "").rpartition(":")[2].strip()
        required = header.get(f"{{{WSDL}}}required", "").strip() in ("true", "1")
        headers.append(("header", message, header.get("part", "").strip(), required))
    return [*found, *sorted(headers)]


def _words(style: str, uses: dict[str, str]) -> str:
    """Style and use; of a message that is not there, as of the other one."""
    request = uses.get("input", "literal")
    response = uses.get("output", request)
    return (
        f"{style}/{request}"
        if request == response
        else f"{style}, {request} requests and {response} responses"
    )


def _style(node: etree._Element, name: str, default: str) -> str:
    said_ = next((each.get("style", "").strip() for each in node.iterchildren(*_named(name))), "")
    return said_ or default


def _named(name: str) -> tuple[str, str]:
    return f"{{{SOAP}}}{name}", f"{{{SOAP12}}}{name}"
