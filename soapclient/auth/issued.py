"""A record of the values that signers put into the last requests of each thread, so that they can be hidden.

The names and formats of authentication fields depend on the signing scheme. Therefore recordings, errors, the
console and the traces of the command line hide fields by their values, not by their names.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator
from typing import Final

_REQUESTS: Final = 64  # values of a stream remain while the thread makes other requests
_SHORT: Final = 16  # characters: shorter values prove nothing, and would match innocent text
_CONSTANT: Final = 8  # characters: shorter values may be constants, such as the version of a scheme
_SEPARATOR: Final = re.compile(r'[\s:,;"]+|(?<=\w)=(?=\w)')


class Issued(threading.local):
    """The values that signers put into the last requests of the current thread.

    `add` takes a tuple for one request: the caller's identity (such as the connect ID), the nonce, and a
    tuple of all values that were put into one part of the request (envelope, headers or query).
    """

    def __init__(self) -> None:
        self._entries: deque[tuple[str, str, tuple[str, ...]]] = deque(maxlen=_REQUESTS)
        self.add = self._entries.append

    def identities(self) -> set[str]:
        """Return the callers' identities, such as connect IDs, in the last requests."""
        return {identity for identity, _, _ in self._entries}

    def values(self) -> set[str]:
        """Return the identities, times, nonces and signatures in the last requests.

        Identities are always included. Other values are omitted if they have fewer than 8 characters, because
        they may be constants, such as the version of the signing scheme.
        """
        values = {value for _, _, values in self._entries for value in values if len(value) >= _CONSTANT}
        return values | self.identities()

    def proofs(self) -> set[str]:
        """Return the values in the last requests that prove who sent them, such as signatures.

        A header's value is split, so that the signature in it is returned without the rest of the header.
        """
        return set(self._proofs())

    def _proofs(self) -> Iterator[str]:
        for identity, nonce, values in self._entries:
            for value in values:
                if value not in (identity, nonce):
                    parts = (part for part in _SEPARATOR.split(value) if len(part) >= _SHORT)
                    yield from (part for part in parts if part not in (identity, nonce))


issued: Final = Issued()
