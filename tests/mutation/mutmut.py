"""mutmut's folder of a group, and runs of mutmut there. It has a `pyproject.toml` with the settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GROUPS = Path(__file__).with_name("groups.toml")


@dataclass(frozen=True, slots=True)
class Group:
    """Modules that are mutated together, and the tests that must detect the mutants, except for `without`.

    `count` is the size of a sample; None means all. `fresh`: import everything anew for each mutant, because
    the code builds objects when it is imported or first used (`fresh.py`).
    """

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()
    count: int | None = None
    fresh: bool = False

    @property
    def home(self) -> Path:
        """The folder in which mutmut works for this group and keeps its results between runs."""
        return ROOT / "build" / "mutation" / self.name


def groups() -> dict[str, Group]:
    """Return all groups of `groups.toml`, with their existing modules."""
    found = {}
    for name, given in tomllib.loads(GROUPS.read_text("utf-8")).items():
        paths = [path for pattern in given["modules"] for path in sorted(ROOT.glob(pattern))]
        modules = tuple(path.relative_to(ROOT).as_posix() for path in paths)
        tests, without = tuple(given["tests"]), tuple(given.get("without", ()))
        found[name] = Group(name, modules, tests, without, given.get("count"), given.get("fresh", False))
    return found


def prepare(group: Group) -> None:
    """Write the group's folder: links to the checkout, and mutmut's settings."""
    group.home.mkdir(parents=True, exist_ok=True)
    for part in ("soapclient", "tests", "wsdl", "docs", "generated"):
        link = group.home / part
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT / part)
    settings = {
        "source_paths": ["soapclient"],
        "only_mutate": list(group.modules),
        "do_not_mutate_patterns": [r'\bcast\("'],  # only for type checkers
        "also_copy": ["wsdl", "docs", "generated"],
        "pytest_add_cli_args": [
            *("-n", "0", "-p", "no:cacheprovider"),
            *(("-p", "tests.mutation.fresh") if group.fresh else ()),
            *(f"--deselect={test}" for test in group.without),
        ],
        "pytest_add_cli_args_test_selection": list(group.tests),
        "use_git_change_detection": False,
        "on_dependency_change": "ignore",
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (group.home / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), "utf-8")
    shutil.rmtree(group.home / "mutants" / "tests", ignore_errors=True)  # mutmut keeps removed tests


def run(group: Group, names: list[str], *, jobs: int = 1) -> int:
    """Run the given mutants again. Return mutmut's exit code.

    The tests run without the compiled reader, because they would not call the mutated functions otherwise.
    """
    command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(jobs), *names]
    environment = {**os.environ, "SOAPCLIENT_SPEEDUPS": "0"}
    with (group.home / "mutmut.log").open("wb") as log:
        done = subprocess.run(command, cwd=group.home, env=environment, stdout=log, stderr=log, check=False)
    return done.returncode


def generate(group: Group) -> None:
    """Generate the mutants and record which tests call which functions, without running any mutant.

    mutmut has no command for this. It does so before it reports that a mutant's name is unknown.
    """
    run(group, ["no.such.mutant"])
