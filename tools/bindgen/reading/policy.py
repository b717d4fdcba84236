"""Read the WS-Policy and WS-Addressing elements of a WSDL.

They require additional features of messages, such as headers. WS-Addressing 1.0 is supported (Web Services
Addressing 1.0, Metadata): operations to which it applies have an action. `security_policy` reads
WS-SecurityPolicy. Other policy assertions are not applied. A note is added for each one, so that users know
why calls may fail.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lxml import etree

from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Document
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL
from bindgen.reading.policy_alternatives import (
    ALL,
    ATTRIBUTES,
    CHOICES,
    POLICIES,
    REFERENCES,
    ids,
    is_optional,
)
from bindgen.reading.security_policy import is_security
from bindgen.simple_types import XSD

_OPERATORS = frozenset((*ALL, *CHOICES, *POLICIES))
_TRUE, _FALSE = ("true", "1"), ("false", "0")
_IGNORED = (f"{{{XSD}}}schema", f"{{{WSDL}}}documentation")
_NOT_SUBJECTS = (*_IGNORED, *POLICIES)
_REQUIRED = f"{{{WSDL}}}required"
# The actions of messages, and the assertions that require WS-Addressing 1.0.
_WSAW, _WSAM = "http://www.w3.org/2006/05/addressing/wsdl", "http://www.w3.org/2007/05/addressing/metadata"
_ACTIONS = (f"{{{_WSAM}}}Action", f"{{{_WSAW}}}Action")
_USING = f"{{{_WSAW}}}UsingAddressing"
_ADDRESSING = (_USING, f"{{{_WSAM}}}Addressing")
MTOM = (  # assertions that `mtom` reads
    "{http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization}OptimizedMimeSerialization",
    "{http://www.w3.org/2007/08/soap12-mtom-policy}MTOM",
)


def action(message: etree._Element) -> str:
    """Return the WS-Addressing action in an input or output of a port type's operation; "" if it has none."""
    return next((value.strip() for name in _ACTIONS if (value := message.get(name))), "")


def default_action(namespace: str, port_type: str, operation: etree._Element, message: etree._Element) -> str:
    """Return the default action of an operation's input (WS-Addressing 1.0 Metadata, section 4.4.4).

    `namespace` and `port_type` are the namespace and the name of the port type; `message` is the input.
    """
    one_way = operation.find(f"{{{WSDL}}}output") is None
    name = operation.get("name", "").strip() + ("" if one_way else "Request")
    name = message.get("name", "").strip() or name
    separator = ":" if namespace.casefold().startswith("urn:") else "/"
    return separator.join((namespace.removesuffix(separator), port_type, name))


def find_addressed(definitions: Definitions) -> frozenset[etree._Element]:
    """Return the elements (services, ports, bindings, …) whose messages must use WS-Addressing 1.0."""
    todo = [node for document in definitions.all for node in document.root.iter(*_ADDRESSING)]
    return find_subjects(definitions, [node for node in todo if _required(node)])


def find_subjects(
    definitions: Definitions, assertions: Collection[etree._Element]
) -> frozenset[etree._Element]:
    """Return the elements (services, ports, bindings, …) to which the policy assertions `assertions` apply.

    A policy applies to the element that contains it, and to elements that refer to it.
    """
    todo, starts = list(assertions), frozenset(assertions)
    references: dict[str, list[etree._Element]] = {}
    for document in definitions.all if todo else ():
        for node in document.root.iter("*"):
            if node.tag in REFERENCES:
                references.setdefault(node.get("URI", "").strip(), []).append(node)
            for uri in (uri for name in ATTRIBUTES for uri in node.get(name, "").split()):
                references.setdefault(uri, []).append(node)
    subjects: set[etree._Element] = set()
    seen: set[etree._Element] = set()
    while todo:
        node = todo.pop()
        around = [*node.iterancestors(*POLICIES)]
        subject = (around or [node])[-1]
        parent = subject.getparent()
        # An element that refers to a policy by an attribute.
        if node not in starts and node.tag not in REFERENCES:
            subjects.add(node)
        elif parent is None or subject in seen:
            continue
        elif around and parent.getparent() is None:
            seen.add(subject)
            todo += [reference for name in ids(subject) for reference in references.get(name, ())]
        else:
            subjects.add(parent)
    return frozenset(subjects)


def _required(node: etree._Element) -> bool:
    """Return True if a WS-Addressing element is required.

    An assertion in a policy is required unless it is optional. An extension element is required if it has
    wsdl:required.
    """
    holders = [node, *node.iterancestors()]
    if is_within_optional(node):
        return False
    if any(holder.tag in _IGNORED for holder in holders):
        return False
    in_policy = any(holder.tag in POLICIES for holder in holders)
    return in_policy or node.get(_REQUIRED, "").strip() in _TRUE


def is_within_optional(assertion: etree._Element) -> bool:
    """Return True if an assertion, or an element around it, has wsp:Optional."""
    return any(map(is_optional, [assertion, *assertion.iterancestors()]))


