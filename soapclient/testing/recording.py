"""Recordings of a service: `record` saves its responses as files, and `replay` responds from these files.

A file holds one exchange (request and response) without credentials. It is readable and can be committed.
Requests are compared by their operation and content; nonces, times, signatures and the host are ignored.
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
from itertools import takewhile, zip_longest
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode, urlsplit

import msgspec
from lxml import etree

from soapclient._support.durable import create_private
from soapclient._support.forks import Lock
from soapclient._support.redaction import HIDDEN, redact, shown_name
from soapclient._support.secret_names import is_secret
from soapclient.auth.issued import issued
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
_SHORT: Final = 4  # characters; shorter secrets are not removed, as they occur in harmless text
_SECURITY: Final = (
    "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd}Security"
)
_ID: Final = "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Id"
# Names of elements and parameters, lower case, in requests that a signer of this process did not sign: the
# download addresses of a service, for example. `issued` has the values of all others.
_OF_ACCOUNTS: Final = frozenset({"connectid", "signature"})
_OF_ONE_TIME: Final = frozenset({"timestamp", "nonce", "messageid"})
# Numbers of characters of a long line that an error shows:
_MAX_LINE: Final = 300  # in total; the full text of a line that is not longer
_START: Final = 100  # from the start of the line
_BEFORE: Final = 40  # before the first difference
_COMPARED_HEADERS: Final = ("Content-Type", "Range", "SOAPAction")
# The recorded body is decoded and complete. Its Date is in the past, and would set the client's clock.
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
    """Raised if a recording does not have a request, or if all its recorded responses have been used.

    Not a subclass of SoapClientError: code that handles SoapClientError must not hide this error from a test.

    >>> from soapclient import Client
    >>> from soapclient.testing import NotRecorded, record, replay
    >>> with record("recording"), Client() as client:
    ...     profile = client.publisher.get_profile()
    >>> with replay("recording"), Client() as client:
    ...     try:
    ...         client.publisher.get_balances()
    ...     except NotRecorded:
    ...         print("record the session again")
    record the session again
    """


class Request(msgspec.Struct, frozen=True):
    """A recorded request, without the parts that differ each time, such as the nonce.

    `path` includes the query; it is empty for SOAP.
    """

    operation: str
    method: str
    path: str
    headers: dict[str, str]
    body: str


class RecordedResponse(msgspec.Struct, frozen=True, omit_defaults=True):
    """A recorded response. A text is in `body`, other content in `binary`, which is Base64 in the file."""

    status: int
    headers: dict[str, str]
    body: str = ""
    binary: bytes = b""


class Exchange(msgspec.Struct, frozen=True):
    """A request and its response, as stored in one file."""

    request: Request
    response: RecordedResponse


@contextmanager
def record(folder: str | Path, *, secrets: Iterable[str] = ()) -> Iterator[Recording]:
    """Save the exchanges of all clients in this process as files in `folder`, replacing an earlier recording.

    Connect ids, signatures, passwords, tokens, keys and the contents of Authorization are removed wherever
    they occur in requests and responses, and so are `secrets`. The rest of a response is stored unchanged:
    check it before you commit it. Only the owner can read the files. If the block raises an exception, the
    files are not changed. Forked children are recorded, too, if they end before the block ends. Raises
    RuntimeError if the process already records or replays.

    >>> from soapclient import Client
    >>> from soapclient.testing import record
    >>> with record("recording") as recording, Client() as client:
    ...     profile = client.publisher.get_profile()
    >>> len(recording.exchanges)
    1
    """
    recording = Recording(Path(folder), secrets)
    with recording.shared():
        with _intercepting(recording.keep):
            yield recording
        recording.write()


@contextmanager
def replay(folder: str | Path, *, secrets: Iterable[str] = ()) -> Iterator[Recording]:
    """Respond to all requests of this process's clients from the files in `folder`; nothing is sent.

    Each recorded response is used once, also if forked children send requests. Equal requests get their
    responses in recorded order. A request for which no response is left raises NotRecorded. `secrets` are the
    current values of the secrets that were passed to `record`; the values may have changed since. Raises
    FileNotFoundError if the folder has no recording, RuntimeError if the process already records or replays.

    >>> from soapclient import Client
    >>> from soapclient.testing import record, replay
    >>> with record("recording"), Client() as client:
    ...     recorded = client.publisher.get_profile()
    >>> with replay("recording"), Client() as client:  # sends nothing
    ...     print(client.publisher.get_profile() == recorded)
    True
    """
    recording = Recording.read(Path(folder), secrets)
    with recording.shared(), _intercepting(recording.answer):
        yield recording


@contextmanager
def _intercepting(stand_in: StandIn) -> Iterator[None]:
    """In a `with` block, call `stand_in` for each request of this process instead of sending the request.

    Raises RuntimeError if the process already records or replays.
    """
    from soapclient.transport.connections import TimedAdapter

    if TimedAdapter.stand_in is not None:
        raise RuntimeError("this process is already recording or replaying. Leave that `with` block first.")
    TimedAdapter.stand_in = stand_in
    try:
        yield
    finally:
        TimedAdapter.stand_in = None


class Recording:
    """A recording: the `exchanges` in a folder, in order. Thread-safe.

    In a `with recording.shared()` block, forked children use the same recording.

    >>> from soapclient import Client
    >>> from soapclient.testing import record
    >>> with record("recording") as recording, Client() as client:
    ...     profile = client.publisher.get_profile()
    >>> [exchange.response.status for exchange in recording.exchanges]
    [200]
    """

    def __init__(self, folder: Path, secrets: Iterable[str] = (), exchanges: Iterable[Exchange] = ()) -> None:
        self.folder = folder
        self.exchanges = list(exchanges)
        self._secrets = set(secrets)
        self._redirected: set[Parameters] = set()  # queries in Location headers: all their values are hidden
        self._lock = Lock()
        self._kept_at: list[int] = []  # the time of each exchange of this process
        self._waiting: dict[tuple[object, ...], deque[tuple[int, RecordedResponse]]] = {}
        for number, exchange in enumerate(self.exchanges):
            waiting = self._waiting.setdefault(_key(exchange.request), deque())
            waiting.append((number, exchange.response))
        self._owner = os.getpid()
        self._shared: Path | None = None

    @classmethod
    def read(cls, folder: Path, secrets: Iterable[str] = ()) -> Recording:
        """Return the recording in a folder.

        Raises FileNotFoundError if the folder has no recording, and msgspec.DecodeError for an invalid file.
        """
        files = sorted(folder.glob(f"*{_SUFFIX}"))
        if not files:
            raise FileNotFoundError(f"{folder}: not a recording. Create one with record({str(folder)!r}).")
        return cls(folder, secrets, map(_exchange, files))

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Let children that are forked in this block use this recording.

        The exchanges that they record are added to it. Each recorded response is used by only one process.
        """
        self._shared = Path(tempfile.mkdtemp(prefix="soapclient-recording-"))
        try:
            yield
        finally:
            if self._owner == os.getpid():  # a child process may leave the block, too
                shutil.rmtree(self._shared, ignore_errors=True)

    def write(self) -> None:
        """Write the exchanges as files, in place of an earlier recording. Does nothing in a forked child."""
        if self._owner != os.getpid():
            return
        self._collect()
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob(f"*{_SUFFIX}"):
            old.unlink(missing_ok=True)  # another process may write its recording here
        with self._lock:  # a call may still be running
            scrubbed = (self._scrubbed(msgspec.to_builtins(exchange)) for exchange in self.exchanges)
            self.exchanges = [msgspec.convert(data, Exchange) for data in scrubbed]
        for number, exchange in enumerate(self.exchanges, 1):
            name = re.sub(r"\W+", "-", exchange.request.operation).strip("-")[:60]
            file = self.folder / f"{number:03}-{name}{_SUFFIX}"
            with open(create_private(file), "wb") as stream:
                stream.write(msgspec.json.format(msgspec.json.encode(exchange), indent=2) + b"\n")

    def keep(self, request: PreparedRequest, send: Callable[[], Response]) -> Response:
        """Send a request by calling `send`, record the exchange, and return the response."""
        with send() as response:
            content = response.content
        headers = {key: text for key, text in response.headers.items() if key.lower() not in _NOT_KEPT}
        with self._lock:
            recorded_request = _request(request, self._secrets, self._redirected)
            self._redirected.add(query_of_location(headers))
            shown = scrub_body(content, self._secrets), scrub_headers(headers, self._secrets)
            exchange = Exchange(recorded_request, _recorded(response.status_code, *shown))
            if self._owner == os.getpid():
                self.exchanges.append(exchange)
                self._kept_at.append(time.monotonic_ns())
            else:
                self._hand_over(exchange)
        return _response(request, _recorded(response.status_code, content, headers))

    def _hand_over(self, exchange: Exchange) -> None:
        """Pass an exchange from this forked child to the parent process, without its secrets."""
        content = msgspec.json.encode(self._scrubbed(msgspec.to_builtins(exchange)))
        if self._shared is not None:
            with suppress(FileNotFoundError):  # the parent has ended the recording
                part = self._shared / f"{time.monotonic_ns():020}-{os.urandom(8).hex()}.part"
                part.write_bytes(content)
                part.rename(part.with_suffix(_SUFFIX))

    def _collect(self) -> None:
        """Add the exchanges that forked children passed to this process, sorted by their end times."""
        files = [] if self._shared is None else list(self._shared.glob(f"*{_SUFFIX}"))
        with self._lock:
            by_time = list(zip(self._kept_at, self.exchanges, strict=False))
            others = self.exchanges[len(by_time) :]
            by_time += [(int(file.name.partition("-")[0]), _exchange(file)) for file in files]
            by_time.sort(key=lambda pair: pair[0])
            self._kept_at = [moment for moment, _ in by_time]
            self.exchanges = [exchange for _, exchange in by_time] + others

    def _take(self, number: int) -> bool:
        """Reserve the recorded response `number` for this process.

        Returns True if it is reserved, False if a process has already used it.
        """
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
        """Return the recorded response to a request. Raises NotRecorded if none is left.

        `send` is the function that would send the request. It is not called.
        """
        del send  # nothing is sent
        with self._lock:
            expected = _request(request, self._secrets)
            expected = msgspec.convert(self._scrubbed(msgspec.to_builtins(expected)), Request)
            waiting = self._waiting.get(_key(expected))
            while waiting:
                number, response = waiting.popleft()
                if self._take(number):
                    return _response(request, response)
        raise NotRecorded(self._problem(expected, known=waiting is not None))

    def _scrubbed(self, data: object) -> object:
        """Return `data`, a string or a dict, without secrets. Any other value is returned unchanged.

        In a dict, the values are treated in the same way. The keys are not changed.
        """
        if isinstance(data, str):
            return redact(data, {secret for secret in self._secrets if len(secret) >= _SHORT})
        if isinstance(data, dict):
            return {key: self._scrubbed(value) for key, value in data.items()}
        return data

    def _problem(self, request: Request, *, known: bool) -> str:
        """Return the error message for a request that has no response.

        `known` is True if the recording contains this request, but all its responses have been used.
        """
        again = f"Record again: with record({str(self.folder)!r}): …"
        if known:
            times = sum(_key(exchange.request) == _key(request) for exchange in self.exchanges)
            problem = f"has this request {times} time{'s' * (times > 1)}, and it was sent once more"
            return f"{request.operation}: the recording {self.folder} {problem}. {again}"
        same = [each.request for each in self.exchanges if each.request.operation == request.operation]
        if not same:
            names = ", ".join(dict.fromkeys(exchange.request.operation for exchange in self.exchanges))
            problem = f"does not have this request; it has {names}"
            return f"{request.operation}: the recording {self.folder} {problem}. {again}"
        diffs = [_difference(_lines(other), _lines(request)) for other in same]
        nearest = min(diffs, key=len)
        differs = "\n".join(nearest)
        return (
            f"{request.operation}: the recording {self.folder} does not have an equal request. The nearest "
            f"request differs (- recorded, + sent):\n{differs}\n{again}"
        )


