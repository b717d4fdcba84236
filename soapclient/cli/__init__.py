"""The command line. `application` has the group of commands, `commands` has a module for each command.

Results go to stdout, messages to stderr. The exit codes are in `failures`; after Ctrl-C, the exit code is
130. `contract check` and `drift` have their own exit codes, which tell the result of the check. A closed pipe
(`… | head`) is not an error, except for these two commands.
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
