"""An HTTP server for a sandbox."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from soapclient.serving.connection_limiter import MOST_CONNECTIONS
from soapclient.serving.server import Server

if TYPE_CHECKING:
    from .app import Sandbox


class Serving(Server):
    """A running server with a sandbox.

    >>> from soapclient.tracking.sandbox import Sandbox, serve
    >>> server = serve(Sandbox())
    >>> server.url.startswith("http://127.0.0.1:")
    True
    >>> server.close()
    >>> server.sandbox.close()
    """

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox that this server serves."""
        return cast("Sandbox", self.application)


def serve(
    sandbox: Sandbox,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    timeout: float = 30.0,
    monotonic: Callable[[], float] = time.monotonic,
    certificate: str | Path | None = None,
    key: str | Path | None = None,
    trust_forwarded: bool = False,
    max_connections: int = MOST_CONNECTIONS,
    allow_hosts: Iterable[str] = (),
) -> Serving:
    """Serve a sandbox in a background thread. Port 0 selects a free port.

    - `timeout`: seconds that a connection may be idle. A complete request may take four times as long.
    - `monotonic`: the clock that measures these times.
    - `certificate`: PEM file with the certificate and its chain; enables TLS.
    - `key`: PEM file with the unencrypted key, if it is not in `certificate`.
    - `trust_forwarded`: trust X-Forwarded-Proto and X-Forwarded-Host from a TLS terminator, so that returned
      addresses point to the terminator.
    - `max_connections`: if more connections are open, the connections that have waited longest for their
      clients are closed. Each connection has a thread.
    - `allow_hosts`: host names and addresses accepted in the Host header, besides loopback and `host`.

    Raises OSError if the port cannot be opened, UnusableCertificate, and ValueError for an invalid host in
    `allow_hosts`.

    >>> from soapclient.tracking.sandbox import Sandbox, serve
    >>> with Sandbox() as sandbox, serve(sandbox) as server:
    ...     print(server.url)
    http://127.0.0.1:...
    """
    return Serving(
        sandbox,
        host,
        port,
        timeout,
        monotonic,
        certificate=certificate,
        key=key,
        trust_forwarded=trust_forwarded,
        max_connections=max_connections,
        allow_hosts=allow_hosts,
    )
