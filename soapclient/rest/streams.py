"""Read the items of an XML list response over REST while the response arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from soapclient.calling.reader import ResponseReader
from soapclient.calling.streams import ListStream
from soapclient.rest import responses
from soapclient.runtime import AnyOperation, ListOperation, Package, RestRow
from soapclient.runtime.errors import local_name
from soapclient.settings import CommonSettings
from soapclient.transport.http import Response


def can_stream(operation: AnyOperation, form: RestRow, response: Response, settings: CommonSettings) -> bool:
    """Return True if the items of a response can be read before it is complete."""
    return (
        isinstance(operation, ListOperation)
        and form.loose is None
        and form.wrapped is None
        and response.status < 300
        and response.status != 206  # partial content is refused elsewhere
        and responses.is_xml(response)
        and settings.validate != "all"
    )


class XmlListStream(ListStream):
    """Iterator over the items of one XML response. The items are read while the response arrives.

    If the root element is not the element of the list response, the complete document is read before the
    first item is returned.
    """

    def __init__(
        self,
        operation: ListOperation[Any, Any, Any],
        form: RestRow,
        response: Response,
        reader: ResponseReader,
        package: Package,
        settings: CommonSettings,
    ) -> None:
        self._operation = operation
        self._form = form
        self._package = package
        self._settings = settings
        self._xml_reader = reader
        super().__init__(operation, response, response.chunks(), reader, local_name(operation.response_tag))

    def _is_response(self, node: etree._Element) -> bool:
        return node.getparent() is None and node.tag in {self._operation.response_tag, *self._form.roots}

    def _read_rest(self, node: etree._Element) -> object:
        return self._operation.read_response(node, self._reader)

    def _finish(self, root: etree._Element) -> Iterator[object]:
        self._head = responses.read_document(
            self._operation,
            self._form,
            root,
            self._response,
            self._xml_reader,
            self._package,
            self._settings,
            items_read=self._dropped > 0,
        )
        name = self._operation.list_field
        items = getattr(self._head, name)
        if self._list is None and items and not self._collecting:
            setattr(self._head, name, [])
            yield from items
