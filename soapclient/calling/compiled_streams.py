"""Read the items of a list response with the compiled reader. The Python reader can take over at any time."""

from __future__ import annotations

import re
from typing import Final

from soapclient.runtime.compiled import ResponseReader

_MAX_UNFINISHED: Final = 1 << 20  # limit for the bytes since the last item
_ALWAYS_FED: Final = 1 << 14  # with fewer unfinished bytes, each piece is read at once


class CompiledStream:
    """Reads the items of one response, which arrives in pieces, in constant memory.

    If the response has a feature that the compiled reader does not support, `feed` and `close` raise the
    exception Slow. The Python reader must then read the response from the beginning: first the pieces in
    `kept`, then the pieces that have not been passed to `feed`. The same applies if the connection breaks.

    - `kept`: all pieces of the response so far. Most items that were already returned are cut out.
    - `skipped`: the number of returned items that are still at the beginning of `kept`. The Python reader
      must skip them.
    - `dropped`: the number of returned items that are not in `kept`.

    Like the Python reader, this reader returns an item when the next element begins. An item of more than 16
    KiB may be returned some pieces later, because `feed` does not always read a piece at once.
    """

    def __init__(self, reader: ResponseReader) -> None:
        assert reader.listed is not None
        item = reader.listed.item or reader.listed
        self._reader = reader.stream_reader()
        self._depth_of_list = 1 if reader.listed.item is None else 2
        local = re.escape(item.tag.rpartition(b"}")[2])
        self._search_end_tag = re.compile(rb"</(?:[^<>/:\s]+:)?" + local + rb">").search
        self._end_tag = b""  # end tag of an item, as this response writes it
        self._beginning: bytes | None = None  # the document up to the end of an item
        self._rest = b""  # the document from the end of a later item
        self._unread = b""  # the end of `_rest` that has not been passed to the reader yet
        self._in_beginning = 0  # number of items in `_beginning`
        self._before_rest = 0  # number of items before `_rest`
        self._start_of_rest = 0  # number of bytes before `_rest`
        # The end of an item, at which `_rest` can begin: the number of bytes and the number of items before
        # it.
        self._end_of_item: tuple[int, int] | None = None
        self._last: list[object] = []  # the last item, until the next element begins
        self._count = 0  # number of items that were read
        self._returned = 0
        self._size_of_last = 0  # length of the piece that was passed last

    @property
    def kept(self) -> list[bytes]:
        """The pieces of the response that the Python reader must read first.

        The last of them is the piece that was last passed to `feed`.
        """
        content = (self._beginning or b"") + self._rest
        last = len(content) - self._size_of_last
        return [piece for piece in (content[:last], content[last:]) if piece]

    @property
    def skipped(self) -> int:
        """The number of items in `kept` that were already returned to the caller."""
        return self._returned - self.dropped

    @property
    def dropped(self) -> int:
        """The number of returned items that are not in `kept`."""
        return self._before_rest - self._in_beginning

    @property
    def head(self) -> object:
        """The response with the fields before the list.

        None if the list has not begun yet, or if a field is missing."""
        return self._reader.head

    @property
    def list_began(self) -> bool:
        """True after the list has begun."""
        return self._reader.list_began

    def feed(self, piece: bytes) -> list[object]:
        """Read a piece of the response, and return the items that are now complete.

        Raises Slow if the Python reader must read the response.
        """
        from _soapclient_xmlread import Slow

        is_too_long = len(self._rest) > _MAX_UNFINISHED
        self._size_of_last = len(piece)
        self._rest += piece
        self._unread += piece
        if is_too_long:
            raise Slow
        # Expat reads an unfinished tag again with each piece, so the pieces must grow with the tag.
        unfinished = len(self._rest)
        if unfinished > _ALWAYS_FED and len(self._unread) * 8 < unfinished:
            return []
        return self._read(is_last=False)

    def close(self) -> tuple[list[object], object]:
        """Read to the end. Return the last items, and the response without items.

        Raises Slow if the Python reader must read the response.
        """
        items = self._read(is_last=True)
        return items, self._reader.result

    def _read(self, *, is_last: bool) -> list[object]:
        """Read the bytes that are not yet read, and return the items that are now complete.

        `is_last` is True at the end of the response. If Slow is raised, no item counts as returned.
        """
        reader, data, self._unread = self._reader, self._unread, b""
        ends = [self._end_of_item] if self._end_of_item is not None else []
        size, is_end_of_item = self._read_to_end_tag(data)
        if is_end_of_item:
            position = self._start_of_rest + len(self._rest) - len(data) + size
            ends.append((position, self._count + len(reader.items)))
        reader.feed(data[size:], is_last)
        items = self._last + reader.items
        self._count += len(reader.items)
        reader.items.clear()
        is_in_next = is_last or reader.depth > self._depth_of_list
        self._last = [] if is_in_next or not items else [items.pop()]
        self._returned += len(items)
        self._end_of_item = None
        for end in ends:
            if end[1] <= self._returned:
                self._shorten(*end)
            else:
                self._end_of_item = end
        return items

    def _read_to_end_tag(self, data: bytes) -> tuple[int, bool]:
        """Read up to the last end tag that has the name of the items.

        Return the number of bytes read, and True if this end tag completes an item. It does not complete an
        item if it is a part of a text, or the end tag of an element inside an item.
        """
        reader = self._reader
        if not self._end_tag and (match := self._search_end_tag(data)):
            self._end_tag = match[0]
        start = data.rfind(self._end_tag) if self._end_tag else -1
        if start < 0:
            return 0, False
        end = start + len(self._end_tag)
        reader.feed(data[:start])
        before = len(reader.items)
        reader.feed(data[start:end])
        return end, len(reader.items) == before + 1 and reader.depth == self._depth_of_list

    def _shorten(self, position: int, count: int) -> None:
        """Drop bytes that the Python reader does not need. `position` is the end of item number `count`.

        The first call keeps all bytes up to `position`, because they contain the start of the document. Each
        later call drops the bytes between the `position` of the previous call and its own.
        """
        index = position - self._start_of_rest
        if self._beginning is None:
            self._beginning, self._in_beginning = self._rest[:index], count
        self._rest = self._rest[index:]
        self._start_of_rest, self._before_rest = position, count
