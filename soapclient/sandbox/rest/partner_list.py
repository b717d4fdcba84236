"""The nesting of `partnerCodeList`, which nothing public shows (`record.md 7`): a setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from ..trees import Tree, Value

Nesting = Literal["object", "array", "nested", "single"]
NAME = "partnerCodeList"


def checked(nesting: Nesting) -> Nesting:
    """The same. Raises ValueError for any other word."""
    if nesting not in get_args(Nesting):
        raise ValueError(f"partner_list is one of {', '.join(get_args(Nesting))}, not {nesting!r}")
    return nesting


def nested(answer: Tree, nesting: Nesting) -> Value:
    """`answer` with its list in another place.

    object: an array under the name. array: the array alone, unless there are errors, for which it has no
    place. nested: an object under the name that holds the array as `partnerCode`. single: one entry is no
    array, and is the whole answer if there are no errors.
    """
    found = answer.get(NAME)
    if not isinstance(found, Sequence) or isinstance(found, str):
        return answer
    rest = {name: value for name, value in answer.items() if name != NAME and value is not None}
    if nesting == "array" and not rest:
        return found
    if nesting == "nested":
        return {NAME: {"partnerCode": found}, **rest}
    if nesting == "single" and len(found) == 1:
        (only,) = found
        return {NAME: only, **rest} if rest or not isinstance(only, Mapping) else only
    return answer
