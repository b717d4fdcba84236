"""Which command lines promise to end with 3 where a question could not be answered, whatever fails before.

For these, other exit codes are answers. Without click, whose absence is one of the things that may fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

UNANSWERED: Final = 3
COMMANDS: Final = ("init", "fetch", "generate", "check", "diff", "docs")
_WITH_VALUE: Final = ("--wsdl",)  # the group's options that the next word belongs to


def unanswered(arguments: Sequence[str]) -> bool:
    """Whether a command line, its first word left out, is one of those: `diff` or `fetch --check`."""
    before = ""
    for at, word in enumerate(arguments):
        if word in COMMANDS and before not in _WITH_VALUE:
            return word == "diff" or (word == "fetch" and "--check" in arguments[at + 1 :])
        before = word
    return False
