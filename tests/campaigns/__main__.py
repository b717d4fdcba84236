"""`python -m tests.campaigns calls|exports`: one line of figures, exit code 1 where anything was found."""

from __future__ import annotations

import argparse
import logging
import sys

from . import calls, exports


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign that the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("campaign", choices=("calls", "exports"))
    parser.add_argument("--seed", type=int, default=1, help="all chance comes from it")
    parser.add_argument("--minutes", type=float, help="begin nothing after so many")
    parser.add_argument("--count", type=int, help="pieces of work, or exports")
    parser.add_argument("--json", action="store_true", help="figures and findings as one JSON object")
    given = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)  # warnings of findings and retries, thousands of them
    if given.campaign == "calls":
        count = 4800 if given.count is None else given.count
        forked = min(40, count // 20)
        report = calls.run(given.seed, count=count, minutes=given.minutes, forked=forked)
    else:
        count = 60 if given.count is None else given.count
        report = exports.run(given.seed, count=count, minutes=given.minutes)
    report.tell(as_json=given.json)
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
