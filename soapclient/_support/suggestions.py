"""Hints for unknown names: suggest the most similar known name."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, prefix: str = "") -> str:
    """Return `; did you mean …?` with the most similar known name.

    Return "" if none is similar. Ignores case.

    `prefix` is the beginning of all names. It is not compared, because it would make all names similar.
    """
    import difflib  # imported late, because few processes need it

    spelled = {candidate.removeprefix(prefix).casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.removeprefix(prefix).casefold(), spelled, n=1)
    return f"; did you mean {spelled[close[0]]}?" if close else ""
