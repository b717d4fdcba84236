"""A proxy on loopback between client and sandbox: threads, bounded reads, planned faults and a record.

It accepts requests for one address like a server (no CONNECT, no absolute URLs), so that clients only need
another address to use it. If a fault lets a request through, the proxy forwards it over a new connection,
immediately or never. No request is executed late.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Self

from .plan import Plan, tag_of
from .wire import BrokenMessage, Head, Incoming, Response, ask

_IDLE: Final = 60.0  # seconds that a client may be silent between requests
_HELD: Final = 90.0  # maximum seconds that a client is kept waiting
_REMEMBERED: Final = 64  # responses kept for later requests


@dataclass(frozen=True)
class Record:
    """Outcome of a request. `answered` is the server's status, or None if the server did not get it."""

    connection: int
    tag: str
    count: int
    asked: str
    fault: str | None = None
    answered: int | None = None

    def __str__(self) -> str:
        server = "not passed on" if self.answered is None else f"the service said {self.answered}"
        return f"{self.asked} (attempt {self.count}): {self.fault or 'no fault'}, {server}"


def by_tag(records: Iterable[Record]) -> Mapping[str, list[Record]]:
    """Return the records of each tag. A tag without records has an empty list."""
    found = defaultdict(list)
    for record in records:
        found[record.tag].append(record)
    return found


class Gone(Exception):
    """Raised if a fault or the client has ended the connection."""


@dataclass
class Exchange:
    """One request in flight, as seen by faults. `random` is the random source for this request only.

    `sending` is the connection's lock. Methods that end the connection raise Gone.
    """

    _proxy: Proxy
    _connection: socket.socket
    _incoming: Incoming
    head: Head
    random: Random
    _sending: threading.Lock
    answered: int | None = None
    last: bool = False
    _body: bytes | None = None

    def read(self) -> bytes:
        """Return the request's body, read from the connection on the first call."""
        if self._body is None:
            self._body = self._incoming.exactly(self.head.length)
        return self._body

    def passed_on(self) -> Response:
        """Forward the request and return the server's response. After this the request has been processed."""
        answer = ask(self._proxy.upstream, self.head, self.read())
        self.answered = answer.status
        self._proxy.remember(self.head, answer)
        return answer

    def of_another_operation(self, own: Response) -> Response | None:
        """Return an earlier response that no reader should accept in place of `own`, or None."""
        return self._proxy.other(self.head, own, self.random)

    def send(self, data: bytes) -> None:
        """Send bytes to the client. Thread-safe."""
        with self._sending:
            self._connection.sendall(data)

    def give(self, answer: Response) -> None:
        """Send a complete response to the client."""
        self.send(answer.packed())

    def give_later(self, answer: Response, seconds: float) -> None:
        """Send a complete response to the client after a delay. The connection continues meanwhile."""

        def late() -> None:
            if not self._proxy.stopped.wait(seconds):
                with contextlib.suppress(OSError):  # the client has closed the connection
                    self.send(answer.packed())

        threading.Thread(target=late, name="late-duplicate", daemon=True).start()

    def close(self) -> None:
        raise Gone

    def reset(self) -> None:
        _reset(self._connection)
        raise Gone

    def hold(self) -> None:
        """Send nothing more until the client disconnects."""
        self.wait(_HELD)
        raise Gone

    def wait(self, seconds: float) -> bool:
        """Wait for some seconds. Return False as soon as the client disconnects."""
        self._connection.settimeout(seconds)
        try:
            return bool(self._connection.recv(1, socket.MSG_PEEK)) and not self._proxy.stopped.wait(seconds)
        except TimeoutError:
            return not self._proxy.stopped.is_set()
        finally:
            self._connection.settimeout(_IDLE)


class Proxy:
    """Forwards requests to `url` according to the plan. `url` has no trailing slash."""

    def __init__(self, url: str, plan: Plan) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self.upstream = (host, int(port))
        self.plan = plan
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._memory: list[tuple[str, Response]] = []
        self._open: dict[threading.Thread, socket.socket] = {}
        self._connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, name="fault-proxy", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def records(self) -> list[Record]:
        """Return the outcome of all requests so far, in the order in which they ended."""
        with self._lock:
            return list(self._records)

    def close(self) -> None:
        """Close all connections and wait for their threads."""
        self.stopped.set()
        _shut(self._listener)
        self._listener.close()
        self._thread.join()
        with self._lock:
            left = dict(self._open)
        for connection in left.values():
            _shut(connection)
        for thread in left:
            thread.join(timeout=10)

    def remember(self, head: Head, answer: Response) -> None:
        """Store a response that may be sent again for a later request."""
        if answer.status == 200 and answer.body:
            with self._lock:
                self._memory.append((_asked(head), answer))
                del self._memory[:-_REMEMBERED]

    def other(self, head: Head, own: Response, random: Random) -> Response | None:
        """Find a response for `Exchange.of_another_operation`."""
        kind = _item_of(_asked(head))
        with self._lock:
            fit = [
                answer
                for asked, answer in self._memory
                if _item_of(asked) != kind and answer.media == own.media
            ]
        return random.choice(fit) if fit else None

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._connections += 1
                number = self._connections
                thread = threading.Thread(target=self._serve, args=(connection, number), daemon=True)
                self._open[thread] = connection
            thread.start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            with connection:
                if self.plan.refuses(number):
                    _reset(connection)
                    return
                connection.settimeout(_IDLE)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._talk(connection, number)
        except (OSError, Gone, BrokenMessage):
            pass  # either side may disconnect at any time
        finally:
            with self._lock:
                self._open.pop(threading.current_thread(), None)

    def _talk(self, connection: socket.socket, number: int) -> None:
        incoming, sending = Incoming(connection), threading.Lock()
        while not self.stopped.is_set() and (head := incoming.head()) is not None:
            tag = tag_of(head)
            count, random = self.plan.next_of(tag)
            fault = self.plan.fault(random)
            exchange = Exchange(self, connection, incoming, head, random, sending)
            name, asked = None if fault is None else fault.name, _asked(head)
            try:
                if fault is not None:
                    fault.act(exchange)
                else:
                    exchange.give(exchange.passed_on())
            finally:
                with self._lock:
                    self._records.append(Record(number, tag, count, asked, name, exchange.answered))
            if exchange.last or head.get("connection").lower() == "close":
                return


def _asked(head: Head) -> str:
    """Describe a request for findings, without the query because it holds signatures."""
    method, _, rest = head.start.partition(" ")
    action = head.get("soapaction").strip('"').rpartition("/")[2]
    return f"{method} {rest.partition(' ')[0].partition('?')[0]} {action}".strip()


def _item_of(asked: str) -> str:
    """Return what a response contains, roughly: for instance one word for all ad space operations."""
    if "/reports/type/" in asked:  # a REST order has the report type in its path
        return "job"
    for word in ("adspace", "sale", "lead", "profile", "program", "balance", "jobs", "job"):
        if word in asked.lower():
            return word
    return asked


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # already disconnected
        connection.shutdown(socket.SHUT_RDWR)
