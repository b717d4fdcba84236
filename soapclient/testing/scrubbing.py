"""Remove secrets from the responses of a recording, by the names of headers, elements and JSON fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from soapclient._support.redaction import HIDDEN, safe_url, secrets_in
from soapclient._support.secret_names import is_secret, json_without_secrets, xml_without_secrets
from soapclient.runtime.errors import local_name
from soapclient.transport.bodies import may_be_huge

_OPENING: Final = re.compile(rb"<(?:[\w.-]+:)?Envelope\b")
_CLOSING: Final = re.compile(rb"</(?:[\w.-]+:)?Envelope\s*>")
_PROLOG: Final = 65536  # bytes at the start that may contain a document type
_CHALLENGES: Final = frozenset({"www-authenticate", "proxy-authenticate"})
_RESULTS: Final = frozenset({"authentication-info", "proxy-authentication-info"})
_LOCATIONS: Final = frozenset({"location", "content-location"})
# Parameters that a client needs to respond to a challenge, and replaying needs, too.
_READABLE_PARAMETERS: Final = frozenset({"algorithm", "charset", "qop", "stale", "userhash"})
_PARAMETER: Final = re.compile(r'(?<![\w-])([\w-]+)(\s*=\s*)("(?:[^"\\]|\\.)*"|[^\s,"]+)')
_TOKEN: Final = re.compile(
    r"(?<![\w-])([A-Za-z][\w-]*) +[\w.~+/-]+=*(?=\s*(?:,|$))"
)  # for example of `Negotiate`
# Values that are decoded as other types than text, and are not secret: booleans and times.
_NOT_SECRET: Final = re.compile(r"true|false|[01]|\d{4}-\d\d-\d\d(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?")

Parameters = tuple[tuple[str, str], ...]


def scrub_headers(headers: Mapping[str, str], secrets: set[str]) -> dict[str, str]:
    """Return the headers of a response with secrets hidden. Adds the secrets to `secrets`."""
    return {name: _scrub_header(name.lower(), value, secrets) for name, value in headers.items()}


def query_of_location(headers: Mapping[str, str]) -> Parameters:
    """Return the sorted query parameters of the URL in the Location header of a response."""
    values = [value for name, value in headers.items() if name.lower() == "location"]
    return parameters(urlsplit(values[0]).query) if values else ()


def parameters(query: str) -> Parameters:
    """Return the parameters of a URL's query as (name, value) pairs, sorted."""
    return tuple(sorted(parse_qsl(query, keep_blank_values=True)))


def envelope_span(content: bytes) -> tuple[int, int] | None:
    """Return the start and the end of the SOAP envelope in a body. None if the body has no envelope.

    The body may be a multipart message with attachments.
    """
    opening = _OPENING.search(content)
    closings = [] if opening is None else [match.end() for match in _CLOSING.finditer(content, opening.end())]
    return (opening.start(), closings[-1]) if opening is not None and closings else None


def scrub_body(content: bytes, secrets: set[str]) -> bytes:
    """Return the body of a response with secrets hidden, and add the secrets to `secrets`.

    An element, attribute or JSON field is a secret if it has a name such as `password`. Numbers become zeros,
    so that they can still be decoded. In XML that cannot be parsed, secrets are hidden, but not added
    to `secrets`. Bodies other than XML and JSON are returned unchanged.
    """
    spans = (0, len(content)), envelope_span(content)
    for start, end in filter(None, spans):  # the complete body, which declares its encoding, or a part
        piece = content[start:end]
        huge = may_be_huge(piece[:_PROLOG]) is True
        parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False, huge_tree=huge)
        try:
            root = etree.fromstring(piece, parser)
        except (etree.XMLSyntaxError, ValueError):
            continue
        if not _scrub_elements(root, secrets):
            return content  # byte for byte
        encoding = root.getroottree().docinfo.encoding or "UTF-8"
        declared = piece.lstrip().startswith(b"<?xml")
        scrubbed = etree.tostring(root, encoding=encoding, xml_declaration=declared)
        return content[:start] + scrubbed + content[end:]
    if content.lstrip().startswith(b"<"):
        return xml_without_secrets(content.decode("latin-1")).encode("latin-1")
    return scrub_json(content, secrets)


def scrub_json(content: bytes, secrets: set[str]) -> bytes:
    """Return a JSON object or array with secrets hidden, and add the secrets to `secrets`.

    The JSON may be truncated. Other content is returned unchanged.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return content

    def replace(piece: str) -> str:
        if not piece.startswith('"'):
            return "0"
        try:
            value: str = json.loads(piece)
        except ValueError:  # truncated
            value = piece.strip('"')
        return json.dumps(_masked(value, secrets), ensure_ascii=False)

    return json_without_secrets(text, replace).encode()


def _scrub_header(name: str, value: str, secrets: set[str]) -> str:
    """Return the value of a header with secrets hidden. Adds the secrets to `secrets`."""
    if name in _LOCATIONS:
        secrets |= secrets_in(value)
        return safe_url(value)
    if name in _CHALLENGES:
        return _scrub_challenge(value)
    if name in _RESULTS:
        return HIDDEN
    return _masked(value, secrets) if is_secret(name) else value


def _scrub_challenge(value: str) -> str:
    """Return the value of WWW-Authenticate or a similar header with secrets hidden.

    The authentication schemes, the names of the parameters, and the values that a client needs, are kept.
    """

    def hide(parameter: re.Match[str]) -> str:
        name, separator, _ = parameter.groups()
        return parameter[0] if name.lower() in _READABLE_PARAMETERS else f'{name}{separator}"{HIDDEN}"'

    return _PARAMETER.sub(hide, _TOKEN.sub(rf"\1 {HIDDEN}", value))


def _scrub_elements(root: etree._Element, secrets: set[str]) -> bool:
    """Hide the secrets in an XML document. Return True if it was changed. Adds the secrets to `secrets`."""
    changed = False
    for node in root.iter("*"):
        if is_secret(local_name(str(node.tag))):
            for inner in node.iter("*"):
                text = inner.text or ""
                masked = _masked(text, secrets)
                if masked != text:
                    inner.text, changed = masked, True
        for name, value in node.attrib.items():
            if is_secret(local_name(str(name))):
                masked = _masked(str(value), secrets)
                changed = changed or masked != value
                node.set(name, masked)
    return changed


def _masked(value: str, secrets: set[str]) -> str:
    """Return the replacement for a secret value: a placeholder, or zeros for a number.

    If a placeholder replaces the value, adds the value to `secrets`. Returns booleans and dates unchanged.
    """
    plain = value.strip()
    if not plain or plain == HIDDEN or _NOT_SECRET.fullmatch(plain):
        return value
    if plain.isdecimal():
        return re.sub(r"\d", "0", value)
    secrets.add(plain)
    return HIDDEN
