"""Thousands of hostile requests to a server, which must continue to answer honest ones correctly.

The server runs in a separate process, so that its memory, open files and threads can be measured. A `Target`
selects the server.
"""

from __future__ import annotations

import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from . import attacks_sandbox
from .attacks import Attack, Make, attack_of
from .findings import Finding, Report
from .resources import Resources
from .targets import TIMEOUT, SandboxTarget, Target

_THREADS: Final = 16
_LONGEST: Final = 40.0  # seconds until every connection must be closed, on a busy machine
_DRIP: Final = 0.3
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3})")
_INTERNAL: Final = (
    b"the sandbox failed",
    b"the mock failed",
    b"Error code: 500",  # from the server if its application fails; a console has no message itself
    b"Traceback (most recent call last)",
)


@dataclass
class _Tally:
    """Counts of all outcomes. Thread-safe."""

    outcomes: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)
    honest: int = 0
    slowest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, outcome: str, name: str, seconds: float) -> None:
        with self._lock:
            self.names.add(name)
            self.outcomes[outcome] += 1
            self.slowest = max(self.slowest, seconds)


def run(
    seed: int,
    *,
    count: int,
    minutes: float | None = None,
    target: Callable[[int], Target] = SandboxTarget,
    attacks: Sequence[Make] = attacks_sandbox.ATTACKS,
    name: str = "hostile",
    settled: int = 0,
) -> Report:
    """Send `count` hostile requests to the server that `target` creates from the seed.

    Memory is not checked after fewer than `settled` attacks, because the server's bounded histories are not
    yet full.
    """
    report, tally = Report(name, seed, minutes=minutes), _Tally()
    over = threading.Event()
    with target(seed) as server:
        seen = Resources(server.process)

        def attack(number: int) -> None:
            if report.left < 0:
                return
            one = attack_of(seed, number, attacks)
            if one.port not in server.ports:
                return
            begun = time.monotonic()
            outcome, problem = _carried_out(one, server.ports[one.port])
            tally.add(outcome, one.name, time.monotonic() - begun)
            if problem:
                report.add(Finding("attack", f"{one.name} {number}", problem))
            seen.look()

        def honest() -> None:
            while not over.wait(0.1):
                tally.honest += 1
                if problem := server.honest():
                    report.add(Finding("honest", f"call {tally.honest}", problem))

        asking = threading.Thread(target=honest)
        asking.start()
        try:
            with ThreadPoolExecutor(_THREADS) as pool:
                for number in range(count):
                    pool.submit(attack, number)
        finally:
            over.set()
            asking.join()
        growth, left = seen.growth(), seen.left()
        if not server.alive():
            report.add(Finding("server", "at the end", "its process is gone"))
        elif problem := server.honest():
            report.add(Finding("honest", "the last call", problem))
        judged = growth if tally.outcomes.total() >= settled else replace(growth, memory=0.0)
        report.add(*(Finding("server", "resources", each) for each in seen.problems(judged, left)))
    report.figures = {
        "attacks": tally.outcomes.total(),
        "kinds": len(tally.names),
        **{name: tally.outcomes[name] for name in ("refused", "closed", "responded")},
        "honest": tally.honest,
        "slowest_s": round(tally.slowest, 1),
        "memory_MiB": growth.memory,
        "files": growth.files,
        "threads": growth.threads,
        "files_left": left.files,
        "threads_left": left.threads,
    }
    return report


def _carried_out(attack: Attack, port: int) -> tuple[str, str]:
    """Run an attack. Return `refused`, `closed` or `responded`, and the problem with it, empty if none."""
    received = b""
    until = time.monotonic() + _LONGEST
    try:
        connection = socket.create_connection(("127.0.0.1", port), timeout=_LONGEST)
    except OSError as error:
        return "closed", f"no connection: {error}"
    with connection:
        connection.settimeout(_LONGEST)
        try:
            if any(not _done(connection, *step) for step in attack.steps):
                return "closed", ""
            while block := connection.recv(1 << 16):
                received += block
                if time.monotonic() > until:
                    return "closed", f"goes on for more than {_LONGEST:g} seconds"
        except TimeoutError:
            return "closed", f"is neither answered nor closed within {_LONGEST:g} seconds"
        except OSError:
            pass  # a reset also closes the connection
    return _judged(attack, received)


def _done(connection: socket.socket, deed: str, data: bytes) -> bool:
    """Carry out a step. Return True if there may be data to read after it."""
    match deed:
        case "send":
            with suppress(ConnectionError):  # the server rejected the request before its end
                connection.sendall(data)
        case "drip":
            try:
                for at in range(len(data)):
                    connection.sendall(data[at : at + 1])
                    time.sleep(_DRIP)
            except OSError:
                return True
        case "half":
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        case "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        case "read":
            connection.settimeout(TIMEOUT / 2)
            with suppress(OSError):
                connection.recv(1 << 16)
            return False
    return True


def _judged(attack: Attack, received: bytes) -> tuple[str, str]:
    if not received:
        return "closed", ""
    if attack.port == "tls":
        return "closed", ""  # a TLS alert, which is not parsed here
    if found := next((each for each in _INTERNAL if each in received), None):
        return "responded", f"a failure inside: {found.decode()}"
    codes = [int(each) for each in _STATUS.findall(received)]
    final = [code for code in codes if code >= 200]
    if not received.startswith(b"HTTP/1.") or not codes:
        return "responded", f"no response: {received[:100]!r}"
    if len(final) > attack.most:
        return "responded", f"{len(final)} responses to {attack.most} requests: {received[:300]!r}"
    if all(code >= 400 for code in final):
        return "refused", ""
    return "responded", "" if attack.passes else f"was not refused: {received[:200]!r}"
