"""The connections of a server, each with its thread: a bounded number, whatever comes.

When there are as many as may be, a new one takes the place of the one that has been waited for longest: a
sender that is slow on purpose loses its place to one who has something to say.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

MOST_CONNECTIONS = 256
_JOINING = 5.0  # seconds
log = logging.getLogger("soapclient.serving.access")


@dataclass
class _Guest:
    """`since` is when it began to be waited for; None while its request is worked on, or once it has been
    sent away."""

    connection: socket.socket
    since: float | None


class Guests:
    """Who is connected. Thread-safe; what has no argument is about the thread that calls it."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        if most < 1:
            raise ValueError(f"max_connections must be 1 or more, got {most}")
        self._most = most
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._present: dict[threading.Thread, _Guest] = {}
        self._sent_away: set[threading.Thread] = set()

    def admit(self, thread: threading.Thread, connection: socket.socket) -> bool:
        """Whether a connection may be served, in this thread; another may have to go for it."""
        with self._lock:
            if len(self._present) - len(self._sent_away) >= self._most:
                waiting = [(one.since, each) for each, one in self._present.items() if one.since is not None]
                # Those sent away are there until their threads have seen it: twice as many is the end.
                if not waiting or len(self._present) >= 2 * self._most:
                    return False
                longest = min(waiting, key=lambda pair: pair[0])[1]
                self._sent_away.add(longest)
                self._present[longest].since = None
                _end(self._present[longest].connection)
            self._present[thread] = _Guest(connection, self._monotonic())
        return True

    def renamed(self, connection: socket.socket) -> None:
        """The connection is another object from now on: TLS has been put around it."""
        with self._lock:
            found = self._present[threading.current_thread()]
            found.connection = connection
            if threading.current_thread() in self._sent_away:
                _end(connection)

    def waited_for(self) -> None:
        """From now on, something is waited for: a request, the rest of one, or its end."""
        self._now(self._monotonic())

    def at_work(self) -> None:
        """A request is there, and worked on."""
        self._now(None)

    def _now(self, since: float | None) -> None:
        with self._lock:
            found = self._present.get(threading.current_thread())
            if found is not None and threading.current_thread() not in self._sent_away:
                found.since = since

    def forget(self, thread: threading.Thread) -> None:
        """A connection is over."""
        with self._lock:
            self._present.pop(thread, None)
            self._sent_away.discard(thread)

    def end(self) -> None:
        """End all connections, and wait for their threads."""
        with self._lock:
            left = dict(self._present)
        for guest in left.values():
            _end(guest.connection)
        for thread in left:
            thread.join(timeout=_JOINING)


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        log.debug("a connection was gone already")
