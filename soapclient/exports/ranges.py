"""Go on with a file in the middle: what is asked for, and whether the answer really is its next byte.

RFC 9110, 13 and 14. Two files are never mixed: only a strong ETag tells that the bytes are still the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PARTIAL: Final = 206
NOT_SATISFIABLE: Final = 416
_STRONG: Final = re.compile(r'"[\x21\x23-\x7e]{1,200}"', re.ASCII)
_CONTENT_RANGE: Final = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Since:
    """The rest of a file: from the byte at `offset`, of the file that `etag` stands for."""

    offset: int
    etag: str

    def headers(self) -> dict[str, str]:
        """Return what asks for it: the rest, or all of it if it is another file by now."""
        return {"Range": f"bytes={self.offset}-", "If-Range": self.etag}

    def begun_by(self, status: int, headers: Mapping[str, str]) -> bool:
        """Tell whether an answer is that rest, all of it and of that very file."""
        found = _CONTENT_RANGE.fullmatch(headers.get("Content-Range", "").strip())
        if status != PARTIAL or found is None or strong_etag(headers) != self.etag:
            return False
        first, last, size = found.groups()
        # A server may send less than was asked for; what is then missing would look like damage.
        return int(first) == self.offset and (size == "*" or int(last) == int(size) - 1 >= self.offset)


def strong_etag(headers: Mapping[str, str]) -> str | None:
    """Return an answer's ETag; None where it has none, or one that does not vouch for every byte."""
    text = headers.get("ETag", "").strip()
    return text if is_strong(text) else None


def is_strong(text: str) -> bool:
    """Tell whether a text is a strong ETag that may stand in a request."""
    return _STRONG.fullmatch(text) is not None
