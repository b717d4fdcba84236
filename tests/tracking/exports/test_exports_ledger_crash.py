"""Real processes, killed at every step of an order, against a sandbox over HTTP: one job per request."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from subprocess import PIPE

import pytest

from soapclient import Settings
from soapclient.tracking.client import Client
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from soapclient.tracking.sandbox.app import utc_now

pytestmark = pytest.mark.exhaustive

DRIVER = Path(__file__).with_name("ledger_driver.py")
DAY, NEXT = date(2026, 11, 1), date(2026, 11, 2)
ALL = -1


@dataclass
class Place:
    sandbox: Sandbox
    url: str
    folder: Path
    client: Client

    def start(
        self,
        left: int = ALL,
        end: str = "kill",
        *,
        patience: float = 0,
        day: date = DAY,
        protocol: str = "rest",
    ) -> subprocess.Popen[str]:
        arguments = (self.url, self.folder, left, end, patience, day.isoformat(), protocol)
        command = [sys.executable, str(DRIVER), *map(str, arguments)]
        return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True)

    def run(self, left: int = ALL, *, protocol: str = "rest") -> tuple[int, str]:
        with self.start(left, protocol=protocol) as process:
            out, errors = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL), errors
        return process.returncode, out

    def ledger(self) -> Ledger:
        return self.client.data.exports.ledger(self.folder)

    def order(self, day: date = DAY) -> ExportHandle:
        return self.client.data.exports.order_once(
            self.ledger(), report_type="click", from_date=day, to_date=day, settle=0
        )

    def ids(self) -> list[str]:
        return [job.id for job in self.sandbox.jobs.of(SAMPLE_CONNECT_ID)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    # A service whose clock is three hours ahead.
    with (
        Sandbox(clock=lambda: utc_now() + timedelta(hours=3), clicks_per_day=5) as sandbox,
        serve(sandbox) as server,
    ):
        config = Settings.load(
            environ={},
            connect_id=SAMPLE_CONNECT_ID,
            secret_key=SAMPLE_SECRET_KEY,
            data_url=server.url,
            data_protocol="rest",
        )
        with Client(config) as client:
            yield Place(sandbox, server.url, tmp_path / "ledger", client)


# The steps of a process: both folder levels synced (2 x 2), intent: file, name, folder (3 x 2), the order
# itself (2), handle: file, name, folder (3 x 2).
EVENTS = 18
SENT, ANSWERED = 10, 11  # the events right before and right after the order


def test_kill_points_are_where_documented(place: Place) -> None:
    code, out = place.run()
    assert (code, out.split()) == (0, [place.ids()[0], str(EVENTS)])


@pytest.mark.sampled(0, 8)
@pytest.mark.parametrize("left", range(EVENTS))
def test_a_process_killed_anywhere_orders_once(place: Place, left: int) -> None:
    code, out = place.run(left)
    assert (code, out) == (-signal.SIGKILL, "")
    assert len(place.ids()) == (left >= ANSWERED)
    handle = place.order()
    assert place.ids() == [handle.job_id]
    (entry,) = place.ledger().entries()
    assert entry.handle == handle
    named = left > ANSWERED + 3  # the handle already had its name
    assert entry.adopted == (left >= ANSWERED and not named)
    assert place.order() == handle
    assert place.ids() == [handle.job_id]
    assert place.order(NEXT).job_id == place.ids()[1]


def test_lock_of_a_killed_process_is_free_and_of_a_living_one_is_held(place: Place) -> None:
    with place.start(SENT, "halt") as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "halted\n"
            with place.start(day=NEXT) as second:
                _, errors = second.communicate(timeout=60)
            assert second.returncode == 1
            assert "LedgerBusy" in errors
            assert place.ids() == []
        finally:
            holder.kill()
            holder.wait()
    code, out = place.run()
    assert code == 0
    assert place.ids() == [out.split()[0]]


def test_concurrent_equal_orders_create_one_job(place: Place) -> None:
    processes = [place.start(patience=60) for _ in range(4)]
    told = []
    for process in processes:
        with process:
            out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        told.append(out.split()[0])
    assert len(place.ids()) == 1
    assert set(told) == set(place.ids())
