"""The commands that check the package's dependencies, and the bounds that the page on dependencies states.

The commands are .ci/supply.py and .ci/versions.py.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/dependencies.md"


def script(name: str, folder: str = ".ci") -> ModuleType:
    """Load a script of a folder that is not a package."""
    found = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / folder / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # dataclasses look up their module there
    found.loader.exec_module(module)
    return module


supply, versions = script("supply"), script("versions")


def advisory(
    name: str = "made-up", *events: dict[str, str], listed: tuple[str, ...] = (), **more: object
) -> dict[str, Any]:
    """Return an advisory in OSV's format. Without events it applies to all versions below 2."""
    ranges = [{"type": "ECOSYSTEM", "events": list(events or ({"introduced": "0"}, {"fixed": "2"}))}]
    affected = {"package": {"ecosystem": "PyPI", "name": name}, "ranges": ranges, "versions": list(listed)}
    return {"id": "TEST-1", "modified": "2026-11-01T00:00:00Z", "affected": [affected], **more}


# Results of the OSV schema's evaluation algorithm, worked out by hand.
@pytest.mark.parametrize(
    ("events", "version", "expected"),
    [
        (({"introduced": "0"}, {"fixed": "2"}), "1.9", True),
        (({"introduced": "0"}, {"fixed": "2"}), "2", False),
        (({"introduced": "0"}, {"fixed": "2"}), "2.0rc1", True),  # before the fixed release
        (({"introduced": "1.10"}, {"fixed": "1.11"}), "1.9", False),  # compared as versions, not strings
        (({"introduced": "1.10"}, {"fixed": "1.11"}), "1.10.5", True),
        (({"introduced": "1"}, {"last_affected": "1.4"}), "1.4", True),
        (({"introduced": "1"}, {"last_affected": "1.4"}), "1.4.1", False),
        # introduced again, and not in chronological order
        (({"introduced": "3"}, {"fixed": "3.2"}, {"introduced": "0"}, {"fixed": "2"}), "3.1", True),
        (({"introduced": "3"}, {"fixed": "3.2"}, {"introduced": "0"}, {"fixed": "2"}), "2.5", False),
        (({"introduced": "3"},), "99", True),
    ],
)
def test_version_ranges_are_compared(
    events: tuple[dict[str, str], ...], version: str, expected: bool
) -> None:
    assert supply.affects(advisory("made-up", *events), "made-up", Version(version)) is expected


def test_listed_versions_count_in_addition_to_ranges_and_commits_do_not() -> None:
    listed = advisory(listed=("5.0", "not a version"))
    assert supply.affects(listed, "made-up", Version("5"))
    assert not supply.affects(listed, "made-up", Version("5.1"))
    assert not supply.affects(listed, "other", Version("1"))
    listed["affected"][0]["ranges"][0]["type"] = "GIT"
    assert not supply.affects(listed, "made-up", Version("1"))


def test_advisories_of_a_folder_and_a_zip_are_equal(tmp_path: Path) -> None:
    folder, archive = tmp_path / "all" / "below", tmp_path / "all.zip"
    folder.mkdir(parents=True)
    other = {"id": "NPM-1", "affected": [{"package": {"ecosystem": "npm", "name": "made-up"}}]}
    for name, content in {"a": advisory("Made_Up"), "b": other, "c": {"id": "EMPTY"}}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    with zipfile.ZipFile(archive, "w") as target:
        for path in folder.iterdir():
            target.write(path, path.name)
    assert list(supply.advisories(folder.parent)) == ["made-up"]  # by the normalised name that indexes use
    assert supply.advisories(archive) == supply.advisories(folder.parent)
    (folder / "a.json").unlink()
    with pytest.raises(ValueError, match="holds no advisories for PyPI"):
        supply.advisories(folder)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with made-up 1.5, which has no dependencies."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, with_pip=False)
    for name, version in {"made-up": "1.5", "soapclient": "0.1.0"}.items():
        info = (
            next(folder.glob("lib/python3*/site-packages")) / f"{name.replace('-', '_')}-{version}.dist-info"
        )
        info.mkdir()
        needs = "Requires-Dist: made-up>=1\n" if name == "soapclient" else ""
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
    return folder


def commanded(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, str(ROOT / ".ci/supply.py"), *arguments),
        capture_output=True, text=True, check=False, timeout=120, env=os.environ | variables,
    )  # fmt: skip


@pytest.mark.night
def test_pip_audit_finds_vulnerabilities_with_a_snapshot(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(advisory(summary="It is made up.")))
    found = commanded(
        "audit", "--environment", str(environment), "--advisories", str(tmp_path), "--", "-fjson"
    )
    assert found.returncode == 1, found.stderr
    packages = {each["name"]: each["vulns"] for each in json.loads(found.stdout)["dependencies"]}
    assert packages["soapclient"] == []
    assert [(each["id"], each["fix_versions"]) for each in packages["made-up"]] == [("TEST-1", ["2"])]
    assert "1 advisories for 1 packages, the newest of 2026-11-01T00:00:00Z" in found.stderr


