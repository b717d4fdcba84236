"""The body of a response, whichever protocol it came by: read, parsed, or refused in the same words."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from soapclient.errors import (
    AuthenticationError,
    ResponseError,
    SoapClientError,
    TransportError,
    UnexpectedResponse,
)
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Response
from soapclient.transport.tls import ADVICE

_EXCERPT = 2048
_PROLOG = 4096  # what may stand before the root of an envelope, in bytes; more is no mistake, only not huge


class BrokenResponse(ResponseError):
    """A response that is no whole response to the operation: a write may have been processed."""

    damaged = True


def unexpected(
    response: Response,
    body: bytes,
    problem: str,
    operation: str,
    advice: str | None = None,
    *,
    damaged: bool = False,
) -> UnexpectedResponse | AuthenticationError:
    """The error for a response that is not what was asked for; `damaged` as UnexpectedResponse has it."""
    if response.status in {401, 403}:
        said = body[:_EXCERPT].decode("utf-8", "replace")
        return AuthenticationError(response.status, said, operation=operation)
    return UnexpectedResponse(
        response.status,
        response.content_type or None,
        body[:_EXCERPT],
        problem=problem,
        operation=operation,
        retry_after=retry_after(response.headers),
        advice=ADVICE["proxy"] if response.status == 407 else advice,
        damaged=damaged,
    )


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


def _parser_for(begun: bytes) -> etree.XMLParser | None:
    """The parser for a document that begins so, `huge` where it may be; None: not enough has come to say."""
    probe = etree.XMLPullParser(("start",), resolve_entities=False, no_network=True)
    try:
        probe.feed(begun)
        for _, root in probe.read_events():
            return parser(huge=not root.getroottree().docinfo.doctype)
    except etree.XMLSyntaxError:
        return parser()  # the error comes again, where it is made one of ours
    return parser() if len(begun) > _PROLOG else None


def parse(
    chunks: Iterable[bytes],
    response: Response,
    operation: str,
    root_name: str = "Envelope",
    *,
    long_texts: bool = False,
) -> etree._Element:
    """Parse a body. Raises UnexpectedResponse where it is empty, ResponseError where it is broken or cut off.

    `root_name` is what errors call the document's root. With `long_texts` one text in it, such as a file in
    base64, may be longer than ten million bytes, and elements may stand deeper than Python can follow.
    """
    feed = None if long_texts else parser()
    first = begun = b""
    failed: etree.XMLSyntaxError | None = None
    try:
        for chunk in chunks:
            first = first or chunk
            if feed is not None:
                feed.feed(chunk)
                continue
            begun += chunk
            feed = _parser_for(begun)
            if feed is not None:
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
