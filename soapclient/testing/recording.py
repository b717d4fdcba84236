"""Exchanges as files: `record` keeps what a service answers, `replay` answers the same without one.

A file holds one exchange, scrubbed of credentials: readable, and fit to be committed. A request is known by
its operation and what it asks for; nonces, times, signatures and the host make no difference.
"""

from __future__ import annotations

import base64
import difflib
import os
import re
import shutil
import tempfile
import time
from binascii import Error as NoBase64
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode, urlsplit

import msgspec
from lxml import etree

from soapclient._support.durable import create_private
from soapclient._support.forks import Lock
from soapclient._support.redaction import HIDDEN, redact, shown_name
from soapclient._support.secret_names import is_secret
from soapclient.testing.scrubbing import (
    Parameters,
    envelope_span,
    parameters,
    query_of_location,
    scrub_body,
    scrub_headers,
    scrub_json,
)

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

    from soapclient.transport.connections import StandIn

__all__ = ["Exchange", "NotRecorded", "RecordedResponse", "Recording", "Request", "record", "replay"]

_SUFFIX: Final = ".exchange.json"
_SHORT: Final = 4  # letters; to blot out a secret of fewer would blot out innocent text
_SECURITY: Final = (
    "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd}Security"
)
_ID: Final = "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Id"
_OF_ACCOUNTS: Final = frozenset({"connectid", "signature"})  # names of elements and parameters, lower case
_OF_ONE_TIME: Final = frozenset({"timestamp", "nonce", "messageid"})
_COMPARED_HEADERS: Final = ("Content-Type", "Range", "SOAPAction")
# The recorded body is decoded and whole, and its moment is over: by a Date, a clock would be set.
_NOT_KEPT: Final = frozenset(
    (
        *("connection", "content-encoding", "content-length", "date", "keep-alive", "set-cookie"),
        "transfer-encoding",
    )
)
_HTTP_DATE: Final = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")
_BOUNDARY: Final = re.compile(r"boundary=\"?([^\";]+)", re.IGNORECASE)
_CONTENT_ID: Final = re.compile(rb"(cid:|Content-ID: <)[^\s\"'<>]+", re.IGNORECASE)


class NotRecorded(AssertionError):
    """A request that the recording does not have, or not that often.

    It is no SoapClientError, so that code which handles those does not hide it from a test.
    """


class Request(msgspec.Struct, frozen=True):
    """A request without what differs each time. `path` has the query; over SOAP it is empty, for the envelope
    says all."""

    operation: str
    method: str
    path: str
    headers: dict[str, str]
    body: str


class RecordedResponse(msgspec.Struct, frozen=True, omit_defaults=True):
    """A response: `body` where that is a text, `binary` where it is none (in the file as Base64)."""

    status: int
    headers: dict[str, str]
    body: str = ""
    binary: bytes = b""


class Exchange(msgspec.Struct, frozen=True):
    """One exchange, as its file has it."""

    request: Request
    response: RecordedResponse


@contextmanager
def record(folder: str | Path, *, secrets: Iterable[str] = ()) -> Iterator[Recording]:
    """Keep what all clients of this process send and get meanwhile as files in `folder`; those of an earlier
    recording go.

    Connect ids, signatures, passwords, tokens, keys and the contents of Authorization are removed wherever
    they occur, in requests and responses, and so are `secrets`. Anything else in a response is kept as it
    came: look at it before you commit it. Only their owner can read the files. If the block ends in an error,
    the files stay as they were. Forked children are recorded too, if they end before the block.
    """
    recording = Recording(Path(folder), secrets)
    with recording.shared():
        with _standing_in(recording.keep):
            yield recording
        recording.write()


@contextmanager
def replay(folder: str | Path, *, secrets: Iterable[str] = ()) -> Iterator[Recording]:
    """Answer all requests of this process's clients from the files in `folder`; nothing is sent.

    Requests that are alike get their responses in the order of the recording, each once; forked children and
    their parent share them. Any other raises NotRecorded out of the call. `secrets` are texts that stand for
    those given to `record`. Raises FileNotFoundError for a folder without a recording.
    """
    recording = Recording.read(Path(folder), secrets)
    with recording.shared(), _standing_in(recording.answer):
        yield recording


