"""The connections of a server and their threads, limited in number.

If the limit is reached, a new connection replaces the one that has been waiting for its client the
longest. So clients that are slow on purpose lose their place to others.
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
    """One connection. `since` is the time since when it has been waiting for its client.

    It is None while its request is processed, and after the connection was ended to make room.
    """

    connection: socket.socket
    since: float | None


class ConnectionLimiter:
    """The open connections. Thread-safe. Methods without arguments apply to the calling thread."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        if most < 1:
            raise ValueError(f"max_connections must be 1 or more, got {most}")
        self._limit = most
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, _Connection] = {}
        self._ended: set[threading.Thread] = set()

    def admit(self, thread: threading.Thread, connection: socket.socket) -> bool:
        """Return True if a connection may be served in a thread. May end another connection to make room."""
        with self._lock:
            if len(self._open) - len(self._ended) >= self._limit:
                waiting = [
                    (guest.since, open_thread)
                    for open_thread, guest in self._open.items()
                    if guest.since is not None
                ]
                # Ended connections count until their threads notice. Twice the limit is the maximum.
                if not waiting or len(self._open) >= 2 * self._limit:
                    return False
                longest_waiting = min(waiting, key=lambda pair: pair[0])[1]
                self._ended.add(longest_waiting)
                self._open[longest_waiting].since = None
                _end(self._open[longest_waiting].connection)
            self._open[thread] = _Connection(connection, self._monotonic())
        return True

    def renamed(self, connection: socket.socket) -> None:
        """Use another socket object for this thread's connection, because TLS was added."""
        with self._lock:
            guest = self._open[threading.current_thread()]
            guest.connection = connection
            if threading.current_thread() in self._ended:
                _end(connection)

    def waited_for(self) -> None:
        """Note that the connection waits for its client: for a request, or for the rest of one."""
        self._set_since(self._monotonic())

    def at_work(self) -> None:
        """Note that a request is being processed."""
        self._set_since(None)

    def _set_since(self, since: float | None) -> None:
        """Set the time since when the connection has been waiting."""
        with self._lock:
            guest = self._open.get(threading.current_thread())
            if guest is not None and threading.current_thread() not in self._ended:
                guest.since = since

    def forget(self, thread: threading.Thread) -> None:
        """Note that a connection is closed."""
        with self._lock:
            self._open.pop(thread, None)
            self._ended.discard(thread)

    def end(self) -> None:
        """End all connections and wait for their threads."""
        with self._lock:
            left = dict(self._open)
        for guest in left.values():
            _end(guest.connection)
        for thread in left:
            thread.join(timeout=_JOINING)


def _end(connection: socket.socket) -> None:
    """Shut down a connection."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        log.debug("a connection was already closed")
