"""Why a message is not valid, in words: where, the value there, and what is allowed instead.

libxml2 finds that a message is wrong, and says little. xmlschema, slower by far, names the facet or the type;
it also accepts schemas that are not quite right (`validation="lax"`). Both are asked only about messages
that were refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from lxml import etree

from soapclient.contract.compiling import XSD, compile_schemas, self_contained
from soapclient.contract.patterns import CostlyPatterns, bound_patterns
from soapclient.forks import Lock, lazy
from soapclient.runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

_UNKNOWN: Final = "what the schema says"

_XSD: Final = f"{{{XSD}}}"
# Facet (XSD 1.0 part 2 4.3) → what a value must be. A length counts characters, bytes or items, by the type.
_FACETS: Final = {
    "pattern": "a text that matches {}",
    "length": "a length of exactly {}",
    "minLength": "a length of at least {}",
    "maxLength": "a length of at most {}",
    "minInclusive": "at least {}",
    "maxInclusive": "at most {}",
    "minExclusive": "more than {}",
    "maxExclusive": "less than {}",
    "totalDigits": "at most {} digits",
    "fractionDigits": "at most {} digits after the point",
}
_FACET_TAGS: Final = {f"{_XSD}{name}" for name in ("enumeration", *_FACETS)}
# libxml2 ends its message on a facet with the facet's value, after the refused value.
_PATTERN: Final = re.compile(r"is not accepted by the pattern '(.*)'\.\Z", re.DOTALL)
_ENUMERATION: Final = re.compile(r"is not an element of the set \{(.*)\}\.\Z", re.DOTALL)
_LIMIT: Final = re.compile(r".*\[facet '(\w+)'\] .*'([^']*)'\)?\.\Z", re.DOTALL)
_TYPE: Final = re.compile(r".* is not a valid value of the \w+ type '(xs:)?(\w[^':]*)'\.\Z", re.DOTALL)
# How libxml2 ends its message on a structural error → what is allowed there.
_STRUCTURE: Final = {
    "is required but missing.": "a value",
    "' is not allowed.": "no attribute of that name",
    "because the type definition is simple.": "a text without elements",
    "because the content type is 'element-only'.": "elements without text between them",
    "The element declaration is abstract.": "an element of its substitution group",
    "This element is not expected.": "no further element",
}
_XSI_TYPE: Final = "{http://www.w3.org/2001/XMLSchema-instance}type"
# What xmlschema raises besides its own exceptions.
_FAILURES: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
_CLARK = re.compile(r"\{([^{}']+)\}")
_STEP = re.compile(r"(?:(?P<prefix>[^:\[\]]+):)?(?P<name>[^:\[\]]+)(?:\[(?P<place>\d+)\])?")
_ATTRIBUTE = re.compile(r"attribute ([^\s=]+)=")
# How libxml2 names an attribute.
_NAMED_ATTRIBUTE = re.compile(r"\A(?:Element '[^']*', attribute|Element '[^']*': The attribute) '([^']+)'")
_UNKNOWN_ATTRIBUTE = re.compile(r"(?:attribute )?'([^']+)' (?:attribute )?not allowed")
_MISSING_ATTRIBUTE = re.compile(r"missing required attribute '([^']+)'")
_LARGE = 1 << 20  # bytes of schemas
_MOST_EFFORT = 20_000  # elements, and squares of the attributes of one; xmlschema takes a second for them


class Violation(NamedTuple):
    """What is not valid in a message: the path, the text there (None: missing), what is allowed, and why."""

    path: str
    value: str | None
    allowed: str
    reason: str


class ValidationAborted(Exception):
    """libxml2 gave up on a message, at the element `at`: a pattern was too expensive."""

    def __init__(self, at: etree._Element) -> None:
        super().__init__(at)
        self.at = at


class Compiled:
    """Schemas compiled by libxml2, whose messages are explained with xmlschema's details. Threads may share
    it."""

    def __init__(self, sources: Sequence[bytes], namespaces: Sequence[str], costly: CostlyPatterns) -> None:
        """`sources` are the schemas, `namespaces` their target namespaces."""
        self.sources = sources
        self._namespaces = namespaces
        self._costly = costly
        self._lock = Lock()
        self._schema = compile_schemas(sources, namespaces)

    @lazy
    def _explaining(self) -> etree.XMLSchema:
        """The same, for one message at a time: a schema object keeps the errors of its last run."""
        return compile_schemas(self.sources, self._namespaces)

    @lazy
    def _detailed(self) -> xmlschema.XMLSchema | None:
        if sum(map(len, self.sources)) > _LARGE:
            return None  # it would take seconds, for little more detail
        return compile_leniently(self.sources, self._costly)

    def violation(self, message: etree._Element) -> Violation | None:
        """The first violation of a message. Compiling for the details costs 0.2 s, once.

        Raises ValidationAborted where libxml2 gives up before it finds one.
        """
        with suppress(etree.XMLSchemaValidateError):
            if self._schema.validate(message):
                return None
        with self._lock:
            reason, where, of_type, attribute = "not valid", None, False, ""
            with suppress(etree.XMLSchemaValidateError):
                self._explaining.validate(message)
            if len(log := self._explaining.error_log):
                if log[0].type == etree.ErrorTypes.SCHEMAV_INTERNAL:
                    raise ValidationAborted(_element(log[0].path, message))
                reason, where = _without_namespaces(log[0].message, message, self._namespaces), log[0].path
                attribute = named[1] if (named := _NAMED_ATTRIBUTE.search(log[0].message)) else ""
                of_type = _XSI_TYPE in log[0].message or "xsi:type" in log[0].message
            self._costly.begin()
            try:
                detailed = self._detailed if _is_small(message) else None
                error = None if detailed is None else first_error(detailed, message)
            except CannotValidate:  # libxml2 has named the type
                error = None
        if of_type and (node := _element(where, message)).get(_XSI_TYPE) is not None:
            return type_violation(node, message, reason)
        found = Violation(*_found(where, message, attribute), _allowed_by_message(reason), reason)
        if error is None or not isinstance(error.elem, etree._Element):
            return found
        explained = violation_of(error, message, reason)
        # Of several violations the two may report different ones first.
        return found if attribute and explained.path != found.path else explained


def type_violation(element: etree._Element, message: etree._Element, reason: str) -> Violation:
    """An `xsi:type` that is not allowed there, such as a new subtype that only the service knows."""
    allowed = "a type of the contract that is derived from the declared one"
    return Violation(f"{_path(element, message)}/@type", element.get(_XSI_TYPE, ""), allowed, reason)


def violation_of(
    error: xmlschema.XMLSchemaValidationError, message: etree._Element, reason: str = ""
) -> Violation:
    """The violation that xmlschema found; `reason` is libxml2's message, if there is one."""
    if not reason:
        reason = _without_namespaces(str(error.reason or "not valid"), message, _spaces_of(error))
    if not isinstance(error.elem, etree._Element):
        return Violation(local_name(message.tag), None, _UNKNOWN, reason)
    path, value = _place(error, error.elem, message)
    counted = _counted(error, error.elem)
    if counted is not None:
        name, allowed, reason = counted
        return Violation(f"{_path(error.elem, message)}/{name}", value, allowed, reason)
    allowed = _allowed_by_validator(error.validator)
    if allowed == _UNKNOWN:
        allowed = _allowed_by_message(reason)
    return Violation(path, value, allowed, reason)


