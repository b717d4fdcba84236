"""A small campaign of hostile requests finds nothing, and reports planted errors."""

from __future__ import annotations

import os
import socket
import threading
from types import ModuleType
from typing import Self

import pytest

from tests.campaigns import attacks_console, attacks_mock, attacks_sandbox, hostile
from tests.campaigns.attacks import Attack, Make, attack_of, sent
from tests.campaigns.hostile import run

pytestmark = pytest.mark.exhaustive


def test_hostile_requests_to_the_sandbox_find_nothing() -> None:
    count = 2 * len(attacks_sandbox.ATTACKS)
    report = run(7, count=count)
    assert report.findings == [], str(report)
    figures = report.figures
    assert figures["attacks"] == count == figures["refused"] + figures["closed"] + figures["responded"]
    assert figures["refused"] > figures["attacks"] / 3
    assert figures["honest"] > 0


@pytest.mark.parametrize("module", [attacks_sandbox, attacks_mock, attacks_console])
def test_attacks_come_from_the_seed_and_cover_every_kind(module: ModuleType) -> None:
    attacks: tuple[Make, ...] = module.ATTACKS
    first, second = ([attack_of(3, number, attacks) for number in range(200)] for _ in range(2))
    assert first == second
    assert attack_of(3, 40, attacks) != attack_of(4, 40, attacks)
    assert len({attack_of(1, number, attacks).name for number in range(len(attacks))}) == len({*attacks})


class Agreeable:
    """A server that accepts everything and answers honest calls incorrectly."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.process = os.getpid()

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.ports = {"plain": self._socket.getsockname()[1]}
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(self._answer)

    def honest(self) -> str:
        return "wrong"

    def alive(self) -> bool:
        return True


@pytest.mark.night
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "was not refused"),
        (b"HTTP/1.1 400 Bad\r\n\r\nHTTP/1.1 400 Bad\r\n\r\n", "2 responses to 1 requests"),
        (b"HTTP/1.1 500 Bad\r\n\r\n<reason>the sandbox failed; see its log</reason>", "a failure inside"),
        (b"hello", "no response"),
    ],
)
def test_planted_server_bugs_are_found(answer: bytes, said: str) -> None:
    one = sent("one", b"BREW / HTTP/1.1\r\n\r\n")
    report = run(1, count=3, target=lambda seed: Agreeable(answer), attacks=[lambda _: one])
    assert {"attack", "honest"} <= report.kinds
    assert all(said in finding.what for finding in report.findings if finding.kind == "attack")


@pytest.mark.night
def test_silent_server_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostile, "_LONGEST", 0.2)

    class Still(Agreeable):
        def _serve(self) -> None:
            connection, _ = self._socket.accept()
            with connection:
                while connection.recv(65536):
                    pass

    silence = Attack("silence", (("send", b"G"), ("hold", b"")))
    report = run(1, count=1, target=lambda seed: Still(b""), attacks=[lambda _: silence])
    assert any("neither answered nor closed" in finding.what for finding in report.findings)
