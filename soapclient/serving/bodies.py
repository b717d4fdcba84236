"""Read the body of a request with a size limit, and parse it as XML."""

from __future__ import annotations

from lxml import etree
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from .faults import MALFORMED, TOO_LARGE, InvalidValue


def body_of(request: Request, most: int) -> bytes:
    """Return the complete body of a request.

    Raises `InvalidValue` (code TOO_LARGE) if it exceeds `most` bytes, without reading much more than that.
    """
    length = request.content_length
    # Other WSGI servers do not limit the body. If a function `interfere` has read the body, werkzeug keeps it
    # here.
    request.max_content_length = most + 1
    try:
        body = b"" if (length or 0) > most else request.get_data()
    except RequestEntityTooLarge:
        length = most + 1
    if (length or 0) > most or len(body) > most:
        raise InvalidValue(TOO_LARGE, f"a request may have at most {most} bytes")
    return body


def parse(data: bytes, charset: str | None) -> etree._Element:
    """Parse the XML of a request without loading anything from outside.

    Raises `InvalidValue` (code MALFORMED) for malformed XML, an unknown `charset` and a DOCTYPE.
    """
    try:
        parser = etree.XMLParser(
            encoding=charset, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
            remove_pis=True,
        )  # fmt: skip
    except LookupError:
        raise InvalidValue(MALFORMED, f"unknown charset {(charset or '')[:40]!r}") from None
    # Checked before parsing, so that declarations in a DOCTYPE are never read. UTF-16 is checked after
    # parsing.
    if b"<!DOCTYPE" in data:
        raise InvalidValue(MALFORMED, "a DOCTYPE is not allowed in a message")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise InvalidValue(MALFORMED, f"the request is not well-formed XML: {error.msg}") from None
    if root.getroottree().docinfo.doctype:
        raise InvalidValue(MALFORMED, "a DOCTYPE is not allowed in a message")
    return root