def _difference(old: list[str], new: list[str]) -> list[str]:
    """Return the lines that differ. Lines of `old` begin with `-`, lines of `new` with `+`.

    Long lines are shortened. Only complete lines are compared. `difflib.ndiff` also compares the characters
    of similar lines, which takes seconds for a line of a megabyte.
    """
    lines: list[str] = []
    for tag, *ends in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            removed, added = old[ends[0] : ends[1]], new[ends[2] : ends[3]]
            for sign, own, others in (("-", removed, added), ("+", added, removed)):
                pairs = zip_longest(own, others[: len(own)], fillvalue="")
                lines += [f"{sign} {_shortened(line, other)}" for line, other in pairs]
    return lines


def _shortened(line: str, other: str) -> str:
    """Return a line. Of a long line, return only its start and the first difference from `other`."""
    if len(line) <= _MAX_LINE:
        return line
    equal = sum(1 for _ in takewhile(bool, map(eq, line, other)))  # characters before the difference
    first = max(_START, equal - _BEFORE)
    end = first + _MAX_LINE - _START
    left_out, cut = "…" if first > _START else "", "…" if end < len(line) else ""
    return f"{line[:_START]}{left_out}{line[first:end]}{cut} ({len(line):,} characters)"


def _recorded(status: int, content: bytes, headers: dict[str, str]) -> RecordedResponse:
    try:
        return RecordedResponse(status, headers, content.decode())
    except UnicodeDecodeError:
        return RecordedResponse(status, headers, binary=content)


