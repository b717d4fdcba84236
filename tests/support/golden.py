"""Golden files: expected output in files next to a test. `pytest --update` rewrites them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import pytest


def refuse_in_ci(config: pytest.Config) -> None:
    """Raise UsageError if `--update` is given and the environment variable CI is set."""
    if config.getoption("update") and os.environ.get("CI"):
        raise pytest.UsageError("--update rewrites expected output and is refused if CI is set")


@dataclass(frozen=True)
class Golden:
    """Compares output with the golden files in `root`, or rewrites them if `update` is true."""

    root: Path
    update: bool

    def check_folder(self, name: str, files: Mapping[str, str]) -> None:
        """Compare texts with all `*.golden` files in a folder. Fails on a missing or unused file, too."""
        folder = self.root / name
        expected = {path.name: path.read_bytes().decode() for path in folder.glob("*.golden")}
        if self.update:
            folder.mkdir(parents=True, exist_ok=True)
            for file in expected.keys() - files.keys():
                (folder / file).unlink()
            for file, text in files.items():
                (folder / file).write_bytes(text.encode())
            return
        changed = [
            line
            for file in sorted(expected.keys() | files.keys())
            if expected.get(file) != files.get(file)
            for line in (f"{name}/{file}:", *_diff(expected.get(file, ""), files.get(file, "")))
        ]
        if changed:
            pytest.fail("\n".join((*changed, "run pytest --update and review the diff")), pytrace=False)


def _diff(old: str, new: str) -> list[str]:
    return list(unified_diff(old.split("\n"), new.split("\n"), "expected", "actual", lineterm=""))
