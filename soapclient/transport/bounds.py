"""What of a body may be held at once, in bytes and in pieces of markup, and how much may come of how little.

A few bytes of markup become an object a hundred times their size, and a thousand bytes of zeros are one when
compressed: the bytes that arrive say little about the memory that they take.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_XML: Final = (b"<", b"=")
_JSON: Final = (b",", b"[", b"{")
_SLIGHT: Final = 1 << 20  # decoded bytes of which nobody asks how little they were


class TooMuch(NamedTuple):
    """What was found to be too much, and the setting that bounds it."""

    problem: str
    setting: str

    @property
    def advice(self) -> str:
        """What to do where it is as it should be."""
        return f"If the service sends such responses, raise the setting '{self.setting}'."


class Bounds:
    """Counts what is held of a body. None is no limit.

    `most` bytes, `nodes` (tags and attributes of XML, values of JSON), `ratio` decoded bytes for each that
    was received.
    """

    def __init__(
        self, most: int | None, nodes: int | None, ratio: int | None, content_type: str = ""
    ) -> None:
        """Counts the markup of a media type; of several parts none, for they are counted one by one."""
        self._most = most
        self._nodes = nodes
        self._ratio = ratio
        json = content_type.endswith(("/json", "+json"))
        several = content_type.startswith("multipart/")
        self._marks: tuple[bytes, ...] = () if several else _JSON if json else _XML
        self._total = 0
        self.release()

    def release(self) -> None:
        """What came so far is held no longer."""
        self._held = self._found = 0
        self._uncounted: list[bytes] | None = []

    def take(self, piece: bytes, received: int | None = None) -> TooMuch | None:
        """Take note of the next piece, `received` bytes of the body having arrived so far, encoded; say
        whether that is too much."""
        self._total += len(piece)
        self._held += len(piece)
        if self._most is not None and self._held > self._most:
            return TooMuch(
                f"a body of more than {self._most} bytes (max_response_bytes)", "max_response_bytes"
            )
        known = self._ratio is not None and received is not None and self._total > _SLIGHT
        if known and self._total > (self._ratio or 0) * (received or 0):
            said = f"a body that was compressed to less than one byte in {self._ratio}"
            return TooMuch(f"{said} (max_compression_ratio)", "max_compression_ratio")
        return self.count(piece, self._marks)

    def count(self, piece: bytes, marks: tuple[bytes, ...] = _XML) -> TooMuch | None:
        """Take note of the markup of a piece alone."""
        if self._nodes is None or not marks:
            return None
        pieces = [piece]
        if self._uncounted is not None:  # each node is a byte at least: of few bytes none need be counted
            self._uncounted.append(piece)
            if self._held <= self._nodes and sum(map(len, self._uncounted)) <= self._nodes:
                return None
            pieces, self._uncounted = self._uncounted, None
        self._found += sum(each.count(mark) for each in pieces for mark in marks)
        if self._found <= self._nodes:
            return None
        said = f"a document of more than {self._nodes} tags and attributes, or values"
        return TooMuch(f"{said} (max_response_nodes)", "max_response_nodes")
