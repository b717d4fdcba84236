"""WS-Policy and WS-Addressing in a WSDL: what a service demands of messages that nothing here puts into them.

Assertions are not interpreted; that they are there is worth a note, or a call fails later for no visible
reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Document
from bindgen.reading.extensions import WSDL, addressing
from bindgen.reading.findings import Findings
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
_ELSEWHERE = (f"{{{XSD}}}schema", f"{{{WSDL}}}documentation", *_POLICIES)  # quoted, or part of another
_REQUIRED = f"{{{WSDL}}}required"


def tell(definitions: Definitions, findings: Findings) -> None:
    """Note each policy once per set of assertions, each policy that lies elsewhere, and WS-Addressing.

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
            elif (asked := addressing(node)) and (required := node.get(_REQUIRED, "").strip()) not in _FALSE:
                (findings.note if required else findings.remark)(document, node, asked)
    for (asked, demanded), several in alike.items():
        document, node = several[0]
        more = f" (and {len(several) - 1} more like it)" if len(several) > 1 else ""
        why = f"a policy (wsp:Policy) is not applied by itself: it asks for {asked}{more}"
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
            yield _named(child) + " (optional)" * optional


def _named(node: etree._Element) -> str:
    local = etree.QName(node).localname
    return f"WS-Addressing ({local})" if local in ("Addressing", "UsingAddressing") else local
