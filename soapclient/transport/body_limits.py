"""Limits for the size, the markup and the compression of a response body.

The number of received bytes says little about the memory needed: a few bytes of markup can become an object
of a hundred times their size, and a thousand zeros compress to one byte.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_XML: Final = (b"<", b"=")
_JSON: Final = (b",", b"[", b"{")
_UNCHECKED_SIZE: Final = 1 << 20  # bytes; smaller bodies skip the compression-ratio check


class LimitExceeded(NamedTuple):
    """An exceeded limit: a description of the problem, and the name of the setting that can be increased."""

    problem: str
    setting: str

    @property
    def advice(self) -> str:
        """Advice that names the setting to raise if the service often exceeds this limit."""
        return f"If the service sends such responses, raise the setting '{self.setting}'."


class BodyLimits:
    """Counts the data of a body against limits. None means no limit.

    `most`: the maximum number of bytes. `nodes`: the maximum number of tags and attributes in XML, or of
    values in JSON. `ratio`: the maximum number of decoded bytes per received byte.
    """

    def __init__(
        self, most: int | None, nodes: int | None, ratio: int | None, content_type: str = ""
    ) -> None:
        """Start to count a body. `content_type` determines if XML or JSON markup is counted.

        For a multipart body, `take` does not count markup. The caller must call `count` for each XML part
        instead.
        """
        self._most = most
        self._nodes = nodes
        self._ratio = ratio
        json = content_type.endswith(("/json", "+json"))
        several = content_type.startswith("multipart/")
        self._marks: tuple[bytes, ...] = () if several else _JSON if json else _XML
        self._total = 0
        self.release()

    def release(self) -> None:
        """Count bytes and markup from zero again, because the data so far has been freed.

        The compression ratio still applies to the complete body.
        """
        self._held = self._nodes_found = 0
        self._uncounted: list[bytes] | None = []

    def take(self, chunk: bytes, received: int | None = None) -> LimitExceeded | None:
        """Count a decoded chunk of the body. Returns the exceeded limit; None if no limit is exceeded.

        `received` is the number of encoded bytes received so far.
        """
        self._total += len(chunk)
        self._held += len(chunk)
        if self._most is not None and self._held > self._most:
            return LimitExceeded(
                f"a body of more than {self._most} bytes (max_response_bytes)", "max_response_bytes"
            )
        check_ratio = self._ratio is not None and received is not None and self._total > _UNCHECKED_SIZE
        if check_ratio and self._total > (self._ratio or 0) * (received or 0):
            problem = f"a body that is more than {self._ratio} times its compressed size"
            return LimitExceeded(f"{problem} (max_compression_ratio)", "max_compression_ratio")
        return self.count(chunk, self._marks)

    def count(self, chunk: bytes, marks: tuple[bytes, ...] = _XML) -> LimitExceeded | None:
        """Count only the markup of a chunk: each occurrence of one of `marks` is one node.

        Returns the exceeded limit; None if no limit is exceeded.
        """
        if self._nodes is None or not marks:
            return None
        chunks = [chunk]
        if self._uncounted is not None:  # a node has at least one byte, so small chunks need not be counted
            self._uncounted.append(chunk)
            if self._held <= self._nodes and sum(map(len, self._uncounted)) <= self._nodes:
                return None
            chunks, self._uncounted = self._uncounted, None
        self._nodes_found += sum(item.count(mark) for item in chunks for mark in marks)
        if self._nodes_found <= self._nodes:
            return None
        problem = f"a document of more than {self._nodes} tags and attributes, or values"
        return LimitExceeded(f"{problem} (max_response_nodes)", "max_response_nodes")
