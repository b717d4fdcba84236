"""Remove secrets from errors and logs.

Two methods are used together. Secrets whose values are known are removed wherever they occur, in any
escaping. Other secrets (a signature, a password in a URL, a signed download URL) are recognized by the text
around them.

urllib3 logs the URL of every request, with the signature in its query: `addresses_hidden` redacts these log
records. Tracebacks can show the values of local variables, and a service can quote a request in its errors:
`conceal` removes secrets from an exception before the caller gets it.
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

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.secret_names import is_secret

HIDDEN: Final = "[hidden]"

_SENSITIVE_HEADERS: Final = frozenset({"proxy-authorization", "cookie", "set-cookie"})
_BY_PLACE: Final = (
    # Authorization: ZXWS <connect id>:<signature>
    LazyPattern(r"(ZXWS\s+[^\s:]+:)[^\s\"'<>,]+", re.IGNORECASE),
    # <signature>…</signature> with any prefix; an unfinished element counts too
    LazyPattern(r"(<(?:[\w.-]+:)?(?:signature|secret_?key)\b[^>]*>)[^<]+", re.IGNORECASE),
    # signature=… in a query, "signature": "…" in JSON. Long values only, so that "signature: invalid" stays
    # readable
    LazyPattern(r"(\b(?:signature|secret_?key)[\"']?\s*[=:]\s*[\"']?)[^\s&\"'<>,;]{16,}", re.IGNORECASE),
    # https://user:password@host
    LazyPattern(r"(\w://)[^\s/@]+(?=@)"),
    # the Base64 of 20 bytes, as every signature is; also percent-encoded, or with the escaped slashes of JSON
    LazyPattern(r"(?<![A-Za-z0-9+/=])()(?:[A-Za-z0-9+]|\\?/|%2[BbFf]){27}(?:=|%3[Dd])(?![A-Za-z0-9+/=])"),
)
_QUERY_VALUE: Final = LazyPattern(r"([?&][^\s=&?#\"'<>]+=)[^\s&#\"'<>)]+")
_CUT: Final = LazyPattern(r"…|\.\.\.")
_LIBRARIES: Final = frozenset(
    {"soapclient", "zeep", "requests", "urllib3", "http", "lxml", "ssl", "socket", "contextlib", "json"}
)
_ESCAPED_BYTE: Final = LazyPattern("%[0-9A-F]{2}")
_PARAMETER_NAME: Final = LazyPattern(r"[\w.~$\[\]-]{1,64}", re.ASCII)
_HOST_AND_PORT: Final = LazyPattern(r"(?:[^:@\[\]]*|\[[^@\[\]]*\])(?::[0-9]*)?")
_SHORT: Final = 4  # characters: shorter secrets are not searched for, they would match innocent text
_LONG: Final = 16  # characters: a query value of this length or more may be a key, whatever its name is
_MAX_NOTE: Final = 500
# The loggers of urllib3 that log URLs or headers. A filter applies only to its own logger, not to child
# loggers.
_LOGGERS: Final = tuple(
    logging.getLogger(f"urllib3.{name}")
    for name in ("connection", "connectionpool", "poolmanager", "response", "util.retry")
)


class Hidden(str):
    """A string whose `repr` is a placeholder, so that dumps of headers or local variables do not show it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(HIDDEN)


class HiddenBytes(bytes):
    """Bytes whose `repr` is a placeholder, like `Hidden` for strings."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(HIDDEN.encode())


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` with secrets replaced by a placeholder.

    Replaces the strings in `secrets`, in every usual escaping, and all signatures and passwords in URLs.
    """
    text = _without(text, _forms(secrets))
    for pattern in _BY_PLACE:
        text = pattern.sub(lambda match: match.group(1) + HIDDEN, text)
    return text


def clean(text: str, limit: int = 200) -> str:
    """Return `text` as one printable line of at most `limit` characters.

    Control and format characters, such as escape sequences and line breaks, become spaces. Otherwise, a
    server could send control sequences to a terminal or a log.
    """
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def excerpt(data: bytes | str, secrets: Iterable[str] = (), limit: int = 200) -> str:
    """Return a short, printable excerpt from the start of a response, without secrets, for an error message.

    Bytes are decoded as UTF-8; invalid bytes become the replacement character. Only the start of `data` is
    processed, so large data does not take longer.
    """
    secrets = tuple(secrets)
    longest = max((len(form) for form in _forms(secrets)), default=0)
    # Redact a longer text than is kept, then cut it: otherwise the cut could leave half of a secret.
    window = limit * 8 + longest
    head = data[: window * 4] if isinstance(data, bytes) else data[:window]
    text = (head.decode("utf-8", errors="replace") if isinstance(head, bytes) else head)[:window]
    redacted = redact(text, secrets)
    if len(text) == window:
        redacted = redacted[: max(0, len(redacted) - longest)]
    return clean(redacted, limit)


