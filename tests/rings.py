"""The two rings of the suite: what a plain `pytest` runs, and what it leaves to `pytest -m exhaustive`.

A module or a test with the marker `exhaustive` is in the second ring. Of a parametrised test with
`sampled(N)`, N cases are in the first ring, chosen by their ids, and the others in the second.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

import pytest


def first_ring(config: pytest.Config) -> bool:
    """Return True if the command line names no files, no markers and no keywords."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return not (named or config.option.markexpr or config.option.keyword)


def assign(items: Iterable[pytest.Item]) -> None:
    """Add the marker `exhaustive` to the cases of `sampled` tests that are not chosen."""
    functions = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    for cases in functions.values():
        marker = cases[0].get_closest_marker("sampled")
        if marker is not None:
            for case in sorted(cases, key=_rank)[marker.args[0] :]:
                case.add_marker("exhaustive")


def _rank(item: pytest.Item) -> bytes:
    """Return a sort key that is the same in each run and process."""
    return hashlib.sha256(item.nodeid.encode()).digest()
