"""The hint for a name that is not known: the one that looks like it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, prefix: str = "") -> str:
    """Return `; did you mean …?`, or nothing if no known name is near, in any capitalization.

    A `prefix` that all names share is not compared: with it, all would look alike.
    """
    spelled = {candidate.removeprefix(prefix).casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.removeprefix(prefix).casefold(), spelled, n=1)
    return f"; did you mean {spelled[close[0]]}?" if close else ""