def _without_namespaces(text: str, message: etree._Element, spaces: Collection[str]) -> str:
    """Return a text without the namespaces of a schema and a message; other braces, as in a pattern, stay."""
    known = {*spaces, *(space for node in message.iter("*") for space in node.nsmap.values())}
    return _CLARK.sub(lambda found: "" if found[1] in known else found[0], text)


def _spaces_of(error: xmlschema.XMLSchemaValidationError) -> Collection[str]:
    maps = getattr(error.validator, "maps", None)
    return tuple(getattr(maps, "namespaces", ()))


def _counted(
    error: xmlschema.XMLSchemaValidationError, element: etree._Element
) -> tuple[str, str, str] | None:
    """The child that occurs too often or too seldom: its name, the allowed number, and the reason."""
    group = error.validator
    once = getattr(group, "max_occurs", None) == 1
    particles: list[object] = list(group) if once and isinstance(group, Iterable) else []
    for particle in particles:
        tag, least, most = (getattr(particle, key, None) for key in ("name", "min_occurs", "max_occurs"))
        times = sum(1 for child in element if child.tag == tag) if isinstance(tag, str) else 0
        if most is not None and times > most > 0:
            bound = f"at most {most} (maxOccurs)"
        elif least is not None and 0 < times < least:
            bound = f"at least {least} (minOccurs)"
        else:
            continue
        allowed = f"{least} or more elements" if most is None else f"{least} to {most} elements"
        often = "once" if times == 1 else f"{times} times"
        return local_name(tag), allowed, f"it occurs {often}, the contract allows {bound}"
    return None


def _found(where: str | None, message: etree._Element, attribute: str) -> tuple[str, str | None]:
    """The element at lxml's path and its text, or its attribute, if one is named."""
    element = _element(where, message)
    if attribute:
        return f"{_path(element, message)}/@{local_name(attribute)}", element.get(attribute)
    return _path(element, message), _shown(element)


