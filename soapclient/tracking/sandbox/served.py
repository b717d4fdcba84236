"""A sandbox behind a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from soapclient.serving.guests import MOST_CONNECTIONS
from soapclient.serving.server import Server

if TYPE_CHECKING:
    from .app import Sandbox


class Serving(Server):
    """A running server of a sandbox."""

    @property
    def sandbox(self) -> Sandbox:
        """What is served."""
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
    """Serve in the background; port 0 takes a free one.

    `timeout`: seconds a silent connection may last; a request has four times that in all, by `monotonic`.
    With `certificate` it is served over TLS: a PEM file with the certificate and those that signed it, and
    its key, unencrypted, in there or in the file `key`. `trust_forwarded` believes X-Forwarded-Proto and
    X-Forwarded-Host, as a TLS terminator in front of it sends them: addresses that the service gives are
    those that the terminator was asked at. Of more than `max_connections` at once, those go that have been
    waited for longest; each has a thread. `allow_hosts`: names and addresses under which callers may ask,
    besides loopback and `host`. Raises OSError if the port cannot be opened, UnusableCertificate, and
    ValueError if one of `allow_hosts` is not a host.
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
