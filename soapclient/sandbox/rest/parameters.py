"""Parameters of paths and queries: from text to what handlers read; 400 and 230 for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ..berlin import midnight
from ..claims import QUERY_NAMES
from ..faults import Code, Refusal
from ..trees import Leaf, Value

# A tuple of words is an enumeration, as the contract spells it. `instant` is a day that the contract has as a
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

    Raises `Refusal` 230 that names the parameter: unknown, repeated, missing, or with a value that is not of
    its kind.
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
            raise Refusal(
                Code.BAD_PARAMETER, f"{name[:60]}: there is no such parameter here; there are {there}"
            )
        fields[parameter.field] = _value(parameter, texts)
    for parameter in parameters:
        if parameter.required and parameter.name.lower() not in sent:
            raise Refusal(Code.BAD_PARAMETER, f"{parameter.name}: this parameter is needed and was not sent")
    return fields


def _value(parameter: Parameter, texts: list[str]) -> Value:
    if parameter.many == "repeated":
        return [read(parameter, text) for text in texts]
    if len(texts) > 1:
        raise Refusal(Code.BAD_PARAMETER, f"{parameter.name}: this parameter was sent {len(texts)} times")
    if parameter.many == "comma":
        return [read(parameter, part.strip()) for part in texts[0].split(",")]
    return read(parameter, texts[0])


def read(parameter: Parameter, text: str) -> Leaf:
    """One value. Raises `Refusal` 230."""
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
    return _word(parameter, kind, text)


def _day(parameter: Parameter, text: str) -> Leaf:
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text)
            return midnight(day) if parameter.kind == "instant" else day
    except (ValueError, OverflowError):
        pass
    raise _wrong(parameter, text, "not a day like 2026-11-03")


def _word(parameter: Parameter, words: str | tuple[str, ...], text: str) -> str:
    """`record.md 3`: compared case-insensitively, underscores ignored."""
    plain = text.replace("_", "").lower()
    for word in words:
        if word.lower() == plain:
            return word
    raise _wrong(parameter, text, f"none of {', '.join(words)}")


def _wrong(parameter: Parameter, text: str, why: str) -> Refusal:
    return Refusal(Code.BAD_PARAMETER, f"{parameter.name}: {text[:60]!r} is {why}")
