"""Validate messages against the schemas of a contract.

`Schema` is for schemas that libxml2 can compile. `Checks` is for any schemas, even if libxml2 cannot compile
them.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from lxml import etree

from soapclient._support.forks import Lock
from soapclient._support.redaction import clean
from soapclient.contract import patterns
from soapclient.contract.compiling import XSD, with_optional
from soapclient.contract.explanations import (
    CannotValidate,
    Compiled,
    ValidationAborted,
    Violation,
    compile_leniently,
    first_error,
    type_violation,
    undeclared_type,
    violation_of,
)
from soapclient.contract.patterns import CostlyPatterns
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime.errors import local_name
from soapclient.runtime.schema import wrapper_tag

if TYPE_CHECKING:
    import xmlschema

# Maximum number of attempts to validate a message with fewer patterns. Each attempt takes up to half a
# second.
_MAX_ABORTS = 10
# Maximum size of schemas for xmlschema, bytes. Larger schemas take minutes. The second limit is for schemas
# that are not tried with libxml2, because these can have huge content models.
_LARGE, _SMALL = 4 << 20, 128 << 10

_lock = Lock()


def checks_of(
    documents: Sequence[bytes], *, compiles: bool = True, optional: Collection[str] = frozenset()
) -> Checks:
    """Return the `Checks` for the schemas in documents, which are WSDLs or schemas.

    The same arguments return the same object. If `compiles` is False, libxml2 is not used, because it would
    fail or take minutes. Elements and attributes named in `optional` are not required. If `optional` contains
    `ALL` ("*"), no element or attribute is required.
    """
    with _lock:
        return _checks_of(tuple(documents), compiles, frozenset(optional))


@cache
def _checks_of(documents: tuple[bytes, ...], compiles: bool, optional: frozenset[str]) -> Checks:
    return Checks(_schemas_in(documents), compiles=compiles, optional=optional)


def _schemas_in(documents: Iterable[bytes]) -> list[etree._Element]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    roots = [etree.fromstring(document, parser) for document in documents if document]
    return [node for root in roots for node in root.iter(f"{{{XSD}}}schema")]


class _Validator:
    """Base class of validators, which raise an error for the first violation in a message."""

    def check_request(self, message: etree._Element, operation: str) -> None:
        """Raise ContractError if a request is invalid.

        The error has the path, the value, and the allowed values of the first violation.
        """
        if (violation := self._violation(message)) is not None:
            raise ContractError(*violation, operation=operation)

    def check_response(self, message: etree._Element, operation: str) -> None:
        """Raise ResponseError if a response is invalid."""
        if (violation := self._violation(message)) is not None:
            expected = f"{violation.allowed} ({violation.reason})"
            raise ResponseError(violation.path, violation.value, expected, operation=operation)

    def _violation(self, message: etree._Element) -> Violation | None:
        raise NotImplementedError


class Schema(_Validator):
    """Validates messages against schemas that libxml2 can compile. Thread-safe."""

    def __init__(self, nodes: Sequence[etree._Element], *, optional: Collection[str] = frozenset()) -> None:
        """Compile the schemas of a contract.

        Elements and attributes named in `optional` are not required. If `optional` contains `ALL` ("*"), no
        element or attribute is required.
        """
        # Serialised, so that each schema declares the prefixes in scope in the WSDL.
        sources = [etree.tostring(node, encoding="UTF-8") for node in nodes]
        if optional:
            sources = [with_optional(source, optional) for source in sources]
        self._namespaces = [node.get("targetNamespace", "") for node in nodes]
        self._costly = CostlyPatterns()
        self._complete = Compiled(sources, self._namespaces, self._costly)
        self._bounded = self._complete  # compiled without patterns that were too slow for a value
        self._lock = Lock()

    def _violation(self, message: etree._Element) -> Violation | None:
        """Return the first violation in a message; None if the message is valid.

        If matching a pattern takes too long, validates again without this pattern. Returns None if that
        happens too often: the message is then not checked, and a warning is logged.
        """
        compiled = self._complete
        for _ in range(_MAX_ABORTS):
            try:
                return compiled.violation(message)
            except ValidationAborted as aborted:
                bounded = self._bounded
                following = bounded if bounded is not compiled else self._without(compiled, aborted.at)
            if following is compiled:
                break
            compiled = following
        self._costly.add_element(local_name(message.tag))
        return None

    def _without(self, compiled: Compiled, element: etree._Element) -> Compiled:
        """Return the schemas without the patterns that take too long to match the texts of `element`."""
        with self._lock:
            if self._bounded is compiled:
                texts = [element.text or "", *map(str, element.attrib.values())]
                roots = [etree.fromstring(source) for source in compiled.sources]
                costly = patterns.find_costly(roots, texts)
                for root in roots if costly else ():
                    patterns.remove_patterns(root, costly, self._costly)
                if costly:
                    sources = [etree.tostring(root, encoding="UTF-8") for root in roots]
                    self._bounded = Compiled(sources, self._namespaces, self._costly)
            return self._bounded


class Checks:
    """Validates the messages whose elements the schemas declare. Thread-safe.

    Uses libxml2 if it can compile the schemas. Otherwise `trouble` says why it cannot, and xmlschema
    validates only the values. If xmlschema cannot compile the schemas either, messages are not validated.
    """

    def __init__(
        self,
        nodes: Sequence[etree._Element],
        *,
        compiles: bool = True,
        optional: Collection[str] = frozenset(),
    ) -> None:
        self.trouble = ""
        self._declared = frozenset(
            f"{{{space}}}{element.get('name')}"
            if (space := node.get("targetNamespace"))
            else element.get("name")
            for node in nodes
            for element in node.iterchildren(f"{{{XSD}}}element")
        )
        self._validator: _Validator | None = None
        if not nodes:
            return
        try:
            if not compiles:
                raise etree.XMLSchemaParseError("the schemas are invalid or too large")
            self._validator = Schema(nodes, optional=optional)
        except (etree.XMLSchemaError, etree.XMLSyntaxError) as error:
            self._validator = _lenient(nodes, _LARGE if compiles else _SMALL)
            kept = "only values are checked" if self._validator else "messages are not checked"
            self.trouble = f"libxml2 cannot compile the schemas, so {kept}: {clean(str(error), 300)}"

    def check_request(self, messages: Iterable[etree._Element], operation: str, *, rpc: bool = False) -> None:
        """Raise ContractError if a message is invalid.

        The error has the path, the value, and the allowed values. If `rpc` is True, the operation has RPC
        style. A message is then validated as the operation's wrapper element, even if a global element has
        the same name.
        """
        for message in self._known(messages, rpc=rpc):
            if self._validator is not None:
                self._validator.check_request(message, operation)

    def check_response(
        self, messages: Iterable[etree._Element], operation: str, *, rpc: bool = False
    ) -> None:
        """Raise ResponseError if a message is invalid."""
        for message in self._known(messages, rpc=rpc):
            if self._validator is not None:
                self._validator.check_response(message, operation)

    def _known(self, messages: Iterable[etree._Element], *, rpc: bool) -> list[etree._Element]:
        """Return the messages whose elements the schemas declare.

        A wrapper element of RPC style is copied with the name that it has in the schemas (`wrapper_tag`).
        """
        declared: list[etree._Element] = []
        for message in messages:
            if rpc and (tag := wrapper_tag(str(message.tag))) in self._declared:
                # Not a deep copy: it would lose the envelope's prefixes, which `xsi:type` can use.
                wrapper = etree.Element(tag, dict(message.attrib), message.nsmap)
                wrapper.text = message.text
                wrapper.extend(map(copy.deepcopy, message))
                declared.append(wrapper)
            elif message.tag in self._declared:
                declared.append(message)
        return declared


class _ValuesOnly(_Validator):
    """Validates only the values in messages (with xmlschema), not their structure."""

    def __init__(self, schema: xmlschema.XMLSchema, costly: CostlyPatterns) -> None:
        self._schema = schema
        self._costly = costly
        self._lock = Lock()

    def _violation(self, message: etree._Element) -> Violation | None:
        with self._lock:
            self._costly.begin()
            try:
                error = first_error(self._schema, message, values_only=True)
            except CannotValidate:
                node = undeclared_type(self._schema, message)
                if node is None:  # the message cannot be checked
                    return None
                return type_violation(node, message, "the type in xsi:type is not a type of the contract")
        return None if error is None else violation_of(error, message)


def _lenient(nodes: Sequence[etree._Element], most: int) -> _Validator | None:
    sources = [etree.tostring(node, encoding="UTF-8") for node in nodes]
    if sum(map(len, sources)) > most:
        return None
    costly = CostlyPatterns()
    schema = compile_leniently(sources, costly)
    return None if schema is None else _ValuesOnly(schema, costly)
