"""The values that signers put into the last requests of this thread, so that they can be hidden.

A scheme chooses the names and the format of its fields. Recordings, errors, the console and traces of the
command line therefore recognize the values themselves.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator
from typing import Final

_REQUESTS: Final = 256  # values of a stream remain while the thread makes other requests
_SHORT: Final = 16  # characters: shorter values prove nothing, and would match innocent text
_CONSTANT: Final = 8  # characters: shorter values may be constants, such as the version of a scheme
_SEPARATOR: Final = re.compile(r'[\s:,;"]+|(?<=\w)=(?=\w)')


class Issued(threading.local):
    """The values of one thread. `add` takes the caller's identity, the nonce and all values of a place."""

    def __init__(self) -> None:
        self._entries: deque[tuple[str, str, tuple[str, ...]]] = deque(maxlen=_REQUESTS)
        self.add = self._entries.append

    def identities(self) -> set[str]:
        """Return the identities of the callers."""
        return {identity for identity, _, _ in self._entries}

    def values(self) -> set[str]:
        """Return identities, times, nonces and signatures, without short constants."""
        values = {value for _, _, values in self._entries for value in values if len(value) >= _CONSTANT}
        return values | self.identities()

    def proofs(self) -> set[str]:
        """Return the values that prove a request, such as signatures, also as parts of a header."""
        return set(self._proofs())

    def _proofs(self) -> Iterator[str]:
        for identity, nonce, values in self._entries:
            for value in values:
                if value not in (identity, nonce):
                    parts = (part for part in _SEPARATOR.split(value) if len(part) >= _SHORT)
                    yield from (part for part in parts if part not in (identity, nonce))


issued: Final = Issued()