def shown(value: object, limit: int = 80) -> str:
    """Return the `repr` of a value for an error: one line, up to `limit` characters, without signatures."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = limit
    if isinstance(value, str):
        value = redact(value)  # before the text is cut, because half a signature does not match the pattern
    try:
        text = short.repr(value)
    except ValueError:  # Python does not format integers of thousands of digits
        text = f"a value of type {type(value).__name__}"
    return clean(redact(text), limit)


def safe_url(url: str) -> str:
    """Return a URL that is safe to show: without user info and fragment, and with hidden query values.

    A query value can be a signature or a ticket (the secret key in a download URL). A ticket can also be the
    complete query (`?TICKET`). Therefore, names that may be secrets are hidden, too (see `shown_name`).
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
    """Return the name of a query parameter if it is safe to show, otherwise a placeholder.

    Two kinds of names are hidden:

    - names with unusual characters, such as the space and the colon in `ZXWS id:signature` (the value of an
      Authorization header);
    - long names without a value, which may be a ticket (the secret key in a download URL).
    """
    is_name = _PARAMETER_NAME.fullmatch(name) is not None
    return name if is_name and (value or len(name) < _LONG) else HIDDEN


def secrets_in(url: str) -> set[str]:
    """Return the values and names in a URL's query that may be secret.

    These are:

    - values of parameters with a name such as `password`;
    - other values of 16 characters or more;
    - names of 16 characters or more that `shown_name` hides.
    """
    pairs = parse_qsl(url.partition("#")[0].partition("?")[2], keep_blank_values=True)
    values = {value for name, value in pairs if is_secret(name) or len(value) >= _LONG}
    names = {name for name, value in pairs if len(name) >= _LONG and shown_name(name, value) == HIDDEN}
    return (values | names) - {""}


@contextmanager
def addresses_hidden() -> Iterator[None]:
    """Redact the URLs that urllib3 logs in this thread inside a `with` block (see `safe_url`).

    Also works as a decorator. Log records of other users of urllib3 in the same process are not changed.
    """
    token = hide_addresses()
    try:
        yield
    finally:
        show_addresses(token)


def hide_addresses() -> Token[bool]:
    """Start to redact the URLs that urllib3 logs in this thread, as `addresses_hidden` does.

    To end this, pass the result to `show_addresses`.
    """
    for logger in _LOGGERS:
        if _address_filter not in logger.filters:
            logger.addFilter(_address_filter)
    return _sending.set(True)


class _AddressFilter(logging.Filter):
    """Logging filter that redacts urllib3's log records about requests of this package. Keeps all records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact the arguments of a record if this thread is sending one of this package's requests.

        Always returns True, so that the record is logged.
        """
        if _sending.get() and isinstance(record.args, tuple):
            record.args = tuple(_loggable(arg) for arg in record.args)
            record.exc_info = None  # the same exception is redacted in the args
        return True


_sending: ContextVar[bool] = ContextVar("sending", default=False)
show_addresses: Final = _sending.reset
_address_filter: Final = _AddressFilter()


def _loggable(arg: object) -> object:
    """Return an argument of a log record of urllib3 without secrets.

    URLs with a query or user info are redacted. Errors are redacted, too, because they may quote the
    response.
    """
    if isinstance(arg, Exception):
        return redact(str(arg))
    return safe_url(arg) if isinstance(arg, str) and ("?" in arg or "@" in arg) else arg


def conceal(error: BaseException, secrets: Iterable[str] = ()) -> None:
    """Remove secrets from an exception and from all exceptions to which it refers.

    Removes secrets from the texts of the exceptions. In their tracebacks, also removes the local variables
    from the frames of this package and of the libraries it uses; file names and line numbers remain. Frames
    of other code, and frames that are still running, are not changed.
    """
    searched = {secret for secret in secrets if len(secret) >= _SHORT}
    forms = sorted(_forms(searched), key=len, reverse=True)
    for item in _all_errors(error):
        for name in ("request", "response"):  # errors of requests have both, including all headers
            if getattr(item, name, None) is not None and type(item).__module__.startswith("requests."):
                setattr(item, name, None)
        trace = item.__traceback__
        while trace is not None:
            if str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES:
                with suppress(RuntimeError):  # the frame is still running
                    trace.tb_frame.clear()
            trace = trace.tb_next
        # Errors of other libraries contain URLs with queries. Errors of this package contain the result of
        # `safe_url`.
        queries = not type(item).__module__.startswith("soapclient.")
        item.args = tuple(_redact_value(value, forms, queries) for value in item.args)
        for name, value in list(getattr(item, "__dict__", {}).items()):
            with suppress(AttributeError):
                setattr(item, name, _redact_value(value, forms, queries))


