"""What is wrong with a message that the schema refuses, in words: slow, and asked for only then."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from soapclient.contract import allowed, lax
from soapclient.contract.patterns import TooMuch
from soapclient.forks import Lock, lazy
from soapclient.runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

_CLARK = re.compile(r"\{([^{}']+)\}")
_STEP = re.compile(r"(?:(?P<prefix>[^:\[\]]+):)?(?P<name>[^:\[\]]+)(?:\[(?P<place>\d+)\])?")
_ATTRIBUTE = re.compile(r"attribute ([^\s=]+)=")
# As libxml2 names the attribute that it speaks of.
_ITS_ATTRIBUTE = re.compile(r"\A(?:Element '[^']*', attribute|Element '[^']*': The attribute) '([^']+)'")
_XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_UNKNOWN_ATTRIBUTE = re.compile(r"(?:attribute )?'([^']+)' (?:attribute )?not allowed")
_MISSING_ATTRIBUTE = re.compile(r"missing required attribute '([^']+)'")
_LARGE = 1 << 20  # bytes of schemas


class Misfit(NamedTuple):
    """What is wrong with a message: where, the text that stands there, what would be right, and why."""

    path: str
    value: str | None
    allowed: str
    reason: str


class Stuck(Exception):
    """libxml2 came to no end with a message: at the element `at`."""

    def __init__(self, at: etree._Element) -> None:
        super().__init__(at)
        self.at = at


class Explainer:
    """Explains with the words of lxml and the details of xmlschema. Threads may share it."""

    def __init__(
        self, sources: Sequence[bytes], compiled: Callable[[], etree.XMLSchema], too_much: TooMuch
    ) -> None:
        """`sources` are the schemas; `compiled` gives a compiled one of our own."""
        self._sources = sources
        self._too_much = too_much
        self._make = compiled
        self._lock = Lock()

    @lazy
    def _compiled(self) -> etree.XMLSchema:
        return self._make()

    @lazy
    def _detailed(self) -> xmlschema.XMLSchema | None:
        if sum(map(len, self._sources)) > _LARGE:
            return None  # it would take seconds, for a word more
        return lax.compiled(self._sources, self._too_much)

    @lazy
    def _spaces(self) -> frozenset[str]:
        return frozenset(etree.fromstring(source).get("targetNamespace", "") for source in self._sources)

    def first(self, message: etree._Element) -> Misfit:
        """The first thing that is wrong. Compiling for the words costs 0.2 s, once.

        Raises Stuck where libxml2 finds nothing before it gives up.
        """
        with self._lock:  # a schema object keeps the errors of its last run, whichever thread's that was
            said, where, of_type, attribute = "not valid", None, False, ""
            with suppress(etree.XMLSchemaValidateError):
                self._compiled.validate(message)
            if len(log := self._compiled.error_log):
                if log[0].type == etree.ErrorTypes.SCHEMAV_INTERNAL:
                    raise Stuck(_element(log[0].path, message))
                said, where = _without_namespaces(log[0].message, message, self._spaces), log[0].path
                attribute = named[1] if (named := _ITS_ATTRIBUTE.search(log[0].message)) else ""
                of_type = _XSI_TYPE in log[0].message or "xsi:type" in log[0].message
            self._too_much.begin()
            try:
                error = None if self._detailed is None else lax.first_error(self._detailed, message)
            except lax.Unable:  # where libxml2 found the type, it said so
                error = None
        if of_type and (node := _element(where, message)).get(_XSI_TYPE) is not None:
            return wrong_type(node, message, said)
        found = Misfit(*_found(where, message, attribute), allowed.by_words(said), said)
        if error is None or not isinstance(error.elem, etree._Element):
            return found
        explained = in_words(error, message, said)
        # Of several things that are wrong the two may name different ones first.
        return found if attribute and explained.path != found.path else explained


def wrong_type(element: etree._Element, message: etree._Element, said: str) -> Misfit:
    """An `xsi:type` that may not stand there, as new subtypes have that only the service knows."""
    takes = "a type that the contract has and that fits there"
    return Misfit(f"{_path(element, message)}/@type", element.get(_XSI_TYPE, ""), takes, said)


def in_words(error: xmlschema.XMLSchemaValidationError, message: etree._Element, said: str = "") -> Misfit:
    """What xmlschema found, with what lxml `said` of it, if it was asked."""
    if not said:
        said = _without_namespaces(str(error.reason or "not valid"), message, _spaces_of(error))
    if not isinstance(error.elem, etree._Element):
        return Misfit(local_name(message.tag), None, allowed.UNKNOWN, said)
    path, value = _place(error, error.elem, message)
    counted = _counted(error, error.elem)
    if counted is not None:
        name, takes, reason = counted
        return Misfit(f"{_path(error.elem, message)}/{name}", value, takes, reason)
    takes = allowed.by_validator(error.validator)
    return Misfit(path, value, allowed.by_words(said) if takes == allowed.UNKNOWN else takes, said)


def _without_namespaces(said: str, message: etree._Element, spaces: Collection[str]) -> str:
    """A sentence without the namespaces of a schema and a message: other braces, as in a pattern, stay."""
    known = {*spaces, *(space for node in message.iter("*") for space in node.nsmap.values())}
    return _CLARK.sub(lambda found: "" if found[1] in known else found[0], said)


def _spaces_of(error: xmlschema.XMLSchemaValidationError) -> Collection[str]:
    maps = getattr(error.validator, "maps", None)
    return tuple(getattr(maps, "namespaces", ()))


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
        takes = f"{least} or more elements" if most is None else f"{least} to {most} elements"
        often = "once" if times == 1 else f"{times} times"
        return local_name(tag), takes, f"it is given {often}, and the contract takes {bound}"
    return None


def _found(where: str | None, message: etree._Element, attribute: str) -> tuple[str, str | None]:
    """The element at lxml's path and its text, or its attribute, if one is named."""
    element = _element(where, message)
    if attribute:
        return f"{_path(element, message)}/@{local_name(attribute)}", element.get(attribute)
    return _path(element, message), _shown(element)


