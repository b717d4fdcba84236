"""One HTTP exchange: a request inside a deadline, a body read in pieces.

Nothing here repeats a request: a nonce is valid once (docs/explanation/service.md#signing). Nothing follows a
redirect: a signature is for one address.
"""

from __future__ import annotations

import logging
import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from soapclient.clock import Deadline
from soapclient.config.addresses import is_loopback
from soapclient.errors import AddressRefused, ConnectionFailed, Timeout, TransportError, UnexpectedResponse
from soapclient.redaction import HIDDEN, Hidden, addresses_hidden, conceal, redacted_headers, safe_url, shown
from soapclient.transport.bounds import Bounds, TooMuch
from soapclient.transport.session import leave_authorization
from soapclient.transport.tls import explained, made_of, tls_error

if TYPE_CHECKING:
    import requests

    # A request, and what it is sent with: proxies and certificates, as requests types its arguments.
    _Prepared = tuple[requests.PreparedRequest, dict[str, Any]]

CHUNK: Final = 1 << 16
_OPEN_HEADERS: Final = frozenset({"user-agent", "accept", "accept-encoding", "connection"})
_OWN_HEADERS: Final = frozenset(  # those that we make ourselves; signatures in them are redacted
    {"authorization", "content-length", "content-type", "date", "if-range", "nonce", "range", "soapaction"}
    | {"traceparent", "tracestate", "x-request-id"}
)
_LEAST_WAIT: Final = 0.001  # a socket takes no timeout of 0 for "at once"
_IDLE: Final = 5.0  # seconds after which a server or what is on the way may have let go of a connection
_SILENCE: Final = 2 / 3  # of the time that is left, for an attempt after which there are others

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one exchange may take. `operation` names it in errors.

    `connect_timeout` and `stall` (the longest silence; None: the deadline alone) are in seconds. `most`,
    `nodes` and `ratio` are those of `Bounds`, `parts` is the most parts of one body. No connection is used
    that was idle for `idle` seconds, and over one that was used before the head of the response is waited for
    `reused` seconds at most. `timeout` is that of one attempt, in seconds.
    """

    operation: str
    deadline: Deadline
    connect_timeout: float
    stall: float | None = None
    most: int | None = None
    nodes: int | None = None
    ratio: int | None = None
    parts: int | None = None
    idle: float | None = None
    reused: float | None = None
    timeout: float | None = None

    def of_attempt(self, number: int, attempts: int, *, safe: bool) -> Limits:
        """These limits for one attempt of several, counted from 1; what is not `safe` has one alone.

        A connection may have died without a word, and every wait on it is in vain. So an attempt over a used
        one has its equal share of the time for the head of the response, further attempts are over new ones,
        and none but the last may keep silent for all of the time. A write, which is in doubt when that
        happens, takes no connection that was idle for long. `timeout` bounds each attempt as a whole.
        """
        remaining = self.deadline.remaining()
        bounded = self if self.timeout is None else replace(self, deadline=self.deadline.sooner(self.timeout))
        if not safe:
            return replace(bounded, idle=_IDLE)
        idle, left = 0.0 if number > 1 else None, attempts - number + 1
        if left <= 1:
            return replace(bounded, idle=idle)
        return replace(bounded, idle=idle, stall=remaining * _SILENCE, reused=remaining / left)

    @property
    def seconds(self) -> float:
        """The limit that a wait ran into, for an error to name."""
        stalled = self.stall is not None and self.stall < self.deadline.remaining()
        return self.stall if stalled and self.stall is not None else self.deadline.seconds

    def wait(self, deadline: Deadline) -> float:
        """How long the next wait on a socket may last."""
        longest = deadline.remaining() if self.stall is None else deadline.within(self.stall)
        return max(longest, _LEAST_WAIT)

    @property
    def connecting(self) -> float:
        """How long a connection may take to be there."""
        return min(max(self.connect_timeout, _LEAST_WAIT), self.wait(self.deadline))


class Response:
    """A response whose body is still on the wire. Close it on every path; `with` does.

    `status` is the HTTP status, `headers` are case-insensitive.
    """

    def __init__(self, response: requests.Response, limits: Limits, *, decode: bool) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._limits = limits
        self._decode = decode
        self._deadline = limits.deadline
        self._renewed: Callable[[], Deadline] | None = None
        self._closed = False
        self.received = 0  # bytes of the body that were read, decoded
        self._bounds = Bounds(limits.most, limits.nodes, limits.ratio if decode else None)
        self._bounds.expect(self.content_type)
        self._process = os.getpid()

    def __enter__(self) -> Response:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connection back, or drop it if the body was not read to its end."""
        self._closed = True
        self._response.close()

    @property
    def content_type(self) -> str:
        """The media type, lower case, without parameters; empty where none was sent."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    def renew(self, deadline: Callable[[], Deadline]) -> None:
        """From now on, give each wait for more of the body a deadline of its own, and no other limit."""
        self._renewed = deadline
        self._limits = replace(self._limits, stall=None)

    def read_all(self) -> requests.Response:
        """The response with its body read, for code that knows requests alone. Raises what `chunks`
        raises."""
        # The one way to hand requests a body that was read under a deadline of our own.
        self._response._content = b"".join(self.chunks())
        self._response._content_consumed = True  # type: ignore[attr-defined] # not in the stubs
        return self._response

    def chunks(self) -> Iterator[bytes]:
        """The body in pieces as they arrive.

        Raises Timeout at the deadline or after too long a silence, ConnectionFailed where the body breaks
        off, UnexpectedResponse where it is longer than allowed or its encoding is broken; ValueError once it
        was closed.
        """
        from urllib3 import HTTPResponse
        from urllib3.exceptions import DecodeError, HTTPError

        if self._response._content_consumed:  # type: ignore[attr-defined] # not in the stubs
            content = self._response.content  # read by somebody's auth, or by a transport of their own
            self._refuse(self._bounds.take(content))
            self.received = len(content)
            yield content
            return
        raw = self._response.raw
        if self._decode and "," in self.headers.get("Content-Encoding", ""):
            raise self._unexpected("a body that is encoded more than once", damaged=True)
        while True:
            if self._closed:  # else it would look like a response that was cut off
                raise ValueError("this response was closed: read it inside its `with`")
            if self._process != os.getpid():  # two readers of one socket get each other's bytes
                said = "the response was opened in another process; call again in this one"
                raise ConnectionFailed(self._response.url, said, operation=self._limits.operation)
            if self._renewed is not None:
                self._deadline = self._renewed()
            self._deadline.check(self._limits.operation)
            self._limit_wait()
            try:
                if isinstance(raw, HTTPResponse):
                    # read1, not read: one piece of a slow body must not wait for the next
                    piece = raw.read1(CHUNK, decode_content=self._decode)
                else:  # of an adapter that is not requests' own, or of vcrpy, which has decoded it
                    piece = raw.read(CHUNK)
            except DecodeError:
                raise self._unexpected(
                    "a body that is not encoded as its headers say", damaged=True
                ) from None
            except (HTTPError, OSError) as error:
                raise failure(error, self._response.url, self._limits, sent=True) from error
            if not piece:
                return
            self.received += len(piece)
            self._refuse(self._bounds.take(piece, raw.tell() if isinstance(raw, HTTPResponse) else None))
            yield piece

    def release(self) -> None:
        """What was read so far is held no longer: the limits are those of what comes now."""
        self._bounds.release()

    def hold(self, content: bytes) -> None:
        """Count what is made of what was read. Raises UnexpectedResponse beyond the limits."""
        self._refuse(self._bounds.take(content))

    def count(self, document: bytes) -> None:
        """Count the markup of a document that came among others. Raises as `hold`."""
        self._refuse(self._bounds.count(document))

    def check_parts(self, number: int) -> None:
        """Raise UnexpectedResponse where a body has more parts than allowed."""
        most = self._limits.parts
        if most is not None and number > most:
            self._refuse(
                TooMuch(f"a body of more than {most} parts (max_response_parts)", "max_response_parts")
            )

    def _refuse(self, much: TooMuch | None) -> None:
        if much is not None:
            raise self._unexpected(much.problem, advice=much.advice)

    def _limit_wait(self) -> None:
        """Let the next piece come by the deadline, or not at all."""
        from soapclient.transport.connections import TimedResponse

        answer = getattr(self._response.raw, "_original_response", None)
        if isinstance(answer, TimedResponse):
            answer.allow(self._limits.wait(self._deadline))

    def _unexpected(
        self, problem: str, *, damaged: bool = False, advice: str | None = None
    ) -> UnexpectedResponse:
        return UnexpectedResponse(
            self.status,
            self.content_type or None,
            b"",
            problem=problem,
            operation=self._limits.operation,
            damaged=damaged,
            advice=advice,
        )


@addresses_hidden()
def send(
    session: requests.Session,
    method: str,
    address: str,
    *,
    headers: Mapping[str, str],
    limits: Limits,
    body: bytes | None = None,
    signed: Callable[[str], Mapping[str, str]] | None = None,
    appended: Callable[[str], str] | None = None,
    decode: bool = True,
) -> Response:
    """Send one request; give its response once the headers are there.

    `signed` gives further headers for the address as it is really sent: requests may have rewritten it;
    `appended` gives what else goes into its query, encoded.
    `decode` undoes the body's content encoding. Raises Timeout or ConnectionFailed, which know whether
    anything had left, and AddressRefused where the session has a reach that forbids the address.
    """

    def prepare() -> _Prepared:
        from requests import Request

        prepared = session.prepare_request(Request(method, address, data=body, headers=dict(headers)))
        sent_to = prepared.url or address
        if signed is not None:
            prepared.headers.update(signed(sent_to))
        _plain(prepared)
        if appended is not None and (further := appended(sent_to)):
            prepared.url = f"{sent_to}{'&' if '?' in sent_to else '?'}{further}"
        if log.isEnabledFor(logging.DEBUG):  # what is shown has to be made fit to be shown
            log.debug("%s %s, headers %s", method, safe_url(sent_to), _loggable(prepared.headers, session))
        _limit_hooks(prepared, limits)
        return prepared, _environment(session, sent_to)

    return _exchanged(session, address, limits, prepare, decode=decode, hidden=appended is not None)


class Poster:
    """Posts to one address: what all requests have in common is prepared once, proxies included.

    A session whose auth looks at each request is asked each time, and so is one that is not `same_each_time`,
    for somebody else may change it. Threads may share it.
    """

    def __init__(self, session: requests.Session, address: str, *, same_each_time: bool = True) -> None:
        self._same = same_each_time
        self._session = session
        self._address = address
        self._template: tuple[object, _Prepared] | None = None

    @addresses_hidden()
    def post(self, headers: Mapping[str, str], body: bytes, limits: Limits) -> Response:
        """Post a body. Raises as `send`."""
        if not self._same_each_time() or log.isEnabledFor(logging.DEBUG):
            return send(self._session, "POST", self._address, headers=headers, body=body, limits=limits)
        return _exchanged(self._session, self._address, limits, lambda: self._prepared(headers, body))

    def _same_each_time(self) -> bool:
        from requests.auth import HTTPBasicAuth

        auth = self._session.auth
        return self._same and (auth is leave_authorization or type(auth) is HTTPBasicAuth)

    def _prepared(self, headers: Mapping[str, str], body: bytes) -> _Prepared:
        from requests import PreparedRequest, Request

        session = self._session
        known = self._template
        if known is None or known[0] is not session.auth:
            template = session.prepare_request(Request("POST", self._address))
            _plain(template)
            known = session.auth, (template, _environment(session, template.url or self._address))
            self._template = known
        template, environment = known[1]
        prepared = PreparedRequest()
        prepared.method, prepared.url, prepared.hooks = "POST", template.url, template.hooks
        prepared._cookies = template._cookies  # type: ignore[attr-defined] # not in the stubs; there are none
        prepared.headers = template.headers.copy()
        prepared.headers.update({name: text[:] for name, text in headers.items()})  # which is plain
        prepared.headers["Content-Length"] = str(len(body))
        prepared.body = body
        return prepared, environment


def _plain(prepared: requests.PreparedRequest) -> None:
    """Give headers as others take them: vcrpy writes no text of a kind that it does not know."""
    for name, text in prepared.headers.items():
        if isinstance(text, Hidden):
            prepared.headers[name] = str(text)


def _environment(session: requests.Session, address: str) -> dict[str, Any]:
    """Proxies and certificates for an address, as session and environment say.

    What may go in clear text goes to this machine, not by way of another. Told at once, for requests would
    look through the whole environment for a proxy.
    """
    host = urlsplit(address).hostname or ""
    here = is_loopback(host)
    known = {"no_proxy": host} if here else dict(session.proxies)
    verify = None if session.verify is True else session.verify  # who chose one means it
    environment = dict(session.merge_environment_settings(address, known, True, verify, None))
    if here:
        environment["proxies"] = {}
    return environment


def _exchanged(
    session: requests.Session,
    address: str,
    limits: Limits,
    prepare: Callable[[], _Prepared],
    *,
    decode: bool = True,
    hidden: bool = False,
) -> Response:
    """One exchange inside its limits. `hidden`: the cause of an error must not be shown."""
    from soapclient.transport.connections import exchange

    limits.deadline.check(limits.operation, request_sent=False)
    with exchange.begun(idle=limits.idle, head=limits.reused):
        response = _response(session, address, limits, prepare, hidden=hidden)
    if isinstance(response, TransportError):
        # Out here it has no context: the library's error names the whole address, and with it a signature
        # that may not have been used up. Nor are there proxies in this frame, with their passwords.
        raise response
    if log.isEnabledFor(logging.DEBUG):
        log.debug("status %d of %s", response.status_code, safe_url(address))
    return Response(response, limits, decode=decode)


def _response(
    session: requests.Session,
    address: str,
    limits: Limits,
    prepare: Callable[[], _Prepared],
    *,
    hidden: bool,
) -> requests.Response | TransportError:
    from http.client import HTTPException

    from requests import RequestException
    from urllib3.exceptions import HTTPError

    from soapclient.transport.connections import exchange
    from soapclient.transport.reach import Forbidden

    handed_over = False
    try:
        prepared, environment = prepare()
        handed_over = True
        timeout = (limits.connecting, limits.wait(limits.deadline))
        return session.send(prepared, allow_redirects=False, timeout=timeout, **environment)
    except Forbidden as refused:
        return AddressRefused(address, str(refused), refused.advice, operation=limits.operation)
    except (RequestException, HTTPError, HTTPException, OSError, UnicodeError) as error:
        left = exchange.left if exchange.known else _may_have_left(error)
        seconds = exchange.wait(limits.seconds)
        failed = failure(error, address, limits, sent=handed_over and left, seconds=seconds)
        if not hidden:
            conceal(error)
            failed.__cause__ = error
    return failed


def _limit_hooks(prepared: requests.PreparedRequest, limits: Limits) -> None:
    """Hold what an auth of requests hangs on the response to our limits: digest, for one, reads a 401 as long
    as it goes on, and then sends again with the whole of the timeout."""

    def limited(hook: Callable[..., object], response: requests.Response, **kwargs: object) -> object:
        try:
            if response.status_code in {401, 407}:
                Response(response, limits, decode=True).read_all()
            limits.deadline.check(limits.operation)
        except BaseException:
            response.close()
            raise
        return hook(response, **(kwargs | {"timeout": (limits.connecting, limits.wait(limits.deadline))}))

    prepared.hooks["response"] = [partial(limited, hook) for hook in prepared.hooks["response"]]


def _loggable(headers: Mapping[str, str], session: requests.Session) -> dict[str, str]:
    """Headers as a log may show them: what somebody gave, the session or one call, may be a key."""
    known = (_OWN_HEADERS - {name.lower() for name in session.headers}) | _OPEN_HEADERS
    shown = redacted_headers(headers)
    return {name: value if name.lower() in known else HIDDEN for name, value in shown.items()}


def failure(
    error: Exception, address: str, limits: Limits, *, sent: bool, seconds: float | None = None
) -> TransportError:
    """What a failed exchange means. `sent`: the request had left, so that a write may have been processed;
    `seconds` is the limit of the wait, by default that of `limits`."""
    import requests
    from urllib3.exceptions import ReadTimeoutError

    if isinstance(error, requests.ConnectTimeout) and not sent:
        said = "none in time (setting 'connect_timeout')"
        return ConnectionFailed(address, said, operation=limits.operation, request_sent=False)
    if isinstance(error, requests.Timeout | ReadTimeoutError | TimeoutError):
        return Timeout(limits.operation, seconds or limits.seconds, request_sent=sent)
    said = _in_words(error)
    more, advice = explained(error, urlsplit(address).hostname or "")
    return ConnectionFailed(
        address, f"{said}{more}", operation=limits.operation, request_sent=sent, advice=advice
    )


def _in_words(error: Exception) -> str:
    """What failed, in the words of the system where it has some: others name objects of a library."""
    from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected

    from urllib3.exceptions import InvalidChunkLength

    inside = list(made_of(error, context=False))
    by = "the proxy: " if any(type(each).__name__ == "ProxyError" for each in inside) else ""
    for each in inside:
        if isinstance(each, InvalidChunkLength) and each.length:
            return "its chunks are damaged"
        if isinstance(each, IncompleteRead):
            read: object = each.partial  # of urllib3's, which is one of these, a number
            count = read if isinstance(read, int) else len(each.partial)
            return f"the response broke off after {count:,} bytes"
        if isinstance(each, RemoteDisconnected):
            return "the server closed it without a response"
        if isinstance(each, BadStatusLine):
            return f"what came is no HTTP: {shown(str(each))}"
        if isinstance(each, OSError) and each.strerror:
            return by + each.strerror
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return f"{type(reason or error).__name__}: {reason or error}"


@contextmanager
def failures(address: str, limits: Limits) -> Iterator[None]:
    """Around a post by somebody's own means: its errors as ours. Raises Timeout and ConnectionFailed."""
    from http.client import HTTPException

    from requests import RequestException
    from urllib3.exceptions import HTTPError

    limits.deadline.check(limits.operation, request_sent=False)
    try:
        yield
    except (RequestException, HTTPError, HTTPException, OSError) as error:
        raise failure(error, address, limits, sent=_may_have_left(error)) from error


def _may_have_left(error: Exception) -> bool:
    """Whether a request may have left before it failed so, on a connection that is none of ours."""
    from requests.exceptions import ConnectTimeout, ProxyError
    from urllib3.exceptions import NewConnectionError

    reason = getattr(error.args[0], "reason", None) if error.args else None
    # Of what fails in TLS, a certificate that is refused is the one thing that surely comes first.
    before = isinstance(error, ConnectTimeout | ProxyError) or isinstance(reason, NewConnectionError)
    return not before and not isinstance(tls_error(error), ssl.SSLCertVerificationError)


def path_of(address: str) -> str:
    """The path of an address, `/` where it has none."""
    return urlsplit(address).path or "/"