def note(definitions: Definitions, findings: Findings) -> None:
    """Add notes about WS-Policy and WS-Addressing elements that are not applied:

    - A policy with assertions that are not applied. All uses of the same assertions share one note. If the
      assertions are optional, or if nothing in the WSDL refers to the policy, adds a remark instead,
      because the policy does not affect the bindings.
    - A reference to a policy that is not in the WSDL.
    - WS-Addressing before 1.0. If it is not required, adds a remark instead.
    - WS-Addressing 1.0 that is offered, but not required: adds a remark.
    """
    groups: dict[tuple[str, bool], list[tuple[Document, etree._Element]]] = {}
    referenced = _referenced(definitions)
    for document in definitions.all:
        for node in document.root.iter("{*}UsingAddressing", *POLICIES, *REFERENCES):
            if next(node.iterancestors(*_NOT_SUBJECTS), None) is not None:
                continue
            if node.tag in POLICIES:
                if assertions := ", ".join(dict.fromkeys(_assertions(node))):
                    applies = node.getparent() is not document.root or not referenced.isdisjoint(ids(node))
                    groups.setdefault((assertions, applies and _demands(node)), []).append((document, node))
            elif node.tag in REFERENCES:
                uri = node.get("URI", "").strip()
                if not (uri.startswith("#") or uri in referenced):
                    findings.note(document, node, f"the policy {uri!r} is not in the WSDL, so it is ignored")
            elif (required := node.get(_REQUIRED, "").strip()) not in _FALSE:
                space = etree.QName(node).namespace or ""
                if node.tag != _USING and "/addressing" in space:
                    reason = f"WS-Addressing of the version {space} is not supported"
                    (findings.note if required else findings.remark)(document, node, reason)
                elif not required:
                    findings.remark(
                        document, node, "WS-Addressing is offered (UsingAddressing), not required"
                    )
    for (assertions, demanded), members in groups.items():
        document, node = members[0]
        more = f" (and {len(members) - 1} more like it)" if len(members) > 1 else ""
        reason = f"a policy (wsp:Policy) is not applied: it requires {assertions}{more}"
        (findings.note if demanded else findings.remark)(document, node, reason)


def _referenced(definitions: Definitions) -> set[str]:
    """Return the name of each policy to which the WSDL refers, directly or through another policy."""
    by_name: dict[str, list[etree._Element]] = {}
    names: set[str] = set()
    todo: list[str] = []
    for document in definitions.all:
        for policy in document.root.iterchildren(*POLICIES):
            for name in ids(policy):
                by_name.setdefault(name, []).append(policy)
    if not by_name:
        return set()
    for document in definitions.all:
        for node in document.root.iter("*"):
            if node.tag in REFERENCES:
                # A policy directly in wsdl:definitions does not apply to anything unless it is referred to.
                holders = list(node.iterancestors(*_NOT_SUBJECTS))
                if not holders or (holders[-1].tag in POLICIES and holders[-1] not in document.root):
                    todo.append(node.get("URI", ""))
            todo += [uri for name in ATTRIBUTES for uri in node.get(name, "").split()]
    while todo:
        name = todo.pop().strip()
        if name not in names:
            names.add(name)
            todo += [
                reference.get("URI", "")
                for policy in by_name.get(name, ())
                for reference in policy.iter(*REFERENCES)
            ]
    return names & set(by_name)


def _demands(node: etree._Element) -> bool:
    """Return True if every alternative of a policy has a required assertion that is not applied."""
    required = [
        _demands(child)
        if child.tag in _OPERATORS
        else not (child.tag in REFERENCES or is_optional(child) or _applied(child))
        for child in node.iterchildren("*")
    ]
    return bool(required) and (all(required) if node.tag in CHOICES else any(required))


def _assertions(node: etree._Element) -> Iterator[str]:
    """Yield the name of each assertion in a policy that is optional or not applied.

    " (optional)" is added to the names of optional assertions. Assertions inside other assertions are not
    included, and neither are assertions of WS-SecurityPolicy and MTOM.
    """
    for child in node.iterchildren("*"):
        if child.tag in _OPERATORS:
            yield from _assertions(child)
        elif child.tag not in REFERENCES:
            optional = is_optional(child)
            read_elsewhere = is_security(child) or child.tag in MTOM
            if not read_elsewhere and (optional or not _applied(child)):
                yield _assertion_name(child) + " (optional)" * optional


def _applied(assertion: etree._Element) -> bool:
    """Return True if requests comply with a policy assertion, or if another module reads it.

    Other modules read the assertions of WS-SecurityPolicy and MTOM. Requests comply with an assertion of
    WS-Addressing unless it requires the service to send responses to another address. For all other
    assertions, the result is False.
    """
    if is_security(assertion) or assertion.tag in MTOM:
        return True
    elsewhere = f"{{{_WSAM}}}NonAnonymousResponses"
    return assertion.tag in _ADDRESSING and next(assertion.iter(elsewhere), None) is None


def _assertion_name(node: etree._Element) -> str:
    local = etree.QName(node).localname
    return f"WS-Addressing ({local})" if local in ("Addressing", "UsingAddressing") else local
