"""`python -m tests.mutation GROUP`: print figures per module and the survivors.

The exit code is 1 below the bar of 85 %, or if an entry of `survivors.toml` is not a survivor.
"""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from . import mutmut, report
from .mutants import Mutant, mutants
from .mutmut import Group

BAR = 85.0  # percent killed


def main(arguments: list[str] | None = None) -> int:
    """Run the group named in the arguments. Return the exit code."""
    known = mutmut.groups()
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("group", choices=known)
    parser.add_argument("--count", type=int, help="a random sample of so many mutants; 0: all")
    parser.add_argument("--only", default="", help="mutants of modules or functions with this in their name")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at once")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--survivors", action="store_true", help="run survivors anew, after new tests")
    again.add_argument("--report", action="store_true", help="run nothing, say what the last run found")
    given = parser.parse_args(arguments)
    group = known[given.group]
    if not Path(sys.executable).with_name("mutmut").exists():
        parser.error("mutmut is not installed: pip install -e '.[dev,mutation]'")
    count = group.count if given.count is None else given.count
    if not given.report:
        mutmut.prepare(group)
        mutmut.generate(group)
        chosen = sample(found(group, given.only), count, given.seed)
        wanted = ("untested", "survived") if given.survivors else ("untested",)
        todo = [mutant.name for mutant in chosen if mutant.fate in wanted]
        if todo and mutmut.run(group, todo, jobs=given.jobs) != 0:
            print(f"mutmut failed, see {group.home / 'mutmut.log'}", file=sys.stderr)
            return 1
    made = found(group, given.only)
    return tell(group, made, sample(made, count, given.seed), given.seed)


def found(group: Group, only: str = "") -> list[Mutant]:
    """Return the mutants of a group from mutmut's folder: all, or only names that contain `only`."""
    made = mutants(group.home / "mutants", mutmut.ROOT, group.modules)
    return [mutant for mutant in made if only in f"{mutant.module} {mutant.function}"]


def sample(made: list[Mutant], count: int | None, seed: int) -> list[Mutant]:
    """Draw `count` mutants by the seed and return them in their order, or all if `count` is not smaller.

    A larger sample includes a smaller one. Changes in other code do not affect the draw.
    """
    if not count or count >= len(made):
        return made
    drawn = sorted(made, key=lambda mutant: sha256(repr((seed, mutant.identity)).encode()).digest())
    names = frozenset(mutant.name for mutant in drawn[:count])
    return [mutant for mutant in made if mutant.name in names]


def tell(group: Group, made: list[Mutant], chosen: list[Mutant], seed: int) -> int:
    """Print survivors and figures. Return the exit code."""
    known = report.listed({mutant.module for mutant in made})
    for mutant in (mutant for mutant in chosen if mutant.fate == "survived"):
        print(f"{mutant}\n    {known[mutant.identity]}" if mutant.identity in known else mutant)
    for module, of_it in groupby(chosen, key=attrgetter("module")):
        print(report.figures(module, list(of_it), known))
    print(report.figures(group.name, chosen, known))
    dead = sum(mutant.fate in ("killed", "timeout") for mutant in chosen)
    tried = sum(mutant.fate != "untested" for mutant in chosen)
    if len(chosen) < len(made):
        margin = report.margin(dead, tried, len(made))
        print(f"{group.name}: a sample of {len(chosen)} of {len(made)}, seed {seed}, ± {margin:.1f} % (95 %)")
    wrong = report.stale(made, known)
    for line in wrong:
        print(f"listed in survivors.toml, but {line}")
    return int(bool(wrong) or not tried or 100 * dead / tried < BAR)


if __name__ == "__main__":
    sys.exit(main())
