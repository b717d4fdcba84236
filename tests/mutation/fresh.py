"""pytest plugin for mutmut's runs: the process of a mutant imports and builds everything anew.

mutmut runs all tests once, to record which test calls which function, and then forks a process for each
mutant. Without this plugin, that process would have the readers, constants and caches that the unchanged code
built before, so that a mutant of building code would survive although a test detects it.

- Each run of pytest imports the modules of the product and of the tests again.
- While mutmut records calls, each test builds its own readers. Otherwise only the first test that needs a
  reader would count as a test of the code that builds it. Functions that are called when a module is imported
  count as called by every test.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from typing import Any, Final
from weakref import WeakKeyDictionary

import pytest
from mutmut.mutation.trampoline import get_mutant_under_test
from mutmut.state import state

_KEPT: Final = ("__main__", "tests", "tests.mutation", __name__)
_INSTALLED: Final = (sys.prefix, sys.base_prefix)
_WITH_CACHES: Final = (
    "soapclient.contract",
    "soapclient.rest.responses",
    "soapclient.runtime.lexical",
    "soapclient.soap.encoded_types",
)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None]:
    """Forget all modules of the product and of the tests, and packages that an earlier run generated."""
    if get_mutant_under_test() != "fail":  # then every function fails, and the run needs its conftest files
        for name, module in list(sys.modules.items()):
            path = getattr(module, "__file__", None)
            if path and not path.startswith(_INSTALLED) and name not in _KEPT:
                del sys.modules[name]
    try:
        yield
    except Exception:
        _end_if_mutant()
        raise


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a module together, so that its fixtures are set up once.

    mutmut names single tests of many modules in any order.
    """
    order: dict[str, int] = {}
    for item in items:
        order.setdefault(item.nodeid.partition("::")[0], len(order))
    items.sort(key=lambda item: order[item.nodeid.partition("::")[0]])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Count a mutant as killed if a module of the tests cannot be imported."""
    if report.failed:
        _end_if_mutant()


def _end_if_mutant() -> None:
    """End the process of a mutant with the exit code of a failed test.

    mutmut would not count pytest's exit codes for modules that cannot be imported.
    """
    if "__mutmut_" in get_mutant_under_test():
        os._exit(1)


def pytest_configure(config: pytest.Config) -> None:
    """Register the reset of readers if mutmut records calls."""
    if get_mutant_under_test() == "stats":
        config.pluginmanager.register(_Reset())


class _Reset:
    """Resets everything that the product builds once and keeps, before each test."""

    def __init__(self) -> None:
        from soapclient.runtime.cached_attribute import cached_attribute
        from soapclient.runtime.codec import Codec
        from soapclient.runtime.package import Package

        self._codecs: WeakKeyDictionary[Codec, tuple[Any, Any]] = WeakKeyDictionary()
        self._cached: list[tuple[object, str]] = []
        self._imported: set[str] | None = None
        make: Callable[..., None] = Codec.__init__
        get: Callable[..., Any] = cached_attribute.__get__

        def make_and_note(codec: Codec, *given: Any) -> None:
            self._codecs[codec] = given
            make(codec, *given)

        def get_and_note(attribute: Any, instance: object, owner: type) -> object:
            if instance is not None and not isinstance(instance, Package):
                self._cached.append((instance, attribute._function.__name__))
            return get(attribute, instance, owner)

        self._make = make
        Codec.__init__ = make_and_note  # type: ignore[assignment]  # any arguments
        cached_attribute.__get__ = get_and_note  # type: ignore[assignment]  # any arguments

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Reset codecs, cached attributes and caches, and count what imports called for this test."""
        called: set[str] = state()._stats
        if self._imported is None:
            self._imported = set(called)
        for codec, given in list(self._codecs.items()):
            vars(codec).clear()
            self._make(codec, *given)
        for instance, name in self._cached:
            vars(instance).pop(name, None)
        self._cached.clear()
        for name, module in list(sys.modules.items()):
            if name.startswith(_WITH_CACHES):
                for value in list(vars(module).values()):
                    if hasattr(value, "cache_clear"):
                        value.cache_clear()
        called |= self._imported
