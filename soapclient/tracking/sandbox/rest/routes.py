"""A resource as data: its path, its parameters from text to values, and how it is found."""

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

# A tuple of texts is an enumeration, as the contract spells it. `instant` is a day that the contract has as a
# date-time: its midnight in Berlin.
Kind = Literal["int", "bool", "text", "instant", "date"] | tuple[str, ...]
_INT = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Parameter:
    """`name` as it is asked for, `field` as the handler knows it; `many`: a comma list, or repeated."""

    name: str
    field: str
    kind: Kind = "text"
    many: Literal["", "comma", "repeated"] = ""
    required: bool = False


def from_query(
    parameters: Sequence[Parameter], query: Iterable[tuple[str, str]], *, default: dict[str, Value]
) -> dict[str, Value]:
    """Fields by name. `query` has decoded values and names in any case; authentication is not looked at.

    Raises `InvalidValue` 230 that names the parameter: unknown, repeated, missing, or with a value that is
    not of its kind.
    """
    known = {one.name.lower(): one for one in parameters}
    sent: dict[str, list[str]] = {}
    for name, text in query:
        if name.lower() not in QUERY_NAMES:
            sent.setdefault(name.lower(), []).append(text)
    fields = dict(default)
    for name, texts in sent.items():
        parameter = known.get(name)
        if parameter is None:
            there = ", ".join(one.name for one in parameters) or "none at all"
            raise InvalidValue(
                Code.BAD_PARAMETER, f"{name[:60]}: there is no such parameter here; there are {there}"
            )
        fields[parameter.field] = _value(parameter, texts)
    for parameter in parameters:
        if parameter.required and parameter.name.lower() not in sent:
            raise InvalidValue(
                Code.BAD_PARAMETER, f"{parameter.name}: this parameter is needed and was not sent"
            )
    return fields


def _value(parameter: Parameter, texts: list[str]) -> Value:
    if parameter.many == "repeated":
        return [read(parameter, text) for text in texts]
    if len(texts) > 1:
        raise InvalidValue(
            Code.BAD_PARAMETER, f"{parameter.name}: this parameter was sent {len(texts)} times"
        )
    if parameter.many == "comma":
        return [read(parameter, part.strip()) for part in texts[0].split(",")]
    return read(parameter, texts[0])


def read(parameter: Parameter, text: str) -> Scalar:
    """One value. Raises `InvalidValue` 230."""
    kind = parameter.kind
    if kind == "text":
        if _NO_XML.search(text):
            raise _wrong(parameter, text, "a text that no document can hold")
        return text
    if kind == "int":
        if _INT.fullmatch(text) and -(2**31) <= int(text) < 2**31:
            return int(text)
        raise _wrong(parameter, text, "not a whole number of 32 bits")
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
    raise _wrong(parameter, text, "not a day like 2026-11-03")


def _choice(parameter: Parameter, choices: str | tuple[str, ...], text: str) -> str:
    """`docs/explanation/service.md#rest-forms`: compared case-insensitively, underscores ignored."""
    plain = text.replace("_", "").lower()
    for choice in choices:
        if choice.lower() == plain:
            return choice
    raise _wrong(parameter, text, f"none of {', '.join(choices)}")


def _wrong(parameter: Parameter, text: str, why: str) -> InvalidValue:
    return InvalidValue(Code.BAD_PARAMETER, f"{parameter.name}: {text[:60]!r} is {why}")


@dataclass(frozen=True)
class Body:
    """What a request carries. `root` is its element; `field` is where the operation's request has it, None
    where the body is the request itself, without what the path says. `partial`: only what changes."""

    root: str
    field: str | None = None
    partial: bool = False


@dataclass(frozen=True)
class Route:
    """One resource and method.

    `path` has `{}` where `in_path` stand, in their order. `signed`: the connect id alone is not enough.
    `defaults` are fields that hold unless the query says otherwise. `old_root`: in older examples the root
    of the response is `response`. `may_lack` are elements that the contract wants and that a REST response
    may be without. `nonce_optional`: a signature may be without a nonce. `must_exist`: a resource that
    does not exist is an error, and not a response without an item.
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
        """The texts in the path's places; None where this is another resource."""
        pattern = self.path.strip("/").split("/")
        if len(pattern) != len(segments):
            return None
        pairs = list(zip(pattern, segments, strict=True))
        if any(wanted not in ("{}", given) for wanted, given in pairs):
            return None
        return tuple(given for wanted, given in pairs if wanted == "{}")

    def path_fields(self, texts: tuple[str, ...]) -> dict[str, Value]:
        """What the path says. Raises `InvalidValue` 230 for a text of the wrong kind."""
        places = zip(self.in_path, texts, strict=True)
        return {**dict(self.defaults), **{one.field: read(one, text) for one, text in places}}


def find(routes: Sequence[Route], method: str, segments: tuple[str, ...]) -> tuple[Route, tuple[str, ...]]:
    """The resource, and the texts in its path's places. Raises `InvalidValue` 404 or 405."""
    there: list[str] = []
    for route in routes:
        texts = route.match(segments)
        if texts is not None and route.method == method:
            return route, texts
        if texts is not None:
            there.append(route.method)
    if there:
        raise InvalidValue(Code.METHOD, f"{method} is not allowed here, only {' and '.join(there)}")
    raise InvalidValue(Code.NOT_FOUND, f"there is no resource /{'/'.join(segments)[:200]}")
