"""The fields of a request as they are given, NAME=VALUE or JSON, whatever the contract says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NoReturn

_STEP: Final = re.compile(r"(@?[^\W\d][\w-]*|\$)(?:\[([1-9]\d{0,3})\])?")
_HINT: Final = "write NAME=VALUE, inner names after dots: date=2026-11-01, adspaceItem.name=Blog"


class Unreadable(ValueError):
    """The fields cannot be understood; the text says why."""


@dataclass
class Given:
    """A value with text, or with inner fields by name (attributes as `@name`), or both."""

    text: str | None = None
    fields: dict[str, list[Given]] = field(default_factory=dict)
    listed: bool = False  # an entry of a JSON list

    @property
    def lacks_text(self) -> bool:
        """Whether there are attributes, and nothing yet that they belong to."""
        return self.text is None and bool(self.fields) and all(name.startswith("@") for name in self.fields)


def from_assignments(assignments: Iterable[str]) -> Given:
    """Read `date=2026-11-01`, `adspaceItem.@id=5`, `adspaceItem.regions.region=DE`, a name repeated as often
    as it has values. `name[2].inner` is the second of several. Raises Unreadable.
    """
    top = Given()
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise Unreadable(f"{assignment!r} has no '=': {_HINT}")
        _put(top, [_step(step, name) for step in name.split(".")], value, name)
    return top


def from_json(text: str | bytes) -> Given:
    """Read a JSON object: names as the contract has them, attributes `@name` (or `name`), text beside them
    `$` (or `value`), lists as lists; null is the same as left out. Raises Unreadable.
    """
    try:
        value: object = json.loads(
            text, object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=_no_constant
        )
    except Unreadable:
        raise
    except ValueError as error:  # of JSON, or of its encoding
        raise Unreadable(f"this is not JSON: {error}") from None
    except RecursionError:
        raise Unreadable("this is nested too deeply") from None
    if not isinstance(value, Given):
        raise Unreadable("a JSON object is needed, with the request's fields by name")
    return value


def _step(text: str, name: str) -> tuple[str, int | None]:
    match = _STEP.fullmatch(text)
    if match is None:
        raise Unreadable(f"{name!r} is not a name: {_HINT}")
    return match[1], int(match[2]) if match[2] else None


def _put(node: Given, steps: list[tuple[str, int | None]], value: str, name: str) -> None:
    for at, (step, index) in enumerate(steps, 1):
        twins = node.fields.setdefault(step, [])
        number = _number(twins, last=at == len(steps)) if index is None else index
        if number > len(twins) + 1:
            raise Unreadable(f"{name}: number {number} is given before number {number - 1}")
        if number > len(twins):
            twins.append(Given())
        node = twins[number - 1]
    if node.text is not None:
        raise Unreadable(f"{name} is given twice")
    node.text = value


def _number(twins: list[Given], *, last: bool) -> int:
    """Which of several is meant where no number says so: another one for a value, the latest on the way."""
    another = not twins or (last and not twins[-1].lacks_text)
    return len(twins) + 1 if another else len(twins)


def _object(pairs: list[tuple[str, object]]) -> Given:
    node = Given()
    for name, value in pairs:
        if name in node.fields:
            raise Unreadable(f"{name!r} stands twice in one JSON object; make its value a list")
        if value is None:
            continue
        if isinstance(value, list):
            node.fields[name] = [_given(each, name, listed=True) for each in value]
        else:
            node.fields[name] = [_given(value, name)]
    return node


def _given(value: object, name: str, *, listed: bool = False) -> Given:
    if isinstance(value, Given):
        value.listed = listed
        return value
    if isinstance(value, bool):
        return Given("true" if value else "false", listed=listed)
    if isinstance(value, str):
        return Given(value, listed=listed)
    raise Unreadable(f"{name!r} has a list within a list, or null in one")


def _no_constant(text: str) -> NoReturn:
    raise Unreadable(f"{text} is not JSON; write it as a text if the contract knows it")
