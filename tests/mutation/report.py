"""The figures of a group, and its survivors."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .mutants import Mutant

SURVIVORS = Path(__file__).with_name("survivors.toml")
Identity = tuple[str, str, str]


def listed(modules: Iterable[str], path: Path = SURVIVORS) -> dict[Identity, str]:
    """Return the mutants of some modules that no test can kill, each with the reason."""
    wanted = frozenset(modules)
    rows = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    return {
        (row["module"], row["function"], row["change"].strip()): row["reason"]
        for row in rows
        if row["module"] in wanted
    }


def figures(name: str, mutants: Sequence[Mutant], known: Mapping[Identity, str]) -> str:
    """Return one line: results of the mutants, and the killed share with and without listed survivors."""
    fates = Counter(mutant.fate for mutant in mutants)
    alive = [mutant for mutant in mutants if mutant.fate == "survived"]
    equal = sum(1 for mutant in alive if mutant.identity in known)
    dead = fates["killed"] + fates["timeout"]
    tried = dead + len(alive)
    parts = [
        f"{name}: {tried} mutants, {fates['killed']} killed, {fates['timeout']} timeouts",
        f"{len(alive)} survived",
        f"{_share(dead, tried)} killed",
        f"without {equal} listed: {_share(dead, tried - equal)}",
    ]
    if fates["untested"]:
        parts.append(f"{fates['untested']} not run")
    return ", ".join(parts)


def margin(dead: int, tried: int, of: int) -> float:
    """Return half of the 95 % confidence interval, in percent, for a sample of `tried` out of `of`."""
    if not tried or of <= 1:
        return 0.0
    share = dead / tried
    return 196 * math.sqrt(share * (1 - share) / tried * (of - tried) / (of - 1))


def stale(mutants: Iterable[Mutant], known: Iterable[Identity]) -> list[str]:
    """Return the listed survivors that were killed or no longer exist."""
    fates = {mutant.identity: mutant.fate for mutant in mutants}
    gone = [f"{of[0]} {of[1]}: gone\n{of[2]}" for of in known if of not in fates]
    killed = [of for of in known if fates.get(of) in ("killed", "timeout")]
    return gone + [f"{of[0]} {of[1]}: killed\n{of[2]}" for of in killed]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
