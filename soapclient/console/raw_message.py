"""Edited SOAP messages: validation with line numbers, and sending a message exactly as it is typed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from lxml import etree

from soapclient.console.forms import reason_of
from soapclient.console.redaction import secrets_in_xml
from soapclient.console.targets import Exchange, Target
from soapclient.errors import ConfigError, ContractError, ResponseError
from soapclient.runtime import CountingReader, DecodeError
from soapclient.runtime.authentication import fill_envelope
from soapclient.runtime.errors import local_name, path_of
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.schema import PortRow
from soapclient.soap import envelope, faults
from soapclient.soap.operations import TypedOperation
from soapclient.transport import bodies, http

if TYPE_CHECKING:
    from soapclient.console.targets import Engine

__all__ = ["MAX_MESSAGE", "MessageProblem", "problems_in", "send_message"]

MAX_MESSAGE: Final = 2_000_000  # bytes of an edited message
# Values for missing authentication elements while a message is validated. Nothing with them is sent.
_STAND_INS: Final = {
    "connect_id": "0" * 20,
    "timestamp": "2026-11-01T00:00:00.000Z",
    "nonce": "0" * 32,
    "signature": "A" * 27 + "=",
}


@dataclass(frozen=True)
class MessageProblem:
    """A problem of a message.

    `line` is the number of the line with the problem, from 1; None if the problem has no line. `path` is the
    path of the invalid element; "" if there is none.
    """

    line: int | None
    text: str
    path: str = ""

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        return f"{where}{self.text}"


def problems_in(text: str, target: Target, operation: AnyOperation) -> list[MessageProblem]:
    """Return the problems of an envelope with a request; an empty list if it is valid.

    The text must be XML, and an envelope of the port's SOAP version with the request of this operation. If
    it is not, only the first problem is returned. Otherwise, the first problem of each header and of the
    request is returned. Authentication elements may be missing, because they are usually added when a request
    is sent.
    """
    if len(text.encode(errors="replace")) > MAX_MESSAGE:
        return [MessageProblem(None, f"The message must have at most {MAX_MESSAGE:,} bytes.")]
    try:
        root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        return [MessageProblem(error.position[0] or 1, f"The message is not well-formed XML: {error.msg}.")]
    except ValueError:  # a lone surrogate
        return [MessageProblem(None, "The message has a character that XML does not allow.")]
    if root.getroottree().docinfo.doctype:
        return [MessageProblem(1, "SOAP messages must not have a DOCTYPE. Remove it.")]
    if problem := _problem_of_envelope(root, _port(target, operation), operation):
        return [problem]
    return list(_invalid_parts(root, target, operation))


def send_message(target: Target, exchange: Exchange, operation: AnyOperation, text: str) -> None:
    """Send a message as it is typed, once, to the target's address, and record the call in `exchange`.

    Nothing is validated, signed or added, except the HTTP headers of SOAP and the client's own HTTP headers.
    If the call fails, which includes a fault, the error is recorded in `exchange.error`. For an operation
    over REST, nothing is sent.
    """
    port = _port(target, operation)

    def call(engine: Engine) -> object:
        from soapclient.soap.engine import SoapEngine

        if not isinstance(engine, SoapEngine):
            raise ConfigError("protocol", "must be SOAP for an edited message", "Use the form instead")
        loop = engine.loop
        typed = TypedOperation(operation, port.soap, fault_shape=target.package.settings.fault)
        headers = {**typed.http_headers, **loop.headers(loop.new_id())}
        limits = loop.limits(operation.name, loop.deadline())
        with http.send(
            engine.session, "POST", engine.address, headers=headers, limits=limits, body=text.encode()
        ) as response:
            return _result(response, typed)

    target.record(exchange, operation, call, secrets_in_xml(text))


def _result(response: http.Response, operation: TypedOperation) -> object:
    """Return the typed value of a response. Raises the errors of a usual call."""
    if operation.one_way and response.status < 300:
        response.read_all()
        return None
    reader = CountingReader(naive_zone=None)
    root = bodies.parse(response.chunks(), response, operation.name)
    _, body = envelope.parts(root, response, operation.name, reader)
    faults.refuse(body, response, operation, reader)
    try:
        return operation.operation.read_response(operation.message(body, reader), reader)
    except DecodeError as error:
        raise ResponseError(error.path, error.value, error.expected, operation=operation.name) from None


def _port(target: Target, operation: AnyOperation) -> PortRow:
    ports = target.package.settings.ports
    return next(port for port in ports if port.port_type == operation.port_type)


def _problem_of_envelope(
    root: etree._Element, port: PortRow, operation: AnyOperation
) -> MessageProblem | None:
    """Return the first error in the structure of the message `root`; None if the structure is valid.

    The structure is the envelope with its Header and Body, and the element of the request.
    """
    space = envelope.SOAP_12 if port.soap == "1.2" else envelope.SOAP_11
    if root.tag != f"{{{space}}}Envelope":
        text = f"The root must be Envelope in the namespace {space} (SOAP {port.soap}), got {_shown(root)}."
        return MessageProblem(root.sourceline, text)
    for number, part in enumerate(root.iterchildren("*")):
        if part.tag != f"{{{space}}}Body" and (part.tag != f"{{{space}}}Header" or number):
            text = f"An envelope has at most one Header and then one Body, got {_shown(part)}."
            return MessageProblem(part.sourceline, text)
    children = root.findall(f"{{{space}}}Body")
    if len(children) != 1:
        return MessageProblem(root.sourceline, f"The envelope must have one Body, got {len(children)}.")
    tags = [child.tag for child in children[0].iterchildren("*")]
    if operation.request_tag and tags != [operation.request_tag]:
        name = etree.QName(operation.request_tag)
        text = (
            f"The Body must have one element, {name.localname} in the namespace {name.namespace or '(none)'}"
        )
        shown = ", ".join(map(_shown, children[0].iterchildren("*"))) or "none"
        return MessageProblem(children[0].sourceline, f"{text}, got {shown}.")
    return None


def _invalid_parts(root: etree._Element, target: Target, operation: AnyOperation) -> Iterator[MessageProblem]:
    """Validate the headers and the request of a message. Yield the first problem of each invalid one."""
    whole = copy.deepcopy(root)
    if operation.filled_names:
        fill_envelope(whole, operation, _STAND_INS)
    body = next(child for child in whole.iterchildren("*") if local_name(child.tag) == "Body")
    in_body = list(body.iterchildren("*"))
    request = in_body[0] if operation.request_tag else body
    if not operation.encoded:
        headers = [node for part in whole if part is not body for node in part.iterchildren("*")]
        for node in [*headers, *in_body]:
            try:
                target.checks().check_request([node], operation.name, rpc=operation.style == "rpc")
            except ContractError as error:
                path, text = error.path, f"{error.path}: {reason_of(error)}."
                yield MessageProblem(_line_of(node, path), text, path)
                if node in in_body:
                    return
    if operation.filled_names:
        return  # the reader of requests does not know the authentication elements
    try:
        operation.read_request(request, CountingReader(naive_zone=None))
    except DecodeError as error:
        yield MessageProblem(
            _line_of(request, error.path), f"{error.path}: must be {error.expected}.", error.path
        )


def _line_of(message: etree._Element, path: str) -> int | None:
    """Return the line number of the element at `path` in a message; None if lxml does not know it.

    If there is no element at `path`, returns the line of its nearest ancestor that exists.
    """
    node = message
    above = next((item for item in (path_of(node), path_of(node, index=False)) if _begins(path, item)), path)
    for step in filter(None, path.removeprefix(above).partition("/@")[0].split("/")):
        name, _, number = step.removesuffix("]").partition("[")
        named = (child for child in node.iterchildren("*") if local_name(child.tag) == name)
        child = next(islice(named, int(number or 1) - 1, None), None)
        if child is None:
            break
        node = child
    return node.sourceline


def _begins(path: str, above: str) -> bool:
    return f"{path}/".startswith(f"{above}/")


def _shown(node: etree._Element) -> str:
    name = etree.QName(node)
    return f"{name.localname} in {name.namespace or 'no namespace'}"
