"""Read list responses while they arrive. Each item is decoded as soon as it is complete.

Items are not kept in memory.
"""

from __future__ import annotations

import itertools
import re
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from lxml import etree

from soapclient.calling.compiled_streams import CompiledStream
from soapclient.errors import BrokenResponse, ResponseError, SoapClientError
from soapclient.runtime import CountingReader, DecodeError, Node, Reader
from soapclient.runtime.errors import local_name, path_of
from soapclient.runtime.operations import AnyListOperation
from soapclient.runtime.simple_types import Skipped
from soapclient.tables.source import Source
from soapclient.tables.tabular import TableMethods, source_of
from soapclient.transport import bodies
from soapclient.transport.http import Response

ReadT = TypeVar("ReadT")


class ListStream(TableMethods):
    """Iterator over the items of one XML response while it arrives, in constant memory.

    Raises the same errors as a normal call. If the response is truncated, the complete items are returned
    first. Afterwards, the error is raised. It contains the number of these items.
    """

    def __init__(
        self,
        listed: AnyListOperation,
        response: Response,
        chunks: Iterable[bytes],
        reader: CountingReader,
        root_name: str,
    ) -> None:
        """Begin to read. `listed` is the list operation, `response` its HTTP response, and `chunks` the body.

        `reader` decodes the items. `root_name` is the name of the document's root in error messages.
        """
        self._listed = listed
        self._root_name = root_name
        self._response = response
        self._reader = reader
        self._list: etree._Element | None = None
        self._head: object = None
        self._held: list[object] = []
        self._kept = 0  # number of other fields of the response, which stay in the tree
        self._dropped = 0  # number of items removed, without other elements of the list
        self._skipped = 0  # number of items to skip, because the compiled reader has returned them
        self._list_began = False  # the plan for the compiled reader
        self._collecting = False
        self.given = 0
        self._items = self._read_items(chunks)

    @property
    def head(self) -> object:
        """The response without its items. Before the stream ends, it has only the fields before the list.

        The head is available from the start of the list. If a required field follows the list, the head is
        available only at the end of the stream. Raises ResponseError if the head is not available yet.
        """
        if self._head is None:
            name = local_name(self._listed.response_tag)
            expected = "the fields outside of the list, which are not read yet (read more items first)"
            raise ResponseError(name, None, expected, self.given)
        return self._head

    @property
    def known_head(self) -> object:
        """The head (see `head`), or None if the head is not available yet."""
        return self._head

    def collect(self) -> object:
        """Read the complete response, and return it including its items."""
        self._collecting = True
        try:
            items = list(self._items)
        except BrokenResponse:
            self._reader.findings.clear()  # a retry would count the findings again
            raise
        head = self.head
        if self._list is not None or self._list_began:
            setattr(head, self._listed.list_field, items)
        return head

    def prime(self) -> None:
        """Read the first item before the caller requests it. If this fails, the call can be retried."""
        for item in self._items:
            self._held.append(item)
            return

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        item = self._held.pop() if self._held else next(self._items)
        self.given += 1
        return item

    def _source(self) -> Source:
        return source_of(self._listed, lambda: self)

    def _read_items(self, chunks: Iterable[bytes]) -> Iterator[object]:
        compiled = self._compiled_stream()
        if compiled is None:
            yield from self._read_tree(chunks)
            return
        further = yield from self._read_compiled(compiled, iter(chunks))
        if further is not None:
            yield from self._read_tree(further)

    def _compiled_stream(self) -> CompiledStream | None:
        """Return the compiled reader for this response, or None if it cannot be used."""
        return None

    def _read_compiled(
        self, compiled: CompiledStream, chunks: Iterator[bytes]
    ) -> Generator[object, None, Iterable[bytes] | None]:
        """Yield the items that the compiled reader can read.

        Return the bytes that remain for the Python reader, or None if the response is complete.
        """
        from _soapclient_xmlread import Slow

        try:
            for chunk in chunks:
                items = compiled.feed(chunk)
                if self._head is None:
                    self._head = compiled.head
                yield from items
                if items and not self._collecting:
                    self._response.release()  # the caller has the items
            items, head = compiled.close()
        except Slow:
            further: Iterable[bytes] = itertools.chain(compiled.kept, chunks)
        except SoapClientError as error:  # a connection error; complete items and other errors come first
            further = bodies.then_raise(compiled.kept, error)
        else:
            self._list_began = compiled.list_began
            yield from items
            self._head = head
            return None
        self._skipped, self._dropped = compiled.skipped, compiled.dropped
        return further

    def _read_tree(self, chunks: Iterable[bytes]) -> Iterator[object]:
        parser: etree.XMLPullParser | None = None
        first = begun = b""
        failed: etree.XMLSyntaxError | None = None
        try:
            for chunk in chunks:
                first = first or chunk
                if parser is not None:
                    parser.feed(chunk)
                else:
                    begun += chunk
                    huge = bodies.may_be_huge(begun)
                    if huge is None:
                        continue
                    parser = self._parser(begun, huge=huge)
                self._find_list(parser)
                dropped_before, kept_before = self._dropped, self._kept
                yield from self._complete_items(1)  # the last item may be incomplete
                if self._dropped > dropped_before and self._kept == kept_before and not self._collecting:
                    self._response.release()  # the caller has the items
            if not first:
                raise bodies.unexpected(
                    self._response, b"", "the response has an empty body", self._listed.name, damaged=True
                )
            if parser is None:
                parser = self._parser(begun, huge=False)
            root = parser.close()
        except etree.XMLSyntaxError as error:
            failed = error
        if failed is not None:  # as in bodies.parse
            raise bodies.broken(
                failed, first, self._response, self._listed.name, self._returned, self._root_name
            )
        assert parser is not None
        self._find_list(parser)
        yield from self._complete_items(0)
        bodies.refuse_page(root, first, self._response, self._listed.name)
        bodies.refuse_doctype(root, self._listed.name, self._root_name)
        yield from self._finish(root)

    @abstractmethod
    def _is_response(self, node: etree._Element) -> bool:
        """Return True if `node` is the response element, and False if it is an element inside the response.

        `node` is the parent of an element that has the list's name. Elements inside the response can also
        have a child with this name. Raises an error if the document is a fault.
        """

    @abstractmethod
    def _read_rest(self, node: etree._Element) -> object:
        """Decode the response in `node`, which has no items. Raises DecodeError if it is invalid."""

    @abstractmethod
    def _finish(self, root: etree._Element) -> Iterator[object]:
        """Yield the items that are not yet returned, and set the head: the response without its items.

        `root` is the root of the complete document, without the items that were returned before.
        """

    def _parser(self, begun: bytes, *, huge: bool) -> etree.XMLPullParser:
        """Return a new parser that has already parsed `begun`, the first bytes of the document.

        `huge` removes libxml2's limits, such as ten million bytes for one text (see `bodies.parser`).
        """
        parser = etree.XMLPullParser(
            events=("start",),
            tag=self._listed.list_tag,
            resolve_entities=False,
            no_network=True,
            remove_comments=True,
            remove_pis=True,
            huge_tree=huge,
        )
        parser.feed(begun)
        return parser

    def _find_list(self, parser: etree.XMLPullParser) -> None:
        """Look for the start of the list in the parser's events, and store the list's element.

        The parser queues an event for each element with the list's name. Items can have the same name, so all
        events are read even after the list is found. Otherwise, the queue would grow with each item.
        """
        for _, node in parser.read_events():
            if self._list is None and isinstance(node, etree._Element):
                parent = node.getparent()
                if parent is not None and self._is_response(parent):
                    bodies.refuse_doctype(node, self._listed.name, self._root_name)
                    self._list = node if self._listed.wrapped else parent
                    self._read_head(parent, node)

    def _read_head(self, response: etree._Element, first: etree._Element) -> None:
        """Set the head from a copy of the fields before the list, because the response is not complete yet.

        `first` is the element of the list, or the first item if no element contains the items.
        """
        copied = etree.Element(response.tag)
        for name, value in response.attrib.items():
            with suppress(
                ValueError
            ):  # the prefix is not declared, so libxml2 reads it as a part of the name
                copied.set(name, value)
        copied.extend(_copy(sibling) for sibling in first.itersiblings(preceding=True))
        copied[:] = reversed(copied)
        if self._listed.wrapped:
            etree.SubElement(copied, first.tag)
        findings = self._reader.findings.copy()
        try:
            self._head = self._read_rest(copied)
        except DecodeError as error:
            if error.value is not None:  # otherwise a required element is missing; it may follow the list
                raise self._response_error(error) from None
        finally:
            self._reader.findings = findings  # findings are counted at the end, in the complete response

    def _complete_items(self, growing: int) -> Iterator[object]:
        parent = self._list
        complete = len(parent) - growing if parent is not None else 0
        if parent is None or complete <= self._kept:
            return
        items = 0
        for node in parent[self._kept : complete]:
            if node.tag == self._listed.item_tag:
                self._response.renew_now()
                items += 1
                if self._skipped:
                    self._skipped -= 1
                else:
                    try:
                        item = self._decoded(self._listed.read_item, node)
                    except Skipped:
                        pass
                    else:
                        yield item
            elif self._listed.wrapped:
                self._reader.unknown_element(node)
            else:  # this is another field of the response
                self._kept += 1
                continue
            if not self._listed.wrapped:
                parent.remove(node)
                self._dropped += 1
        if self._listed.wrapped:
            del parent[:complete]
            self._dropped += items

    def _decoded(self, read: Callable[[Node, Reader], ReadT], node: etree._Element) -> ReadT:
        try:
            return read(node, self._reader)
        except DecodeError as error:
            raise self._response_error(error) from None
        except RecursionError:
            raise ResponseError(
                path_of(node), "…", bodies.LESS_NESTED, self._returned, operation=self._listed.name
            ) from None

    def _response_error(self, error: DecodeError) -> ResponseError:
        """Convert a DecodeError to a ResponseError.

        Its path has the index of the item in the complete list.
        """
        wrapper = [self._listed.list_tag] if self._listed.wrapped else []
        above = [self._listed.response_tag, *wrapper, self._listed.item_tag]
        path = re.sub(
            rf"^({'/'.join(re.escape(local_name(tag)) for tag in above)})(?:\[(\d+)\])?(?=/|$)",
            lambda match: f"{match[1]}[{int(match[2] or 1) + self._dropped}]",
            error.path,
        )
        return ResponseError(
            path,
            error.value,
            error.expected,
            self._returned,
            operation=self._listed.name,
            skippable=error.skippable,
        )

    @property
    def _returned(self) -> int | None:
        """The number of items that the caller has received; None for `collect`, which returns all at once."""
        return None if self._collecting else self.given


def _copy(node: etree._Element) -> etree._Element:
    content = etree.tostring(node, with_tail=False, encoding="UTF-8")
    return etree.fromstring(content, bodies.parser(huge=True))  # documents with a doctype were refused
