"""Remove secrets from the responses of a recording, by the names of headers, elements and JSON fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from soapclient.redaction import HIDDEN, safe_url, secrets_in
from soapclient.secret_names import is_secret, json_without_secrets

ENVELOPE: Final = re.compile(rb"<(?:[\w.-]+:)?Envelope\b.*</(?:[\w.-]+:)?Envelope\s*>", re.DOTALL)
_CHALLENGES: Final = frozenset({"www-authenticate", "proxy-authenticate"})
_RESULTS: Final = frozenset({"authentication-info", "proxy-authentication-info"})
_LOCATIONS: Final = frozenset({"location", "content-location"})
# The parameters by which a client computes its response to a challenge; replaying needs them.
_READABLE_PARAMETERS: Final = frozenset({"algorithm", "charset", "qop", "stale", "userhash"})
_PARAMETER: Final = re.compile(r'([\w-]+)(\s*=\s*)("(?:[^"\\]|\\.)*"|[^\s,"]+)')
_TOKEN: Final = re.compile(r"([A-Za-z][\w-]*) +[\w.~+/-]+=*(?=\s*(?:,|$))")  # such as `Negotiate` has
# Values that are read as another type than text, and prove nothing: booleans and times.
_NOT_SECRET: Final = re.compile(r"true|false|[01]|\d{4}-\d\d-\d\d(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?")

Parameters = tuple[tuple[str, str], ...]


def scrub_headers(headers: Mapping[str, str], secrets: set[str]) -> dict[str, str]:
    """Return the headers of a response without secrets. Adds their values to `secrets`."""
    return {name: _scrub_header(name.lower(), value, secrets) for name, value in headers.items()}


def query_of_location(headers: Mapping[str, str]) -> Parameters:
    """Return the parameters of the address that a response redirects to, in the form of `parameters`."""
    values = [value for name, value in headers.items() if name.lower() == "location"]
    return parameters(urlsplit(values[0]).query) if values else ()


def parameters(query: str) -> Parameters:
    """Return the pairs of a query, sorted."""
    return tuple(sorted(parse_qsl(query, keep_blank_values=True)))


def scrub_body(content: bytes, secrets: set[str]) -> bytes:
    """Return a body without the values of elements, attributes and fields that are named like secrets.

    Adds the values to `secrets`. Numbers become zeros, so that they can still be read. Other bodies than XML
    and JSON are returned as they are.
    """
    envelope = ENVELOPE.search(content)
    start, end = envelope.span() if envelope else (0, len(content))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False)
    try:
        root = etree.fromstring(content[start:end], parser)
    except (etree.XMLSyntaxError, ValueError):
        return scrub_json(content, secrets)
    if not _scrub_elements(root, secrets):
        return content  # byte for byte
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    declared = content[start:end].lstrip().startswith(b"<?xml")
    return content[:start] + etree.tostring(root, encoding=encoding, xml_declaration=declared) + content[end:]


def scrub_json(content: bytes, secrets: set[str]) -> bytes:
    """Return a JSON document without secrets, and anything else as it is. Adds their values to `secrets`."""
    try:
        text = content.decode()
        json.loads(text)
    except (ValueError, RecursionError):
        return content

    def replaced(piece: str) -> str:
        if not piece.startswith('"'):
            return "0"
        value: str = json.loads(piece)
        return json.dumps(_masked(value, secrets), ensure_ascii=False)

    return json_without_secrets(text, replaced).encode()


def _scrub_header(name: str, value: str, secrets: set[str]) -> str:
    if name in _LOCATIONS:
        secrets |= secrets_in(value)
        return safe_url(value)
    if name in _CHALLENGES:
        return _scrub_challenge(value)
    if name in _RESULTS:
        return HIDDEN
    return _masked(value, secrets) if is_secret(name) else value


def _scrub_challenge(value: str) -> str:
    """Keep the schemes, the names of their parameters, and the parameters that a client needs."""

    def hidden(parameter: re.Match[str]) -> str:
        name, separator, _ = parameter.groups()
        return parameter[0] if name.lower() in _READABLE_PARAMETERS else f'{name}{separator}"{HIDDEN}"'

    return _PARAMETER.sub(hidden, _TOKEN.sub(rf"\1 {HIDDEN}", value))


def _scrub_elements(root: etree._Element, secrets: set[str]) -> bool:
    """Return True if something was replaced."""
    changed = False
    for node in root.iter("*"):
        names = [node, *node.iterancestors()]
        inside = any(is_secret(etree.QName(element).localname) for element in names)
        if inside and node.text and node.text.strip():
            masked = _masked(node.text, secrets)
            changed = changed or masked != node.text
            node.text = masked
        for name, value in node.attrib.items():
            if is_secret(etree.QName(name).localname):
                masked = _masked(str(value), secrets)
                changed = changed or masked != value
                node.set(name, masked)
    return changed


def _masked(value: str, secrets: set[str]) -> str:
    """Return what takes the place of a secret value. Texts are added to `secrets`."""
    plain = value.strip()
    if not plain or plain == HIDDEN or _NOT_SECRET.fullmatch(plain):
        return value
    if plain.isdecimal():
        return re.sub(r"\d", "0", value)
    secrets.add(plain)
    return HIDDEN