def _element(where: str | None, message: etree._Element) -> etree._Element:
    """The element at lxml's path, or the last one found on the way to it.

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
    """The path of what is not valid or missing, and the text there."""
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
    """The text of an element; of one with child elements only its name."""
    return f"<{local_name(element.tag)}>…" if len(element) else element.text or ""


def _path(element: etree._Element, message: etree._Element) -> str:
    steps = [local_name(element.tag)]
    while element is not message and (parent := element.getparent()) is not None:
        element = parent
        steps.append(local_name(element.tag))
    return "/".join(reversed(steps))


def compile_leniently(sources: Sequence[bytes], costly: CostlyPatterns) -> xmlschema.XMLSchema | None:
    """Return the schemas compiled by xmlschema; None where it cannot. Nothing is ever fetched."""
    import logging

    import xmlschema

    try:
        first, *others = [
            etree.tostring(etree.fromstring(self_contained(source)), encoding="unicode") for source in sources
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            schema = xmlschema.XMLSchema(
                first, validation="lax", build=False, allow="none", loglevel=logging.CRITICAL
            )
            for other in others:
                schema.add_schema(other)
            schema.build()
            bound_patterns(schema, costly)
    except (xmlschema.XMLSchemaException, etree.XMLSyntaxError, *_FAILURES):
        return None
    return schema


def _is_small(message: etree._Element) -> bool:
    """Whether xmlschema is through with a message soon: it takes long for each element, and of one with many
    attributes describes all of them once for each."""
    effort = 0
    for node in message.iter("*"):
        effort += 1 + len(node.attrib) ** 2
        if effort > _MOST_EFFORT:
            return False
    return True


class CannotValidate(Exception):
    """xmlschema failed on a message."""


def first_error(
    schema: xmlschema.XMLSchema, message: etree._Element, *, values_only: bool = False
) -> xmlschema.XMLSchemaValidationError | None:
    """Return xmlschema's first error for a message; None where it is valid.

    `values_only` leaves out unknown and missing elements: where a schema is ambiguous, which XSD forbids,
    xmlschema may match the wrong declaration. Raises CannotValidate where xmlschema itself fails, as it does
    on an `xsi:type` that names no type.
    """
    import xmlschema
    from xmlschema.validators import XMLSchemaChildrenValidationError

    # It takes lxml's elements, though its hints do not say so.
    errors: Callable[..., Iterator[xmlschema.XMLSchemaValidationError]] = schema.iter_errors
    try:
        for error in errors(message):
            if not (values_only and isinstance(error, XMLSchemaChildrenValidationError)):
                return error
    except (*_FAILURES, xmlschema.XMLSchemaException) as failure:
        raise CannotValidate(str(failure)) from None
    return None


def undeclared_type(schema: xmlschema.XMLSchema, message: etree._Element) -> etree._Element | None:
    """The first element whose `xsi:type` names no type of the schema."""
    for node in message.iter("*"):
        type_name = node.get(_XSI_TYPE)
        if type_name is not None:
            prefix, _, local = type_name.strip().rpartition(":")
            space = node.nsmap.get(prefix or None)
            if (f"{{{space}}}{local}" if space else local) not in schema.maps.types:
                return node
    return None


def _of_facet(facet: str, value: str) -> str:
    return _FACETS[facet].format(value).replace(" 1 digits", " 1 digit")


def _allowed_by_validator(validator: object) -> str:
    """What a type or facet of xmlschema allows; `_UNKNOWN` where that is not known."""
    # A sequence holds the values of an enumeration, alternative patterns, or the parts of a content model.
    parts = list(validator) if isinstance(validator, Sequence) else [getattr(validator, "elem", None)]
    facets = [part for part in parts if part is not None and getattr(part, "tag", None) in _FACET_TAGS]
    if facets:
        facet, values = local_name(str(facets[0].tag)), [str(part.get("value")) for part in facets]
        if facet == "enumeration":
            return "one of " + ", ".join(map(repr, values))
        return _of_facet(facet, " or ".join(values))
    name = getattr(validator, "name", None)
    if isinstance(name, str):
        return f"a value of type {'xsd:' * name.startswith(_XSD)}{local_name(name)}"
    return _UNKNOWN


def _allowed_by_message(text: str) -> str:
    """What is allowed according to libxml2's message; `_UNKNOWN` where it names nothing."""
    if found := _PATTERN.search(text):
        return _of_facet("pattern", found[1])
    if found := _ENUMERATION.search(text):
        return f"one of {found[1]}"
    if (found := _LIMIT.match(text)) and found[1] in _FACETS:
        return _of_facet(found[1], found[2])
    if found := _TYPE.match(text):
        return f"a value of type {'xsd:' if found[1] else ''}{found[2]}"
    for ending, allowed in _STRUCTURE.items():
        if text.endswith(ending):
            return allowed
    expected = text.partition("Expected is ")[2].strip(" .").replace("( ", "").replace(" )", "")
    return expected or _UNKNOWN
