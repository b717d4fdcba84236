"""Make PNG pictures small: at most 256 colours, which suffice for pictures of pages."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

_HEAD: Final = b"\x89PNG\r\n\x1a\n"
_RGB: Final = (8, 2, 0, 0, 0)  # bits, type of colour, compression, filters, interlace
_INDEXED: Final = (8, 3, 0, 0, 0)
_MOST_COLOURS: Final = 256


def with_few_colours(picture: bytes) -> bytes:
    """Return an RGB picture in PNG with its 256 most frequent colours; other colours become the nearest one.

    The same picture always gives the same bytes. Raises ValueError for another kind of PNG.
    """
    chunks = dict(_joined(picture))
    width, height, *kind = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if tuple(kind) != _RGB:
        raise ValueError("the picture must be an RGB picture of 8 bits without interlacing")
    rows = list(_unfiltered(zlib.decompress(chunks[b"IDAT"]), width))
    counted = Counter(row[at : at + 3] for row in rows for at in range(0, len(row), 3))
    palette = [colour for colour, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]
    kept = palette[:_MOST_COLOURS]
    index = {colour: number for number, colour in enumerate(kept)}
    for colour in palette[_MOST_COLOURS:]:
        index[colour] = min(range(len(kept)), key=lambda number: _distance(kept[number], colour))
    lines = (b"\0" + bytes(index[row[at : at + 3]] for at in range(0, len(row), 3)) for row in rows)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, *_INDEXED)),
        (b"PLTE", b"".join(kept)),
        (b"IDAT", zlib.compress(b"".join(lines), 9)),
        (b"IEND", b""),
    )
    return _HEAD + b"".join(_chunk(name, content) for name, content in parts)


def _distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _joined(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG by name, with the parts of the data joined at the end."""
    at, data = len(_HEAD), b""
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        name, content = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + size]
        at += 12 + size
        if name == b"IDAT":
            data += content
        else:
            yield name, content
    yield b"IDAT", data


def _unfiltered(data: bytes, width: int) -> Iterator[bytes]:
    """Yield the rows of an RGB picture, with the filters of the format undone (PNG, 9.2)."""
    size = 3 * width
    above = bytearray(size)
    for start in range(0, len(data), size + 1):
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + size])
        for at in range(size if kind else 0):
            left, corner = (row[at - 3], above[at - 3]) if at >= 3 else (0, 0)
            row[at] = (row[at] + _predicted(kind, left, above[at], corner)) & 255
        yield bytes(row)
        above = row


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    match kind:
        case 1:
            return left
        case 2:
            return up
        case 3:
            return (left + up) // 2
    base = left + up - corner
    distances = abs(base - left), abs(base - up), abs(base - corner)
    return (left, up, corner)[distances.index(min(distances))]