def _all_errors(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all exceptions in its causes, contexts, arguments and attributes."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        item = waiting.pop()
        if isinstance(item, BaseException) and id(item) not in seen:
            seen.add(id(item))
            yield item
            waiting += [item.__cause__, item.__context__, *item.args]
            waiting += getattr(item, "__dict__", {}).values()


def _redact_value(value: object, forms: list[str], queries: bool) -> object:
    """Return a string, bytes, or a list or tuple of these without secrets. Return other values unchanged.

    - `forms`: all spellings of the known secrets, the longest first.
    - `queries`: True to remove the values in the queries of URLs, too.

    If a text was shortened, `…` or `...` may have cut a secret in two. The remaining part is removed, too.
    """
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_redact_value(item, forms, queries) for item in value)
    if isinstance(value, bytes):  # such as the body in zeep's TransportError
        text = str(_redact_value(value.decode("utf-8", "surrogateescape"), forms, queries))
        return text.encode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        return value
    text = _without(value, forms)
    for pattern in (*_BY_PLACE, _QUERY_VALUE) if queries else _BY_PLACE:
        text = pattern.sub(lambda match: match.group(1) + HIDDEN, text)
    for cut in reversed(list(_CUT.finditer(text))):
        before, after = text[: cut.start()], text[cut.end() :]
        head = max((_overlap(before, form) for form in forms), default=0)
        tail = max((_overlap(form, after) for form in forms), default=0)
        before = before[: len(before) - head] + HIDDEN if head else before
        text = before + cut.group() + (HIDDEN + after[tail:] if tail else after)
    return text


def _without(text: str, forms: Iterable[str]) -> str:
    """Return a text in which each spelling of a secret is replaced by a placeholder.

    Spellings may overlap.
    """
    found = []
    for form in forms:  # compiling a pattern of all forms would take longer
        start = text.find(form)
        while start >= 0:
            found.append((start, start + len(form)))
            start = text.find(form, start + 1)
    parts, end = [], 0
    for start, stop in sorted(found):
        if start >= end:
            parts += [text[end:start], HIDDEN]
        end = max(end, stop)
    return "".join((*parts, text[end:]))


def _overlap(first: str, second: str) -> int:
    """Return the length of the longest suffix of `first` that is a prefix of `second`.

    Returns 0 if that is less than 5 characters.
    """
    longest = min(len(first), len(second))
    return next((size for size in range(longest, _SHORT, -1) if first.endswith(second[:size])), 0)


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
    """Return all spellings in which a secret may occur: plain, or in a URL, XML, JSON, Base64 or a repr."""
    forms: set[str] = set()
    for secret in secrets:
        data = secret.encode("utf-8", errors="surrogatepass")
        in_urls = {quote(data), quote(data, safe=""), quote_plus(data)}
        texts = {
            secret,
            _xml_escaped(secret),
            _xml_escaped(_xml_escaped(secret)),
            _xml_escaped(secret).replace('"', "&quot;").replace("'", "&apos;"),
        }
        forms |= {
            *texts,
            *in_urls,
            *(_ESCAPED_BYTE.sub(lambda match: match.group().lower(), url) for url in in_urls),
        }
        for text in texts:
            forms |= {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1]}
            forms.add(repr(text.encode("utf-8", errors="surrogatepass"))[2:-1])
        for encoded in {data, secret.encode("latin-1", errors="ignore")}:  # RFC 7617 defines no charset
            forms.update(_in_base64(encoded))
    return forms - {""}


def _xml_escaped(text: str) -> str:
    # Like xml.sax.saxutils.escape, but that module imports urllib.request, http.client and ssl, which takes
    # long.
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the spellings of data in Base64: encoded alone, and as a part of a longer encoded text.

    In a longer text, such as `user:password`, the spelling depends on the number of bytes before the data.
    """
    alone = base64.b64encode(data).decode("ascii")
    if len(alone) > _SHORT:  # four letters would match harmless text
        yield alone
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + data).decode("ascii")
        inside = encoded[4 * bool(offset) : len(encoded) // 4 * 4 - 4]
        if len(inside) > 2 * _SHORT:
            yield inside
