"""An answer → the typed reply, the declared headers, or the fault as the error it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from soapclient.contract.checks import Checks
from soapclient.errors import AuthenticationError, ReplyError, ServiceFault
from soapclient.runtime import CountingReader, DecodeError
from soapclient.runtime.errors import local_name, path_of
from soapclient.runtime.operations import AnyOperation, Operation, ReplyT, RequestT
from soapclient.services import arrays, multirefs
from soapclient.soap import envelope
from soapclient.transport import bodies
from soapclient.transport.bodies import BrokenReply
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Reply

_SOAP = (f"{{{envelope.SOAP_11}}}", f"{{{envelope.SOAP_12}}}")
# Fault codes that say the caller is not let in (WS-Security 1.1, 12).
_NOT_LET_IN = frozenset({"FailedAuthentication", "InvalidSecurity", "InvalidSecurityToken", "FailedCheck"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer is read with: `checks` where replies are checked, `verify` where something vouches for
    them, `items` where it is encoded."""

    reply: Reply
    reader: CountingReader
    checks: Checks | None
    verify: Callable[[etree._Element], object] | None
    items: arrays.ItemTags


def read(operation: Operation[RequestT, ReplyT], answer: Answer) -> tuple[ReplyT, dict[str, object]]:
    """The reply, and the values of the declared headers that came, by the names of their parts.

    Raises ServiceFault, ReplyError, UnexpectedReply, and what reading from the wire raises.
    """
    reply, name = answer.reply, operation.name
    envelope.check_head(reply, name)
    root = bodies.parse(reply.chunks(), reply, name, long_texts=True)
    if answer.verify is not None:
        answer.verify(root)
    head, body = envelope.parts(root, reply, name)
    _refuse_fault(operation, body, answer)
    envelope.refuse_error_status(reply, name)
    if operation.encoded:
        body = multirefs.resolve(body, operation, answer.items, operation.reply_members)
    node = _message(operation, body, answer.reader)
    if answer.checks is not None and not operation.encoded:
        answer.checks.check_reply([node] if operation.reply_tag else list(body.iterchildren("*")), name)
    try:
        read_reply = operation.reply_members.get(str(node.tag), operation.read_reply)
        value = read_reply(node, answer.reader)
        _refuse_stranger(operation, node, answer.reader)
        return value, _headers(operation, head, answer.reader)
    except DecodeError as error:
        _refuse_stranger(operation, node, answer.reader, empty=True)
        raise ReplyError(error.path, error.value, error.expected, operation=name) from None
    except RecursionError:
        path, expected = path_of(node), "elements that do not stand so deep within each other"
        raise ReplyError(path, "…", expected, operation=name) from None


def read_nothing(operation: AnyOperation, answer: Answer) -> None:
    """The answer to a one-way operation: an accepting status, and no fault. Raises as `read` does."""
    reply = answer.reply
    if reply.status in {202, 204}:
        return
    envelope.check_head(reply, operation.name)
    chunks = reply.chunks()
    first = next(chunks, b"")
    if not first and reply.status < 400:
        return
    root = bodies.parse(
        (piece for part in ((first,) if first else (), chunks) for piece in part), reply, operation.name
    )
    _, body = envelope.parts(root, reply, operation.name)
    _refuse_fault(operation, body, answer)
    envelope.refuse_error_status(reply, operation.name)


def _message(
    operation: Operation[RequestT, ReplyT], body: etree._Element, reader: CountingReader
) -> etree._Element:
    """The element that the reply is read from: the body itself where its children are the message's parts."""
    if not operation.reply_tag:
        return body
    children = list(body.iterchildren("*"))
    path = f"Envelope/Body/{local_name(operation.reply_tag)}"
    if not children:
        raise BrokenReply(path, None, "the answer to this operation", operation=operation.name)
    node = children[0]
    for further in children[1:]:
        reader.unknown_element(further)
    if node.tag == operation.reply_tag or node.tag in operation.reply_members:
        return node
    if operation.style == "rpc":  # SOAP 1.1 7.1: the name of this element means nothing
        reader.unknown_element(node)
        return node
    said = f"the element {operation.reply_tag}"
    raise BrokenReply("Envelope/Body", str(node.tag), said, operation=operation.name)


def _refuse_stranger(
    operation: Operation[RequestT, ReplyT],
    node: etree._Element,
    reader: CountingReader,
    *,
    empty: bool = False,
) -> None:
    """Refuse a reply in RPC style by another name in which nothing is known: it is that of another operation.

    `empty`: one without elements, too. Raises BrokenReply.
    """
    if not operation.reply_tag or node.tag == operation.reply_tag or node.tag in operation.reply_members:
        return
    unknown = {finding.path for finding in reader.findings if finding.kind == "element"}
    names = {path_of(child, index=False) for child in node.iterchildren("*")}
    if (names or empty) and unknown.issuperset(names):
        path, expected = path_of(node), f"the element {operation.reply_tag}, or another with any of its parts"
        raise BrokenReply(path, str(node.tag), expected, operation=operation.name) from None


def _headers(
    operation: AnyOperation, head: etree._Element | None, reader: CountingReader
) -> dict[str, object]:
    found: dict[str, object] = {}
    for node in () if head is None else head.iterchildren("*"):
        own = [key for key in map(str, node.keys()) if key.startswith(_SOAP)]
        must = any(local_name(key) == "mustUnderstand" and node.get(key) in {"1", "true"} for key in own)
        part = operation.reply_headers.get(str(node.tag))
        if part is not None:
            for key in own:
                del node.attrib[key]  # they speak to SOAP's nodes, and are no part of the value
            found[part.name] = part.read(node, reader)
        elif must:
            reader.unknown_element(node)
    return found


def _refuse_fault(operation: AnyOperation, body: etree._Element, answer: Answer) -> None:
    for node in body.iterchildren("*"):
        if local_name(node.tag) == "Fault" and str(node.tag).startswith(_SOAP):
            raise fault(operation, node, answer)


def fault(operation: AnyOperation, node: etree._Element, answer: Answer) -> ServiceFault:
    """A SOAP fault as an error, with the typed detail where its WSDL declares the detail's element.

    `code` is 400 where the fault blames the request, else the HTTP status or, with a fault in a reply that
    was no error, 500.
    """
    told = envelope.said(node)
    status = answer.reply.status
    code = status if status >= 400 else 500
    if code == 500 and told.blames_the_request:
        code = 400
    refused = status in {401, 403} or not _NOT_LET_IN.isdisjoint(told.codes)
    kind = AuthenticationError if refused else ServiceFault
    detail, note = _detail(operation, told.details, answer.reader)
    error = kind(
        code,
        told.text or "",
        operation=operation.name,
        retry_after=retry_after(answer.reply.headers),
        status=status,
        fault_code="/".join(told.codes) or None,
        detail=detail,
        detail_text="".join(_text(each) for each in told.details) or None,
    )
    if note:
        error.add_note(note)
    return error


def _detail(
    operation: AnyOperation, details: tuple[etree._Element, ...], reader: CountingReader
) -> tuple[object, str]:
    for each in details:
        part = operation.faults.get(str(each.tag))
        if part is not None:
            try:
                return part.read(each, reader), ""
            except (DecodeError, RecursionError) as error:
                return None, f"the fault's detail cannot be read as the WSDL says: {error}"
    return None, ""


def _text(node: etree._Element) -> str:
    return etree.tostring(node, encoding="unicode", with_tail=False)
