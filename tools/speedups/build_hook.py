"""Build hook of hatchling: compiles the reader for responses if possible; otherwise the wheel is pure Python.

The environment variable SOAPCLIENT_SPEEDUPS selects the wheel: `0` never compiles, `1` fails if the reader
cannot be compiled, and `auto` (the default) compiles if Cython, a C compiler and the headers of Python are
available.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_VARIABLE = "SOAPCLIENT_SPEEDUPS"
_MODULE = "_soapclient_xmlread"
_FOLDER = Path(__file__).parent
_REQUIREMENTS = ["cython>=3.1,<4", "setuptools>=77"]


class SpeedupsHook(BuildHookInterface):  # type: ignore[misc] # to mypy, hatchling's classes are Any
    """Build hook that compiles the reader for responses and adds it to the wheel."""

    def dependencies(self) -> list[str]:
        """Return the packages that the build requires besides hatchling; [] if nothing will be compiled."""
        return _REQUIREMENTS if _choice() == "1" or (_choice() == "auto" and _can_compile()) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the reader for responses, and add it to the files of the wheel.

        Does nothing if SOAPCLIENT_SPEEDUPS is `0`, or if it is `auto` and compiling is not possible.
        """
        choice = _choice()
        if self.target_name != "wheel" or choice == "0" or (choice == "auto" and not _can_compile()):
            return
        self._scratch = tempfile.mkdtemp(prefix="soapclient-speedups-")
        try:
            module = _compiled(Path(self._scratch))
        except (Exception, SystemExit) as error:  # setuptools raises SystemExit for errors of the compiler
            if choice == "1":
                shutil.rmtree(self._scratch, ignore_errors=True)  # `finalize` is not called after an error
                raise
            self.app.display_debug(f"built without the compiled reader: {error}")
            return
        # At the top level, because an editable install finds only the modules in the folders of its packages.
        files = "force_include_editable" if version == "editable" else "force_include"
        build_data[files][str(module)] = module.name
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder in which `initialize` compiled the reader."""
        shutil.rmtree(getattr(self, "_scratch", ""), ignore_errors=True)


def _choice() -> str:
    choice = os.environ.get(_VARIABLE, "auto") or "auto"
    if choice not in ("0", "1", "auto"):
        raise ValueError(f"{_VARIABLE} must be one of 0, 1, auto, got {choice!r}")
    return choice


def _can_compile() -> bool:
    """Return True if compiling is likely to succeed: CPython with its headers and a C compiler exist.

    On Windows, only CPython is required here, because setuptools looks for the compiler.
    """
    if platform.python_implementation() != "CPython":
        return False
    if sys.platform == "win32":
        return True  # setuptools looks for the compiler
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    return shutil.which(compiler) is not None and Path(sysconfig.get_path("include"), "Python.h").exists()


def _compiled(folder: Path) -> Path:
    """Compile the reader for responses in a temporary folder. Return the path of the compiled module."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    options = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
    source = str(_FOLDER / f"{_MODULE}.pyx")
    extension = Extension(_MODULE, [source], include_dirs=[str(_FOLDER)], extra_compile_args=options)
    modules = cythonize([extension], build_dir=str(folder), quiet=True)
    build = Distribution({"name": _MODULE, "ext_modules": modules}).get_command_obj("build_ext")
    build.build_lib = build.build_temp = str(folder)
    build.ensure_finalized()
    build.run()
    return Path(build.get_ext_fullpath(_MODULE))
