"""Structure-aware fuzzing of responses, contracts, files, settings and command lines with small changes.

A target must accept each input or reject it with one of our errors, within limits of time and memory. If
there is a second reader, it must read accepted inputs in the same way.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from soapclient._support.speedups import in_use as speedups_in_use

from ..findings import Finding, Report
from .target import Target, drawn
from .watch import Outcome, supervised

FULL: Final = 1_110_000


def targets() -> Mapping[str, Target]:
    """Return all targets by name, the slowest first."""
    from . import commands, contracts, files, packages, responses, settings, state

    modules = [contracts, packages, commands, responses, settings, state, files]
    if speedups_in_use():
        from . import speedups

        modules.append(speedups)
    return {each.name: each for module in modules for each in module.TARGETS}


def run(
    seed: int,
    *,
    count: int = FULL,
    minutes: float | None = None,
    only: Mapping[str, Target] | None = None,
) -> Report:
    """Fuzz the targets, each with its share of `count` inputs."""
    began = time.monotonic()
    report = Report("fuzz", seed)
    chosen = targets() if only is None else only
    whole = sum(each.share for each in chosen.values())
    total = Outcome()
    figures: dict[str, int | float] = {}
    left, planned = whole, 0
    for place, (name, target) in enumerate(chosen.items()):
        until = None
        if minutes is not None:  # share out the remaining time
            rest = began + minutes * 60 - time.monotonic()
            until = time.monotonic() + max(rest, 0.0) / (len(chosen) - place)
        left -= target.share
        number = count * target.share // whole if left else count - planned  # the last target gets the rest
        planned += number
        if not number:
            continue
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_home()) as folder:
            outcome = supervised(target, Path(folder), seed, number, until)
        total.add(outcome)
        figures[name] = outcome.inputs
        for kind, index, what, times in outcome.findings.values():
            again = f"python -m tests.campaigns fuzz --seed {seed} --only {name} --index {index}"
            more = f" ({times} times)" if times > 1 else ""
            report.add(Finding(kind, f"{name} seed {seed} index {index}{more}", what, (again,)))
    report.figures = {
        "inputs": total.inputs,
        "taken": total.taken,
        "targets": len(chosen),
        "seconds": round(time.monotonic() - began, 1),
        "slowest": round(total.slowest, 2),
        "grown_mib": total.grown >> 20,
        **figures,
    }
    return report


def run_only(
    name: str, seed: int, *, count: int = FULL, minutes: float | None = None, index: int | None = None
) -> Report:
    """Fuzz one target with its share of `count` inputs, or repeat the input with one index.

    Raises SystemExit if no target has this name.
    """
    known = targets()
    if name not in known:
        raise SystemExit(f"there is no target {name}; there are {', '.join(known)}")
    if index is not None:
        return again(known[name], seed, index)
    whole = sum(each.share for each in known.values())
    return run(seed, count=count * known[name].share // whole, minutes=minutes, only={name: known[name]})


def _home() -> str | None:
    """Return an in-memory folder, if there is one: durable writes to disk are slow."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def again(target: Target, seed: int, index: int) -> Report:
    """Repeat one input in this process. The finding contains the traceback of its exception."""
    import traceback

    report = Report("fuzz", seed)
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_home()) as folder:
        prepared = target.prepare(Path(folder))
        chosen, content = drawn(prepared, target.name, seed, index)
        began = time.process_time()
        try:
            taken = prepared.run(chosen, content)
        except Exception as error:
            where = f"{target.name} seed {seed} index {index}"
            lines = ("".join(traceback.format_exception(error)), f"seed {chosen.name}, input {content!r}")
            report.add(Finding("foreign exception", where, repr(error), lines))
            taken = False
        took = time.process_time() - began
    report.figures = {"inputs": 1, "taken": int(taken), "seconds": round(took, 3)}
    return report
