"""Request bodies that are read piece by piece while they are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

_JOINED = 1 << 20  # bytes; a smaller body is one bytes object, as recordings and custom auth expect


class Content(Protocol):
    """A part of a body that can be read several times. `size` is its number of bytes."""

    size: int

    def chunks(self) -> Iterator[bytes]:
        """Yield the content. Raises OSError if it cannot be read completely."""
        ...


class StreamedBody:
    """A body of known length, with the methods of a file that requests and http.client call.

    `bytes(body)` reads it completely. Call `close` when it has been sent.
    """

    def __init__(self, pieces: Sequence[bytes | Content], check: Callable[[], None] = lambda: None) -> None:
        """Create a body from `pieces`: bytes, and contents such as files.

        `check` is called for each chunk. It can raise an error, for example if the deadline has passed.
        """
        self._pieces = pieces
        self._check = check
        self._size = sum(map(_size, pieces))
        self._chunks: Iterator[bytes] | None = None
        self._rest = b""
        self._position = 0

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return b"".join(_chunks(self._pieces))

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body from its current position."""
        while chunk := self._next(self._size):
            yield chunk

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes, at most `size`. Return b"" at the end of the body.

        If `size` is None or -1, the rest of the body is returned.
        """
        if size is None or size < 0:
            return b"".join(self)
        return self._next(size)

    def _next(self, size: int) -> bytes:
        """Return the next bytes, at most `size`, from only one piece. Return b"" at the end of the body."""
        if self._chunks is None:
            self._chunks = _chunks(self._pieces)
        while not self._rest:
            self._check()
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            self._rest = chunk
        chunk, self._rest = self._rest[:size], self._rest[size:]
        self._position += len(chunk)
        return chunk

    def tell(self) -> int:
        """Return the current position."""
        return self._position

    def seek(self, position: int) -> int:
        """Go back to the start, to send the body again. Raises OSError for any other position."""
        if position == self._position:
            return position
        if position:
            raise OSError(0, "a streamed body can only be sent again from its start")
        self.close()
        self._position = 0
        return 0

    def close(self) -> None:
        """Close the files that are being read. The body can be read again from its start."""
        close = getattr(self._chunks, "close", None)  # of a generator
        if callable(close):
            close()
        self._chunks, self._rest = None, b""


def joined(pieces: Sequence[bytes | Content], check: Callable[[], None]) -> bytes | StreamedBody:
    """Return a body from its pieces: bytes if it is small, otherwise a `StreamedBody`.

    `check` is as in `StreamedBody`. Raises OSError if a piece cannot be read completely.
    """
    if sum(map(_size, pieces)) > _JOINED:
        return StreamedBody(pieces, check)
    return b"".join(_chunks(pieces))


def _size(piece: bytes | Content) -> int:
    return len(piece) if isinstance(piece, bytes) else piece.size


def _chunks(pieces: Sequence[bytes | Content]) -> Iterator[bytes]:
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
        else:
            yield from piece.chunks()
