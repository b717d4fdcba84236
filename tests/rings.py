"""The rings of the suite: a plain `pytest`, then `pytest -m exhaustive`, and at night `pytest -m night`.

A module or a test with the marker `exhaustive` is in the second ring, with `night` in the third. Of a
parametrised test with `sampled(FIRST)`, FIRST cases are in the first ring and the others in the second. With
`sampled(FIRST, SECOND)`, SECOND further cases are in the second ring and the others in the third. Cases are
chosen by a hash of their ids, so that each run and process chooses the same ones. Tests of properties are
tried with a tenth of their examples in the first ring.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

FIRST: Final = "not exhaustive and not night"
SECOND: Final = "exhaustive and not night"
_WHOLE_FILE: Final = r"^pytestmark = pytest\.mark\.({})$"
_NOT_IN_FIRST: Final = re.compile(_WHOLE_FILE.format("exhaustive|night"), re.MULTILINE)
_NOT_IN_SECOND: Final = re.compile(_WHOLE_FILE.format("night"), re.MULTILINE)
_PARTLY_IN_SECOND: Final = re.compile(r"\bpytest\.mark\.(exhaustive|sampled)\b")
_FEWER: Final = 10  # the first ring tries one of so many examples

# The duration of an example depends more on the load of the machine than on the code.
_unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("all examples", _unhurried)
settings.register_profile("fewer examples", _unhurried, max_examples=_unhurried.max_examples // _FEWER)


def configure(config: pytest.Config) -> None:
    """Select a ring: the first one if the command line names no files, no markers and no keywords."""
    needs_extra = config.option.markexpr in ("exhaustive", "night")
    if needs_extra and importlib.util.find_spec("pandas") is None:
        raise pytest.UsageError("this ring needs another extra: pip install -e '.[dev,exhaustive]'")
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if not (named or config.option.markexpr or config.option.keyword):
        config.option.markexpr = FIRST  # the workers of xdist get it from the main process
    elif config.option.markexpr == "exhaustive":
        config.option.markexpr = SECOND
    settings.load_profile("fewer examples" if config.option.markexpr == FIRST else "all examples")


def is_outside(file: Path, config: pytest.Config) -> bool:
    """Return True if this run is the first or the second ring, and no test of a file is in it.

    Such a file is not imported, which saves time.
    """
    ring = config.option.markexpr
    if ring not in (FIRST, SECOND):
        return False
    text = file.read_text(encoding="utf-8")
    if ring == FIRST:
        return _NOT_IN_FIRST.search(text) is not None
    return _NOT_IN_SECOND.search(text) is not None or _PARTLY_IN_SECOND.search(text) is None


def examples(number: int) -> int:
    """Return how many of a number of examples this run tries."""
    fewer = settings.get_profile("fewer examples").max_examples
    return max(1, number // _FEWER) if settings().max_examples == fewer else number


def assign(items: Iterable[pytest.Item], config: pytest.Config) -> None:
    """Add the markers of their rings to the cases of `sampled` tests that are not chosen.

    At night, tests of properties run again, with all examples.
    """
    functions = defaultdict[str, list[pytest.Item]](list)
    at_night = config.option.markexpr.strip() == "night"
    for item in items:
        if at_night and _is_property(item):
            item.add_marker("night")
        functions[item.nodeid.partition("[")[0]].append(item)
    for cases in functions.values():
        marker = cases[0].get_closest_marker("sampled")
        if marker is None:
            continue
        first, second = marker.args if len(marker.args) == 2 else (marker.args[0], len(cases))
        for rank, case in enumerate(sorted(cases, key=_rank)):
            if rank >= first:
                case.add_marker("exhaustive" if rank < first + second else "night")


def _is_property(item: pytest.Item) -> bool:
    """Return True if the number of examples of a test depends on the ring."""
    function = item.function if isinstance(item, pytest.Function) else None
    return is_hypothesis_test(function) or getattr(function, "__globals__", {}).get("examples") is examples


def _rank(item: pytest.Item) -> bytes:
    """Return a sort key that is the same in each run and process."""
    return hashlib.sha256(item.nodeid.encode()).digest()
