"""List the branches that the tests take, and the branches that they do not take.

    .venv/bin/python .ci/covered.py DATA

DATA is the value of COVERAGE_FILE during the tests; `make coverage` runs both. Exits with 1 if the client,
bindgen or the sandbox is below its share in docs/reference/coverage.md.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec
from coverage import Coverage

ROOT = Path(__file__).parents[1]
REASONS = ROOT / "docs/reference/coverage.md"
AIM = 95.0  # per cent: of the branches of a part, of branches and lines of a module
_FLOOR = re.compile(r"^\| ([a-z ]+) \| [\d.]+ % \| (\d+) % \|", re.MULTILINE)
_ROW = re.compile(r"^\| `([\w./]+\.py)` \|", re.MULTILINE)


class Counts(msgspec.Struct):
    num_branches: int
    covered_branches: int
    num_statements: int
    covered_lines: int


class Region(msgspec.Struct):
    """A function, or the code outside all functions."""

    missing_lines: list[int]
    missing_branches: list[tuple[int, int]]


class Module(msgspec.Struct):
    summary: Counts
    functions: dict[str, Region]


class Report(msgspec.Struct):
    files: dict[str, Module]


class Share(NamedTuple):
    """Numbers of branches and lines: all, and the ones that ran."""

    branches: int
    taken: int
    lines: int
    run: int

    @property
    def percent(self) -> float:
        return 100 * self.taken / self.branches if self.branches else 100.0

    @property
    def together(self) -> float:
        """Share of branches and lines together, as coverage.py computes it."""
        return 100 * (self.taken + self.run) / (self.branches + self.lines or 1)

    def __str__(self) -> str:
        lines = 100 * self.run / self.lines if self.lines else 100.0
        return f"{self.percent:6.2f} % of {self.branches:5} branches, {lines:6.2f} % of {self.lines:5} lines"


def share(modules: Iterable[Module]) -> Share:
    total = Counter[str]()
    for module in modules:
        total.update(msgspec.structs.asdict(module.summary))
    return Share(
        *(
            total[f"{name}"]
            for name in ("num_branches", "covered_branches", "num_statements", "covered_lines")
        )
    )


def part(path: str) -> str:
    """Return the part of a module, which has its own share."""
    if path.startswith("soapclient/tracking/sandbox/"):
        return "sandbox"
    return "bindgen" if path.startswith("tools/") else "soapclient without the sandbox"


def room(path: str) -> str:
    """Return the folder of a module below its package, or the package if the module is not in a folder."""
    package, *below = path.removeprefix("tools/").split("/")
    return f"{package}/{below[0]}/" if len(below) > 1 else f"{package}/"


def gaps(module: Module) -> Iterable[str]:
    """Yield the functions with missing branches or lines."""
    for name, region in module.functions.items():
        if region.missing_branches or region.missing_lines:
            arcs = [f"{start}→{end if end > 0 else 'end'}" for start, end in region.missing_branches]
            lines = f"lines {', '.join(map(str, region.missing_lines))}" if region.missing_lines else ""
            yield f"{name or 'module'}: {'; '.join(filter(None, (', '.join(arcs), lines)))}"


def measured(data: Path) -> dict[str, Module]:
    """Return the combined data of all processes."""
    with tempfile.TemporaryDirectory() as folder:
        coverage = Coverage(data_file=str(data), config_file=str(ROOT / "pyproject.toml"))
        coverage.combine(keep=True)
        report = Path(folder, "report.json")
        coverage.json_report(outfile=str(report))
        return msgspec.json.decode(report.read_bytes(), type=Report).files


def main(data: str) -> int:
    modules = measured(Path(data).absolute())
    rooms, parts = defaultdict[str, list[Module]](list), defaultdict[str, list[Module]](list)
    for path, module in modules.items():
        rooms[room(path)].append(module)
        parts[part(path)].append(module)
    for name in sorted(rooms):
        print(f"{name:32}{share(rooms[name])}")

    text = REASONS.read_text(encoding="utf-8")
    reasons = set(_ROW.findall(text))
    floors = {name: float(least) for name, least in _FLOOR.findall(text)}
    failed = False
    print("\ngaps; before them, the module's share of branches and lines")
    for path, module in sorted(modules.items()):
        if found := list(gaps(module)):
            percent = share([module]).together
            known = percent >= AIM or path in reasons
            print(f"{path}: {percent:.1f} %{'' if known else f' and no reason in {REASONS.name}'}")
            print(*(f"    {gap}" for gap in found), sep="\n")

    print()
    for name, of in [*sorted(parts.items()), ("all", list(modules.values()))]:
        reached, least = share(of), floors.get(name, AIM)
        failed |= reached.percent < least
        print(f"{name:32}{reached}, at least {least:g} %{'' if reached.percent >= least else ': NO'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
