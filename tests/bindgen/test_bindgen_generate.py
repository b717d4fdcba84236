"""`bindgen generate` and `bindgen check` on the repository's own contracts."""

from __future__ import annotations

import ast
import difflib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from bindgen import generate
from bindgen.cli import main

_REPOSITORY = Path(__file__).parents[2]


def _bindgen(
    *arguments: str, cwd: Path, seed: str = "0", code: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command of bindgen in a new process. Check its exit code if `code` is given."""
    path = os.pathsep.join([str(_REPOSITORY / "tools"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "bindgen", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def _generated(root: Path) -> dict[str, bytes]:
    folder = root / "generated/zxws"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for name in ("publisher", "data", "advertiser")
        for path in sorted((folder / name).glob("*"))
        if path.is_file()
    }


@pytest.mark.exhaustive
def test_two_hash_seeds_and_two_working_directories_give_the_committed_bytes(repository: Path) -> None:
    committed = _generated(_REPOSITORY)
    assert len(committed) == 7 + 6 + 6
    for seed, cwd, arguments in (
        ("0", repository, ("generate",)),
        ("1", Path("/"), ("--wsdl", str(repository / "wsdl"), "generate")),
        ("12345", repository / "wsdl/data", ("generate", "data", "advertiser", "publisher")),
    ):
        for path in _generated(repository):
            (repository / "generated/zxws" / path).unlink()
        done = _bindgen(*arguments, cwd=cwd, seed=seed)
        assert (done.returncode, done.stderr) == (0, "")
        assert _generated(repository) == committed


def test_committed_bindings_are_up_to_date() -> None:
    done = _bindgen("check", cwd=_REPOSITORY)
    assert (done.returncode, done.stdout, done.stderr) == (0, "The bindings match the contracts.\n", "")


@pytest.mark.exhaustive
def test_second_generation_changes_no_file(repository: Path) -> None:
    def times() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (repository / "generated").rglob("*")}

    before = times()
    done = _bindgen("generate", cwd=repository)
    place = "at the end of the message: connectId"
    assert done.stdout.splitlines() == [
        "publisher 2011-03-01: nothing to change",
        f"  signed, {place}, timestamp, nonce, signature: 37 operations",
        f"  public, {place}: 13 operations",
        "data 2011-05-01: nothing to change",
        f"  signed, {place}, timestamp, nonce, signature: 3 operations (CreateReportJob, GetJob, GetJobs)",
        "advertiser 2015-03-01: nothing to change",
    ]
    assert times() == before


@pytest.mark.exhaustive
def test_changed_byte_is_shown_as_a_diff_and_repaired(repository: Path) -> None:
    path = repository / "generated/zxws/data/types.py"
    usual = path.read_bytes()
    path.write_bytes(usual.replace(b'CLICK_DATE = "clickDate"', b'CLICK_DATE = "clickdate"'))
    done = _bindgen("check", cwd=repository, code=1)
    assert "run `bindgen generate`" in done.stderr
    old, new = path.read_text().splitlines(keepends=True), usual.decode().splitlines(keepends=True)
    name = "zxws/data/types.py"
    assert done.stdout == "".join(difflib.unified_diff(old, new, f"committed/{name}", f"contract/{name}"))
    assert '-    CLICK_DATE = "clickdate"\n+    CLICK_DATE = "clickDate"\n' in done.stdout
    assert _bindgen("generate", cwd=repository).returncode == 0
    assert path.read_bytes() == usual


@pytest.mark.exhaustive
def test_a_file_that_bindgen_no_longer_writes_is_reported_and_removed(repository: Path) -> None:
    stale = repository / "generated/zxws/data/extras.py"
    stale.write_text("left = 'over'\n")
    done = _bindgen("check", "data", cwd=repository, code=1)
    assert "--- committed/zxws/data/extras.py" in done.stdout
    assert "-left = 'over'" in done.stdout
    _bindgen("generate", cwd=repository)
    assert not stale.exists()
    assert _bindgen("check", cwd=repository).returncode == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("contract", ["publisher/2011-03-01/publisher.wsdl", "data/2011-05-01/data.wsdl"])
def test_class_names_do_not_depend_on_the_service_name(repository: Path, contract: str) -> None:
    name = contract.partition("/")[0]

    def classes() -> list[str]:
        tree = ast.parse((repository / f"generated/zxws/{name}/service.py").read_text())
        return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]

    usual = classes()
    kinds = ("", "Streams", "Pages", "Async", "AsyncStreams", "AsyncPages")
    assert usual == [f"{name.title()}Service{kind}" for kind in kinds]
    path = repository / "wsdl" / contract
    text, times = re.subn('(?<=<wsdl:service name=)"[^"]*"', '"Elsewhere"', path.read_text())
    assert times == 1
    path.write_text(text)
    _bindgen("fetch", name, "--file", str(path), cwd=repository, code=0)
    assert _bindgen("generate", name, cwd=repository).returncode == 0
    assert '"service":"Elsewhere"' in (repository / f"generated/zxws/{name}/schema.json").read_text()
    assert classes() == usual


@pytest.mark.parametrize("command", ["generate", "check"])
def test_unexpected_failure_is_not_reported_as_a_difference(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def fail(*_: object) -> NoReturn:
        raise KeyError("something odd")

    monkeypatch.setattr(generate, "made", fail)
    arguments = ["--wsdl", str(_REPOSITORY / "wsdl"), command]
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("bindgen: unexpectedly failed with KeyError: 'something odd'")
    assert "Traceback" not in done.stderr
    shown = CliRunner().invoke(main, ["--debug", *arguments])
    assert shown.exit_code == 2
    assert "Traceback" in shown.stderr


@pytest.mark.exhaustive
def test_a_missing_file_is_reported(repository: Path) -> None:
    (repository / "generated/zxws/publisher/schema.json").unlink()
    done = _bindgen("check", "publisher", cwd=repository, code=1)
    assert "+++ contract/zxws/publisher/schema.json" in done.stdout
    assert _bindgen("check", "data", cwd=repository).returncode == 0


@pytest.mark.exhaustive
def test_unknown_contract_is_refused_with_the_known_names(repository: Path) -> None:
    done = _bindgen("generate", "publisher2", cwd=repository, code=2)
    assert "unknown contract 'publisher2'" in done.stderr
    assert "advertiser, data, publisher" in done.stderr


@pytest.mark.exhaustive
def test_changed_enum_value_changes_only_its_lines(repository: Path) -> None:
    before = _generated(repository)
    path = repository / "wsdl/publisher/2011-03-01/publisher.wsdl"
    text = path.read_text()
    assert text.count('<xsd:enumeration value="startPage"/>') == 1
    path.write_text(text.replace('value="startPage"', 'value="landingPage"'))
    _bindgen("fetch", "publisher", "--file", str(path), cwd=repository, code=0)
    assert _bindgen("generate", cwd=repository).returncode == 0
    changed: dict[str, list[str]] = {}
    for name, after in _generated(repository).items():
        old, new = before[name].decode().splitlines(), after.decode().splitlines()
        lines = [each for each in difflib.ndiff(old, new) if each[0] in "+-"]
        changed |= {name: lines} if lines else {}
    # Every module generated from the document contains its hash.
    for name, lines in changed.items():
        if name.endswith(".py"):
            assert [each[:16] for each in lines[:2]] == ["- # its sha256: ", "+ # its sha256: "]
            del lines[:2]
    texts = (before["publisher/schema.json"], _generated(repository)["publisher/schema.json"])
    old_sha, new_sha = (
        line for text in texts for line in text.decode().splitlines() if line.startswith('"sha256":')
    )
    purposes = '"startPage","productDeeplink","categoryDeeplink","searchDeeplink"'
    assert {name: [each.replace(" ", "") for each in lines] for name, lines in changed.items()} == {
        "publisher/types.py": [
            '-START_PAGE="startPage"',
            '+LANDING_PAGE="landingPage"',
            f"-AdmediaPurposeValue=Literal[{purposes}]",
            f"+AdmediaPurposeValue=Literal[{purposes.replace('startPage', 'landingPage')}]",
        ],
        "publisher/__init__.py": [],
        "publisher/service.py": [],
        "publisher/schema.json": [f"-{old_sha}", f"+{new_sha}"],
        "publisher/contract.wsdl": [
            '-<xsd:enumerationvalue="startPage"/>',
            '+<xsd:enumerationvalue="landingPage"/>',
        ],
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda raw: raw.replace(b"\n", b"\r\n", 1), ""),
        (lambda raw: raw.replace(b"\n", b"\xff\n", 1), ""),
        (lambda raw: raw.removesuffix(b")\n") + b"]", r"\n-.*\]\n\\ No newline at end of file\n\+.*\)\n$"),
        (lambda raw: raw + "# a\u2028b\x0cc\n".encode(), "\n-# a\u2028b\x0cc\n"),
    ],
    ids=["line ends", "encoding", "no final newline", "separators that are no line ends"],
)
def test_unusual_difference_is_reported(
    repository: Path, change: Callable[[bytes], bytes], shown: str
) -> None:
    path = repository / "generated/zxws/data/service.py"
    path.write_bytes(change(path.read_bytes()))
    done = _bindgen("check", "data", cwd=repository, code=1)
    assert re.search(shown, done.stdout)
    assert ("No newline" in done.stdout) == ("No newline" in shown)
