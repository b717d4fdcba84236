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
_ELSEWHERE = (f"{{{XSD}}}schema", f"{{{WSDL}}}documentation", *_POLICIES)  # quoted, or part of another
_REQUIRED = f"{{{WSDL}}}required"


def tell(definitions: Definitions, findings: Findings) -> None:
    """Note each policy once per set of assertions, each policy that lies elsewhere, and WS-Addressing."""
    alike: dict[str, list[tuple[Document, etree._Element]]] = {}
    for document in definitions.all:
        for node in document.root.iter("{*}UsingAddressing", *_POLICIES, *_REFERENCES):
            if next(node.iterancestors(*_ELSEWHERE), None) is not None:
                continue
            if node.tag in _POLICIES:
                if asked := ", ".join(dict.fromkeys(_assertions(node))):
                    alike.setdefault(asked, []).append((document, node))
            elif node.tag in _REFERENCES:
                uri = node.get("URI", "").strip()
                if not uri.startswith("#"):
                    findings.note(document, node, f"the policy {uri!r} lies elsewhere and is not read")
            elif (demanded := addressing(node)) and node.get(_REQUIRED, "").strip() not in ("false", "0"):
                findings.note(document, node, demanded)
    for asked, several in alike.items():
        document, node = several[0]
        more = f" (and {len(several) - 1} more like it)" if len(several) > 1 else ""
        why = f"a policy (wsp:Policy) is not applied by itself: it asks for {asked}{more}"
        findings.note(document, node, why)


def _assertions(node: etree._Element) -> Iterator[str]:
    """The names of what a policy asks for, without what is said more closely of each."""
    for child in node.iterchildren("*"):
        if child.tag in _OPERATORS:
            yield from _assertions(child)
        elif child.tag not in _REFERENCES:
            optional = any(child.get(name, "").strip() in ("true", "1") for name in _OPTIONAL)
            yield _named(child) + " (optional)" * optional


def _named(node: etree._Element) -> str:
    local = etree.QName(node).localname
    return f"WS-Addressing ({local})" if local in ("Addressing", "UsingAddressing") else local
