"""Keep secrets out of errors and logs: pure helpers, from text to text.

Two nets, used together. What is *known* to be secret is blotted out wherever it stands and however it is
escaped; what is secret *by its place* (a signature, a password in an address, a signed download address) is
blotted out without being known.

urllib3 logs the address of every request, and what is signed in its query with it: `addresses_hidden` makes
these fit to be shown, too. Tracebacks can be shown with the values of local variables, and a service can say
in its errors what it was sent: `conceal` is for errors on their way out.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus
from xml.sax.saxutils import escape

from soapclient._support.secret_names import is_secret

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
    # the Base64 of 20 bytes, as each signature is; in addresses, and with the slashes of some JSON, too
    re.compile(r"(?<![A-Za-z0-9+/=])()(?:[A-Za-z0-9+]|\\?/|%2[BbFf]){27}(?:=|%3[Dd])(?![A-Za-z0-9+/=])"),
)
_QUERY_VALUE: Final = re.compile(r"([?&][^\s=&?#\"'<>]+=)[^\s&#\"'<>)]+")
_CUT: Final = re.compile(r"…|\.\.\.")
_LIBRARIES: Final = frozenset(
    {"soapclient", "zeep", "requests", "urllib3", "http", "lxml", "ssl", "socket", "contextlib", "json"}
)
_ESCAPED_BYTE: Final = re.compile("%[0-9A-F]{2}")
_PARAMETER_NAME: Final = re.compile(r"[\w.~$\[\]-]{1,64}", re.ASCII)
_HOST_AND_PORT: Final = re.compile(r"(?:[^:@\[\]]*|\[[^@\[\]]*\])(?::[0-9]*)?")
_SHORT: Final = 4
_LONG: Final = 16  # characters: a value in a query that is as long may be a key, whatever its name
_MAX_NOTE: Final = 500
# Those of urllib3 that name addresses or headers; a filter holds for a logger itself, not for those below it.
_LOGGERS: Final = tuple(
    logging.getLogger(f"urllib3.{name}")
    for name in ("connection", "connectionpool", "poolmanager", "response", "util.retry")
)


class Hidden(str):
    """A text that is sent as it is, and that no repr shows: neither that of a table of headers nor that of a
    traceback's local variables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(HIDDEN)


class HiddenBytes(bytes):
    """The same of bytes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(HIDDEN.encode())


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
    if isinstance(value, str):
        value = redact(value)  # before it is cut: half a signature is no signature by its form
    try:
        text = short.repr(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits
        text = f"a value of type {type(value).__name__}"
    return clean(redact(text), limit)


def safe_url(url: str) -> str:
    """Return an address that may be shown: no user info, no fragment, and of the query the names only.

    The values of a query can be a signature or, on a download address, a ticket. So can a part of a query
    that does not look like a name.
    """
    address, _, query = url.partition("#")[0].partition("?")
    scheme, separator, rest = address.rpartition("://")
    authority, slash, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    if not _HOST_AND_PORT.fullmatch(host):  # perhaps a password with a / or ? in it
        return clean(scheme + separator + HIDDEN, 300)
    names = [shown_name(name, value) for name, value in parse_qsl(query, keep_blank_values=True)]
    shown_query = "?" + "&".join(f"{name}={HIDDEN}" for name in names) if query else ""
    return clean(scheme + separator + host + slash + path + shown_query, 300)


def shown_name(name: str, value: str) -> str:
    """Return the name of a parameter as it may be shown.

    Hides a text that is not a name, such as `ZXWS id:signature`, and a long one without a value, such as a
    ticket.
    """
    is_name = _PARAMETER_NAME.fullmatch(name) is not None
    return name if is_name and (value or len(name) < _LONG) else HIDDEN


def secrets_in(url: str) -> set[str]:
    """Return the values in the query of an address that may be secret, by their names or their length.

    So may a long part of the query that is not a name.
    """
    pairs = parse_qsl(url.partition("#")[0].partition("?")[2], keep_blank_values=True)
    values = {value for name, value in pairs if is_secret(name) or len(value) >= _LONG}
    names = {name for name, value in pairs if len(name) >= _LONG and shown_name(name, value) == HIDDEN}
    return (values | names) - {""}


@contextmanager
def addresses_hidden() -> Iterator[None]:
    """Let urllib3 log addresses as `safe_url` shows them while this lasts, in this thread; a decorator, too.

    What others send by urllib3 in the same process is logged as ever.
    """
    token = hide_addresses()
    try:
        yield
    finally:
        show_addresses(token)


def hide_addresses() -> Token[bool]:
    """Hide addresses until `show_addresses`, as `addresses_hidden` does."""
    for logger in _LOGGERS:
        if _address_filter not in logger.filters:
            logger.addFilter(_address_filter)
    return _sending.set(True)


class _AddressFilter(logging.Filter):
    """Lets every record through, changed where it is about a request of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        if _sending.get() and isinstance(record.args, tuple):
            record.args = tuple(_loggable(arg) for arg in record.args)
            record.exc_info = None  # of an error that is among the args, and there redacted
        return True


_sending: ContextVar[bool] = ContextVar("sending", default=False)
show_addresses: Final = _sending.reset
_address_filter: Final = _AddressFilter()


