"""Checking messages against the contract's schema: lxml judges, xmlschema explains what lxml refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from soapclient.errors import ContractError, ReplyError
from zxws._runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

_XSD = "http://www.w3.org/2001/XMLSchema"
_NAMESPACE = re.compile(r"\{[^}]*\}")


class Misfit(NamedTuple):
    """What is wrong with a message: where, the text that stands there, what would be right, and why."""

    path: str
    value: str | None
    allowed: str
    reason: str


class Schema:
    """A compiled schema. Threads may share it."""

    def __init__(self, nodes: Sequence[etree._Element]) -> None:
        """`nodes` are the inline schemas of a contract."""
        # Serialised and parsed again, so that the prefixes in scope of the WSDL travel along.
        self._sources = [etree.tostring(node) for node in nodes]
        self._compiled = _compile(self._sources, [node.get("targetNamespace", "") for node in nodes])

    def check_request(self, message: etree._Element, operation: str) -> None:
        """Raise ContractError where a request is not valid: which element, its value, and what fits."""
        if not self._compiled.validate(message):
            misfit = self._explain(message)
            raise ContractError(*misfit, operation=operation)

    def check_reply(self, message: etree._Element, operation: str) -> None:
        """Raise ReplyError where a reply is not valid."""
        if not self._compiled.validate(message):
            misfit = self._explain(message)
            expected = f"{misfit.allowed} ({misfit.reason})"
            raise ReplyError(misfit.path, misfit.value, expected, operation=operation)

    @cached_property
    def _explaining(self) -> xmlschema.XMLSchema:
        import xmlschema

        return xmlschema.XMLSchema(self._sources[0].decode())

    def _explain(self, message: etree._Element) -> Misfit:
        """The first thing that is wrong, in words. Compiling for the words costs 0.2 s, once."""
        log = self._compiled.error_log.last_error
        said = _NAMESPACE.sub("", log.message) if log is not None else "not valid"
        if len(self._sources) > 1:
            return Misfit(local_name(message.tag), None, "what the schema says", said)
        errors: Callable[..., Iterator[xmlschema.XMLSchemaValidationError]] = self._explaining.iter_errors
        for error in errors(message):  # it takes lxml's elements, though its hints do not say so
            element = error.elem if isinstance(error.elem, etree._Element) else message
            value = None if len(element) else element.text or ""
            return Misfit(_path(element, message), value, _allowed(error, said), str(error.reason or said))
        return Misfit(local_name(message.tag), None, "what the schema says", said)


def _compile(sources: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    if len(sources) == 1:
        return etree.XMLSchema(etree.fromstring(sources[0]))
    # libxml2 compiles one document: one that imports each of the others from memory.
    parser = etree.XMLParser()
    parser.resolvers.add(_Inline(sources))
    imports = "".join(
        f'<x:import namespace="{namespace}" schemaLocation="inline:{at}"/>'
        for at, namespace in enumerate(namespaces)
    )
    return etree.XMLSchema(etree.fromstring(f'<x:schema xmlns:x="{_XSD}">{imports}</x:schema>', parser))


class _Inline(etree.Resolver):
    def __init__(self, sources: Sequence[bytes]) -> None:
        self._sources = sources

    # The stubs hide the types of what is passed through here.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Give the schema of an address `inline:N`."""
        if not str(system_url).startswith("inline:"):
            return None
        return self.resolve_string(self._sources[int(system_url.removeprefix("inline:"))], context)


def _path(element: etree._Element, message: etree._Element) -> str:
    steps = [local_name(element.tag)]
    while element is not message and (parent := element.getparent()) is not None:
        element = parent
        steps.append(local_name(element.tag))
    return "/".join(reversed(steps))


def _allowed(error: xmlschema.XMLSchemaValidationError, said: str) -> str:
    """What the schema takes at the place of an error."""
    values = getattr(error.validator, "enumeration", None)
    if values:
        return "one of " + ", ".join(repr(value) for value in values)
    name = getattr(error.validator, "name", None)
    if isinstance(name, str):
        return f"a value of type {name}"
    expected = said.partition("Expected is ")[2].strip(" .")
    return expected or "what the schema says there"
