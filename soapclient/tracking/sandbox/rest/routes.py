"""Descriptions of REST resources (`Route`, `Parameter`, `Body`), and the function that finds a route."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ..berlin import midnight
from ..faults import Code, InvalidValue
from ..payload import Scalar, Value
from ..requests import QUERY_NAMES

# A tuple of strings is an enumeration, spelled as in the contract. `instant` is a day that the contract
# declares as a date-time: midnight in Berlin.
Kind = Literal["int", "bool", "text", "instant", "date"] | tuple[str, ...]
_INT = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a path or query.

    `name` is its name in the request, `field` the name of the field that the handler gets. `many` is "comma"
    if several values are separated by commas, "repeated" if the parameter is repeated for each value, and ""
    if only one value is allowed.
    """

    name: str
    field: str
    kind: Kind = "text"
    many: Literal["", "comma", "repeated"] = ""
    required: bool = False


def from_query(
    parameters: Sequence[Parameter], query: Iterable[tuple[str, str]], *, default: dict[str, Value]
) -> dict[str, Value]:
    """Convert a query to request fields. Return these fields and the fields in `default` in one dict.

    `query` has (name, decoded value) pairs. Names are compared without regard to case. Authentication
    parameters are skipped. Raises `InvalidValue` 230 if a parameter is unknown, repeated, missing or invalid.
    """
    by_name = {parameter.name.lower(): parameter for parameter in parameters}
    sent: dict[str, list[str]] = {}
    for name, text in query:
        if name.lower() not in QUERY_NAMES:
            sent.setdefault(name.lower(), []).append(text)
    fields = dict(default)
    for name, texts in sent.items():
        parameter = by_name.get(name)
        if parameter is None:
            allowed = ", ".join(item.name for item in parameters) or "none"
            raise InvalidValue(Code.BAD_PARAMETER, f"{name[:60]}: unknown parameter; allowed: {allowed}")
        fields[parameter.field] = _value(parameter, texts)
    for parameter in parameters:
        if parameter.required and parameter.name.lower() not in sent:
            raise InvalidValue(Code.BAD_PARAMETER, f"{parameter.name}: this parameter is required")
    return fields


def _value(parameter: Parameter, texts: list[str]) -> Value:
    """Convert `texts`, the texts of a parameter in a request. Returns a list if several values are allowed.

    Raises `InvalidValue` 230 if a value is invalid, or if there are several values but only one is allowed.
    """
    if parameter.many == "repeated":
        return [read(parameter, text) for text in texts]
    if len(texts) > 1:
        raise InvalidValue(
            Code.BAD_PARAMETER,
            f"{parameter.name}: this parameter was sent {len(texts)} times, but only one value is allowed",
        )
    if parameter.many == "comma":
        return [read(parameter, part.strip()) for part in texts[0].split(",")]
    return read(parameter, texts[0])


def read(parameter: Parameter, text: str) -> Scalar:
    """Convert the text of one value to the parameter's type. Raises `InvalidValue` 230 if it is invalid."""
    kind = parameter.kind
    if kind == "text":
        if _NO_XML.search(text):
            raise _wrong(parameter, text, "a text with characters that XML does not allow")
        return text
    if kind == "int":
        if _INT.fullmatch(text) and -(2**31) <= int(text) < 2**31:
            return int(text)
        raise _wrong(parameter, text, "not an integer that fits in 32 bits")
    if kind == "bool":
        if text.lower() in _FLAGS:
            return _FLAGS[text.lower()]
        raise _wrong(parameter, text, "neither true nor false")
    if kind in ("instant", "date"):
        return _day(parameter, text)
    return _choice(parameter, kind, text)


def _day(parameter: Parameter, text: str) -> Scalar:
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text)
            return midnight(day) if parameter.kind == "instant" else day
    except (ValueError, OverflowError):
        pass
    raise _wrong(parameter, text, "not a date such as 2026-11-03")


def _choice(parameter: Parameter, choices: str | tuple[str, ...], text: str) -> str:
    """Return the element of `choices` that equals `text`, ignoring case and underscores.

    The service compares in this way (`docs/explanation/service.md#rest-forms`).
    """
    normalized = text.replace("_", "").lower()
    for choice in choices:
        if choice.lower() == normalized:
            return choice
    raise _wrong(parameter, text, f"not one of: {', '.join(choices)}")


def _wrong(parameter: Parameter, text: str, reason: str) -> InvalidValue:
    return InvalidValue(Code.BAD_PARAMETER, f"{parameter.name}: {text[:60]!r} is {reason}")


@dataclass(frozen=True)
class Body:
    """Description of the request body that a route accepts.

    `root` is the name of the root element. `field` is the request field that the body contains; None if the
    body is the complete request, except for the fields in the path. `partial` is True if the body may omit
    fields that the request does not change.
    """

    root: str
    field: str | None = None
    partial: bool = False


@dataclass(frozen=True)
class Route:
    """A resource and an HTTP method, with the operation that they call.

    - `path` has `{}` for each parameter of `in_path`.
    - `signed`: True if requests must be signed. If False, the connect id is enough.
    - `defaults`: pairs (request field, its value if the query does not set it).
    - `old_root`: True if the root element of the response is named `response` in older examples.
    - `may_lack`: names of elements that the contract requires but a REST response may omit.
    - `nonce_optional`: True if a signed request may omit the nonce.
    - `must_exist`: True if the response for an unknown id is an error, False if it is a response without an
      item.
    """

    method: str
    path: str
    operation: str
    signed: bool = True
    in_path: tuple[Parameter, ...] = ()
    query: tuple[Parameter, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    body: Body | None = None
    old_root: bool = False
    may_lack: tuple[str, ...] = ()
    nonce_optional: bool = False
    must_exist: bool = False

    def match(self, segments: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the values of the path parameters, or None if the path does not match this route.

        `segments` are the decoded segments of the request's path.
        """
        pattern = self.path.strip("/").split("/")
        if len(pattern) != len(segments):
            return None
        pairs = list(zip(pattern, segments, strict=True))
        if any(expected not in ("{}", segment) for expected, segment in pairs):
            return None
        return tuple(segment for expected, segment in pairs if expected == "{}")

    def path_fields(self, texts: tuple[str, ...]) -> dict[str, Value]:
        """Return the fields that the route sets by default, and the fields whose values are in the path.

        `texts` are the values in the path. Raises `InvalidValue` 230 if one of them is invalid.
        """
        values = zip(self.in_path, texts, strict=True)
        return {**dict(self.defaults), **{item.field: read(item, text) for item, text in values}}


def find(routes: Sequence[Route], method: str, segments: tuple[str, ...]) -> tuple[Route, tuple[str, ...]]:
    """Return the route for a request and the values of its path parameters.

    Raises `InvalidValue` 404 if no route has the path, 405 if no route with the path has the method.
    """
    methods: list[str] = []
    for route in routes:
        texts = route.match(segments)
        if texts is not None and route.method == method:
            return route, texts
        if texts is not None:
            methods.append(route.method)
    if methods:
        raise InvalidValue(Code.METHOD, f"{method} is not allowed here, only {' and '.join(methods)}")
    raise InvalidValue(Code.NOT_FOUND, f"there is no resource /{'/'.join(segments)[:200]}")
