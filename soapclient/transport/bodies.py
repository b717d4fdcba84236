"""Read and parse the response bodies of SOAP and REST, and create the errors for unusable bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
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

LESS_NESTED: Final = "elements nested less deeply"
_EXCERPT = 2048
_MAX_ERROR = 65_536  # maximum size of a JSON error body in bytes; longer bodies are only quoted
_MAX_ERRORS = 5  # maximum number of errors in one message
_TEXTS = ("message", "detail", "title", "reason", "description")
_PROLOG = 4096  # bytes allowed before the root of an envelope for the `huge` parser


def unexpected(
    response: Response,
    body: bytes,
    problem: str,
    operation: str,
    advice: str | None = None,
    *,
    damaged: bool = False,
) -> UnexpectedResponse | ServiceFault:
    """Return the exception to raise for an unexpected response.

    - Status 401 or 403: an AuthenticationError.
    - Another 4xx status (but not 407), if the body is a JSON error as gateways and web frameworks send it: a
      ServiceFault.
    - Otherwise: an UnexpectedResponse with `problem`, `advice` and `damaged`.

    An AuthenticationError and a ServiceFault contain the texts of the JSON error.

    `problem` says what is wrong with the response, and `advice` what the user should do. `damaged` is True if
    the body is incomplete or does not come from the service, so that a retry may succeed.
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
    """Return the message and the reason in a JSON error body with a 4xx status; None for any other body.

    An error body is `application/problem+json` (RFC 9457) or a JSON object with a list named `errors`.
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
    texts = [_error_text(error) for error in errors[:_MAX_ERRORS]]
    return ("", "; ".join(text for text in texts if text)) if any(texts) else None


def _error_text(error: object) -> str:
    """Return the text of one entry of the list `errors`. If the entry has a code, the code comes first."""
    if not isinstance(error, dict):
        return error if isinstance(error, str) else ""
    text = next((text for name in _TEXTS if (text := _text(error, name))), "")
    code = error.get("code")
    return f"{code}: {text}" if text and isinstance(code, str | int) else text


def _text(document: Mapping[str, object], name: str) -> str:
    """Return the string value of a name in a JSON object; "" if the name is missing or is not a string."""
    value = document.get(name)
    return value if isinstance(value, str) else ""


def refuse_partial(response: Response, operation: str) -> None:
    """Raise UnexpectedResponse if the status is 206 (partial content), because no request asks for a part."""
    if response.status == 206:
        problem = "the service sent only a part of the response, although the complete response was requested"
        raise unexpected(response, beginning(response), problem, operation, damaged=True)


def beginning(response: Response) -> bytes:
    """Return the first bytes of a body, to be quoted in an error. Returns fewer bytes if reading fails."""
    body = b""
    try:
        for chunk in response.chunks():
            body += chunk
            if len(body) >= _EXCERPT:
                break
    except TransportError:
        pass  # the status is more important than the incomplete body
    return body


def then_raise(chunks: Iterable[bytes], error: Exception) -> Iterator[bytes]:
    """Yield `chunks`, then raise `error`.

    Used after reading a body has failed, so that the chunks before the error are processed first.
    """
    yield from chunks
    raise error


def parser(*, huge: bool = False) -> etree.XMLParser:
    """Return an XML parser that does not load files or expand entities, and that removes comments.

    `huge` removes libxml2's limits, such as ten million bytes for one text. These limits also bound the
    expansion of entities in attributes, so set `huge` only for documents without a DOCTYPE.
    """
    return etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=huge
    )


def may_be_huge(begun: bytes) -> bool | None:
    """Return True if a document does not have a DOCTYPE, so that `parser(huge=True)` is safe for it.

    Return False if it has a DOCTYPE, is not well-formed, or has a very long text before its root. Return None
    if more bytes are needed to decide. `begun` is the beginning of the document.
    """
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
    """Parse the XML body of `response` and return its root element.

    `chunks` are the bytes of the body, in parts. `root_name` is the name of the root in error messages. The
    document may have texts of more than ten million bytes, such as files in base64, and
    elements nested deeper than Python's recursion limit.

    Raises UnexpectedResponse if the body is empty, and ResponseError if it is truncated or not well-formed.
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
            raise unexpected(response, b"", "the response has an empty body", operation, damaged=True)
        if feed is None:
            feed = parser()
            feed.feed(begun)
        root = feed.close()
    except etree.XMLSyntaxError as error:
        failed = error
    if (
        failed is not None
    ):  # raised outside of `except`: with the lxml error as context it could not be pickled
        raise broken(failed, first, response, operation, root_name=root_name)
    refuse_page(root, first, response, operation)
    refuse_doctype(root, operation, root_name)
    return root


def broken(
    error: etree.XMLSyntaxError,
    first: bytes,
    response: Response,
    operation: str,
    items_read: int | None = None,
    root_name: str = "Envelope",
) -> SoapClientError:
    """Return the exception to raise if the body of `response` is not well-formed XML.

    `error` is the parser's error. `first` is the beginning of the body. `items_read` is the number of list
    items already read from the body. `root_name` is the name of the root in the error message.
    """
    if response.status >= 400:
        return unexpected(
            response, first, "the response is an error in a format that the service does not use", operation
        )
    problem = error.msg or "not well-formed"
    return BrokenResponse(
        root_name, problem, "a complete, well-formed XML document", items_read, operation=operation
    )


def refuse_page(root: etree._Element, first: bytes, response: Response, operation: str) -> None:
    """Raise an exception if the body of `response` is an HTML error page that can be parsed as XML.

    A proxy may send such a page. A response is recognized as one if its status is 400 or more and its
    document has a DOCTYPE. `root` is the root of the parsed document, `first` the beginning of the body.
    """
    if response.status >= 400 and root.getroottree().docinfo.doctype:
        raise unexpected(
            response, first, "the response is an error in a format that the service does not use", operation
        )


def refuse_doctype(root: etree._Element, operation: str, root_name: str = "Envelope") -> None:
    """Raise ResponseError if the document has a DOCTYPE, because its entities could change values."""
    if root.getroottree().docinfo.doctype:
        raise BrokenResponse(root_name, "<!DOCTYPE", "a document without a DOCTYPE", operation=operation)
