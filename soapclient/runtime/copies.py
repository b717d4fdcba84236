"""Lists of a request of its own: a later change of the caller's list changes no request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

T = TypeVar("T")


def copied(values: Sequence[T]) -> list[T]:
    """A list of its own for a request; what is no list stays as it is, for the encoder to refuse by name."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return cast("list[T]", values)
    return list(values)


def copied_lists(values: Sequence[Sequence[T]]) -> list[list[T]]:
    """As `copied`, for elements that are lists themselves."""
    return cast("list[list[T]]", copied_lists_or_nil(values))


def copied_lists_or_nil(values: Sequence[Sequence[T] | None]) -> list[list[T] | None]:
    """As `copied`, for elements that are lists themselves, or nil."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        return cast("list[list[T] | None]", values)
    return [None if value is None else copied(value) for value in values]
