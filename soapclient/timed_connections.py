"""Connections on which reading an answer ends at one moment, however slowly it trickles in.

The timeout of a socket begins anew with every byte: headers, or bytes that decode to nothing, that come one
by one could go on for ever. Imported by `soapclient.http` alone, when a session is opened.
"""

from __future__ import annotations

import io
import socket
import time
from http.client import HTTPResponse
from typing import TYPE_CHECKING, Any, Final

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3 import ProxyManager

_BUFFER: Final = 1 << 16


class TimedResponse(HTTPResponse):
    """An answer that may be read for as long as its socket would have waited once, or as `allow` says."""

    # Any, here and below: arguments of other people's methods, handed through.
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        file = _TimedFile(self.fp.detach(), sock)
        self.fp = io.BufferedReader(file, _BUFFER)
        self.allow = file.allow


class _TimedFile(io.RawIOBase):
    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self._sock = sock
        self.allow(sock.gettimeout())

    def allow(self, seconds: float | None) -> None:
        """Read for so many seconds from now on, None: without an end."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        if self._until is not None:
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            self._sock.settimeout(left)
        read: int | None = self._raw.readinto(buffer)
        return read

    def close(self) -> None:
        self._raw.close()
        super().close()


class _HttpConnection(HTTPConnection):
    response_class = TimedResponse


class _HttpsConnection(HTTPSConnection):
    response_class = TimedResponse


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _HttpConnection


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _HttpsConnection


class TimedAdapter(HTTPAdapter):
    """requests' own adapter, with timed connections."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> ProxyManager:
        manager: ProxyManager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
        return manager