@contextmanager
def _standing_in(stand_in: StandIn) -> Iterator[None]:
    from soapclient.transport.connections import TimedAdapter

    if TimedAdapter.stand_in is not None:
        raise RuntimeError("this process records or replays already: end that first")
    TimedAdapter.stand_in = stand_in
    try:
        yield
    finally:
        TimedAdapter.stand_in = None


class Recording:
    """The `exchanges` of one folder, in their order. Thread-safe. In `shared`, forked children share it."""

    def __init__(self, folder: Path, secrets: Iterable[str] = (), exchanges: Iterable[Exchange] = ()) -> None:
        self.folder = folder
        self.exchanges = list(exchanges)
        self._secrets = set(secrets)
        self._redirected: set[Parameters] = set()  # queries of addresses in Location: each value is hidden
        self._lock = Lock()
        self._kept_at: list[int] = []  # the time of each exchange that this process keeps
        self._waiting: dict[tuple[object, ...], deque[tuple[int, RecordedResponse]]] = {}
        for number, each in enumerate(self.exchanges):
            self._waiting.setdefault(_key(each.request), deque()).append((number, each.response))
        self._owner = os.getpid()
        self._shared: Path | None = None

    @classmethod
    def read(cls, folder: Path, secrets: Iterable[str] = ()) -> Recording:
        """What a folder has. Raises FileNotFoundError, and msgspec.DecodeError for a file that is no
        exchange."""
        files = sorted(folder.glob(f"*{_SUFFIX}"))
        if not files:
            raise FileNotFoundError(f"{folder}: no recording is here; make one with record({str(folder)!r})")
        return cls(folder, secrets, map(_exchange, files))

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Share exchanges and responses with children that are forked in this block."""
        self._shared = Path(tempfile.mkdtemp(prefix="soapclient-recording-"))
        try:
            yield
        finally:
            if self._owner == os.getpid():  # a child may leave the block, too
                shutil.rmtree(self._shared, ignore_errors=True)

    def write(self) -> None:
        """Write the files. Does nothing in a forked child."""
        if self._owner != os.getpid():
            return
        self._collect()
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob(f"*{_SUFFIX}"):
            old.unlink(missing_ok=True)  # another process may write its own there
        with self._lock:  # a call may still be on its way
            found = (self._scrubbed(msgspec.to_builtins(each)) for each in self.exchanges)
            self.exchanges = [msgspec.convert(each, Exchange) for each in found]
        for number, each in enumerate(self.exchanges, 1):
            name = re.sub(r"\W+", "-", each.request.operation).strip("-")[:60]
            file = self.folder / f"{number:03}-{name}{_SUFFIX}"
            with open(create_private(file), "wb") as opened:
                opened.write(msgspec.json.format(msgspec.json.encode(each), indent=2) + b"\n")

    def keep(self, request: PreparedRequest, send: Callable[[], Response]) -> Response:
        """Send a request, and keep the exchange."""
        with send() as response:
            content = response.content
        headers = {key: text for key, text in response.headers.items() if key.lower() not in _NOT_KEPT}
        with self._lock:
            asked = _request(request, self._secrets, self._redirected)
            self._redirected.add(query_of_location(headers))
            shown = scrub_body(content, self._secrets), scrub_headers(headers, self._secrets)
            exchange = Exchange(asked, _recorded(response.status_code, *shown))
            if self._owner == os.getpid():
                self.exchanges.append(exchange)
                self._kept_at.append(time.monotonic_ns())
            else:
                self._hand_over(exchange)
        return _response(request, _recorded(response.status_code, content, headers))

    def _hand_over(self, exchange: Exchange) -> None:
        """Leave an exchange of this forked child for its parent, without secrets."""
        content = msgspec.json.encode(self._scrubbed(msgspec.to_builtins(exchange)))
        if self._shared is not None:
            with suppress(FileNotFoundError):  # the parent has ended the recording
                part = self._shared / f"{time.monotonic_ns():020}-{os.urandom(8).hex()}.part"
                part.write_bytes(content)
                part.rename(part.with_suffix(_SUFFIX))

    def _collect(self) -> None:
        """Add the exchanges of forked children, by the time of their end."""
        files = [] if self._shared is None else list(self._shared.glob(f"*{_SUFFIX}"))
        with self._lock:
            timed = list(zip(self._kept_at, self.exchanges, strict=False))
            others = self.exchanges[len(timed) :]
            timed += [(int(file.name.partition("-")[0]), _exchange(file)) for file in files]
            timed.sort(key=lambda pair: pair[0])
            self._kept_at = [moment for moment, _ in timed]
            self.exchanges = [exchange for _, exchange in timed] + others

    def _take(self, number: int) -> bool:
        """Take a recorded response. Return False if another process has it already."""
        if self._shared is None:
            return True
        try:
            os.close(os.open(self._shared / str(number), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        except FileNotFoundError:  # the parent has ended the replay
            return True
        return True

    def answer(self, request: PreparedRequest, send: Callable[[], Response]) -> Response:
        """The recorded response. Raises NotRecorded."""
        del send  # nothing is
        with self._lock:
            asked = _request(request, self._secrets)
            asked = msgspec.convert(self._scrubbed(msgspec.to_builtins(asked)), Request)
            waiting = self._waiting.get(_key(asked))
            while waiting:
                number, response = waiting.popleft()
                if self._take(number):
                    return _response(request, response)
        raise NotRecorded(self._problem(asked, known=waiting is not None))

    def _scrubbed(self, found: object) -> object:
        """Data without secrets in any of its texts."""
        if isinstance(found, str):
            return redact(found, {each for each in self._secrets if len(each) >= _SHORT})
        if isinstance(found, dict):
            return {key: self._scrubbed(each) for key, each in found.items()}
        return found

    def _problem(self, asked: Request, *, known: bool) -> str:
        again = f"Record anew: with record({str(self.folder)!r}): …"
        if known:
            times = sum(_key(each.request) == _key(asked) for each in self.exchanges)
            said = f"has this request {times} time{'s' * (times > 1)}, and it came once more"
            return f"{asked.operation}: the recording {self.folder} {said}. {again}"
        same = [each.request for each in self.exchanges if each.request.operation == asked.operation]
        if not same:
            names = ", ".join(dict.fromkeys(each.request.operation for each in self.exchanges))
            said = f"has no such request; it has {names}"
            return f"{asked.operation}: the recording {self.folder} {said}. {again}"
        diffs = [list(difflib.ndiff(_lines(each), _lines(asked))) for each in same]
        nearest = min(diffs, key=lambda lines: sum(not line.startswith(" ") for line in lines))
        differs = "\n".join(line for line in nearest if line.startswith(("-", "+")))
        return (
            f"{asked.operation}: the recording {self.folder} has other requests of it. The nearest differs "
            f"(- recorded, + asked):\n{differs}\n{again}"
        )


def _recorded(status: int, content: bytes, headers: dict[str, str]) -> RecordedResponse:
    try:
        return RecordedResponse(status, headers, content.decode())
    except UnicodeDecodeError:
        return RecordedResponse(status, headers, binary=content)


def _exchange(file: Path) -> Exchange:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Exchange)
    except UnicodeDecodeError as error:  # in a text of it, where msgspec lets it through
        raise msgspec.DecodeError(f"{file}: it is not UTF-8 ({error})") from None
    except RecursionError:
        raise msgspec.DecodeError(f"{file}: it is nested too deeply") from None


def _key(request: Request) -> tuple[object, ...]:
    return request.operation, request.method, request.path, request.headers.get("Range"), request.body


def _lines(request: Request) -> list[str]:
    """A request as a person compares it."""
    try:
        root = etree.fromstring(request.body.encode())
        etree.indent(root)
        body = etree.tostring(root, encoding="unicode")
    except etree.XMLSyntaxError:
        body = request.body
    first = " ".join([request.method, request.path, request.headers.get("Range", "")]).strip()
    return [first, *body.splitlines()]


def _response(request: PreparedRequest, kept: RecordedResponse) -> Response:
    """The response as requests has it from its own adapter, its body not yet read."""
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPResponse

    content = kept.binary or kept.body.encode()
    headers = kept.headers | ({"Content-Length": str(len(content))} if content else {})
    raw = HTTPResponse(BytesIO(content), headers, kept.status, preload_content=False)
    return HTTPAdapter().build_response(request, raw)


# ---- what a request is known by


def _request(request: PreparedRequest, secrets: set[str], redirected: Container[Parameters] = ()) -> Request:
    """Return a request as it is kept and compared. Adds its credentials to `secrets`.

    redirected: queries of which all values are hidden.
    """
    body = request.body or b""
    content = body.encode() if isinstance(body, str) else bytes(body)
    given = {name: str(request.headers[name]) for name in _COMPARED_HEADERS if name in request.headers}
    for name, value in request.headers.items():
        if is_secret(name) and isinstance(value, str):
            secrets |= _credentials(value)
    if boundary := _BOUNDARY.search(given.get("Content-Type", "")):
        given["Content-Type"] = given["Content-Type"].replace(boundary[1], "boundary")
        content = content.replace(boundary[1].encode(), b"boundary")
        content = _CONTENT_ID.sub(rb"\1part", content)
    whole = urlsplit(request.url or "")
    path, operation = whole.path, f"{request.method} {whole.path}"
    if whole.query:
        pairs = parameters(whole.query)
        hidden = [(shown_name(name, value), HIDDEN) for name, value in pairs]
        path += f"?{urlencode(hidden if pairs in redirected else _parameters(pairs, secrets))}"
    envelope = envelope_span(content)
    start, end = envelope or (0, len(content))
    try:
        root = etree.fromstring(content[start:end], etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        content = scrub_json(content, secrets)
    else:
        _scrub(root, secrets)
        text = etree.tostring(root, method="c14n", exclusive=True, with_comments=False)
        content = content[:start] + text + content[end:]
        if envelope:
            action = re.split(r"[/#:]", given.get("SOAPAction", "").strip('"'))[-1]
            inside = (etree.QName(each).localname for each in root.iterfind("{*}Body/*"))
            path, operation = "", action or next(inside, operation)
    try:
        shown = content.decode()
    except UnicodeDecodeError:
        shown = base64.b64encode(content).decode()
    return Request(operation, request.method or "", path, given, shown)


def _credentials(header: str) -> set[str]:
    """What of a header such as Authorization is secret, by itself and together."""
    scheme, _, rest = header.partition(" ")
    found = {rest or scheme}
    if scheme.upper() == "ZXWS":
        found |= {*rest.split(":")}
    if scheme.lower() == "basic":
        with suppress(NoBase64, UnicodeDecodeError):
            found.add(base64.b64decode(rest, validate=True).decode().partition(":")[2])
    return found


def _parameters(pairs: Parameters, secrets: set[str]) -> list[tuple[str, str]]:
    signed = any(name.lower() == "signature" for name, _ in pairs)
    made = []
    for name, value in pairs:
        low = name.lower()
        account = low in _OF_ACCOUNTS or is_secret(name)
        secrets |= {value} if account else set()
        once = signed and (low in _OF_ONE_TIME or _HTTP_DATE.fullmatch(value))
        made.append((name, HIDDEN if account or once else value))
    return made


def _scrub(root: etree._Element, secrets: set[str]) -> None:
    """Take out of a document what differs each time and what nobody may see."""
    for node in list(root.iter("*")):
        node.attrib.pop(_ID, None)
        for name, value in node.attrib.items():
            if is_secret(str(name)):
                secrets.add(str(value))
                node.set(name, HIDDEN)
        if node.tag == _SECURITY:
            kept = (each.text for each in node.iter("*") if is_secret(etree.QName(each).localname))
            secrets |= {text.strip() for text in kept if text}
            node[:] = []
        elif not len(node) and node.text:
            name = etree.QName(node).localname
            around = node.itersiblings("*"), node.itersiblings("*", preceding=True)
            signed = any(etree.QName(each).localname == "signature" for side in around for each in side)
            if name.lower() in _OF_ACCOUNTS or is_secret(name):
                secrets.add(node.text)
                node.text = HIDDEN
            elif name == "MessageID" or (signed and name.lower() in _OF_ONE_TIME):
                node.text = HIDDEN
