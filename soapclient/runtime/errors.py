"""Errors of decoding and encoding, and the path of a node."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets
from soapclient.runtime.protocols import Node

INVALID = "not an allowed value"
REQUIRED = "it is required"
AS_TEXT = "a string is not allowed"  # the reason if the caller passes a string instead of another Python type
_SHOWN = 120
_PLAIN = (str, int, float, Decimal, dt.date)  # types that errors may hold unchanged: small and picklable


class DecodeError(ValueError):
    """A response does not match the contract.

    `path` is the place of the error (`GetThingsResponse/things/thing[3]/price`). `value` is the text at this
    place; None if an element or attribute is missing. `expected` describes the allowed values. `skippable` is
    True for an invalid value of an optional field: with the setting `on_invalid_value`, the decoder can skip
    such values.

    >>> from lxml import etree
    >>> from soapclient.runtime import CountingReader, DecodeError
    >>> from weather.service import GET_WEATHER  # bindgen init weather --file weather.wsdl
    >>> recorded = '''<GetWeatherResponse xmlns="urn:example:weather">
    ...     <degrees>warm</degrees>
    ... </GetWeatherResponse>'''
    >>> try:
    ...     GET_WEATHER.read_response(etree.fromstring(recorded), CountingReader())
    ... except DecodeError as error:
    ...     print(error.path, error.value)
    GetWeatherResponse/degrees warm
    """

    def __init__(self, path: str, value: str | None, expected: str, *, skippable: bool = False) -> None:
        super().__init__(path, value, expected)
        self.skippable = skippable
        self.path = path
        self.value = value
        self.expected = expected

    def __str__(self) -> str:
        received = "nothing" if self.value is None else shown(self.value)
        if self.value is not None and is_secret(self.path):
            received = NOT_SHOWN
        return f"{self.path}: found {received}, expected {self.expected}"


class EncodeError(ValueError):
    """A value is not valid for a field of a request.

    `path` is the field (`GetThingsRequest/date`) and `value` the invalid value. A value that is not a string,
    a number or a date is replaced by its repr. If the field's name indicates a secret, the value is replaced
    by a placeholder. `reason` is the problem. `allowed` describes the valid values; it is "" if `reason`
    already does.

    >>> from lxml import etree
    >>> from soapclient.runtime import EncodeError
    >>> from weather.service import GET_WEATHER  # bindgen init weather --file weather.wsdl
    >>> request = GET_WEATHER.request_type(city=5)
    >>> try:
    ...     GET_WEATHER.write_request(request, etree.Element(GET_WEATHER.request_tag), "GetWeather")
    ... except EncodeError as error:
    ...     print(error)
    GetWeather/city must be text (xsd:string), got 5
    """

    def __init__(self, path: str, value: object, allowed: str, reason: str = INVALID) -> None:
        if value is not None and is_secret(path):
            value = NOT_SHOWN
        elif value is not None and not isinstance(value, _PLAIN):
            value = shown(value)
        super().__init__(path, value, allowed, reason)
        self.path = path
        self.value = value
        self.allowed = allowed
        self.reason = reason

    def __str__(self) -> str:
        if self.reason == REQUIRED:
            return f"{self.path} is required" + ("" if self.allowed == "a value" else f": {self.allowed}")
        received = self.value if self.value == NOT_SHOWN else shown(self.value)
        if not self.allowed:
            return f"{self.path}: {self.reason} (got {received})"
        if self.reason in (INVALID, AS_TEXT):
            kind = "the string " if self.reason == AS_TEXT else ""
            return f"{self.path} must be {self.allowed}, got {kind}{received}"
        return f"{self.path}: {self.reason} (got {received}; allowed: {self.allowed})"


def shown(value: object) -> str:
    """Return the repr of a value for an error message, shortened and without secrets."""
    text = repr(value) if isinstance(value, _PLAIN) else without_secrets(repr(value))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def local_name(tag: object) -> str:
    """Return the local name of a tag: `{namespace}name` → `name`."""
    return str(tag).rpartition("}")[2]


def path_of(node: Node, *, index: bool = True) -> str:
    """Return the path of a node from the top of its message, with local names.

    The SOAP envelope and its body are left out. With `index`, an element that has siblings with the
    same tag gets its position among them, counted from 1: `thing[3]`.

    >>> from lxml import etree
    >>> from soapclient.runtime import path_of
    >>> things = etree.fromstring("<things><thing/><thing><price/></thing></things>")
    >>> print(path_of(things[1][0]), path_of(things[1][0], index=False))
    things/thing[2]/price things/thing/price
    """
    steps: list[str] = []
    current: Node | None = node
    while current is not None:
        parent = current.getparent()
        name = local_name(current.tag)
        if name == "Body" and parent is not None and local_name(parent.tag) == "Envelope":
            break
        if index and parent is not None:
            siblings = [sibling for sibling in parent if sibling.tag == current.tag]
            if len(siblings) > 1:
                name = f"{name}[{next(n for n, sibling in enumerate(siblings, 1) if sibling is current)}]"
        steps.append(name)
        current = parent
    return "/".join(reversed(steps))


def repeated(node: Node) -> DecodeError:
    """Return the error for an element that occurs more than once although only one is allowed."""
    return DecodeError(path_of(node), node.text, f"at most one {local_name(node.tag)}")


def absent(node: Node, name: str) -> DecodeError:
    """Return the error for a required element or attribute that is missing."""
    return DecodeError(f"{path_of(node)}/{name}", None, "a value, because it is required")