def _element(where: str | None, message: etree._Element) -> etree._Element:
    """The element at lxml's path, or the last that is on the way to it.

    The path is that of the message as a document of its own. Its prefixes are the document's, and `*` is what
    has a default namespace (libxml2's xmlGetNodePath): no XPath finds both without a list of namespaces.
    """
    element = message
    for step in (where or "").split("/")[2:]:
        found = _STEP.fullmatch(step)
        same = [child for child in element.iterchildren("*") if found and _is_step(child, found)]
        place = int(found["place"] or 1) if found else 0
        if not 0 < place <= len(same):  # an attribute
            break
        element = same[place - 1]
    return element


def _is_step(child: etree._Element, found: re.Match[str]) -> bool:
    if found["name"] == "*":
        return True
    return child.prefix == found["prefix"] and local_name(child.tag) == found["name"]


def _place(
    error: xmlschema.XMLSchemaValidationError, element: etree._Element, message: etree._Element
) -> tuple[str, str | None]:
    """The path of what is wrong, be it missing, and the text there."""
    reason = str(error.reason)
    if found := _MISSING_ATTRIBUTE.search(reason):
        return f"{_path(element, message)}/@{local_name(found[1])}", None
    if found := _UNKNOWN_ATTRIBUTE.search(reason):
        return f"{_path(element, message)}/@{local_name(found[1])}", element.get(found[1], "")
    if found := _ATTRIBUTE.match(reason):
        return f"{_path(element, message)}/@{local_name(found[1])}", str(error.obj)
    child = getattr(error, "invalid_child", None)
    if isinstance(child, etree._Element):
        return _path(child, message), _shown(child)
    expected = getattr(error, "expected", None)
    if expected:
        missing = getattr(next(iter(expected)), "local_name", None)
        return f"{_path(element, message)}/{missing}" if missing else _path(element, message), None
    return _path(element, message), _shown(element)


def _shown(element: etree._Element) -> str:
    """The text of an element; one with elements in it is there as well, but too much to be shown."""
    return f"<{local_name(element.tag)}>…" if len(element) else element.text or ""


def _path(element: etree._Element, message: etree._Element) -> str:
    steps = [local_name(element.tag)]
    while element is not message and (parent := element.getparent()) is not None:
        element = parent
        steps.append(local_name(element.tag))
    return "/".join(reversed(steps))
