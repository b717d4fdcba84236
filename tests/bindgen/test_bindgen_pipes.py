"""The reader of bindgen's output stops reading, as in `bindgen init … | head`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bindgen.conftest import REPOSITORY, REQUEST, RESPONSE, WSDL

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="a pipe of another system breaks otherwise"),
    pytest.mark.sampled(2),
]

OTHER = RESPONSE.replace('name="answer"', 'name="answers"')


def run(
    folder: Path, *arguments: str, stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> tuple[int, str]:
    """Run a command with these streams, by default pipes. Return its exit code and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "bindgen", *arguments],
        stdout=stdout,
        stderr=stderr,
        cwd=folder,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr or ""


def unread(folder: Path, *arguments: str, streams: Sequence[str] = ("stdout",)) -> tuple[int, str]:
    """Run a command whose stdout, stderr or both have no reader. Return its exit code and stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return run(folder, *arguments, **dict.fromkeys(streams, writing))
    finally:
        os.close(writing)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.wsdl").write_text(WSDL.format(schema=REQUEST + RESPONSE))
    (tmp_path / "b.wsdl").write_text(WSDL.format(schema=REQUEST + OTHER))
    return tmp_path


KNOWN = str(REPOSITORY / "wsdl")


@pytest.mark.sampled(0, 5)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["init", "--help"], 0),
        (["init", "shop", "--file", "a.wsdl"], 0),
        (["docs", "--file", "a.wsdl", "shop"], 0),
        (["--wsdl", KNOWN, "check", "advertiser"], 0),
        (["diff", "a.wsdl", "a.wsdl"], 3),
        (["diff", "a.wsdl", "b.wsdl"], 3),
        (["diff", "--rules"], 3),
        (["--wsdl", KNOWN, "fetch", "data", "--check", "--url", "https://x.invalid/", "--file", "a.wsdl"], 3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("streams", [("stdout",), ("stdout", "stderr")])
def test_broken_pipe_is_not_a_failure_and_not_a_verdict(
    folder: Path, arguments: list[str], code: int, streams: Sequence[str]
) -> None:
    """The command does its work. If the exit code is a verdict, it is "could not check"."""
    assert unread(folder, *arguments, streams=streams) == (code, "")


@pytest.mark.exhaustive
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full")
@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 2), (["diff", "a.wsdl", "a.wsdl"], 3)])
def test_full_disk_is_one_line_and_not_a_verdict(folder: Path, arguments: list[str], code: int) -> None:
    with open("/dev/full", "w") as full:
        said = "bindgen: stdout: No space left on device\n"
        assert run(folder, *arguments, stdout=full.fileno()) == (code, said)


@pytest.mark.exhaustive
def test_work_is_done_if_the_output_is_not_read(repository: Path) -> None:
    """`generate` prints a line per contract."""
    names = ("publisher", "data", "advertiser")
    for name in names:
        shutil.rmtree(repository / "generated/zxws" / name)
    assert unread(repository, "generate", *names) == (0, "")
    assert all((repository / "generated/zxws" / name / "types.py").is_file() for name in names)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["init", "class", "--file", "a.wsdl"], 2),
        (["diff", "a.wsdl", "nowhere.wsdl"], 3),
        (["diff", "a.wsdl", "b.wsdl"], 2),
        (["nothing"], 2),
    ],
)
def test_exit_code_does_not_depend_on_a_reader_of_stderr(
    folder: Path, arguments: list[str], code: int
) -> None:
    assert unread(folder, *arguments, streams=("stderr",)) == (code, "")