def _loggable(arg: object) -> object:
    """A value that urllib3 logs: an address has a query, and an error may quote what the service sent."""
    if isinstance(arg, Exception):
        return redact(str(arg))
    return safe_url(arg) if isinstance(arg, str) and ("?" in arg or "@" in arg) else arg


def conceal(error: BaseException, secrets: Iterable[str] = ()) -> None:
    """Take out of an error, and of those it came of, what was sent: the secrets out of all texts, and the
    local variables out of frames of this package and of those it stands on.

    Lines and messages stay. Frames that have not ended, and those of somebody's own code, are left alone.
    """
    known = {each for each in secrets if len(each) >= _SHORT}
    forms = sorted(_forms(known), key=len, reverse=True)
    for each in _inside(error):
        for name in ("request", "response"):  # of requests' errors, with all headers
            if getattr(each, name, None) is not None and type(each).__module__.startswith("requests."):
                setattr(each, name, None)
        trace = each.__traceback__
        while trace is not None:
            if str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES:
                with suppress(RuntimeError):  # it has not ended
                    trace.tb_frame.clear()
            trace = trace.tb_next
        # Errors of other libraries contain addresses with their queries; ours contain those of `safe_url`.
        queries = not type(each).__module__.startswith("soapclient.")
        each.args = tuple(_blotted(value, forms, queries) for value in each.args)
        for name, value in list(getattr(each, "__dict__", {}).items()):
            with suppress(AttributeError):
                setattr(each, name, _blotted(value, forms, queries))


def _inside(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that it came of: causes, contexts, arguments, reasons."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        found = waiting.pop()
        if isinstance(found, BaseException) and id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += [found.__cause__, found.__context__, *found.args]
            waiting += getattr(found, "__dict__", {}).values()


def _blotted(value: object, forms: list[str], queries: bool) -> object:
    """Remove forms of secrets, and pieces of them next to a cut, from a string or a list of strings.

    queries: remove the values in queries of addresses as well.
    """
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_blotted(item, forms, queries) for item in value)
    if isinstance(value, bytes):  # such as the body that zeep's TransportError has
        text = str(_blotted(value.decode("utf-8", "surrogateescape"), forms, queries))
        return text.encode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        return value
    text = re.sub("|".join(map(re.escape, forms)), HIDDEN, value) if forms else value
    for pattern in (*_BY_PLACE, _QUERY_VALUE) if queries else _BY_PLACE:
        text = pattern.sub(lambda match: match.group(1) + HIDDEN, text)
    for cut in reversed(list(_CUT.finditer(text))):
        before, after = text[: cut.start()], text[cut.end() :]
        head = max((_common(before, form) for form in forms), default=0)
        tail = max((_common(form, after) for form in forms), default=0)
        before = before[: len(before) - head] + HIDDEN if head else before
        text = before + cut.group() + (HIDDEN + after[tail:] if tail else after)
    return text


def _common(first: str, second: str) -> int:
    """How many characters, more than a few, end the first text and begin the second."""
    most = min(len(first), len(second))
    return next((size for size in range(most, _SHORT, -1) if first.endswith(second[:size])), 0)


def notes_of(error: BaseException) -> tuple[str, ...]:
    """Return the notes of an error (PEP 678), oldest first, each as one printable line without signatures."""
    notes: list[object] = getattr(error, "__notes__", [])
    return tuple(clean(redact(note), _MAX_NOTE) for note in notes if isinstance(note, str))


def redacted_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return a copy of HTTP headers that may be logged: without signatures, other credentials and cookies."""
    return {name: _redacted_header(name.lower(), value) for name, value in headers.items()}


def _redacted_header(name: str, value: str) -> str:
    if name == "authorization" and value.upper().startswith("ZXWS "):
        return redact(value)
    if name in _SENSITIVE_HEADERS or is_secret(name):
        return HIDDEN
    return redact(value)


def _forms(secrets: Iterable[str]) -> set[str]:
    """Return every spelling in which a secret may turn up: plain, in a URL, XML, JSON, Base64 or a repr."""
    forms: set[str] = set()
    for secret in secrets:
        data = secret.encode("utf-8", errors="surrogatepass")
        in_urls = {quote(data), quote(data, safe=""), quote_plus(data)}
        texts = {
            secret,
            escape(secret),
            escape(escape(secret)),
            escape(secret, {'"': "&quot;", "'": "&apos;"}),
        }
        forms |= {
            *texts,
            *in_urls,
            *(_ESCAPED_BYTE.sub(lambda match: match.group().lower(), url) for url in in_urls),
        }
        for text in texts:
            forms |= {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1]}
            forms.add(repr(text.encode("utf-8", errors="surrogatepass"))[2:-1])
        for encoded in {data, secret.encode("latin-1", errors="ignore")}:  # RFC 7617 leaves it open
            forms.update(_in_base64(encoded))
    return forms - {""}


def _in_base64(data: bytes) -> Iterator[str]:
    """As it stands in Base64, by itself and after something else, such as a user name."""
    alone = base64.b64encode(data).decode("ascii")
    if len(alone) > _SHORT:  # four letters would blot out innocent text
        yield alone
    for before in range(3):
        whole = base64.b64encode(bytes(before) + data).decode("ascii")
        inside = whole[4 * bool(before) : len(whole) // 4 * 4 - 4]
        if len(inside) > 2 * _SHORT:
            yield inside
