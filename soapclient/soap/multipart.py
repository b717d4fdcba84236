"""Write multipart messages (RFC 2387): SOAP with Attachments, and MTOM/XOP packages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from email.message import Message
from typing import Final

import msgspec

from soapclient.runtime.service import Attachment
from soapclient.transport.streamed_body import Content, StreamedBody

_ROOT: Final = "envelope@soapclient"
_XOP: Final = "application/xop+xml"


class BinaryPart(msgspec.Struct, frozen=True):
    """A part of an XOP package: the content of an element of the envelope."""

    content_id: str
    content_type: str
    content: bytes | Content


def new_token() -> str:
    """Return a random text for the boundary and the Content-IDs of a message."""
    return secrets.token_hex(16)


def packed(
    envelope: bytes,
    headers: Mapping[str, str],
    attachments: Sequence[Attachment],
    parts: Sequence[BinaryPart] = (),
    *,
    xop: bool = False,
) -> tuple[bytes, dict[str, str]]:
    """Return the body of a multipart message as bytes, and its HTTP headers.

    `pieces_of` describes the arguments.
    """
    pieces, headers = pieces_of(envelope, headers, attachments, parts, xop=xop, token=new_token())
    return bytes(StreamedBody(pieces)), headers


def pieces_of(
    envelope: bytes,
    headers: Mapping[str, str],
    attachments: Sequence[Attachment],
    parts: Sequence[BinaryPart],
    *,
    xop: bool,
    token: str,
) -> tuple[list[bytes | Content], dict[str, str]]:
    """Return the pieces of a multipart message's body, and its HTTP headers.

    The message is SOAP with Attachments: an envelope, followed by `attachments`. `headers` are the HTTP
    headers of a message that is only the envelope. If `xop` is True, the message is an XOP package (XOP 1.0,
    section 4; MTOM, section 3.2), and `parts` are the parts that the envelope includes. `token` is a text
    that makes the boundary unique.
    """
    kind = headers.get("Content-Type", "text/xml; charset=utf-8")
    media = kind.partition(";")[0].strip()
    boundary = f"soapclient-{token}"
    root_type, outer = kind, f'type="{media}"; start="<{_ROOT}>"'
    if xop:
        action = _action(kind)
        root_type = f'{_XOP}; charset=UTF-8; type="{media}"{action}'
        outer = f'type="{_XOP}"; start="<{_ROOT}>"; start-info="{media}"{action}'
    pieces: list[bytes | Content] = [_head(root_type, _ROOT, boundary), envelope, b"\r\n"]
    for part in parts:
        pieces += [_head(part.content_type, part.content_id, boundary), part.content, b"\r\n"]
    for attachment in attachments:
        head = _head(attachment.content_type, attachment.content_id, boundary)
        pieces += [head, attachment.content, b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    content_type = f'multipart/related; boundary="{boundary}"; {outer}'
    return pieces, {**headers, "Content-Type": content_type}


def _head(content_type: str, content_id: str, boundary: str) -> bytes:
    name = f"Content-ID: <{content_id}>\r\n" if content_id else ""
    return (
        f"--{boundary}\r\nContent-Type: {content_type}\r\nContent-Transfer-Encoding: binary\r\n{name}\r\n"
    ).encode("ascii")


def _action(content_type: str) -> str:
    """Return the parameter `action` of a SOAP 1.2 content type, with the separator before it.

    Returns "" if there is no such parameter.
    """
    message = Message()
    message["Content-Type"] = content_type
    action = message.get_param("action")
    return f'; action="{action}"' if isinstance(action, str) else ""
