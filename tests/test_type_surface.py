"""Type checks of the public API with mypy and pyright in strict mode.

Each runs once for all of `tests/type_surface/`. Expected errors there have a `type: ignore`, which both
report if it is unused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from tests.conftest import TypeCheck

ROOT = Path(__file__).parents[1]
SURFACE = Path(__file__).with_name("type_surface")


def test_mypy_infers_the_expected_types(type_check: TypeCheck, tmp_path: Path) -> None:
    modules = sorted(map(str, SURFACE.glob("*.py")))
    done = type_check(*modules, cwd=tmp_path, path=[ROOT, ROOT / "generated"])
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_pyright_infers_the_expected_types(tmp_path: Path) -> None:
    project = {
        "include": [str(SURFACE)],
        "extraPaths": [str(ROOT), str(ROOT / "generated")],
        "typeCheckingMode": "strict",
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(project))
    options = ("--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson")
    command = [sys.executable, "-m", "basedpyright", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(list(SURFACE.glob("*.py")))
    said = [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in report["generalDiagnostics"]
    ]
    assert said == [], said
