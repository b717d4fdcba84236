"""Small campaigns find nothing, and report planted errors.

Their size is set by counts, never by time.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from soapclient import Client, Settings
from soapclient.clock import Clock, NonceSource
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, SoapClientError, UnexpectedResponse
from soapclient.tracking.publisher import Publisher
from tests.campaigns import backfills, calls, exports, faces
from tests.campaigns.__main__ import CAMPAIGNS
from tests.campaigns.faults import ALL, BY_A_GATEWAY, Family
from tests.campaigns.findings import Finding, Report
from tests.campaigns.heartbeat import by_machine
from zxws.publisher.types import (
    AdspaceItem,
    CreateAdspaceResponse,
    DeleteAdspaceResponse,
    GetProfileResponse,
    GetSaleResponse,
)

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
README = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m tests\.campaigns .*$", README, re.MULTILINE)


def test_calls_campaign_finds_nothing() -> None:
    # Enough time for each attempt, even on a busy machine.
    report = calls.run(11, count=120, threads=6, forked=0, timeout=16.0)
    assert report.findings == [], str(report)
    figures = report.figures
    assert figures["pieces"] == 120
    assert figures["writes"] == figures["done"] + figures["in_doubt"] + figures["not_done"]
    assert figures["faults"] > 20
    assert figures["right"] > 80


def test_calls_campaign_with_forked_children_finds_nothing() -> None:
    report = calls.run(12, count=6, threads=2, forked=6, timeout=16.0, ways=("JSON",))
    assert report.findings == [], str(report)
    assert report.figures["forked"] == 4 * 6  # children, calls


@pytest.mark.night
@pytest.mark.parametrize(
    "fault", ["the response to another operation, in JSON", "an interim response before the response"]
)
def test_client_is_not_deceived_by_a_subtle_fault(fault: str) -> None:
    report = calls.run(1, count=80, threads=1, share=0.25, families=[(ALL[fault],)], forked=0, ways=PLAIN)
    assert report.findings == [], str(report)


GATEWAYS = [tuple(ALL[name] for name in sorted(BY_A_GATEWAY))]


def test_writes_with_a_gateway_response_are_ambiguous() -> None:
    report = calls.run(
        5, count=90, threads=6, share=0.5, families=GATEWAYS, forked=0, timeout=16.0, ways=PLAIN
    )
    assert report.kinds - {"reads"} == set(), str(report)
    assert report.figures["in_doubt"] > 5
    assert report.figures["in_doubt"] == report.figures["of_these_done"]
    assert report.figures["not_done"] == 0


def test_late_duplicates_are_not_mistaken_for_other_responses() -> None:
    fault = ALL["the response again, 1 to 100 ms later"]
    report = calls.run(2, count=80, threads=4, share=0.5, families=[(fault,)], forked=0, timeout=16.0)
    assert report.findings == [], str(report)
    assert report.figures["right"] == report.figures["reads"]


# ---- a campaign reports errors


class Hopeful(Publisher):
    """Creates again if the first outcome is unknown."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        try:
            return super().create_adspace(adspace_item=adspace_item)
        except AmbiguousOutcome:
            return super().create_adspace(adspace_item=adspace_item)


class Rash(Publisher):
    """Reports each unknown outcome as "not sent"."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        try:
            return super().create_adspace(adspace_item=adspace_item)
        except AmbiguousOutcome as error:
            raise ConnectionFailed("http://127.0.0.1", str(error), request_sent=False) from None


class Proud(Publisher):
    """Reports every write as done."""

    def delete_adspace(self, *, adspace_id: int) -> DeleteAdspaceResponse:
        try:
            return super().delete_adspace(adspace_id=adspace_id)
        except SoapClientError:
            return DeleteAdspaceResponse(count=1)


class Inexact(Publisher):
    """Converts money with binary floats."""

    def get_profile(self) -> GetProfileResponse:
        response = super().get_profile()
        assert response.profile_item is not None
        response.profile_item.adrank += 0.1
        return response


class Crossed(Publisher):
    """Sometimes returns the response of another call."""

    last: GetSaleResponse | None = None

    def get_sale(self, *, sale_id: str) -> GetSaleResponse:
        response = super().get_sale(sale_id=sale_id)
        type(self).last, before = response, type(self).last
        return response if before is None else before


class Leaking(Publisher):
    """Raises an error of another library."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        try:
            return super().create_adspace(adspace_item=adspace_item)
        except SoapClientError as error:
            raise KeyError(str(error)) from None


