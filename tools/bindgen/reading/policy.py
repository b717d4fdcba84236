"""WS-Policy and WS-Addressing in a WSDL: what a service requires of messages beside their content.

WS-Addressing 1.0 is read (Web Services Addressing 1.0, Metadata): where it applies, operations have an
action. Other assertions are not interpreted; each is noted, or a call fails later for no visible reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Document
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL
from bindgen.simple_types import XSD

# WS-Policy 1.2 and 1.5, and the drafts before each that are still met.
_SPACES = (
    "http://schemas.xmlsoap.org/ws/2004/09/policy",
    "http://www.w3.org/ns/ws-policy",
    "http://schemas.xmlsoap.org/ws/2002/12/policy",
    "http://www.w3.org/2006/07/ws-policy",
)
_POLICIES = tuple(f"{{{space}}}Policy" for space in _SPACES)
_REFERENCES = tuple(f"{{{space}}}PolicyReference" for space in _SPACES)
_OPERATORS = frozenset(
    (*(f"{{{space}}}{name}" for space in _SPACES for name in ("All", "ExactlyOne")), *_POLICIES)
)
_OPTIONAL = tuple(f"{{{space}}}Optional" for space in _SPACES)
_CHOICES = tuple(f"{{{space}}}ExactlyOne" for space in _SPACES)
_ATTRIBUTES = tuple(f"{{{space}}}PolicyURIs" for space in _SPACES)
_UTILITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
_IDS = (f"{{{_UTILITY}}}Id", "{http://www.w3.org/XML/1998/namespace}id")
_TRUE, _FALSE = ("true", "1"), ("false", "0")
_QUOTING = (f"{{{XSD}}}schema", f"{{{WSDL}}}documentation")
_ELSEWHERE = (*_QUOTING, *_POLICIES)
_REQUIRED = f"{{{WSDL}}}required"
# The actions of messages, and the assertions that require WS-Addressing 1.0.
_WSAW, _WSAM = "http://www.w3.org/2006/05/addressing/wsdl", "http://www.w3.org/2007/05/addressing/metadata"
_ACTIONS = (f"{{{_WSAM}}}Action", f"{{{_WSAW}}}Action")
_USING = f"{{{_WSAW}}}UsingAddressing"
_ADDRESSING = (_USING, f"{{{_WSAM}}}Addressing")


def action(message: etree._Element) -> str:
    """The action that the input or output of a port type's operation names; "" for none."""
    return next((said.strip() for name in _ACTIONS if (said := message.get(name))), "")


def default_action(namespace: str, port_type: str, operation: etree._Element, message: etree._Element) -> str:
    """The action of an input without one, by the default pattern (Metadata 4.4.4)."""
    one_way = operation.find(f"{{{WSDL}}}output") is None
    name = operation.get("name", "").strip() + ("" if one_way else "Request")
    name = message.get("name", "").strip() or name
    between = ":" if namespace.casefold().startswith("urn:") else "/"
    return between.join((namespace.removesuffix(between), port_type, name))


def addressed(definitions: Definitions) -> frozenset[etree._Element]:
    """The services, ports, bindings, … that require WS-Addressing 1.0 of messages."""
    todo = [node for document in definitions.all for node in document.root.iter(*_ADDRESSING)]
    todo = [node for node in todo if _required(node)]
    references: dict[str, list[etree._Element]] = {}
    for document in definitions.all if todo else ():
        for node in document.root.iter("*"):
            if node.tag in _REFERENCES:
                references.setdefault(node.get("URI", "").strip(), []).append(node)
            for uri in (uri for name in _ATTRIBUTES for uri in node.get(name, "").split()):
                references.setdefault(uri, []).append(node)
    found: set[etree._Element] = set()
    met: set[etree._Element] = set()
    while todo:
        node = todo.pop()
        around = [*node.iterancestors(*_POLICIES)]
        subject = (around or [node])[-1]
        parent = subject.getparent()
        if node.tag not in (*_REFERENCES, *_ADDRESSING):  # it names what applies in an attribute
            found.add(node)
        elif parent is None or subject in met:
            continue
        elif around and parent.getparent() is None:
            met.add(subject)
            todo += [reference for name in _ids(subject) for reference in references.get(name, ())]
        else:
            found.add(parent)
    return frozenset(found)


def _required(node: etree._Element) -> bool:
    """Whether an assertion of WS-Addressing, or the extension, is more than an offer."""
    holders = [node, *node.iterancestors()]
    if any(one.get(name, "").strip() in _TRUE for one in holders for name in _OPTIONAL):
        return False
    if any(one.tag in _QUOTING for one in holders):
        return False
    in_policy = any(one.tag in _POLICIES for one in holders)
    return in_policy or node.get(_REQUIRED, "").strip() in _TRUE


