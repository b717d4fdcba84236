"""What is wrong with a message that the schema refuses, in words: slow, and asked for only then."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from zxws._runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

_XSD = "{http://www.w3.org/2001/XMLSchema}"
_NAMESPACE = re.compile(r"\{[^}']*\}")
_ATTRIBUTE = re.compile(r"attribute ([^\s=]+)=")
_UNKNOWN_ATTRIBUTE = re.compile(r"'([^']+)' attribute not allowed")
_MISSING_ATTRIBUTE = re.compile(r"missing required attribute '([^']+)'")
_UNKNOWN = "what the schema says"


class Misfit(NamedTuple):
    """What is wrong with a message: where, the text that stands there, what would be right, and why."""

    path: str
    value: str | None
    allowed: str
    reason: str


class Explainer:
    """Explains with the words of lxml and the details of xmlschema. Threads may share it."""

    def __init__(self, source: bytes | None, compiled: Callable[[], etree.XMLSchema]) -> None:
        """`source` is the schema, if it is but one; `compiled` gives a compiled one of our own."""
        self._source = source
        self._make = compiled
        self._lock = threading.Lock()

    @cached_property
    def _compiled(self) -> etree.XMLSchema:
        return self._make()

    @cached_property
    def _detailed(self) -> xmlschema.XMLSchema | None:
        import xmlschema

        return None if self._source is None else xmlschema.XMLSchema(self._source.decode())

    def first(self, message: etree._Element) -> Misfit:
        """The first thing that is wrong. Compiling for the words costs 0.2 s, once."""
        with self._lock:  # a schema object keeps the errors of its last run, whichever thread's that was
            self._compiled.validate(message)
            log = self._compiled.error_log
            said = _NAMESPACE.sub("", log[0].message) if len(log) else "not valid"
            error = self._first_error(message)
        if error is None or not isinstance(error.elem, etree._Element):
            return Misfit(local_name(message.tag), None, _UNKNOWN, said)
        path, value = _place(error, error.elem, message)
        return Misfit(path, value, _allowed(error, said), said)

    def _first_error(self, message: etree._Element) -> xmlschema.XMLSchemaValidationError | None:
        if self._detailed is None:
            return None
        # It takes lxml's elements, though its hints do not say so.
        errors: Callable[..., Iterator[xmlschema.XMLSchemaValidationError]] = self._detailed.iter_errors
        return next(iter(errors(message)), None)


def _place(
    error: xmlschema.XMLSchemaValidationError, element: etree._Element, message: etree._Element
) -> tuple[str, str | None]:
    """The path of what is wrong, be it missing, and the text there."""
    reason = str(error.reason)
    if found := _MISSING_ATTRIBUTE.search(reason):
        return f"{_path(element, message)}/@{found[1]}", None
    if found := _UNKNOWN_ATTRIBUTE.search(reason):
        return f"{_path(element, message)}/@{found[1]}", element.get(found[1], "")
    if found := _ATTRIBUTE.match(reason):
        return f"{_path(element, message)}/@{found[1]}", str(error.obj)
    child = getattr(error, "invalid_child", None)
    if isinstance(child, etree._Element):
        return _path(child, message), child.text or ""
    expected = getattr(error, "expected", None)
    if expected:
        missing = getattr(next(iter(expected)), "local_name", None)
        return f"{_path(element, message)}/{missing}" if missing else _path(element, message), None
    return _path(element, message), None if len(element) else element.text or ""


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
        return f"a value of type {'xsd:' * name.startswith(_XSD)}{local_name(name)}"
    expected = said.partition("Expected is ")[2].strip(" .").replace("( ", "").replace(" )", "")
    return expected or _UNKNOWN