def _exchange(file: Path) -> Exchange:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Exchange)
    except UnicodeDecodeError as error:  # msgspec does not convert it
        raise msgspec.DecodeError(f"{file}: not UTF-8 ({error})") from None
    except RecursionError:
        raise msgspec.DecodeError(f"{file}: the JSON is nested too deeply") from None


def _key(request: Request) -> tuple[object, ...]:
    """Return the parts of a request that matter in a comparison. Equal requests have equal keys."""
    return request.operation, request.method, request.path, request.headers.get("Range"), request.body


def _lines(request: Request) -> list[str]:
    """Return a request as indented lines, for a readable diff."""
    try:
        root = etree.fromstring(request.body.encode())
        etree.indent(root)
        body = etree.tostring(root, encoding="unicode")
    except etree.XMLSyntaxError:
        body = request.body
    first = " ".join([request.method, request.path, request.headers.get("Range", "")]).strip()
    return [first, *body.splitlines()]


def _response(request: PreparedRequest, recorded: RecordedResponse) -> Response:
    """Convert a recorded response to a `requests` response whose body has not been read yet."""
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPResponse

    content = recorded.binary or recorded.body.encode()
    headers = recorded.headers | ({"Content-Length": str(len(content))} if content else {})
    raw = HTTPResponse(BytesIO(content), headers, recorded.status, preload_content=False)
    return HTTPAdapter().build_response(request, raw)


