"""mutmut's folder of a group, and its runs there: it reads its settings from the `pyproject.toml` in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GROUPS = Path(__file__).with_name("groups.toml")
_PREPARING = "no.such.mutant"


@dataclass(frozen=True, slots=True)
class Group:
    """Modules that are mutated together, and the tests that are to notice it, but for those of `without`;
    `count`: a sample, not all."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()
    count: int | None = None

    @property
    def home(self) -> Path:
        """Where mutmut works for this group, and what it keeps from run to run."""
        return ROOT / "build" / "mutation" / self.name


def groups() -> dict[str, Group]:
    """All groups of `groups.toml`, with the modules that are there."""
    found = {}
    for name, given in tomllib.loads(GROUPS.read_text("utf-8")).items():
        paths = [path for pattern in given["modules"] for path in sorted(ROOT.glob(pattern))]
        modules = tuple(path.relative_to(ROOT).as_posix() for path in paths)
        found[name] = Group(
            name, modules, tuple(given["tests"]), tuple(given.get("without", ())), given.get("count")
        )
    return found


def prepare(group: Group) -> None:
    """Write the group's folder: the checkout by links, and mutmut's settings."""
    group.home.mkdir(parents=True, exist_ok=True)
    for part in ("soapclient", "tests", "wsdl", "docs", "generated"):
        link = group.home / part
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT / part)
    settings = {
        "source_paths": ["soapclient"],
        "only_mutate": list(group.modules),
        "do_not_mutate_patterns": [r'\bcast\("'],  # for type checkers alone
        "also_copy": ["wsdl", "docs", "generated"],
        "pytest_add_cli_args": [
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            *(f"--deselect={test}" for test in group.without),
        ],
        "pytest_add_cli_args_test_selection": list(group.tests),
        "use_git_change_detection": False,
        "on_dependency_change": "ignore",
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (group.home / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), "utf-8")
    shutil.rmtree(group.home / "mutants" / "tests", ignore_errors=True)  # mutmut would keep what is gone


def run(group: Group, names: list[str] | None = None, *, jobs: int = 1) -> int:
    """Let mutmut run some mutants anew, or all that it has not run yet; return its exit code."""
    command = [
        str(Path(sys.executable).with_name("mutmut")),
        "run",
        "--max-children",
        str(jobs),
        *(names or ()),
    ]
    with (group.home / "mutmut.log").open("wb") as log:
        return subprocess.run(command, cwd=group.home, stdout=log, stderr=log, check=False).returncode


def generate(group: Group) -> None:
    """Have the mutants made, and find out which tests call what, without running any mutant.

    mutmut has no command for that: it is what it does before it finds that a name is none of its mutants'.
    """
    run(group, [_PREPARING])
