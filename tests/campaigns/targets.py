"""Servers under attack, each in a separate process."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import multiprocessing
import signal
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count as counted
from multiprocessing.connection import Connection
from typing import Final, Protocol, Self

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

from .resources import few_arenas

TIMEOUT: Final = 1.0  # seconds of silence before a server closes a connection
MOST_CONNECTIONS: Final = 48
_PATIENCE: Final = 20.0  # seconds for an honest call
_TRIES: Final = 5
_STARTING: Final = 120.0


class Target(Protocol):
    """A server under attack, running inside its `with` block."""

    ports: dict[str, int]
    """On 127.0.0.1: `plain`, and `tls` where it has that."""
    process: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def honest(self) -> str:
        """Make an honest call. Return the problem with the response, or ""."""

    def alive(self) -> bool:
        """Return True if the process is running."""


class OwnProcess:
    """A server that a function runs in a separate process until `until_the_end` returns."""

    def __init__(self, serve: Callable[[str, Connection], None]) -> None:
        self._serve = serve
        self._folder = tempfile.TemporaryDirectory()
        self._serial = counted()
        self.ports: dict[str, int] = {}
        self.process = 0
        self._further = ""

    def __enter__(self) -> Self:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        arguments = (self._serve, self._folder.name, theirs)
        self._process = spawn.Process(target=_in_child, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        if not self._line.poll(_STARTING):
            raise RuntimeError("the server did not start")
        self.ports, self._further = self._line.recv()
        self.process = self._process.pid or 0
        if problem := self.honest():  # also opens the files that stay open
            raise RuntimeError(problem)
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()  # tells the process to end
        self._process.join(_STARTING)
        if self._process.is_alive():
            self._process.kill()
        self._folder.cleanup()

    def alive(self) -> bool:
        """Return True if the process is running."""
        return self._process.is_alive()

    def honest(self) -> str:
        """Make an honest call.

        Tries again if this process was silent longer than the server allows, which happens on a busy machine.
        """
        for tries_left in reversed(range(_TRIES)):
            begun = time.monotonic()
            try:
                return self._asked(next(self._serial))
            except (OSError, http.client.HTTPException) as error:
                slow = isinstance(error, ConnectionError) and time.monotonic() - begun >= TIMEOUT
                if not (slow and tries_left):
                    return f"{type(error).__name__}: {error}"
        raise AssertionError("the last try has ended")

    def _asked(self, number: int) -> str:
        raise NotImplementedError

    def _sent(
        self, method: str, path: str, body: bytes | None = None, *, port: str = "plain", **headers: str
    ) -> tuple[http.client.HTTPResponse, str]:
        connection = self._connection(port)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response, response.read().decode()
        finally:
            connection.close()

    def _connection(self, port: str) -> http.client.HTTPConnection:
        if port != "tls":
            return http.client.HTTPConnection("127.0.0.1", self.ports[port], timeout=_PATIENCE)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.ports[port], timeout=_PATIENCE, context=context)


class SandboxTarget(OwnProcess):
    """The sandbox, with and without TLS, including its switchboard."""

    def __init__(self, seed: int) -> None:
        super().__init__(partial(_serve, seed))

    def _asked(self, number: int) -> str:
        """Make a signed REST call, sometimes over TLS."""
        uri, nonce = "/profiles", f"honest-{number:020d}"
        when = f"{datetime.now(UTC):%a, %d %b %Y %H:%M:%S} GMT"
        mac = hmac.new(SAMPLE_SECRET_KEY.encode(), f"GET{uri}{when}{nonce}".encode(), hashlib.sha1)
        signature = base64.b64encode(mac.digest()).decode()
        signed = {"Authorization": f"ZXWS {SAMPLE_CONNECT_ID}:{signature}", "Date": when, "nonce": nonce}
        port = "tls" if number % 4 == 3 else "plain"
        response, body = self._sent("GET", f"/json/2011-03-01{uri}", None, port=port, **signed)
        if response.status != 200:
            return f"status {response.status}: {body[:200]!r}"
        found = json.loads(body)["profileItem"]
        found = found[0] if isinstance(found, list) else found
        return "" if str(found["@id"]) == self._further else f"profile {found}"


def until_the_end(line: Connection, ports: Mapping[str, str], further: str = "") -> None:
    """In the serving process: report the ports of the addresses and wait until the parent disconnects."""
    line.send(({name: int(url.rpartition(":")[2]) for name, url in ports.items()}, further))
    with suppress(EOFError, OSError):
        line.recv()


def _in_child(serve: Callable[[str, Connection], None], folder: str, line: Connection) -> None:
    few_arenas()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal: the parent ends this process
    serve(folder, line)


def _serve(seed: int, folder: str, line: Connection) -> None:
    certificate, key = f"{folder}/server.crt", f"{folder}/server.pem"
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x")
    subprocess.run(
        [*command, "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=60
    )
    bounded = partial(serve, timeout=TIMEOUT, max_connections=MOST_CONNECTIONS)
    with (
        Sandbox(seed=seed, switchboard=True) as sandbox,
        bounded(sandbox) as plain,
        bounded(sandbox, certificate=certificate, key=key) as tls,
    ):
        profile = str(sandbox.profile_of(SAMPLE_CONNECT_ID))
        until_the_end(line, {"plain": plain.url, "tls": tls.url}, profile)
