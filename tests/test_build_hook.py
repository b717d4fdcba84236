"""The build hook compiles the reader if it can, and otherwise builds a pure wheel or fails.

hatchling is replaced, because it is installed only during a build.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.test_supply import script

_PURE: dict[str, Any] = {"force_include": {}, "force_include_editable": {}}


class _Interface:
    """The part of hatchling's base class that the hook uses. `messages` are debug messages."""

    def __init__(self, target_name: str = "wheel") -> None:
        self.target_name = target_name
        self.messages: list[str] = []
        self.app = self

    def display_debug(self, message: str) -> None:
        self.messages.append(message)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the hook. Any: it is loaded from a file."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    monkeypatch.setattr(interface, "BuildHookInterface", _Interface, raising=False)
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    for name in (
        "hatchling",
        "hatchling.builders",
        "hatchling.builders.hooks",
        "hatchling.builders.hooks.plugin",
    ):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    return script("build_hook", "tools/speedups")


def built(hook: Any, version: str = "standard", target: str = "wheel") -> tuple[dict[str, Any], list[str]]:
    """Run the hook, and return the data of the build and the debug messages."""
    data: dict[str, Any] = {name: dict(files) for name, files in _PURE.items()}
    build = hook.SpeedupsHook(target)
    build.initialize(version, data)
    build.finalize(version, data, "")
    return data, build.messages


def compiled(folder: Path) -> Path:
    """Return the path of a module as if it had been compiled."""
    return folder / "_soapclient_xmlread.so"


def failed(folder: Path) -> Path:
    """Fail as setuptools does if the compiler reports an error."""
    raise SystemExit("error: command 'cc' failed")


def test_wheel_is_pure_without_a_compiler(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/no/compiler -pthread")
    monkeypatch.delenv("SOAPCLIENT_SPEEDUPS", raising=False)
    monkeypatch.setattr(hook, "_compiled", compiled)
    assert built(hook) == (_PURE, [])
    assert hook.SpeedupsHook().dependencies() == []


@pytest.mark.parametrize(
    ("choice", "target", "messages"),
    [
        ("auto", "wheel", ["built without the compiled reader: error: command 'cc' failed"]),
        ("0", "wheel", []),  # nothing is compiled
        ("1", "sdist", []),
    ],
)
def test_wheel_is_pure_without_a_compiled_reader(
    hook: Any, monkeypatch: pytest.MonkeyPatch, choice: str, target: str, messages: list[str]
) -> None:
    monkeypatch.setenv("SOAPCLIENT_SPEEDUPS", choice)
    monkeypatch.setattr(hook, "_can_compile", lambda: True)
    monkeypatch.setattr(hook, "_compiled", failed)
    assert built(hook, target=target) == (_PURE, messages)


@pytest.mark.parametrize("can_compile", [True, False])
def test_build_fails_if_the_required_reader_cannot_be_compiled(
    hook: Any, monkeypatch: pytest.MonkeyPatch, can_compile: bool
) -> None:
    monkeypatch.setenv("SOAPCLIENT_SPEEDUPS", "1")
    monkeypatch.setattr(hook, "_can_compile", lambda: can_compile)
    monkeypatch.setattr(hook, "_compiled", failed)
    with pytest.raises(SystemExit, match="command 'cc' failed"):
        built(hook)
    assert [name.partition(">")[0] for name in hook.SpeedupsHook().dependencies()] == ["cython", "setuptools"]


@pytest.mark.parametrize(
    ("version", "files"), [("standard", "force_include"), ("editable", "force_include_editable")]
)
def test_wheel_has_the_compiled_reader(
    hook: Any, monkeypatch: pytest.MonkeyPatch, version: str, files: str
) -> None:
    monkeypatch.setenv("SOAPCLIENT_SPEEDUPS", "1")
    monkeypatch.setattr(hook, "_compiled", compiled)
    data, messages = built(hook, version)
    assert list(data[files].values()) == ["_soapclient_xmlread.so"]
    assert (data["pure_python"], data["infer_tag"]) == (False, True)
    assert not messages
    assert not any(Path(name).parent.exists() for name in data[files])  # the temporary folder is removed


def test_other_value_of_the_variable_is_an_error(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOAPCLIENT_SPEEDUPS", "yes")
    with pytest.raises(ValueError, match="SOAPCLIENT_SPEEDUPS must be one of 0, 1, auto, got 'yes'"):
        built(hook)
