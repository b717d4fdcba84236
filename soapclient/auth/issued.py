"""A record of the authentication values in the most recent requests of each thread (up to 64 entries).

The names and formats of authentication fields depend on the signing scheme. Therefore recordings, errors, the
console and the traces of the command line cannot hide fields by their names. Instead, they hide these values
wherever they occur.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern

_REQUESTS: Final = 64  # values of a stream remain while the thread makes other requests
_SHORT: Final = 16  # characters: shorter values prove nothing, and would match innocent text
_CONSTANT: Final = 8  # characters: shorter values may be constants, such as the version of a scheme
_SEPARATOR: Final = LazyPattern(r'[\s:,;"]+|(?<=\w)=(?=\w)')


class Issued(threading.local):
    """The authentication values in the most recent requests of the current thread.

    A signer calls `add((identity, nonce, values))` for each part of a request that it signs: the envelope,
    the headers or the query. `identity` names the caller, such as the connect ID. `values` are all
    authentication values in this part.
    """

    def __init__(self) -> None:
        self._entries: deque[tuple[str, str, tuple[str, ...]]] = deque(maxlen=_REQUESTS)
        self.add = self._entries.append

    def identities(self) -> set[str]:
        """Return the identities of the callers, such as connect IDs, in the recorded requests."""
        return {identity for identity, _, _ in self._entries}

    def values(self) -> set[str]:
        """Return the identities, times, nonces and signatures in the recorded requests.

        Identities are always included. Other values are omitted if they have fewer than 8 characters, because
        they may be constants, such as the version of the signing scheme.
        """
        values = {value for _, _, values in self._entries for value in values if len(value) >= _CONSTANT}
        return values | self.identities()

    def proofs(self) -> set[str]:
        """Return the values in the recorded requests that prove who the sender is, such as signatures.

        If a header contains a signature and other texts, only the signature is returned.
        """
        return set(self._proofs())

    def _proofs(self) -> Iterator[str]:
        for identity, nonce, values in self._entries:
            for value in values:
                if value not in (identity, nonce):
                    parts = (part for part in _SEPARATOR.split(value) if len(part) >= _SHORT)
                    yield from (part for part in parts if part not in (identity, nonce))


issued: Final = Issued()
