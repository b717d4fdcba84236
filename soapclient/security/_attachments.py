"""Signed attachments (SOAP Messages with Attachments Profile 1.1).

Signatures cover the content of attachments, not their MIME headers.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.runtime.service import Attachment, of_message
from soapclient.security._xml import CONTENT_PARSER, canonical

CONTENT_TRANSFORM: Final = (
    "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform"
)
_SCHEME: Final = "cid:"
_XML: Final = re.compile(r"(text|application)/xml|(application|image)/.*\+xml", re.IGNORECASE)


def to_sign() -> list[tuple[str, bytes]]:
    """Return (URI, canonical content) of each attachment of the message that is being sent.

    Raises ConfigError if an attachment has no content id, if two attachments have the same content id, or if
    the content of an attachment has no canonical form.
    """
    attachments = of_message.get()
    ids = [attachment.content_id for attachment in attachments]
    if not all(ids) or len(set(ids)) < len(ids):
        raise ConfigError(
            "attachments",
            "a signed attachment needs a content id that no other attachment has",
            "Pass a different content id with each attachment: Attachment(…, content_id=…)",
        )
    try:
        return [
            (_SCHEME + quote(item.content_id, safe="@!$*+=:,;()'"), canonical_content(item))
            for item in attachments
        ]
    except SecurityError as error:
        raise ConfigError(
            "attachments", error.problem, "Correct the content or the content type of the attachment"
        ) from None


def is_attachment(uri: str | None) -> bool:
    """Return True if the URI of a reference refers to an attachment (`cid:…`)."""
    return (uri or "").startswith(_SCHEME)


def referenced_attachment(uri: str) -> Attachment:
    """Return the attachment to which a URI refers.

    Raises SecurityError if the URI refers to no attachment, or to several.
    """
    name = unquote(uri.removeprefix(_SCHEME))
    matches = [item for item in of_message.get() if name and item.content_id == name]
    if len(matches) != 1:
        raise SecurityError(
            "reference",
            f"the reference {uri[:100]!r} must be the content id of exactly one attachment, but is not",
            part="Attachments",
        )
    return matches[0]


def canonical_content(attachment: Attachment) -> bytes:
    """Return the content of an attachment in the form that a signature covers (SwA Profile 1.1, 5.4.2).

    XML is in its canonical form, and the lines of other text end with CRLF. Raises SecurityError if an
    attachment of an XML type is not well-formed XML, or has a DOCTYPE.
    """
    kind = attachment.content_type.partition(";")[0].strip()
    if _XML.fullmatch(kind):
        try:
            root = etree.fromstring(attachment.content, CONTENT_PARSER)
        except (etree.XMLSyntaxError, ValueError):
            raise SecurityError(
                "structure",
                f"an attachment has the content type {kind}, but its content is not well-formed XML",
            ) from None
        if root.getroottree().docinfo.internalDTD is not None:
            raise SecurityError(
                "structure", "an XML attachment has a DOCTYPE, which is not allowed in signed attachments"
            )
        return canonical(root)
    if kind.lower().startswith("text/"):
        return re.sub(rb"\r\n|\r|\n", b"\r\n", attachment.content)
    return attachment.content