def test_audit_without_advisories_is_an_error(environment: Path, tmp_path: Path) -> None:
    done = commanded("audit", "--environment", str(environment), "--advisories", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("The audit was not made: ")


def test_sbom_lists_installed_packages_without_time_and_path(environment: Path, tmp_path: Path) -> None:
    output = tmp_path / "below" / "bill.json"
    done = commanded("sbom", "--environment", str(environment), "--output", str(output))
    assert (done.returncode, done.stdout) == (0, f"{output}\n"), done.stderr
    bill = json.loads(output.read_bytes())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["name"] == "soapclient"
    assert {each["purl"] for each in bill["components"]} >= {"pkg:pypi/made-up@1.5"}
    assert "timestamp" not in bill["metadata"]  # with either, no two files would be identical
    assert "serialNumber" not in bill
    assert str(environment.parent) not in output.read_text()


# ---- bounds


def requirements() -> dict[str, Requirement]:
    """The packages that users install: core and extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"]]
    for key in extras:
        lines += extras[key] if key not in {"dev", "docs", "audit", "bench", "exhaustive", "mutation"} else []
    return {each.name: each for each in map(Requirement, lines)}


def test_page_explains_each_version_bound() -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `([^`]*)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    said = {name: Requirement(f"{name}{bound}").specifier for name, bound in rows.items()}
    assert said == {name: each.specifier for name, each in requirements().items()}


def test_the_script_and_the_tests_read_the_same_bounds() -> None:
    read = versions.bounds((ROOT / "pyproject.toml").read_text())
    assert read == {name: str(each.specifier) for name, each in requirements().items()}


@pytest.mark.parametrize(
    ("printed", "code", "expected"),
    [
        ("..\n=== 12 passed in 3.10s ===\n", 0, "12 passed in 3.10s"),
        ("F\nFAILED a::b\n1 failed, 2 passed in 1s\n\n", 1, "1 failed, 2 passed in 1s"),
        ("ERROR: unrecognized arguments\n", 4, "exit 4: ERROR: unrecognized arguments"),
        ("", 0, "no output"),
    ],
)
def test_outcome_of_a_run_is_classified(printed: str, code: int, expected: str) -> None:
    assert versions.outcome_of(printed, code) == expected


@pytest.mark.parametrize(
    ("arguments", "extras"), [([], [".[dev]"]), (["tests/test_rings.py"], [".[dev]", ".[dev,exhaustive]"])]
)
def test_needs_of_all_rings_are_installed_if_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], extras: list[str]
) -> None:
    installed: list[str] = []

    def tool(*command: str) -> None:
        if "install" in command:
            installed.append(command[-1])

    def run(command: tuple[str, ...], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, '["CPython 3.11.7", {}]')

    monkeypatch.setattr(versions, "_tool", tool)
    monkeypatch.setattr(versions.subprocess, "run", run)
    versions.carried_out("uv", versions.Run("python", "highest"), tmp_path / "venv", arguments)
    assert installed == extras


def test_the_tables_name_interpreters_versions_and_outcomes() -> None:
    one = versions.Run("py", "lowest", "CPython 3.11.7", "5 passed", True, {"zeep": "4.3.3"})
    two = versions.Run("/nowhere/python", "highest", outcome="not installed: no such interpreter")
    assert versions.report([one, two], {"zeep": ">=4.3.3,<4.4"}) == (
        "| Interpreter | Dependencies | Outcome |\n"
        "| --- | --- | --- |\n"
        "| CPython 3.11.7 | lowest | 5 passed |\n"
        "| /nowhere/python | highest | not installed: no such interpreter |\n"
        "\n"
        "| Dependency | Bound | CPython 3.11.7, lowest | /nowhere/python, highest |\n"
        "| --- | --- | --- | --- |\n"
        "| zeep | `>=4.3.3,<4.4` | 4.3.3 |  |"
    )


def test_ci_does_not_change_the_virtual_environment_of_the_developer(tmp_path: Path) -> None:
    """Runs `.ci/run` with a python3 that fails, so it stops when it creates its environment."""
    checkout, commands, temporary = tmp_path / "checkout", tmp_path / "commands", tmp_path / "temporary"
    for folder in (checkout / ".ci", checkout / ".venv", commands, temporary):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", checkout / ".ci/run")
    installed = checkout / ".venv/installed"
    installed.write_text("by hand")
    python = commands / "python3"
    python.write_text('#!/bin/sh\necho "$*" > "$TMPDIR/../arguments"\nexit 9\n')
    python.chmod(0o755)
    environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "TMPDIR": str(temporary)}
    run = subprocess.run(["bash", ".ci/run"], cwd=checkout, env=environment, check=False, timeout=60)
    assert run.returncode == 9
    assert installed.read_text() == "by hand"
    assert (tmp_path / "arguments").read_text().startswith(f"-m venv {temporary}")
    assert list(temporary.iterdir()) == []