def note(definitions: Definitions, findings: Findings) -> None:
    """Note each policy once per set of assertions, each policy that lies elsewhere, and WS-Addressing in
    versions before 1.0.

    What is only offered (optional, or a policy that nothing refers to) is a remark.
    """
    alike: dict[tuple[str, bool], list[tuple[Document, etree._Element]]] = {}
    referenced = _referenced(definitions)
    for document in definitions.all:
        for node in document.root.iter("{*}UsingAddressing", *_POLICIES, *_REFERENCES):
            if next(node.iterancestors(*_ELSEWHERE), None) is not None:
                continue
            if node.tag in _POLICIES:
                if asked := ", ".join(dict.fromkeys(_assertions(node))):
                    applies = node.getparent() is not document.root or not referenced.isdisjoint(_ids(node))
                    alike.setdefault((asked, applies and _demands(node)), []).append((document, node))
            elif node.tag in _REFERENCES:
                uri = node.get("URI", "").strip()
                if not (uri.startswith("#") or uri in referenced):
                    findings.note(document, node, f"the policy {uri!r} lies elsewhere and is not read")
            elif (required := node.get(_REQUIRED, "").strip()) not in _FALSE:
                space = etree.QName(node).namespace or ""
                if node.tag != _USING and "/addressing" in space:
                    why = f"WS-Addressing of the version {space} is not supported"
                    (findings.note if required else findings.remark)(document, node, why)
                elif not required:
                    findings.remark(
                        document, node, "WS-Addressing is offered (UsingAddressing), not required"
                    )
    for (asked, demanded), several in alike.items():
        document, node = several[0]
        more = f" (and {len(several) - 1} more like it)" if len(several) > 1 else ""
        why = f"a policy (wsp:Policy) is not applied: it requires {asked}{more}"
        (findings.note if demanded else findings.remark)(document, node, why)


def _referenced(definitions: Definitions) -> set[str]:
    """The names by which something refers to a policy: the WSDL itself, or another policy that applies."""
    named: dict[str, list[etree._Element]] = {}
    found: set[str] = set()
    todo: list[str] = []
    for document in definitions.all:
        for policy in document.root.iterchildren(*_POLICIES):
            for name in _ids(policy):
                named.setdefault(name, []).append(policy)
        for node in document.root.iter("*"):
            if node.tag in _REFERENCES:
                # A policy in the definitions applies to nothing by itself, nor does what it refers to.
                holders = list(node.iterancestors(*_ELSEWHERE))
                if not holders or (holders[-1].tag in _POLICIES and holders[-1] not in document.root):
                    todo.append(node.get("URI", ""))
            todo += [uri for name in _ATTRIBUTES for uri in node.get(name, "").split()]
    while todo:
        name = todo.pop().strip()
        if name not in found:
            found.add(name)
            todo += [
                reference.get("URI", "")
                for policy in named.get(name, ())
                for reference in policy.iter(*_REFERENCES)
            ]
    return found & set(named)


def _ids(policy: etree._Element) -> set[str]:
    """What a policy may be referred to by."""
    ids = {f"#{policy.get(name, '').strip()}" for name in _IDS}
    return (ids | {policy.get("Name", "").strip()}) - {"#", ""}


def _demands(node: etree._Element) -> bool:
    """Whether no alternative of a policy does without any assertion."""
    asks = [
        _demands(child)
        if child.tag in _OPERATORS
        else child.tag not in _REFERENCES
        and not any(child.get(name, "").strip() in _TRUE for name in _OPTIONAL)
        for child in node.iterchildren("*")
    ]
    return bool(asks) and (all(asks) if node.tag in _CHOICES else any(asks))


def _assertions(node: etree._Element) -> Iterator[str]:
    """The names of what a policy asks for, without what is said more closely of each."""
    for child in node.iterchildren("*"):
        if child.tag in _OPERATORS:
            yield from _assertions(child)
        elif child.tag not in _REFERENCES:
            optional = any(child.get(name, "").strip() in _TRUE for name in _OPTIONAL)
            if optional or not _applied(child):
                yield _named(child) + " (optional)" * optional


def _applied(assertion: etree._Element) -> bool:
    """Whether requests are as an assertion requires: WS-Addressing, the response on the same connection."""
    elsewhere = f"{{{_WSAM}}}NonAnonymousResponses"
    return assertion.tag in _ADDRESSING and next(assertion.iter(elsewhere), None) is None


def _named(node: etree._Element) -> str:
    local = etree.QName(node).localname
    return f"WS-Addressing ({local})" if local in ("Addressing", "UsingAddressing") else local
