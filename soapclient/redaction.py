"""Keep secrets out of errors and logs: pure helpers, from text to text.

Two nets, used together. What is *known* to be secret is blotted out wherever it stands and however it is
escaped; what is secret *by its place* (a signature, a password in an address, a signed download address) is
blotted out without being known.

urllib3 logs the address of every request, and what is signed in its query with it: `addresses_hidden` makes
these fit to be shown, too.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus
from xml.sax.saxutils import escape

HIDDEN: Final = "[hidden]"

_SENSITIVE_HEADERS: Final = frozenset({"proxy-authorization", "cookie", "set-cookie"})
_BY_PLACE: Final = (
    # Authorization: ZXWS <connect id>:<signature>
    re.compile(r"(ZXWS\s+[^\s:]+:)[^\s\"'<>,]+", re.IGNORECASE),
    # <signature>…</signature> with any prefix; an unfinished element counts too
    re.compile(r"(<(?:[\w.-]+:)?(?:signature|secret_?key)\b[^>]*>)[^<]+", re.IGNORECASE),
    # signature=… in a query, "signature": "…" in JSON; long values only, so that "signature: invalid" stays
    # readable
    re.compile(r"(\b(?:signature|secret_?key)[\"']?\s*[=:]\s*[\"']?)[^\s&\"'<>,;]{16,}", re.IGNORECASE),
    # https://user:password@host
    re.compile(r"(\w://)[^\s/@]+(?=@)"),
)
_ESCAPED_BYTE: Final = re.compile("%[0-9A-F]{2}")
_HOST_AND_PORT: Final = re.compile(r"(?:[^:@\[\]]*|\[[^@\[\]]*\])(?::[0-9]*)?")
_SHORT: Final = 4
_MAX_NOTE: Final = 500
# Those of urllib3 that name addresses or headers; a filter holds for a logger itself, not for those below it.
_LOGGERS: Final = ("connection", "connectionpool", "poolmanager", "response", "util.retry")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without the given secrets, in any usual escaping, and without signatures."""
    forms = sorted(_forms(secrets), key=len, reverse=True)
    if forms:
        text = re.sub("|".join(map(re.escape, forms)), HIDDEN, text)
    for pattern in _BY_PLACE:
        text = pattern.sub(lambda match: match.group(1) + HIDDEN, text)
    return text


def clean(text: str, limit: int = 200) -> str:
    """Return `text` as one printable line of at most `limit` characters.

    Control and format characters (escape sequences, line breaks, changes of writing direction) become
    spaces: what a server sends must not be able to write into somebody's terminal or log.
    """
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def excerpt(data: bytes | str, secrets: Iterable[str] = (), limit: int = 200) -> str:
    """Return a short, clean, redacted piece of the start of a response, to be quoted in an error.

    Bytes are read as UTF-8; what is not UTF-8 becomes the replacement character. Only the start of `data`
    is looked at, however long it is.
    """
    secrets = tuple(secrets)
    longest = max((len(form) for form in _forms(secrets)), default=0)
    # Redact first, cut later, and look a secret's length further than is kept: the cut must not leave half
    # of one.
    window = limit * 8 + longest
    head = data[: window * 4] if isinstance(data, bytes) else data[:window]
    text = (head.decode("utf-8", errors="replace") if isinstance(head, bytes) else head)[:window]
    redacted = redact(text, secrets)
    if len(text) == window:
        redacted = redacted[: max(0, len(redacted) - longest)]
    return clean(redacted, limit)


def shown(value: object, limit: int = 80) -> str:
    """Return `value` as Python would write it, cut to `limit` printable characters, without signatures."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = limit
    try:
        text = short.repr(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits
        text = f"a value of type {type(value).__name__}"
    return clean(redact(text), limit)


def safe_url(url: str) -> str:
    """Return an address that may be shown: no user info, no fragment, and of the query the names only.

    The values of a query can be a signature or, on a download address, a ticket.
    """
    address, _, query = url.partition("#")[0].partition("?")
    scheme, separator, rest = address.rpartition("://")
    authority, slash, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    if not _HOST_AND_PORT.fullmatch(host):  # perhaps a password with a / or ? in it
        return clean(scheme + separator + HIDDEN, 300)
    names = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
    shown_query = "?" + "&".join(f"{quote(name)}={HIDDEN}" for name in names) if query else ""
    return clean(scheme + separator + host + slash + path + shown_query, 300)


@contextmanager
def addresses_hidden() -> Iterator[None]:
    """Let urllib3 log addresses as `safe_url` shows them while this lasts, in this thread; a decorator, too.

    What others send by urllib3 in the same process is logged as ever.
    """
    for name in _LOGGERS:
        logging.getLogger(f"urllib3.{name}").addFilter(_address_filter)  # once, however often it is added
    token = _sending.set(True)
    try:
        yield
    finally:
        _sending.reset(token)


class _AddressFilter(logging.Filter):
    """Lets every record through, changed where it is about a request of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        if _sending.get() and isinstance(record.args, tuple):
            record.args = tuple(_loggable(arg) for arg in record.args)
            record.exc_info = None  # of an error that is among the args, and there redacted
        return True


_sending: ContextVar[bool] = ContextVar("sending", default=False)
_address_filter: Final = _AddressFilter()


def _loggable(arg: object) -> object:
    """A value that urllib3 logs: an address has a query, and an error may quote what the service sent."""
    if isinstance(arg, Exception):
        return redact(str(arg))
    return safe_url(arg) if isinstance(arg, str) and ("?" in arg or "@" in arg) else arg


def notes_of(error: BaseException) -> tuple[str, ...]:
    """Return the notes of an error (PEP 678), oldest first, each as one printable line without signatures."""
    notes: list[object] = getattr(error, "__notes__", [])
    return tuple(clean(redact(note), _MAX_NOTE) for note in notes if isinstance(note, str))


def redacted_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of HTTP headers that may be logged: without signatures, other credentials and cookies."""
    return {name: _redacted_header(name.lower(), value) for name, value in headers.items()}


def _redacted_header(name: str, value: str) -> str:
    if name in _SENSITIVE_HEADERS:
        return HIDDEN
    if name == "authorization" and not value.upper().startswith("ZXWS "):
        return HIDDEN
    return redact(value)


def _forms(secrets: Iterable[str]) -> set[str]:
    """Return every spelling in which a secret may turn up: plain, in a URL, XML, JSON or Base64."""
    forms: set[str] = set()
    for secret in secrets:
        data = secret.encode("utf-8", errors="surrogatepass")
        in_urls = {quote(data), quote(data, safe=""), quote_plus(data)}
        forms |= {
            secret,
            *in_urls,
            *(_ESCAPED_BYTE.sub(lambda match: match.group().lower(), url) for url in in_urls),
        }
        forms |= {escape(secret), escape(secret, {'"': "&quot;", "'": "&apos;"})}
        forms |= {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
        encoded = base64.b64encode(data).decode("ascii")
        if len(encoded) > _SHORT:  # four letters would blot out innocent text
            forms.add(encoded)
    return forms - {""}
