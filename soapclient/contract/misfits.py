"""What is wrong with a message that the schema refuses, in words: slow, and asked for only then."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from soapclient.contract import lax
from soapclient.forks import Lock, lazy
from zxws._runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

_XSD = "{http://www.w3.org/2001/XMLSchema}"
_NAMESPACE = re.compile(r"\{[^}']*\}")
_ATTRIBUTE = re.compile(r"attribute ([^\s=]+)=")
_UNKNOWN_ATTRIBUTE = re.compile(r"'([^']+)' attribute not allowed")
_MISSING_ATTRIBUTE = re.compile(r"missing required attribute '([^']+)'")
_UNKNOWN = "what the schema says"
_LARGE = 1 << 20  # bytes of schemas


class Misfit(NamedTuple):
    """What is wrong with a message: where, the text that stands there, what would be right, and why."""

    path: str
    value: str | None
    allowed: str
    reason: str


class Explainer:
    """Explains with the words of lxml and the details of xmlschema. Threads may share it."""

    def __init__(self, sources: Sequence[bytes], compiled: Callable[[], etree.XMLSchema]) -> None:
        """`sources` are the schemas; `compiled` gives a compiled one of our own."""
        self._sources = sources
        self._make = compiled
        self._lock = Lock()

    @lazy
    def _compiled(self) -> etree.XMLSchema:
        return self._make()

    @lazy
    def _detailed(self) -> xmlschema.XMLSchema | None:
        if sum(map(len, self._sources)) > _LARGE:
            return None  # it would take seconds, for a word more
        return lax.compiled(self._sources)

    def first(self, message: etree._Element) -> Misfit:
        """The first thing that is wrong. Compiling for the words costs 0.2 s, once."""
        with self._lock:  # a schema object keeps the errors of its last run, whichever thread's that was
            self._compiled.validate(message)
            log = self._compiled.error_log
            said = _NAMESPACE.sub("", log[0].message) if len(log) else "not valid"
            where = log[0].path if len(log) else None
            error = None if self._detailed is None else lax.first_error(self._detailed, message)
        if error is None or not isinstance(error.elem, etree._Element):
            return Misfit(*_found(where, message), _expected(said), said)
        return in_words(error, message, said)


def in_words(error: xmlschema.XMLSchemaValidationError, message: etree._Element, said: str = "") -> Misfit:
    """What xmlschema found, with what lxml `said` of it, if it was asked."""
    said = said or _NAMESPACE.sub("", str(error.reason or "not valid"))
    if not isinstance(error.elem, etree._Element):
        return Misfit(local_name(message.tag), None, _UNKNOWN, said)
    path, value = _place(error, error.elem, message)
    counted = _counted(error, error.elem)
    if counted is not None:
        name, allowed, reason = counted
        return Misfit(f"{_path(error.elem, message)}/{name}", value, allowed, reason)
    return Misfit(path, value, _allowed(error, said), said)


def _counted(
    error: xmlschema.XMLSchemaValidationError, element: etree._Element
) -> tuple[str, str, str] | None:
    """The child that stands there too often or too seldom, what the schema takes, and why that is wrong."""
    group = error.validator
    once = getattr(group, "max_occurs", None) == 1
    particles: list[object] = list(group) if once and isinstance(group, Iterable) else []
    for particle in particles:
        tag, least, most = (getattr(particle, key, None) for key in ("name", "min_occurs", "max_occurs"))
        times = sum(1 for child in element if child.tag == tag) if isinstance(tag, str) else 0
        if most is not None and times > most > 0:
            bound = f"{most} at most (maxOccurs)"
        elif least is not None and 0 < times < least:
            bound = f"{least} at least (minOccurs)"
        else:
            continue
        allowed = f"{least} or more of them" if most is None else f"{least} to {most} of them"
        often = "once" if times == 1 else f"{times} times"
        return local_name(tag), allowed, f"it is given {often}, and the contract takes {bound}"
    return None


def _found(where: str | None, message: etree._Element) -> tuple[str, str | None]:
    """The element at lxml's path, and its text."""
    found = message.getroottree().xpath(where) if where else []
    element = found[0] if isinstance(found, list) and found else message
    if not isinstance(element, etree._Element):
        element = message
    return _path(element, message), None if len(element) else element.text or ""


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
    return _expected(said)


def _expected(said: str) -> str:
    expected = said.partition("Expected is ")[2].strip(" .").replace("( ", "").replace(" )", "")
    return expected or _UNKNOWN
