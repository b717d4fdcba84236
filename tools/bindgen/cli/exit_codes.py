"""The commands that end with exit code 3 for every failure: `diff` and `fetch --check`.

Their lower exit codes are results, such as "changed". This module does not import click, because a missing
click is one of the possible failures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

UNANSWERED: Final = 3
COMMANDS: Final = ("init", "fetch", "generate", "check", "diff", "docs")
_WITH_VALUE: Final = ("--wsdl",)  # options of the group that take a value


def unanswered(arguments: Sequence[str]) -> bool:
    """Return True if the command is `diff` or `fetch --check`. `arguments` are the words after `bindgen`."""
    previous = ""
    for position, word in enumerate(arguments):
        if word in COMMANDS and previous not in _WITH_VALUE:
            return word == "diff" or (word == "fetch" and "--check" in arguments[position + 1 :])
        previous = word
    return False
