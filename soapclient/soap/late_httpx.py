"""Import zeep without httpx. Only zeep's asyncio transport uses httpx, so typed calls do not need it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Final

_NAME: Final = "httpx"


class _LateModule(ModuleType):
    """A placeholder for a module. It imports the module when an attribute is first used."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            # Does not check if it is imported already, because another thread may do the same at this moment.
            sys.modules.pop(self.__name__, None)
        value: object = getattr(import_module(self.__name__), name)
        return value


@contextmanager
def httpx_imported_late() -> Iterator[None]:
    """Make `import httpx` inside a `with` block return a placeholder that imports httpx at its first use.

    Importing httpx takes a quarter of the time of a process that makes one call. zeep keeps the placeholder,
    so its asyncio transport works as usual. After the block, `import httpx` imports httpx itself. If another
    thread imports httpx during the block, it gets the placeholder, which has the same attributes.

    The block has no effect if httpx is not installed, or if httpx or zeep is already imported.
    """
    late = None if _NAME in sys.modules or "zeep.transports" in sys.modules else _late_module()
    if late is None or sys.modules.setdefault(_NAME, late) is not late:
        yield
        return
    try:
        yield
    finally:
        if sys.modules.get(_NAME) is late:
            del sys.modules[_NAME]


def _late_module() -> ModuleType | None:
    from importlib.metadata import PackageNotFoundError, version

    late = _LateModule(_NAME)
    try:
        late.__version__ = version(_NAME)  # type: ignore[attr-defined] # zeep reads it when it is imported
    except PackageNotFoundError:
        return None
    return late