class Broken(Publisher):
    """Ends the thread."""

    def get_profile(self) -> GetProfileResponse:
        raise SystemExit


def with_service(service: type[Publisher]) -> faces.OpenClient:
    """Open clients whose Publisher service is of this class, also in their views."""

    class Wrong(Client):
        @property
        def publisher(self) -> Publisher:
            return service(super().publisher.engine)

    def opened(config: Settings, nonces: NonceSource, clock: Clock | None) -> Client:
        return Wrong(config, nonce_source=nonces, clock=clock, random=lambda: 0.0)

    return opened


def impatient(config: Settings, nonces: NonceSource, clock: Clock | None) -> Client:
    """Open a client that does not retry."""
    return faces.open_client(replace(config, attempts=1), nonces)


def patient(config: Settings, nonces: NonceSource, clock: Clock | None) -> Client:
    """Open a client that exceeds its deadline."""
    return faces.open_client(replace(config, attempts=1, deadline=config.deadline + 4), nonces)


def repeating(config: Settings, nonces: NonceSource, clock: Clock | None) -> Client:
    """Open a client that repeats its nonce, although a nonce is valid only once."""
    return faces.open_client(config, lambda: "CAMPAIGN-used-0001-used")


LOST = "end before the response"
PLAIN = ("SOAP", "XML", "JSON")


def wrong(
    opened: faces.OpenClient,
    *,
    count: int = 36,
    share: float = 0.2,
    families: Sequence[Family] = ((ALL["slow response"],),),
) -> Report:
    """Run calls with faulty clients. On a busy machine, reads may be late or fail as well."""
    return calls.run(
        3, count=count, threads=12, share=share, families=families, forked=0, ways=PLAIN, opened=opened
    )


@pytest.mark.night
@pytest.mark.parametrize(
    ("opened", "fault", "kind"),
    [
        (with_service(Hopeful), LOST, "doubled"),
        (with_service(Rash), LOST, "denied"),
        (with_service(Proud), "end after the request", "lost"),
        (with_service(Inexact), "chunks, all right", "wrong value"),
        (with_service(Crossed), "chunks, all right", "wrong value"),
        (with_service(Leaking), LOST, "foreign exception"),
        (impatient, LOST, "reads"),
        (repeating, "chunks, all right", "refused"),
    ],
)
def test_client_with_a_bug_is_found(opened: faces.OpenClient, fault: str, kind: str) -> None:
    report = wrong(opened, share=0.5, families=[(ALL[fault],)])
    assert kind in report.kinds, str(report)
    assert report.exit_code == 1


@pytest.mark.night
def test_client_that_exceeds_its_deadline_is_found() -> None:
    families = [(ALL["stall before the service"],)]
    report = wrong(patient, count=4, share=1.0, families=families)
    assert "late" in report.kinds, str(report)


@pytest.mark.parametrize(
    ("slept", "worked", "machine"),
    [(0.1, 0.0, 0.0), (3.02, 0.0, 3.0), (3.02, 1.0, 2.0), (3.02, 3.0, 0.0), (3.02, 5.0, 0.0)],
)
def test_own_work_of_the_process_is_not_blamed_on_the_machine(
    slept: float, worked: float, machine: float
) -> None:
    assert by_machine(slept, worked) == pytest.approx(machine)


