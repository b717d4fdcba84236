"""The command line. `application` has the group of commands, `commands` has a module for each command.

Results go to stdout, messages to stderr. Exit codes are in `failures`; 130 is Ctrl-C. For `contract check`
and `drift` the exit code is a verdict. A closed pipe (`… | head`) is not an error, except if the exit code
is a verdict.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command in `sys.argv`; return its exit code."""
    try:
        from soapclient.cli.application import run
    except ModuleNotFoundError as missing:
        if missing.name != "click":
            raise
        print("soapclient: the command line needs click: pip install 'soapclient[cli]'", file=sys.stderr)
        # For `contract check` and `drift`, 1 would be a verdict.
        return next((code for word, code in (("contract", 3), ("drift", 2)) if word in sys.argv), 1)
    except KeyboardInterrupt:
        return 130
    return run()
