"""Packages that `bindgen init` generates for a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from click.testing import CliRunner

from bindgen.cli import main


@contextmanager
def generated(name: str, wsdl: Path | str, settings: str = "") -> Iterator[ModuleType]:
    """Generate a package in a temporary folder, and yield it. Its modules are imported.

    `name` must be used by no other test, because the modules stay in `sys.modules`. `wsdl` is a file or its
    text, `settings` the text of the package's settings file.
    """
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        file = wsdl if isinstance(wsdl, Path) else folder / f"{name}.wsdl"
        if isinstance(wsdl, str):
            file.write_text(wsdl, encoding="utf-8")
        if settings:
            (folder / f"{name}.toml").write_text(settings, encoding="utf-8")
        command = ["init", name, "--file", str(file), "--out", temporary, "--offline"]
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 0, done.output
        sys.path.insert(0, temporary)
        try:
            invalidate_caches()
            for module in ("types", "service"):
                import_module(f"{name}.{module}")
            yield import_module(name)
        finally:
            sys.path.remove(temporary)
