"""Properties that are computed at the first access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_attribute(Generic[T]):
    """A property that is computed at the first access and then stored as a plain attribute of the object.

    Several threads may compute the value at the same time, because there is no lock. So use it only for
    functions without side effects. If the function raises an error, the next access calls it again.

    `_support.forks.lazy` is a similar property. In Python 3.11, it has a lock, so that the value is computed
    only once. In later versions of Python, it has no lock, either.
    """

    # Any for the class of `self`, as in the type hints of functools.cached_property.
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
