"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_attribute(Generic[T]):
    """A property that is computed once per object, and from then on is a plain attribute.

    There is no lock: threads that ask at the same moment compute the same value. An error is not kept. Use it
    for pure functions of a description. `_support.forks.lazy` has the lock of `functools.cached_property`
    (Python 3.11 only), which is free in a forked child.
    """

    # Any: the class of `self`, as functools.cached_property types it.
    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type[object]) -> cached_attribute[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[object]) -> T: ...
    def __get__(self, instance: object | None, owner: type[object]) -> cached_attribute[T] | T:
        if instance is None:
            return self
        value = instance.__dict__[self._function.__name__] = self._function(instance)
        return value
