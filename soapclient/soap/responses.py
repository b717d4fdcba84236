"""A response → its typed value and the declared headers, or the fault as the error it means; whole, or as a
stream where it is a long list."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lxml import etree

from soapclient.calling.read_items import ReadItems
from soapclient.clock import Deadline
from soapclient.errors import ResponseError
from soapclient.runtime import CountingReader, DecodeError, Finding, ItemStream, ListOperation
from soapclient.runtime.errors import path_of
from soapclient.soap import attachments, envelope, faults, headers, multirefs
from soapclient.soap.attachments import Attachment
from soapclient.soap.operations import TypedOperation
from soapclient.soap.streams import ResponseStream
from soapclient.transport import bodies
from soapclient.transport.bodies import BrokenResponse
from soapclient.transport.http import Response

if TYPE_CHECKING:
    from soapclient.soap.client import SoapCall


def read(call: SoapCall, response: Response, reader: CountingReader) -> object:
    """The whole response. A list longer than `stream_above` is never held as a tree, unless somebody needs
    one.

    Raises ServiceFault, ResponseError, UnexpectedResponse, and what reading from the wire raises.
    """
    operation, rules = call.operation, call.rules
    if operation.one_way:
        _read_nothing(operation, response, reader)
        return operation.read(etree.Element("nothing"), reader)
    envelope.check_head(response, operation.name)
    if response.content_type == envelope.IN_PARTS:
        root, came = attachments.opened(response, operation.name, long_texts=rules.long_texts)
        if call.attachments is not None:
            call.attachments.receive(operation.operation, came)
        return _read_tree(call, root, response, reader, came)
    chunks = response.chunks()
    if rules.stream_above is not None and operation.listed is not None and not call.needs_tree:
        start = list(_up_to(chunks, rules.stream_above))
        chunks = itertools.chain(start, chunks)
        if sum(map(len, start)) > rules.stream_above:
            return ResponseStream(operation, response, chunks, reader).collect()
    root = bodies.parse(chunks, response, operation.name, long_texts=rules.long_texts)
    return _read_tree(call, root, response, reader)


def open_stream(
    call: SoapCall, response: Response, reader: CountingReader, *, renewed: Callable[[], Deadline]
) -> ItemStream[object, object]:
    """The items as they arrive, the first of them read. `renewed` gives a deadline for each further wait."""
    operation = call.operation.operation
    assert isinstance(operation, ListOperation)  # only such operations have a method that streams
    if call.needs_tree or call.operation.listed is None or response.content_type == envelope.IN_PARTS:
        return ReadItems(read(call, response, reader), operation.list_field)
    envelope.check_head(response, call.operation.name)
    stream = ResponseStream(call.operation, response, response.chunks(), reader)
    stream.prime()
    response.renew(renewed)
    return stream


def _read_tree(
    call: SoapCall,
    root: etree._Element,
    response: Response,
    reader: CountingReader,
    received: Sequence[Attachment] = (),
) -> object:
    operation, name = call.operation, call.name
    _verify(call, root, response, reader)
    root = call.ingress(root, response)
    head, body = envelope.parts(root, response, name)
    envelope.refuse_fault(body, response, operation, reader)
    if operation.encoded:
        body = multirefs.resolve(body, operation)
    node = envelope.message(body, operation, reader)
    if call.rules.validate == "all" and not operation.encoded:
        checked = [node] if operation.response_tag else list(body.iterchildren("*"))
        call.rules.check_response(checked, operation)
    try:
        value = operation.read(node, reader)
        _refuse_stranger(operation, node, reader)
        addressed = operation.abstract.wsa_action is not None
        call.response_headers = headers.of_response(
            operation.response_headers, head, reader, addressed=addressed
        )
        if declared := operation.operation.response_attachments:
            for lacking in set(declared) - set(attachments.by_part(declared, received)):
                reader.findings[Finding("missing", f"attachments/{lacking}", "")] += 1
        return value
    except DecodeError as error:
        _refuse_stranger(operation, node, reader, empty=True)
        raise ResponseError(error.path, error.value, error.expected, operation=name) from None
    except RecursionError:
        path, expected = path_of(node), "elements that do not stand so deep within each other"
        raise ResponseError(path, "…", expected, operation=name) from None


def _verify(call: SoapCall, root: etree._Element, response: Response, reader: CountingReader) -> None:
    """Have WS-Security verify a response. A fault that it does not trust is reported all the same: services
    often do not sign them, and what they say is what somebody needs to know."""
    if call.wsse is None:
        return
    try:
        call.wsse.verify(root)
    except Exception as error:
        for node in root.iterfind("{*}Body/*"):
            if envelope.is_fault(node):
                unverified = faults.fault(node, response, call.operation, reader)
                unverified.add_note(f"nothing vouches for this fault: {type(error).__name__}: {error}")
                raise unverified from error
        raise


def _read_nothing(operation: TypedOperation, response: Response, reader: CountingReader) -> None:
    """The response to a one-way operation: an accepting status, and no fault. Raises as `read` does."""
    if response.status in {202, 204}:
        return
    envelope.check_head(response, operation.name)
    chunks = response.chunks()
    first = next(chunks, b"")
    if not first and response.status < 400:
        return
    root = bodies.parse(itertools.chain((first,) if first else (), chunks), response, operation.name)
    _, body = envelope.parts(root, response, operation.name)
    envelope.refuse_fault(body, response, operation, reader)


def _refuse_stranger(
    operation: TypedOperation, node: etree._Element, reader: CountingReader, *, empty: bool = False
) -> None:
    """Refuse a response in RPC style by another name in which nothing is known: it is that of another
    operation.

    `empty`: one without elements, too. Raises BrokenResponse.
    """
    tag = operation.response_tag
    if not tag or node.tag == tag or node.tag in operation.response_members:
        return
    unknown = {finding.path for finding in reader.findings if finding.kind == "element"}
    names = {path_of(child, index=False) for child in node.iterchildren("*")}
    if (names or empty) and unknown.issuperset(names):
        path, expected = path_of(node), f"the element {tag}, or another with any of its parts"
        raise BrokenResponse(path, str(node.tag), expected, operation=operation.name) from None


def _up_to(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Chunks until they are more than `most` bytes together."""
    total = 0
    for chunk in chunks:
        yield chunk
        total += len(chunk)
        if total > most:
            return
