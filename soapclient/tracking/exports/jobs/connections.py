"""The connections over which the files of jobs are requested."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from soapclient._support.forks import Lock
from soapclient.errors import ClientClosed
from soapclient.runtime.settings import Settings as PackageSettings
from soapclient.tracking.exports.jobs.job import JobTables
from soapclient.tracking.settings import Settings

if TYPE_CHECKING:
    import requests

    from soapclient.transport.http import HttpClient


class FileConnections:
    """The connections for files at the service's own address, which all downloads of a client share.

    Thread-safe. `tables` are the contract's settings.
    """

    def __init__(self, config: Settings, tables: PackageSettings) -> None:
        self._config = config
        self._tables = tables
        self._lock = Lock()
        self._open: tuple[requests.Session, HttpClient] | None = None
        self._closed = False

    def client(self) -> HttpClient:
        """Return the HTTP client for files. The first call creates it.

        Raises ClientClosed after `close`. Raises ConfigError if no address is configured, or if the TLS files
        cannot be used.
        """
        from soapclient.transport.http import HttpClient
        from soapclient.transport.session import open_session
        from soapclient.transport.ssrf_guard import SsrfGuard

        with self._lock:
            if self._closed:
                raise ClientClosed("download")
            if self._open is None:
                tables = JobTables.of(self._tables)
                base = self._config.rest_base(tables.service, tables.version)
                guard = SsrfGuard(urlsplit(base).hostname or "", self._config.allow_private)
                session = open_session(self._config, guard)
                self._open = session, HttpClient(session, base)
            return self._open[1]

    def close(self) -> None:
        """Close the connections. Downloads that start later raise ClientClosed."""
        with self._lock:
            self._closed = True
            if self._open is not None:
                self._open[0].close()
