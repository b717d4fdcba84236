"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, AnyStr, Generic

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")


class LazyPattern(Generic[AnyStr]):
    """A regular expression for a module-level constant. It is compiled when a method is first used.

    Compiling all patterns of the package takes longer than a call to a service, and a process needs only a
    few of them.

    This class has the methods of `re.Pattern`. Calling one takes a third longer than calling the method of a
    compiled pattern, so modules that match each value of a response use `re.compile`.
    """

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self._pattern: AnyStr = pattern
        self._flags = flags

    if TYPE_CHECKING:

        def findall(self, string: AnyStr) -> list[AnyStr]: ...
        def finditer(self, string: AnyStr) -> Iterator[re.Match[AnyStr]]: ...
        def fullmatch(
            self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize
        ) -> re.Match[AnyStr] | None: ...
        def match(
            self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize
        ) -> re.Match[AnyStr] | None: ...
        def search(
            self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize
        ) -> re.Match[AnyStr] | None: ...
        def split(self, string: AnyStr, maxsplit: int = 0) -> list[AnyStr]: ...
        def sub(
            self, repl: AnyStr | Callable[[re.Match[AnyStr]], AnyStr], string: AnyStr, count: int = 0
        ) -> AnyStr: ...

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Compile the pattern, store its methods in this object, and return the method `name`.

            Several threads may do this at the same time.
            """
            if name not in _METHODS:
                raise AttributeError(name)
            compiled = re.compile(self._pattern, self._flags)
            self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
            return self.__dict__[name]
