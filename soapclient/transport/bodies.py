"""The body of a response, whichever protocol it came by: read, parsed, or refused in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from lxml import etree

from soapclient.errors import (
    AuthenticationError,
    BrokenResponse,
    ServiceFault,
    SoapClientError,
    TransportError,
    UnexpectedResponse,
)
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Response
from soapclient.transport.tls import ADVICE

LESS_NESTED: Final = "elements that are not nested so deeply"
_EXCERPT = 2048
_MAX_ERROR = 65_536  # bytes of a JSON error body; longer ones are quoted only
_MOST_ERRORS = 5  # of a list of errors, in a message
_TEXTS = ("message", "detail", "title", "reason", "description")
_PROLOG = 4096  # what may stand before the root of an envelope, in bytes; more is no mistake, only not huge


def unexpected(
    response: Response,
    body: bytes,
    problem: str,
    operation: str,
    advice: str | None = None,
    *,
    damaged: bool = False,
) -> UnexpectedResponse | ServiceFault:
    """Return the error for a response that is not what was asked for; `damaged` as UnexpectedResponse has it.

    With a status 4xx and a JSON body in one of the usual forms of gateways and web frameworks, it is a
    ServiceFault with the texts of the body.
    """
    status, texts = response.status, _error_texts(response, body)
    if texts is None and status in {401, 403}:
        texts = "", body[:_EXCERPT].decode("utf-8", "replace")
    if texts is not None and status != 407:
        message, reason = texts
        kind = AuthenticationError if status in {401, 403} else ServiceFault
        wait = retry_after(response.headers)
        return kind(
            status, reason, operation=operation, message=message or None, retry_after=wait, status=status
        )
    return UnexpectedResponse(
        status,
        response.content_type or None,
        body[:_EXCERPT],
        problem=problem,
        operation=operation,
        retry_after=retry_after(response.headers),
        advice=ADVICE["proxy"] if status == 407 else advice,
        damaged=damaged,
    )


def _error_texts(response: Response, body: bytes) -> tuple[str, str] | None:
    """Return message and reason of a JSON error body with a status 4xx, None if the body is not one.

    The forms are `application/problem+json` (RFC 9457) and an object with a list `errors`.
    """
    kind = response.content_type
    if not 400 <= response.status < 500 or len(body) > _MAX_ERROR or not kind.endswith(("/json", "+json")):
        return None
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    if kind == "application/problem+json":
        title, detail = _text(document, "title"), _text(document, "detail")
        return (title, detail) if title or detail else None
    errors = document.get("errors")
    if not isinstance(errors, list):
        return None
    texts = [_error_text(error) for error in errors[:_MOST_ERRORS]]
    return ("", "; ".join(text for text in texts if text)) if any(texts) else None


def _error_text(error: object) -> str:
    """Return the text of one member of a list of errors, with its code if it has one."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else ""
    text = next((text for name in _TEXTS if (text := _text(error, name))), "")
    code = error.get("code")
    return f"{code}: {text}" if text and isinstance(code, str | int) else text


def _text(document: Mapping[str, object], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""


def refuse_partial(response: Response, operation: str) -> None:
    """Raise UnexpectedResponse for a part of a response (206): no part was requested."""
    if response.status == 206:
        problem = "a part of a response, but no part was requested"
        raise unexpected(response, beginning(response), problem, operation, damaged=True)


def beginning(response: Response) -> bytes:
    """The first bytes of a body, for an error to quote; that they do not come whole matters little."""
    body = b""
    try:
        for chunk in response.chunks():
            body += chunk
            if len(body) >= _EXCERPT:
                break
    except TransportError:
        pass  # the status has been heard, and says more than that its page broke off
    return body


def parser(*, huge: bool = False) -> etree.XMLParser:
    """A parser that fetches nothing, expands nothing, and leaves comments out of values.

    `huge` lifts libxml2's own limits, ten million bytes for one text. They hold off what entities in
    attributes grow to as well, so it is for documents without a document type alone.
    """
    return etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=huge
    )


def may_be_huge(begun: bytes) -> bool | None:
    """Return True if a document that begins like this has no document type, so that libxml2's own limits are
    not needed. None if more bytes are needed to tell."""
    probe = etree.XMLPullParser(("start",), resolve_entities=False, no_network=True)
    try:
        probe.feed(begun)
        for _, root in probe.read_events():
            return not root.getroottree().docinfo.doctype
    except etree.XMLSyntaxError:
        return False  # the parser raises the same error, and the caller converts it
    return False if len(begun) > _PROLOG else None


def parse(
    chunks: Iterable[bytes],
    response: Response,
    operation: str,
    root_name: str = "Envelope",
) -> etree._Element:
    """Parse a body. Raises UnexpectedResponse if it is empty, ResponseError if it is broken or cut off.

    `root_name` is what errors call the document's root. One text in it, such as a file in base64, may be
    longer than ten million bytes, and elements may be nested deeper than Python can follow.
    """
    feed: etree.XMLParser | None = None
    first = begun = b""
    failed: etree.XMLSyntaxError | None = None
    try:
        for chunk in chunks:
            first = first or chunk
            if feed is not None:
                feed.feed(chunk)
                continue
            begun += chunk
            huge = may_be_huge(begun)
            if huge is not None:
                feed = parser(huge=huge)
                feed.feed(begun)
        if not first:
            raise unexpected(response, b"", "an empty body", operation, damaged=True)
        if feed is None:
            feed = parser()
            feed.feed(begun)
        root = feed.close()
    except etree.XMLSyntaxError as error:
        failed = error
    if failed is not None:  # out here it is no context of ours: with it no error could be pickled by everyone
        raise broken(failed, first, response, operation, root_name=root_name)
    refuse_page(root, first, response, operation)
    refuse_doctype(root, operation, root_name)
    return root


def broken(
    error: etree.XMLSyntaxError,
    first: bytes,
    response: Response,
    operation: str,
    given: int | None = None,
    root_name: str = "Envelope",
) -> SoapClientError:
    """The error for a body that is no well-formed XML."""
    if response.status >= 400:
        return unexpected(response, first, "an error in a form that is not the service's", operation)
    said = f"{error.msg or 'not well-formed'}"
    return BrokenResponse(root_name, said, "a whole, well-formed XML document", given, operation=operation)


def refuse_page(root: etree._Element, first: bytes, response: Response, operation: str) -> None:
    """With the status of an error, a document type is that of some proxy's page, which may be XML."""
    if response.status >= 400 and root.getroottree().docinfo.doctype:
        raise unexpected(response, first, "an error in a form that is not the service's", operation)


def refuse_doctype(root: etree._Element, operation: str, root_name: str = "Envelope") -> None:
    """Neither protocol has a document type; entities in it could change what a value says."""
    if root.getroottree().docinfo.doctype:
        raise BrokenResponse(root_name, "<!DOCTYPE", "a document without one", operation=operation)
