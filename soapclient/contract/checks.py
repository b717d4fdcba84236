"""Checking the messages of a contract that may be anybody's: its schemas may not all be ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from lxml import etree

from soapclient.contract import lax
from soapclient.contract.alone import XSD
from soapclient.contract.misfits import Misfit, in_words, wrong_type
from soapclient.contract.patterns import TooMuch
from soapclient.contract.schema import Schema
from soapclient.errors import ContractError, ReplyError
from soapclient.forks import Lock
from soapclient.redaction import clean

if TYPE_CHECKING:
    import xmlschema

# Bytes of schemas, beyond which xmlschema takes minutes: of all, and of such as may have huge content models.
_LARGE, _SMALL = 4 << 20, 128 << 10

_checks: dict[str, Checks] = {}
_lock = Lock()


def of(documents: Sequence[bytes], *, compiles: bool = True) -> Checks:
    """The checks of the schemas in some documents (WSDLs or schemas), made once per process.

    Without `compiles` libxml2 is not even tried: it is known to fail, or to take minutes.
    """
    key = hashlib.sha256(b"\0".join(documents)).hexdigest() + "/lax" * (not compiles)
    with _lock:
        if key not in _checks:
            parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
            roots = [etree.fromstring(document, parser) for document in documents if document]
            nodes = [node for root in roots for node in root.iter(f"{{{XSD}}}schema")]
            _checks[key] = Checks(nodes, compiles=compiles)
        return _checks[key]


class Checks:
    """Checks each message whose element the schemas declare. Threads may share it.

    libxml2 judges where it can compile the schemas; else xmlschema does, of the values alone; else nobody,
    and `trouble` says why.
    """

    def __init__(self, nodes: Sequence[etree._Element], *, compiles: bool = True) -> None:
        self.trouble = ""
        self._declared = frozenset(
            f"{{{space}}}{element.get('name')}"
            if (space := node.get("targetNamespace"))
            else element.get("name")
            for node in nodes
            for element in node.iterchildren(f"{{{XSD}}}element")
        )
        self._judge: _Judge | None = None
        if not nodes:
            return
        try:
            if not compiles:
                raise etree.XMLSchemaParseError("they are not valid, or too large for it")
            self._judge = Schema(nodes)
        except (etree.XMLSchemaError, etree.XMLSyntaxError) as error:
            self.trouble = clean(str(error), 300)
            self._judge = _lax(nodes, _LARGE if compiles else _SMALL)
            kept = "values alone are checked" if self._judge else "messages are not checked"
            self.trouble = f"libxml2 does not take the schemas, so {kept}: {self.trouble}"

    def check_request(self, messages: Iterable[etree._Element], operation: str) -> None:
        """Raise ContractError where one is not valid: which element, its value, and what fits."""
        for message in self._known(messages):
            if self._judge is not None:
                self._judge.check_request(message, operation)

    def check_reply(self, messages: Iterable[etree._Element], operation: str) -> None:
        """Raise ReplyError where one is not valid."""
        for message in self._known(messages):
            if self._judge is not None:
                self._judge.check_reply(message, operation)

    def _known(self, messages: Iterable[etree._Element]) -> list[etree._Element]:
        return [message for message in messages if message.tag in self._declared]


class _Judge(Protocol):
    def check_request(self, message: etree._Element, operation: str) -> None: ...
    def check_reply(self, message: etree._Element, operation: str) -> None: ...


class _Lax:
    """Checks with xmlschema."""

    def __init__(self, schema: xmlschema.XMLSchema, too_much: TooMuch) -> None:
        self._schema = schema
        self._too_much = too_much
        self._lock = Lock()

    def check_request(self, message: etree._Element, operation: str) -> None:
        if (misfit := self._misfit(message)) is not None:
            raise ContractError(*misfit, operation=operation)

    def check_reply(self, message: etree._Element, operation: str) -> None:
        if (misfit := self._misfit(message)) is not None:
            expected = f"{misfit.allowed} ({misfit.reason})"
            raise ReplyError(misfit.path, misfit.value, expected, operation=operation)

    def _misfit(self, message: etree._Element) -> Misfit | None:
        with self._lock:
            self._too_much.begin()
            try:
                error = lax.first_error(self._schema, message, values_only=True)
            except lax.Unable:
                node = lax.undeclared_type(self._schema, message)
                if node is None:  # of what it cannot take in, nobody says anything
                    return None
                return wrong_type(node, message, "xsi:type names no type of the contract")
        return None if error is None else in_words(error, message)


def _lax(nodes: Sequence[etree._Element], most: int) -> _Judge | None:
    sources = [etree.tostring(node) for node in nodes]
    if sum(map(len, sources)) > most:
        return None
    too_much = TooMuch()
    schema = lax.compiled(sources, too_much)
    return None if schema is None else _Lax(schema, too_much)
