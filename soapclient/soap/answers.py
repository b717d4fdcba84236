"""An answer → the typed reply: as a tree, or item by item where it is long."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from soapclient.calling.read_items import ReadItems
from soapclient.clock import Deadline
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.errors import ReplyError
from soapclient.runtime import CountingReader, DecodeError, ItemStream, ListOperation, Operation
from soapclient.runtime.operations import ItemT, ReplyT, RequestT
from soapclient.soap import envelope
from soapclient.soap.stream import ReplyStream
from soapclient.transport import bodies
from soapclient.transport.http import Reply


def read(
    operation: Operation[RequestT, ReplyT],
    reply: Reply,
    reader: CountingReader,
    contract: Contract,
    config: Config,
) -> ReplyT:
    """The whole reply. A list reply longer than `stream_above` is never held as a tree.

    Raises ServiceFault, ReplyError, UnexpectedReply, and what reading from the wire raises.
    """
    envelope.check_head(reply, operation.name)
    chunks = reply.chunks()
    if isinstance(operation, ListOperation) and config.validate != "all":
        start = list(_up_to(chunks, config.stream_above))
        if sum(map(len, start)) > config.stream_above:
            chunks = itertools.chain(start, chunks)
            stream: ReplyStream[RequestT, ReplyT, object]
            stream = ReplyStream(operation, reply, chunks, reader, contract.tables.fault)
            return stream.collect()
        chunks = itertools.chain(start, chunks)
    root = bodies.parse(chunks, reply, operation.name)
    node = envelope.message(root, reply, operation.reply_tag, contract.tables.fault, operation.name)
    if config.validate == "all":
        contract.schema.check_reply(node, operation.name)
    try:
        return operation.read_reply(node, reader)
    except DecodeError as error:
        raise ReplyError(error.path, error.value, error.expected, operation=operation.name) from None


def open_stream(
    operation: ListOperation[RequestT, ReplyT, ItemT],
    reply: Reply,
    reader: CountingReader,
    contract: Contract,
    config: Config,
    *,
    renewed: Callable[[], Deadline],
) -> ItemStream[ReplyT, ItemT]:
    """The items as they arrive, the first of them read. `renewed` gives a deadline for each further wait."""
    if config.validate == "all":
        whole: ReplyT = read(operation, reply, reader, contract, config)
        return ReadItems(whole, operation.list_field)
    envelope.check_head(reply, operation.name)
    stream = ReplyStream(operation, reply, reply.chunks(), reader, contract.tables.fault)
    stream.prime()
    reply.renew(renewed)
    return stream


def _up_to(chunks: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Chunks until they are more than `most` bytes together."""
    total = 0
    for chunk in chunks:
        yield chunk
        total += len(chunk)
        if total > most:
            return
