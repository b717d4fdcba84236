"""Run the first ring of tests on other interpreters, with the lowest and the highest dependencies.

    .venv/bin/python .ci/versions.py [PYTHON …] [--only lowest|highest] [-- tests/… and options of pytest]

PYTHON is the path of an interpreter; by default, the one that runs this program. Each pair gets its own
virtual environment, created by uv. The first ring needs the extra `dev`. With arguments for pytest, the extra
`exhaustive` is installed, too, because the named files may have tests of the other rings.

"lowest": the dependencies of the core and of the users' extras, and the test tools in `dev`, have the lowest
version that pyproject.toml allows; their dependencies have the newest. Prints the runs and the versions as
tables. Exits with 1 if a run failed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
RESOLUTIONS = ("lowest", "highest")
_FOR_WORK = ("audit", "bench", "dev", "docs", "exhaustive", "mutation")  # extras that users do not need
_LOOK = (
    "import importlib.metadata as m, json, platform, sys;"
    "print(json.dumps([platform.python_implementation() + ' ' + platform.python_version(),"
    " {d.name.lower().replace('_', '-'): d.version for d in m.distributions()}]))"
)


@dataclass
class Run:
    """One interpreter with one resolution, and its outcome."""

    python: str
    resolution: str
    interpreter: str = ""
    outcome: str = "not run"
    passed: bool = False
    versions: dict[str, str] = field(default_factory=dict)


def bounds(project: str) -> dict[str, str]:
    """Return the dependencies of users in a pyproject.toml: name → specifier."""
    known = tomllib.loads(project)["project"]
    extras = known["optional-dependencies"]
    lines = known["dependencies"] + [line for key in extras if key not in _FOR_WORK for line in extras[key]]
    return {each.name: str(each.specifier) for each in map(Requirement, lines)}


def table(*rows: tuple[str, ...]) -> str:
    head, *body = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *body))


def outcome_of(printed: str, code: int) -> str:
    """Return the last line of pytest, or of a tool that failed."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    last = lines[-1] if lines else "no output"
    return last.strip("= ") if code in (0, 1) else f"exit {code}: {last}"


def _uv(scratch: Path) -> str:
    """Return the path of uv, which is installed into a new environment if it is missing."""
    beside = Path(sys.executable).with_name("uv")
    if found := (str(beside) if beside.exists() else shutil.which("uv")):
        return found
    subprocess.run((sys.executable, "-m", "venv", str(scratch / "uv")), check=True)
    subprocess.run((str(scratch / "uv/bin/pip"), "install", "--quiet", "uv"), check=True)
    return str(scratch / "uv/bin/uv")


def _tool(*command: str) -> None:
    """Run a command. Raises RuntimeError with the last line that it printed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        raise RuntimeError(outcome_of(done.stderr, -1).partition(": ")[2])


def _installed(uv: str, run: Run, venv: Path, *, exhaustive: bool) -> str:
    """Create an environment with the dependencies of the tests, and return its Python.

    `exhaustive`: install the needs of all tests, not only of the first ring.
    """
    _tool(uv, "venv", "--quiet", "--python", run.python, str(venv))
    python = str(venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    install = [uv, "pip", "install", "--quiet", "--python", python]
    if run.resolution == "lowest":
        named = bounds((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        users = [f"--extra={key}" for key in _extras() if key not in _FOR_WORK]
        floor = venv.with_suffix(".txt")
        _tool(uv, "pip", "compile", "--quiet", "--python", python, "--resolution=lowest-direct",
              "--no-annotate", "--no-header", f"--output-file={floor}", *users, "pyproject.toml")  # fmt: skip
        pinned = [line for line in floor.read_text().splitlines() if line.partition("==")[0] in named]
        floor.write_text("\n".join(pinned))
        # An override, because stubs and test tools may require a newer version.
        install.append(f"--override={floor}")
    resolution = ["--resolution=lowest-direct"] if run.resolution == "lowest" else []
    _tool(*install, *resolution, "--editable", ".[dev]")
    if exhaustive:  # the newest versions; uv keeps the installed ones of `dev`
        _tool(*install, "--editable", ".[dev,exhaustive]")
    return python


def _extras() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"])


def carried_out(uv: str, run: Run, venv: Path, pytest: list[str]) -> None:
    """Install, test, and record the outcome."""
    try:
        python = _installed(uv, run, venv, exhaustive=bool(pytest))
    except RuntimeError as error:
        run.outcome = f"not installed: {error}"
        return
    looked = subprocess.run((python, "-c", _LOOK), capture_output=True, text=True, check=True)
    run.interpreter, run.versions = json.loads(looked.stdout)
    done = subprocess.run(
        (python, "-m", "pytest", *pytest), cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    run.passed = done.returncode == 0
    run.outcome = outcome_of(done.stdout, done.returncode)
    if not run.passed:
        print(done.stdout[-20_000:], file=sys.stderr)


def report(runs: list[Run], named: dict[str, str]) -> str:
    """Return two tables: the runs, and the versions."""
    ran = [(run.interpreter or run.python, run.resolution, run.outcome) for run in runs]
    rows = []
    for name, bound in named.items():
        found = [run.versions.get(name.lower().replace("_", "-"), "") for run in runs]
        rows.append((name, f"`{bound}`", *found))
    heads = [f"{run.interpreter or run.python}, {run.resolution}" for run in runs]
    return (
        table(("Interpreter", "Dependencies", "Outcome"), *ran)
        + "\n\n"
        + table(("Dependency", "Bound", *heads), *rows)
    )


def main(arguments: list[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("python", nargs="*", default=[sys.executable])
    parser.add_argument("--only", choices=RESOLUTIONS)
    options = parser.parse_args(arguments[:at])
    wanted = RESOLUTIONS if options.only is None else (options.only,)
    runs = [Run(python, resolution) for python in options.python for resolution in wanted]
    with tempfile.TemporaryDirectory() as folder:
        uv = _uv(Path(folder))
        for number, run in enumerate(runs):
            print(f"== {run.python}, {run.resolution}", file=sys.stderr, flush=True)
            carried_out(uv, run, Path(folder, f"venv{number}"), arguments[at + 1 :])
            print(f"== {run.outcome}", file=sys.stderr, flush=True)
    print(report(runs, bounds((ROOT / "pyproject.toml").read_text(encoding="utf-8"))))
    return 0 if all(run.passed for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