# ---- normalizing requests


def _request(request: PreparedRequest, secrets: set[str], redirected: Container[Parameters] = ()) -> Request:
    """Convert a request to the form that is stored and compared. Adds its credentials to `secrets`.

    `redirected` are the queries of the URLs to which earlier responses redirected. A service may put secrets
    into such a URL. If the request has one of these queries, all values of the query are hidden.
    """
    body = request.body or b""
    content = body.encode() if isinstance(body, str) else bytes(body)
    headers = {name: str(request.headers[name]) for name in _COMPARED_HEADERS if name in request.headers}
    secrets |= issued.identities() | issued.proofs()
    for name, value in request.headers.items():
        if is_secret(name) and isinstance(value, str):
            secrets |= _credentials(value)
    if boundary := _BOUNDARY.search(headers.get("Content-Type", "")):
        headers["Content-Type"] = headers["Content-Type"].replace(boundary[1], "boundary")
        content = content.replace(boundary[1].encode(), b"boundary")
        content = _CONTENT_ID.sub(rb"\1part", content)
    url = urlsplit(request.url or "")
    path, operation = url.path, f"{request.method} {url.path}"
    if url.query:
        pairs = parameters(url.query)
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
            action = re.split(r"[/#:]", headers.get("SOAPAction", "").strip('"'))[-1]
            inside = (etree.QName(child).localname for child in root.iterfind("{*}Body/*"))
            path, operation = "", action or next(inside, operation)
    try:
        shown = content.decode()
    except UnicodeDecodeError:
        shown = base64.b64encode(content).decode()
    return Request(operation, request.method or "", path, headers, shown)


def _credentials(header: str) -> set[str]:
    """Return the secrets in a header such as Authorization: the complete value and its parts."""
    scheme, _, rest = header.partition(" ")
    secrets = {rest or scheme}
    if scheme.upper() == "ZXWS":
        secrets |= {*rest.split(":")}
    if scheme.lower() == "basic":
        with suppress(NoBase64, UnicodeDecodeError):
            secrets.add(base64.b64decode(rest, validate=True).decode().partition(":")[2])
    return secrets


def _parameters(pairs: Parameters, secrets: set[str]) -> list[tuple[str, str]]:
    """Return query parameters with secrets, times and nonces hidden. Adds the secrets to `secrets`."""
    signed = any(name.lower() == "signature" for name, _ in pairs)
    values, result = issued.values(), []
    for name, value in pairs:
        lower = name.lower()
        account = lower in _OF_ACCOUNTS or is_secret(name)
        secrets |= {value} if account else set()
        once = value in values or (signed and (lower in _OF_ONE_TIME or _HTTP_DATE.fullmatch(value)))
        result.append((name, HIDDEN if account or once else value))
    return result


def _scrub(root: etree._Element, secrets: set[str]) -> None:
    """Hide secrets, times and nonces in the XML of a request. Adds the secrets to `secrets`."""
    values = issued.values()
    for node in list(root.iter("*")):
        node.attrib.pop(_ID, None)
        for name, value in node.attrib.items():
            if is_secret(str(name)):
                secrets.add(str(value))
            if is_secret(str(name)) or value in values:
                node.set(name, HIDDEN)
        if node.tag == _SECURITY:
            texts = (inner.text for inner in node.iter("*") if is_secret(etree.QName(inner).localname))
            secrets |= {text.strip() for text in texts if text}
            node[:] = []
        elif not len(node) and node.text:
            name = etree.QName(node).localname
            siblings = node.itersiblings("*"), node.itersiblings("*", preceding=True)
            signed = any(etree.QName(other).localname == "signature" for side in siblings for other in side)
            if name.lower() in _OF_ACCOUNTS or is_secret(name):
                secrets.add(node.text)
                node.text = HIDDEN
            elif name == "MessageID" or node.text in values or (signed and name.lower() in _OF_ONE_TIME):
                node.text = HIDDEN
