"""Where everything stands in the page: one id for each operation, type, enumeration, value and field."""

from __future__ import annotations

import re
from collections.abc import Hashable

from bindgen import naming

_ODD = re.compile(r"[^A-Za-z0-9_-]+")


class Anchors:
    """Ids by what they are of. Each is given once, in the order in which it is asked for: so the order in
    which a page is made decides about names that meet, and the same contract gives the same ids."""

    def __init__(self) -> None:
        self._ids: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def give(self, what: Hashable, owner: str, *parts: str) -> str:
        """The id of `what`: below that of its `owner`, and made of `parts`, if it has none yet. Letters,
        digits, `_`, `-` and `.` alone, so that an address shows it as it is."""
        if what not in self._ids:
            wanted = ".".join([owner, *map(slug, parts)])
            self._ids[what] = naming.unused(wanted, self._taken)
            self._taken.add(self._ids[what])
        return self._ids[what]

    def get(self, what: Hashable) -> str | None:
        """The id of `what`, None where the page has no such thing."""
        return self._ids.get(what)


def slug(text: str) -> str:
    """A text as a part of an id."""
    return _ODD.sub("_", text)[:80] or "_"
