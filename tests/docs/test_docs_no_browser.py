"""The browser tests, if the browser does not start and if it is not installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.night

HERE = Path(__file__).parent


def _browser_tests(path: Path) -> tuple[dict[str, int], str]:
    """Run the browser tests with only the programs in that folder. Return counts by outcome and output."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-o",
            "addopts=-rs",
            "-p",
            "no:cacheprovider",
            "test_docs_browser.py",
        ],
        cwd=HERE,
        env={**os.environ, "PATH": str(path), "SE_OFFLINE": "true"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    ends = re.findall(r"(\d+) (passed|failed|skipped|errors?)", done.stdout.splitlines()[-1])
    return {how: int(number) for number, how in ends}, done.stdout


@pytest.mark.skipif(os.name != "posix", reason="the programs are scripts")
def test_browser_that_does_not_start_is_one_failure(tmp_path: Path) -> None:
    pytest.importorskip("selenium", reason="no selenium: install the extra exhaustive")
    for name in ("chromium", "chromedriver"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    ends, said = _browser_tests(tmp_path)
    assert ends.keys() == {"failed", "skipped"}, said
    assert ends["failed"] == 1
    assert f"{tmp_path / 'chromium'} is here and does not start" in said


def test_missing_browser_is_not_a_failure(tmp_path: Path) -> None:
    ends, said = _browser_tests(tmp_path)
    assert ends.keys() == {"skipped"}, said
    assert "apt-get install chromium chromium-driver" in said
