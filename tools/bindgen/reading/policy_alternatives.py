"""WS-Policy: the policies attached to elements of a WSDL, merged and in normal form.

A policy in normal form is a list of alternatives, and each alternative is a list of assertions (WS-Policy
1.5, section 4). Assertions with nested policies are normalized, too. A client complies with a policy if it
complies with one alternative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from lxml import etree

from bindgen.reading.definitions import Definitions

# WS-Policy 1.2 and 1.5, and their drafts that are still in use.
SPACES = (
    "http://schemas.xmlsoap.org/ws/2004/09/policy",
    "http://www.w3.org/ns/ws-policy",
    "http://schemas.xmlsoap.org/ws/2002/12/policy",
    "http://www.w3.org/2006/07/ws-policy",
)
POLICIES = tuple(f"{{{space}}}Policy" for space in SPACES)
REFERENCES = tuple(f"{{{space}}}PolicyReference" for space in SPACES)
CHOICES = tuple(f"{{{space}}}ExactlyOne" for space in SPACES)
ALL = tuple(f"{{{space}}}All" for space in SPACES)
ATTRIBUTES = tuple(f"{{{space}}}PolicyURIs" for space in SPACES)
_OPTIONAL = tuple(f"{{{space}}}{name}" for space in SPACES for name in ("Optional", "Ignorable"))
_UTILITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
_IDS = (f"{{{_UTILITY}}}Id", "{http://www.w3.org/XML/1998/namespace}id")
MOST = 64
"""The maximum number of alternatives of a policy. Further alternatives are ignored."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion, including the assertions of its nested policy. `node` is its element."""

    node: etree._Element
    nested: tuple[Assertion, ...] = ()

    @property
    def name(self) -> str:
        """The local name."""
        return etree.QName(self.node).localname

    @property
    def namespace(self) -> str:
        """The namespace."""
        return etree.QName(self.node).namespace or ""


Alternative = tuple[Assertion, ...]


class Attachments:
    """The policies of a contract, and the elements of its WSDL to which they are attached."""

    def __init__(self, definitions: Definitions) -> None:
        self._by_name: dict[tuple[etree._Element | None, str], etree._Element] = {}
        self._attached: dict[etree._Element, list[list[Alternative]]] = {}
        for document in definitions.all:
            for policy in document.root.iter(*POLICIES):
                for name in ids(policy):
                    self._by_name.setdefault((document.root, name), policy)
                    self._by_name.setdefault((None, name), policy)

    def alternatives(self, subjects: Iterable[etree._Element | None]) -> list[Alternative]:
        """Merge the policies attached to elements, and return their alternatives, at most `MOST`.

        `subjects` are the elements; None is ignored. Elements without a policy have one alternative without
        assertions. A reference to a policy outside of the WSDL counts as an assertion.
        """
        return _joined(
            [policy for node in subjects if node is not None for policy in self._attached_to(node)]
        )

    def _attached_to(self, node: etree._Element) -> list[list[Alternative]]:
        """Return the alternatives of each policy that is attached to a node. Cached."""
        if node not in self._attached:
            attached = [
                self._normal(child, ()) for child in node if child.tag in POLICIES or child.tag in REFERENCES
            ]
            for name in ATTRIBUTES:
                for uri in node.get(name, "").split():
                    if (policy := self._named(node, uri)) is not None:
                        attached.append(self._normal(policy, ()))
            self._attached[node] = attached
        return self._attached[node]

    def _named(self, node: etree._Element, uri: str) -> etree._Element | None:
        root = node.getroottree().getroot()
        policy = self._by_name.get((root, uri))
        return self._by_name.get((None, uri)) if policy is None else policy

    def _normal(self, node: etree._Element, inside: Sequence[etree._Element]) -> list[Alternative]:
        """Return the alternatives of `node`: an operator (such as wsp:All), a reference or an assertion.

        `inside` are the policies whose references have led to this node. A reference to one of them is
        ignored, because the policy refers to itself.
        """
        if node.tag in REFERENCES:
            uri = node.get("URI", "").strip()
            policy = self._named(node, uri)
            if policy is None:
                return [()] if uri.startswith("#") else [(Assertion(node),)]
            return [()] if policy in inside else self._normal(policy, (*inside, policy))
        if node.tag in CHOICES:
            options = (option for child in _children(node) for option in self._normal(child, inside))
            return list(islice(options, MOST))
        if node.tag in POLICIES or node.tag in ALL:
            alternatives = _joined([self._normal(child, inside) for child in _children(node)])
        else:
            nested = [self._normal(child, inside) for child in node.iterchildren(*POLICIES)]
            alternatives = [(Assertion(node, inner),) for inner in _joined(nested)]
        if is_optional(node):
            alternatives = [*alternatives[: MOST - 1], ()]
        return alternatives


def is_optional(node: etree._Element) -> bool:
    """Return True if a client need not comply with an assertion: wsp:Optional or wsp:Ignorable is true."""
    return any(node.get(name, "").strip() in ("true", "1") for name in _OPTIONAL)


def ids(policy: etree._Element) -> set[str]:
    """Return the names by which elements can refer to a policy: `#ID` for each id, and its attribute Name."""
    names = {f"#{policy.get(name, '').strip()}" for name in _IDS}
    return (names | {policy.get("Name", "").strip()}) - {"#", ""}


def _joined(parts: Sequence[list[Alternative]]) -> list[Alternative]:
    """Return all combinations of one alternative from each part, at most `MOST`.

    `parts` are lists of alternatives. A combination has the assertions of all alternatives in it.
    """
    joined: list[Alternative] = [()]
    for alternatives in parts:
        pairs = product(joined, alternatives)
        joined = [(*one, *other) for one, other in islice(pairs, MOST)]
    return joined


def _children(node: etree._Element) -> Iterator[etree._Element]:
    return node.iterchildren("*")
