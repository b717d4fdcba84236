"""The command line: `application` has the group, `commands` a module for each command.

Results go to stdout, messages to stderr. Exit codes stand in `failures`; 130 is Ctrl-C, and those of
`contract check` and `drift` are verdicts. A closed pipe (`… | head`) is not an error, except where the exit
code is a verdict.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command that `sys.argv` says; return its exit code."""
    try:
        from soapclient.cli.application import run
    except ModuleNotFoundError as missing:
        if missing.name != "click":
            raise
        print("soapclient: the command line needs click: pip install 'soapclient[cli]'", file=sys.stderr)
        # Of `contract check` and `drift`, 1 would be a verdict.
        return next((code for word, code in (("contract", 3), ("drift", 2)) if word in sys.argv), 1)
    except KeyboardInterrupt:
        return 130
    return run()
