"""Limit the number of a server's connections, and of the threads that serve them.

If the limit is reached, the connection that has been waiting for its client the longest is closed, to make
room for a new connection. Therefore, clients that are slow on purpose cannot keep other clients out.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass

MOST_CONNECTIONS = 256
_JOINING = 5.0  # maximum seconds to wait for a thread
log = logging.getLogger("soapclient.serving.access")


@dataclass
class _Connection:
    """An open connection, as the limiter stores it.

    `since` is the monotonic time at which the connection began to wait for data from its client. It is None
    while a request is processed, and after the limiter shut down the connection to make room.
    """

    connection: socket.socket
    since: float | None


class ConnectionLimiter:
    """Keeps a list of a server's open connections and their threads, and limits their number. Thread-safe.

    The methods `waited_for`, `at_work` and `renamed` apply to the connection that the calling thread serves.
    """

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        if most < 1:
            raise ValueError(f"max_connections must be 1 or more, got {most}")
        self._limit = most
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, _Connection] = {}
        self._ended: set[threading.Thread] = set()

    def admit(self, thread: threading.Thread, connection: socket.socket) -> bool:
        """Register a new connection and the thread that serves it. Return False if it must be refused.

        If the limit is reached, the connection that has waited longest for its client is shut down to make
        room. The new connection must be refused if no connection is waiting, or if too many connections that
        were shut down have not ended yet.
        """
        with self._lock:
            if len(self._open) - len(self._ended) >= self._limit:
                waiting = [
                    (guest.since, open_thread)
                    for open_thread, guest in self._open.items()
                    if guest.since is not None
                ]
                # Connections that were shut down count until their threads notice, up to twice the limit.
                if not waiting or len(self._open) >= 2 * self._limit:
                    return False
                longest_waiting = min(waiting, key=lambda pair: pair[0])[1]
                self._ended.add(longest_waiting)
                self._open[longest_waiting].since = None
                _end(self._open[longest_waiting].connection)
            self._open[thread] = _Connection(connection, self._monotonic())
        return True

    def renamed(self, connection: socket.socket) -> None:
        """Record the new socket of this thread's connection.

        Called after TLS was added, which creates a socket.
        """
        with self._lock:
            guest = self._open[threading.current_thread()]
            guest.connection = connection
            if threading.current_thread() in self._ended:
                _end(connection)

    def waited_for(self) -> None:
        """Record that this thread's connection now waits for data from its client."""
        self._set_since(self._monotonic())

    def at_work(self) -> None:
        """Record that this thread processes a request, so that its connection is not closed to make room."""
        self._set_since(None)

    def _set_since(self, since: float | None) -> None:
        """Set the time at which this thread's connection began to wait. None if it does not wait."""
        with self._lock:
            guest = self._open.get(threading.current_thread())
            if guest is not None and threading.current_thread() not in self._ended:
                guest.since = since

    def forget(self, thread: threading.Thread) -> None:
        """Remove the connection of a thread, after it was closed."""
        with self._lock:
            self._open.pop(thread, None)
            self._ended.discard(thread)

    def end(self) -> None:
        """Shut down all connections and wait for their threads, up to 5 seconds each."""
        with self._lock:
            left = dict(self._open)
        for guest in left.values():
            _end(guest.connection)
        for thread in left:
            thread.join(timeout=_JOINING)


def _end(connection: socket.socket) -> None:
    """Shut down a socket, so that the thread that reads from it ends."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        log.debug("a connection was already closed")
