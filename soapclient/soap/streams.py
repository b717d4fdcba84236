"""Read the items of a list response over SOAP while the response arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from soapclient.calling.compiled_streams import CompiledStream
from soapclient.calling.streams import ListStream
from soapclient.runtime import CountingReader
from soapclient.soap import envelope, faults
from soapclient.soap.operations import TypedOperation
from soapclient.transport.http import Response


class ResponseStream(ListStream):
    """Iterator over the items of one SOAP response. The items are read while the response arrives."""

    def __init__(
        self,
        operation: TypedOperation,
        response: Response,
        chunks: Iterable[bytes],
        reader: CountingReader,
        understands: Callable[[str], bool] | None = None,
    ) -> None:
        """Begin to read a response. `chunks` are the pieces of its body.

        `understands(tag)` returns True if the call processes the SOAP header `tag`. By default, it returns
        True for declared headers.
        """
        assert operation.listed is not None  # only list operations have a stream method
        self._operation = operation
        self._understands = understands or operation.response_headers.__contains__
        super().__init__(operation.listed, response, chunks, reader, "Envelope")

    def _compiled_stream(self) -> CompiledStream | None:
        compiled = self._operation.compiled if envelope.is_usual(self._response) else None
        return None if compiled is None or compiled.listed is None else CompiledStream(compiled)

    def _is_response(self, node: etree._Element) -> bool:
        name = self._operation.name
        if node.tag != self._operation.response_tag or not envelope.stands_in_body(node):
            return False
        envelope.refuse_error_status(self._response, name)
        # Findings are counted at the end, when the envelope is complete.
        head, _ = envelope.parts(node.getroottree().getroot(), self._response, name, CountingReader())
        envelope.require_understood(head, self._understands, name)
        return True

    def _read_rest(self, node: etree._Element) -> object:
        return self._operation.read(node, self._reader)

    def _finish(self, root: etree._Element) -> Iterator[object]:
        name = self._operation.name
        head, body = envelope.parts(root, self._response, name, self._reader, self._returned)
        faults.refuse(body, self._response, self._operation, self._reader)
        node = self._operation.message(body, self._reader)
        envelope.require_understood(head, self._understands, name)
        self._head = self._decoded(self._operation.read, node)
        return iter(())
