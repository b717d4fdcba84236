"""Exit codes that are a verdict: any failure of such a command ends as "could not check"."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import bindgen.cli
from bindgen.cli import exit_codes
from bindgen.fetching import fetch
from tests.bindgen.shop import invoke

UNANSWERED = [
    ("--bogus", "diff", "A", "B"),
    ("--wsdl", "FILE", "diff", "A", "B"),
    ("--wsdl", "FILE", "fetch", "--all", "--check"),
    ("--bogus", "fetch", "--check", "one"),
    ("--bogus", "value", "fetch", "one", "--check"),
    ("fetch", "--check"),
    ("fetch", "--check", "--bogus"),
    ("fetch", "--check", "one", "two"),
    ("fetch", "--check", "--file", "nowhere.wsdl", "one"),
    ("fetch", "--all", "--check"),
    ("fetch", "one", "--check"),
    ("--wsdl", "EMPTY", "fetch", "one", "--check"),
]
FAILED = [
    ("--bogus", "fetch", "--all"),
    ("--bogus", "generate", "diff"),
    ("--bogus", "check", "fetch", "--check"),
    ("--wsdl", "diff", "nothing"),
    ("fetch", "--all"),
    ("check",),
    ("docs",),
    ("dif", "A", "B"),
]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [*((each, 3) for each in UNANSWERED), *((each, 2) for each in FAILED)],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else None,
)
def test_failed_command_lines_have_their_exit_codes(
    arguments: tuple[str, ...], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    places = {"FILE": tmp_path / "a file", "EMPTY": tmp_path / "empty"}
    places["FILE"].write_text("", encoding="utf-8")
    places["EMPTY"].mkdir()
    done = invoke(*(places.get(word, word) for word in arguments), code=code)
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "error", [RuntimeError("odd"), RecursionError(), MemoryError(), KeyboardInterrupt(), click.Abort()]
)
def test_unexpected_failure_is_neither_changed_nor_unchanged(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise error

    (tmp_path / "contracts.toml").write_text(
        'format = 2\n[contracts.one]\nversion = "1"\nurl = "https://shop.invalid/"\n', encoding="utf-8"
    )
    monkeypatch.setattr(fetch, "check", crash)
    done = invoke("--wsdl", tmp_path, "fetch", "--all", "--check", code=3)
    assert "Traceback" not in done.output


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("arguments", "code"), [(("diff", "A", "B"), 3), (("fetch", "one", "--check"), 3), (("check",), 1)]
)
def test_missing_click_is_unchecked(arguments: tuple[str, ...], code: int) -> None:
    program = 'import sys\nsys.modules["click"] = None\nimport bindgen.__main__\n'
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert "needs click" in done.stderr
    assert "Traceback" not in done.stderr


def test_known_commands_equal_the_real_commands() -> None:
    assert set(exit_codes.COMMANDS) == set(bindgen.cli.main.list_commands(click.Context(bindgen.cli.main)))


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="a shell closes the output")
def test_exit_code_is_the_verdict_without_an_output(tmp_path: Path) -> None:
    wsdl = (Path(__file__).parents[2] / "generated/zxws/data/contract.wsdl").read_text(encoding="utf-8")
    (tmp_path / "old.wsdl").write_text(wsdl, encoding="utf-8")
    command = ["sh", "-c", f"exec {sys.executable} -m bindgen diff old.wsdl old.wsdl >&-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
