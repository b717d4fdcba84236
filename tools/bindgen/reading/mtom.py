"""Find out from the policies of a WSDL which ports use MTOM (WS-MTOMPolicy 1.0, and the W3C MTOM policy)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lxml import etree

from bindgen.reading import policy
from bindgen.reading.definitions import BoundPort, Definitions
from bindgen.reading.policy_alternatives import CHOICES


def with_mtom(bounds: Sequence[BoundPort], definitions: Definitions) -> list[BoundPort]:
    """Return copies of the ports. If a policy asks for MTOM, `mtom` of the port is "required" or "optional".

    The policy can apply to the port, its service or its binding. A policy of a port type has no effect
    (WS-MTOMPolicy 1.0, section 3.3).
    """
    nodes = [node for document in definitions.all for node in document.root.iter(*policy.MTOM)]
    required = policy.find_subjects(definitions, [node for node in nodes if not _is_optional(node)])
    optional = policy.find_subjects(definitions, [node for node in nodes if _is_optional(node)])
    result = []
    for bound in bounds:
        subjects = [node for node in bound.nodes if node is not bound.port_type.node]
        port = bound.port
        if any(node in required for node in subjects):
            port = replace(port, mtom="required")
        elif any(node in optional for node in subjects):
            port = replace(port, mtom="optional")
        result.append(replace(bound, port=port))
    return result


def _is_optional(assertion: etree._Element) -> bool:
    """Return True if the policy around an MTOM assertion has an alternative without MTOM."""
    if policy.is_within_optional(assertion):
        return True
    choices = assertion.iterancestors(*CHOICES)
    return any(
        next(alternative.iter(str(assertion.tag)), None) is None
        for choice in choices
        for alternative in choice.iterchildren("*")
    )
