"""The matrix of true contracts as a table: run its tests, and print what each variant needs and does.

python -m tests.contracts_matrix [OPTIONS OF PYTEST]
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.contracts_matrix.data_variants import VARIANTS
from tests.contracts_matrix.variants import SETTINGS

HERE = Path(__file__).parent
_TEST = re.compile(r"::test_(\w+)\[(.+)\]$")
# Test → its contract. Each test records the operations that the service was called with.
CONTRACTS = {
    "the_publisher_service_is_called": "publisher",
    "an_export_is_signed": "data",
    "an_export_of_a_variant": "data",
}


@dataclass
class Results:
    """A pytest plugin that keeps the outcomes of the tests of variants."""

    outcomes: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)  # called, outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = _TEST.search(report.nodeid)
        if test is None or test[1] not in CONTRACTS:
            return
        if report.when == "call" or report.outcome != "passed":
            called = str(dict(report.user_properties).get("called", ""))
            self.outcomes[test[1], test[2]] = called, report.outcome


def edit(test: str, variant: str) -> str:
    """Return the edit that a user makes for a variant."""
    if test != "an_export_of_a_variant":
        return "REST-only parts taken out of contracts.toml" if variant in SETTINGS else "none"
    found = VARIANTS[variant]
    if found.propose:
        return "--propose"
    return f"{len(found.settings)} in contracts.toml" if found.settings else "none"


def table(outcomes: dict[tuple[str, str], tuple[str, str]]) -> str:
    """Return the table in Markdown."""
    lines = ["| Contract | Variant | Edit needed | Operations called | Result |", "|---|---|---|---|---|"]
    for (test, variant), (called, outcome) in sorted(outcomes.items()):
        lines.append(f"| {CONTRACTS[test]} | {variant} | {edit(test, variant)} | {called} | {outcome} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run the tests and print the table. Return the exit code of pytest."""
    results = Results()
    tests = [str(HERE / name) for name in ("test_matrix_signing.py", "test_matrix_orders.py")]
    code = pytest.main([*tests, "-q", *arguments], plugins=[results])
    print(table(results.outcomes))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
