"""Validate messages, and explain violations: the path, the value, and the allowed values.

- libxml2 validates every message. It is fast, but its explanations are short and sometimes wrong.
- If libxml2 refuses a message, xmlschema validates it again. It is much slower, but names the facet or the
  type. If xmlschema accepts the message, the message is valid.
- If libxml2 accepts a message, xmlschema checks only its keys (unique, key, keyref), if the schema has keys.

xmlschema can also compile schemas with small errors (`validation="lax"`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from lxml import etree

from soapclient._support.forks import Lock, lazy
from soapclient._support.lazy_pattern import LazyPattern
from soapclient.contract.compiling import XSD, compile_schemas, self_contained
from soapclient.contract.patterns import CostlyPatterns, bound_patterns
from soapclient.runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

_UNKNOWN: Final = "a value that is valid according to the schema"

_XSD: Final = f"{{{XSD}}}"
# Facet (XSD 1.0 part 2 4.3) → allowed values. Lengths count characters, bytes or items, by the type.
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
# A libxml2 message about a facet ends with the facet's value, after the refused value.
_PATTERN: Final = LazyPattern(r"is not accepted by the pattern '(.*)'\.\Z", re.DOTALL)
_ENUMERATION: Final = LazyPattern(r"is not an element of the set \{(.*)\}\.\Z", re.DOTALL)
_LIMIT: Final = LazyPattern(r".*\[facet '(\w+)'\] .*'([^']*)'\)?\.\Z", re.DOTALL)
_TYPE: Final = LazyPattern(r".* is not a valid value of the \w+ type '(xs:)?(\w[^':]*)'\.\Z", re.DOTALL)
# End of a libxml2 message about a structural error → what is allowed.
_STRUCTURE: Final = {
    "is required but missing.": "a value",
    "' is not allowed.": "an attribute that the contract declares",
    "because the type definition is simple.": "a text without elements",
    "because the content type is 'element-only'.": "elements without text between them",
    "The element declaration is abstract.": "an element of its substitution group",
    "This element is not expected.": "no further element",
}
_XSI_TYPE: Final = "{http://www.w3.org/2001/XMLSchema-instance}type"
_CONSTRAINTS: Final = tuple(f"{_XSD}{name}" for name in ("unique", "key", "keyref"))
_CONSTRAINT_STARTS: Final = (b":key", b"<key", b":unique", b"<unique")  # with a prefix, and without one
# xmlschema's messages about a duplicate key, a missing key, and a keyref without a key.
_KEY_ERROR: Final = LazyPattern(
    r"(?P<duplicate>duplicated value .*) for Xsd(?P<kind>Unique|Key)\(name='(?P<name>.*)'\)"
    r"|value .* not found for Xsd(?P<referred>Unique|Key)\(name='(?P<key>.*)'\)"
    r"|missing key field '(?P<field>.*)' for ",
    re.DOTALL,
)
# A value of several fields in which a field is absent.
_ABSENT: Final = LazyPattern(r"[(,] ?None[,)]")
# Exceptions that xmlschema raises besides its own.
_FAILURES: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
_CLARK = LazyPattern(r"\{([^{}']+)\}")
_STEP = LazyPattern(r"(?:(?P<prefix>[^:\[\]]+):)?(?P<name>[^:\[\]]+)(?:\[(?P<place>\d+)\])?")
_ATTRIBUTE = LazyPattern(r"attribute ([^\s=]+)=")
# The name of an attribute in a libxml2 message.
_NAMED_ATTRIBUTE = LazyPattern(r"\A(?:Element '[^']*', attribute|Element '[^']*': The attribute) '([^']+)'")
_UNKNOWN_ATTRIBUTE = LazyPattern(r"(?:attribute )?'([^']+)' (?:attribute )?not allowed")
_MISSING_ATTRIBUTE = LazyPattern(r"missing required attribute '([^']+)'")
_LARGE = 1 << 20  # maximum size of schemas for xmlschema, bytes
_MOST_EFFORT = 20_000  # about a second of xmlschema: elements, and squares of their numbers of attributes


class Violation(NamedTuple):
    """A violation of a schema: the place, the value and the allowed values.

    `value` is the text at `path`, or None if the element or attribute is missing.
    """

    path: str
    value: str | None
    allowed: str
    reason: str


class ValidationAborted(Exception):
    """Raised if libxml2 stopped validating a message at the element `at`, because a pattern took too long."""

    def __init__(self, at: etree._Element) -> None:
        super().__init__(at)
        self.at = at


class Compiled:
    """Compiled schemas. libxml2 finds violations with them, and xmlschema explains these. Thread-safe."""

    def __init__(self, sources: Sequence[bytes], namespaces: Sequence[str], costly: CostlyPatterns) -> None:
        """Compile the schemas `sources`, whose target namespaces are `namespaces`.

        `costly` records the patterns that take too long to match.
        """
        self.sources = sources
        self._has_keys = any(_has_keys(source) for source in sources)
        self._namespaces = namespaces
        self._costly = costly
        self._lock = Lock()
        self._schema = compile_schemas(sources, namespaces)

    @lazy
    def _explaining(self) -> etree.XMLSchema:
        """A second copy of the compiled schemas. Only one thread at a time may use it.

        Errors are read from the error log of this copy. The error log of `_schema` cannot be used: all
        threads use `_schema` at the same time, so it can have errors of another thread's message.
        """
        return compile_schemas(self.sources, self._namespaces)

    @lazy
    def _detailed(self) -> xmlschema.XMLSchema | None:
        if sum(map(len, self.sources)) > _LARGE:
            return None  # compiling would take seconds, and gives only few details
        return compile_leniently(self.sources, self._costly, self._namespaces)

    def violation(self, message: etree._Element) -> Violation | None:
        """Return the first violation in a message; None if it is valid.

        The first call that finds a violation takes 0.2 s longer, because it compiles the schemas with
        xmlschema. Raises ValidationAborted if libxml2 stops before it finds a violation.
        """
        with suppress(etree.XMLSchemaValidateError):
            if self._schema.validate(message):
                return self._key_violation(message) if self._has_keys else None
        with self._lock:
            reason, path, of_type, attribute = "not valid", None, False, ""
            with suppress(etree.XMLSchemaValidateError):
                self._explaining.validate(message)
            if len(log := self._explaining.error_log):
                if log[0].type == etree.ErrorTypes.SCHEMAV_INTERNAL:
                    raise ValidationAborted(_element(log[0].path, message))
                reason, path = _without_namespaces(log[0].message, message, self._namespaces), log[0].path
                attribute = match[1] if (match := _NAMED_ATTRIBUTE.search(log[0].message)) else ""
                of_type = _XSI_TYPE in log[0].message or "xsi:type" in log[0].message
            self._costly.begin()
            try:
                detailed = self._detailed if _is_small(message, keys=self._has_keys) else None
                error = None if detailed is None else first_error(detailed, message)
                if error is None and detailed is not None and self._may_overrule(detailed):
                    return None
            except CannotValidate:  # libxml2's message names the type
                error = None
        if of_type and (node := _element(path, message)).get(_XSI_TYPE) is not None:
            return type_violation(node, message, reason)
        by_libxml2 = Violation(*_location(path, message, attribute), _allowed_by_message(reason), reason)
        if error is None or not isinstance(error.elem, etree._Element):
            return by_libxml2
        explained = violation_of(error, message, reason)
        # If there are several violations, libxml2 and xmlschema can report different ones first.
        return by_libxml2 if attribute and explained.path != by_libxml2.path else explained

    def _key_violation(self, message: etree._Element) -> Violation | None:
        """Return the first violation of a unique, key or keyref in a message that libxml2 accepts.

        Returns None if there is none, or if xmlschema cannot check the message.
        """
        with self._lock:
            if not _is_small(message, keys=True) or (detailed := self._detailed) is None:
                return None
            self._costly.begin()
            try:
                error = first_error(detailed, message, keys_only=True)
            except CannotValidate:
                return None
        return None if error is None else violation_of(error, message)

    def _may_overrule(self, detailed: xmlschema.XMLSchema) -> bool:
        """Return True if xmlschema has the last word on a message that it accepts and libxml2 refuses.

        `detailed` are the schemas that xmlschema has compiled. Its verdict counts if it found no errors in
        these schemas and has checked all patterns.
        """
        return not detailed.all_errors and not self._costly.stopped_any


def type_violation(element: etree._Element, message: etree._Element, reason: str) -> Violation:
    """Return the violation for an `xsi:type` that is not allowed, such as a type unknown to the contract.

    `element` has the `xsi:type`, `message` contains the element, and `reason` is the reason to show.
    """
    allowed = "a type of the contract that is derived from the declared type"
    return Violation(f"{_path(element, message)}/@type", element.get(_XSI_TYPE, ""), allowed, reason)


def violation_of(
    error: xmlschema.XMLSchemaValidationError, message: etree._Element, reason: str = ""
) -> Violation:
    """Convert an xmlschema error to a violation. `message` is the validated XML.

    `reason` is the text of libxml2's error for the same message; "" if there is none.
    """
    if not reason:
        reason = _without_namespaces(str(error.reason or "not valid"), message, _spaces_of(error))
    if not isinstance(error.elem, etree._Element):
        return Violation(local_name(message.tag), None, _UNKNOWN, reason)
    path, value = _place(error, error.elem, message)
    if match := _KEY_ERROR.search(str(error.reason)):
        return Violation(path, None, *_explain_key(match))
    counted = _wrong_count(error, error.elem)
    if counted is not None:
        name, allowed, reason = counted
        return Violation(f"{_path(error.elem, message)}/{name}", value, allowed, reason)
    allowed = _allowed_by_validator(error.validator)
    if allowed == _UNKNOWN:
        allowed = _allowed_by_message(reason)
    return Violation(path, value, allowed, reason)


def _explain_key(match: re.Match[str]) -> tuple[str, str]:
    """Return the allowed values and the reason for an error about a key.

    `match` is the match of `_KEY_ERROR` in the text of the error. The result does not contain the value of
    the key, because the value may be a secret.
    """
    if match["field"] is not None:
        return "", f"{_CLARK.sub('', match['field'])} is required, because it is part of a key"
    name = match["name"] or match["key"]
    key = f"{(match['kind'] or match['referred']).lower()} {name.rpartition(':')[2]!r}"
    if match["key"] is not None:
        return f"a value of the {key}", "no element has the value that it refers to"
    return f"unique values ({key})", "a value occurs twice"


def _has_keys(source: bytes) -> bool:
    if not any(start in source for start in _CONSTRAINT_STARTS):
        return False
    return next(etree.fromstring(source).iter(*_CONSTRAINTS), None) is not None


def _without_namespaces(text: str, message: etree._Element, spaces: Collection[str]) -> str:
    """Remove namespaces from the names in `text`: `{urn:x}name` becomes `name`.

    Removes the namespaces that `message` declares, and the namespaces `spaces`. Keeps other braces, which
    occur in patterns.
    """
    namespaces = {*spaces, *(space for node in message.iter("*") for space in node.nsmap.values())}
    return _CLARK.sub(lambda match: "" if match[1] in namespaces else match[0], text)


def _spaces_of(error: xmlschema.XMLSchemaValidationError) -> Collection[str]:
    maps = getattr(error.validator, "maps", None)
    return tuple(getattr(maps, "namespaces", ()))


def _wrong_count(
    error: xmlschema.XMLSchemaValidationError, element: etree._Element
) -> tuple[str, str, str] | None:
    """Explain an error about a child that occurs too often or too rarely.

    Returns the name of the child, the number that is allowed, and the reason to show.

    Returns None if `error` has another cause. `element` is the parent of the child element.
    """
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
        return local_name(tag), allowed, f"it occurs {often}, but the contract allows {bound}"
    return None


def _location(where: str | None, message: etree._Element, attribute: str) -> tuple[str, str | None]:
    """Return the path of an element or attribute, as shown in errors, and its text.

    `where` is the path of the element in libxml2's error. If `attribute` is "", the result is about this
    element, otherwise about its attribute with this name.
    """
    element = _element(where, message)
    if attribute:
        return f"{_path(element, message)}/@{local_name(attribute)}", element.get(attribute)
    return _path(element, message), _shown(element)


def _element(where: str | None, message: etree._Element) -> etree._Element:
    """Return the element at the path `where` in libxml2's error, or its last ancestor that exists.

    libxml2 creates the path with xmlGetNodePath, for example `/p:Order/*/p:item[2]`. The first step is
    `message`. The prefixes are the prefixes in the document. `*` is any element in a default namespace.
    This function does not use XPath, which would need the namespaces of all prefixes.
    """
    element = message
    for step in (where or "").split("/")[2:]:
        match = _STEP.fullmatch(step)
        same = [child for child in element.iterchildren("*") if match and _is_step(child, match)]
        place = int(match["place"] or 1) if match else 0
        if not 0 < place <= len(same):  # an attribute
            break
        element = same[place - 1]
    return element


def _is_step(child: etree._Element, step: re.Match[str]) -> bool:
    if step["name"] == "*":
        return True
    return child.prefix == step["prefix"] and local_name(child.tag) == step["name"]


def _place(
    error: xmlschema.XMLSchemaValidationError, element: etree._Element, message: etree._Element
) -> tuple[str, str | None]:
    """Return the path and the text of the invalid or missing element or attribute.

    If it is missing, the text is None. `element` is the element with the error, inside `message`.
    """
    reason = str(error.reason)
    if match := _MISSING_ATTRIBUTE.search(reason):
        return f"{_path(element, message)}/@{local_name(match[1])}", None
    if match := _UNKNOWN_ATTRIBUTE.search(reason):
        return f"{_path(element, message)}/@{local_name(match[1])}", element.get(match[1], "")
    if match := _ATTRIBUTE.match(reason):
        return f"{_path(element, message)}/@{local_name(match[1])}", str(error.obj)
    child = getattr(error, "invalid_child", None)
    if isinstance(child, etree._Element):
        return _path(child, message), _shown(child)
    expected = getattr(error, "expected", None)
    if expected:
        missing = getattr(next(iter(expected)), "local_name", None)
        return f"{_path(element, message)}/{missing}" if missing else _path(element, message), None
    return _path(element, message), _shown(element)


def _shown(element: etree._Element) -> str:
    """Return the text of an element, to be shown in an error; its name if it has child elements."""
    return f"<{local_name(element.tag)}>…" if len(element) else element.text or ""


def _path(element: etree._Element, message: etree._Element) -> str:
    steps = [local_name(element.tag)]
    while element is not message and (parent := element.getparent()) is not None:
        element = parent
        steps.append(local_name(element.tag))
    return "/".join(reversed(steps))


def compile_leniently(
    sources: Sequence[bytes], costly: CostlyPatterns, spaces: Collection[str] = ()
) -> xmlschema.XMLSchema | None:
    """Compile the schemas with xmlschema, which accepts small errors in them. Return None if that fails.

    Nothing is downloaded. The schemas can use the namespaces `spaces` without an import.
    """
    import logging

    import xmlschema

    try:
        first, *others = [
            etree.tostring(etree.fromstring(self_contained(source, spaces)), encoding="unicode")
            for source in sources
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


def _is_small(message: etree._Element, *, keys: bool = False) -> bool:
    """Return True if xmlschema can validate a message in about a second.

    The time grows with the number of elements and with the square of the number of attributes of an element.
    `keys` is True if the schema has keys. The time then also grows with the depth of each element.
    """
    effort = 0
    levels: dict[etree._Element, int] = {}
    for node in message.iter("*"):
        effort += 1 + len(node.attrib) ** 2
        if keys:
            parent = node.getparent()
            levels[node] = 0 if node is message or parent is None else levels[parent] + 1
            effort += levels[node]
        if effort > _MOST_EFFORT:
            return False
    return True


class CannotValidate(Exception):
    """Raised if xmlschema cannot validate a message, for example because of an unknown `xsi:type`."""


def first_error(
    schema: xmlschema.XMLSchema,
    message: etree._Element,
    *,
    values_only: bool = False,
    keys_only: bool = False,
) -> xmlschema.XMLSchemaValidationError | None:
    """Return xmlschema's first error for a message; None if there are no errors.

    - `values_only`: ignore errors about unknown and missing elements. These errors can be wrong for an
      ambiguous schema, which XSD forbids: xmlschema may match an element with the wrong declaration.
    - `keys_only`: ignore all errors except errors about keys.

    Raises CannotValidate if xmlschema itself fails, for example for an unknown `xsi:type`.
    """
    import xmlschema
    from xmlschema.validators import XMLSchemaChildrenValidationError

    # xmlschema accepts lxml's elements, but its type hints do not include them.
    errors: Callable[..., Iterator[xmlschema.XMLSchemaValidationError]] = schema.iter_errors
    try:
        for error in errors(message):
            if values_only and isinstance(error, XMLSchemaChildrenValidationError):
                continue
            if _is_wrong_about_keys(error):
                continue
            if not keys_only or _KEY_ERROR.search(str(error.reason)):
                return error
    except (*_FAILURES, xmlschema.XMLSchemaException) as failure:
        raise CannotValidate(str(failure)) from None
    return None


def _is_wrong_about_keys(error: xmlschema.XMLSchemaValidationError) -> bool:
    """Return True if `error` is a duplicate in a `unique` that xmlschema reports by mistake.

    A `unique` applies only to elements that have all fields of the constraint (XSD 1.0 part 1, section
    3.11.4). xmlschema also applies a `unique` to elements without some of these fields.
    """
    match = _KEY_ERROR.search(str(error.reason))
    return bool(match and match["kind"] == "Unique" and _ABSENT.search(match["duplicate"]))


def undeclared_type(schema: xmlschema.XMLSchema, message: etree._Element) -> etree._Element | None:
    """Return the first element of a message whose `xsi:type` is not a type of the schema."""
    for node in message.iter("*"):
        type_name = node.get(_XSI_TYPE)
        if type_name is not None:
            prefix, _, local = type_name.strip().rpartition(":")
            space = node.nsmap.get(prefix or None)
            if (f"{{{space}}}{local}" if space else local) not in schema.maps.types:
                return node
    return None


def _describe_facet(facet: str, value: str) -> str:
    return _FACETS[facet].format(value).replace(" 1 digits", " 1 digit")


def _allowed_by_validator(validator: object) -> str:
    """Describe the values that a type or facet of xmlschema allows. Returns `_UNKNOWN` if that fails."""
    # A sequence contains the values of an enumeration, alternative patterns, or the parts of a content model.
    parts = list(validator) if isinstance(validator, Sequence) else [getattr(validator, "elem", None)]
    facets = [part for part in parts if part is not None and getattr(part, "tag", None) in _FACET_TAGS]
    if facets:
        facet, values = local_name(str(facets[0].tag)), [str(part.get("value")) for part in facets]
        if facet == "enumeration":
            return "one of " + ", ".join(map(repr, values))
        return _describe_facet(facet, " or ".join(values))
    name = getattr(validator, "name", None)
    if isinstance(name, str):
        return f"a value of type {'xsd:' * name.startswith(_XSD)}{local_name(name)}"
    return _UNKNOWN


def _allowed_by_message(text: str) -> str:
    """Describe the values that libxml2's message says are allowed. Returns `_UNKNOWN` if that fails."""
    if match := _PATTERN.search(text):
        return _describe_facet("pattern", match[1])
    if match := _ENUMERATION.search(text):
        return f"one of {match[1]}"
    if (match := _LIMIT.match(text)) and match[1] in _FACETS:
        return _describe_facet(match[1], match[2])
    if match := _TYPE.match(text):
        return f"a value of type {'xsd:' if match[1] else ''}{match[2]}"
    for ending, allowed in _STRUCTURE.items():
        if text.endswith(ending):
            return allowed
    expected = text.partition("Expected is ")[2].strip(" .").replace("( ", "").replace(" )", "")
    return expected or _UNKNOWN