@pytest.mark.night
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_call_that_never_ends_is_found() -> None:
    report = wrong(with_service(Broken))
    assert report.kinds - {"reads"} == {"unended"}, str(report)


class Kept:
    """A client that never releases something: memory, sockets or threads."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._blocks: list[bytearray] = []
        self._sockets: list[socket.socket] = []

    def memory(self) -> None:
        self._blocks.append(bytearray(400_000))

    def sockets(self) -> None:
        self._sockets.append(socket.socket())

    def threads(self) -> None:
        threading.Thread(target=self._over.wait, daemon=True).start()

    def end(self) -> None:
        self._over.set()
        for one in self._sockets:
            one.close()


@pytest.mark.night
@pytest.mark.parametrize(
    ("what", "words"),
    [("memory", "MiB of memory more"), ("sockets", "files still open"), ("threads", "threads still running")],
)
def test_client_that_leaks_per_call_is_found(what: str, words: str) -> None:
    kept = Kept()

    def opened(config: Settings, nonces: NonceSource, clock: Clock | None) -> Client:
        def source() -> str:
            getattr(kept, what)()
            return nonces()

        return faces.open_client(config, source)

    report = wrong(opened, count=120)
    kept.end()
    assert report.kinds - {"reads"} == {"not flat"}, str(report)
    assert any(words in one.what for one in report.findings), str(report)


@pytest.mark.night
def test_wrong_classification_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.calling.outcome.surely_refused", lambda error: True)
    report = wrong(faces.open_client, families=[(ALL[LOST],)], share=0.5)
    assert report.kinds - {"reads"} == {"denied"}, str(report)


def by_status(error: Exception) -> bool:
    """Trust the status: the gateway says that the request was rejected."""
    return isinstance(error, UnexpectedResponse) and error.status in range(300, 500)


@pytest.mark.night
def test_client_that_trusts_a_gateway_status_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.calling.outcome.surely_refused", by_status)
    report = wrong(faces.open_client, families=GATEWAYS, share=0.5, count=90)
    assert "denied" in report.kinds, str(report)


# ---- the command


def test_report_prints_figures_on_one_line_and_findings_separately(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = Report(
        "calls", 7, {"pieces": 3, "seconds": 1.5}, [Finding("lost", "call 1", "gone", ("fault",))], ["late"]
    )
    report.tell(as_json=False)
    told = capsys.readouterr()
    assert told.out == "calls seed 7: pieces 3, seconds 1.5, findings 1\n"
    assert told.err == "lost: call 1: gone\n    fault\n"
    report.tell(as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "campaign": "calls",
        "seed": 7,
        "figures": {"pieces": 3, "seconds": 1.5},
        "findings": [{"kind": "lost", "where": "call 1", "what": "gone", "faults": ["fault"]}],
        "notes": ["late"],
    }
    assert (report.exit_code, Report("calls", 7).exit_code) == (1, 0)


def test_the_readme_names_every_campaign() -> None:
    assert [shlex.split(line)[3] for line in COMMANDS] == list(CAMPAIGNS)


@pytest.mark.sampled(0, 2)
@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_readme_run(line: str) -> None:
    """Run each command as printed in the README, but only with a small count."""
    _, *words = shlex.split(line)
    command = [sys.executable, *words, "--count", "1", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    for each in done.stdout.splitlines():  # one line per target
        told = json.loads(each)
        campaign = told["campaign"].partition(" ")[0]
        assert (campaign, told["seed"], told["findings"]) == (words[2], 1, [])


def test_minutes_option_stops_a_campaign_early() -> None:
    assert calls.run(1, count=1, minutes=0.0, forked=0).figures["pieces"] == 0
    assert exports.run(1, minutes=0.0).figures["exports"] == 0
    report = backfills.run(1, count=2, minutes=0.0, engines=("threads",))
    assert (report.figures["threads_jobs"], report.findings) == (0, [])
