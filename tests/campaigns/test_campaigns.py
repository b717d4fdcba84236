"""Small campaigns find nothing, and find what is wrong where something is.

How much is done is said by numbers, never by time.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from soapclient import Client, Config
from soapclient.clock import NonceSource
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, SoapClientError
from soapclient.publisher import Publisher
from tests.campaigns import calls, exports
from tests.campaigns.faults import ALL
from tests.campaigns.findings import Finding, Report
from zxws.publisher.types import (
    AdspaceItem,
    CreateAdspaceResponse,
    DeleteAdspaceResponse,
    GetProfileResponse,
)

ROOT = Path(__file__).parents[2]
README = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m tests\.campaigns .*$", README, re.MULTILINE)


def found(report: Report) -> str:
    return "\n".join(map(str, report.findings))


def test_calls_find_nothing() -> None:
    # Time enough for each attempt, however loaded the machine is.
    report = calls.run(11, count=120, threads=6, forked=6, timeout=16.0)
    assert report.findings == [], found(report)
    figures = report.figures
    assert figures["pieces"] == 120
    assert figures["forked"] == len(calls.WAYS) * 4 * 6
    assert figures["writes"] == figures["done"] + figures["in_doubt"] + figures["not_done"]
    assert figures["faults"] > 20
    assert figures["right"] > 80


@pytest.mark.parametrize(
    "fault", ["the response to another operation, in JSON", "an interim response before the response"]
)
def test_a_fault_that_is_hard_to_see_is_seen(fault: str) -> None:
    report = calls.run(1, count=80, threads=1, share=0.25, families=[(ALL[fault],)], forked=0)
    assert report.findings == [], found(report)


def test_exports_find_nothing() -> None:
    report = exports.run(4, count=3)
    assert report.findings == [], found(report)
    assert report.figures["exports"] == report.figures["right"] == report.figures["jobs"] == 3
    assert report.figures["requests"] >= 12


# ---- a campaign finds what is wrong


class Hopeful(Publisher):
    """Creates once more where nobody knows whether it was done."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        try:
            return super().create_adspace(adspace_item=adspace_item)
        except AmbiguousOutcome:
            return super().create_adspace(adspace_item=adspace_item)


class Rash(Publisher):
    """Says of each doubt that nothing was sent."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        try:
            return super().create_adspace(adspace_item=adspace_item)
        except AmbiguousOutcome as error:
            raise ConnectionFailed("http://127.0.0.1", str(error), request_sent=False) from None


class Proud(Publisher):
    """Says that everything was done."""

    def delete_adspace(self, *, adspace_id: int) -> DeleteAdspaceResponse:
        try:
            return super().delete_adspace(adspace_id=adspace_id)
        except SoapClientError:
            return DeleteAdspaceResponse(count=1)


class Inexact(Publisher):
    """Reads money through binary floats."""

    def get_profile(self) -> GetProfileResponse:
        response = super().get_profile()
        assert response.profile_item is not None
        response.profile_item.adrank += 0.1
        return response


class Leaking(Publisher):
    """Lets an error of another library out."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        try:
            return super().create_adspace(adspace_item=adspace_item)
        except SoapClientError as error:
            raise KeyError(str(error)) from None


class Broken(Publisher):
    """Ends a thread."""

    def get_profile(self) -> GetProfileResponse:
        raise SystemExit


def with_service(service: type[Publisher]) -> calls.OpenClient:
    """Clients whose Publisher service is one of these."""

    def opened(config: Config, nonces: NonceSource) -> Client:
        client = calls.open_client(config, nonces)
        vars(client)["publisher"] = service(client.publisher.engine)
        return client

    return opened


def impatient(config: Config, nonces: NonceSource) -> Client:
    """Reads once and never again."""
    return calls.open_client(replace(config, attempts=1), nonces)


def patient(config: Config, nonces: NonceSource) -> Client:
    """Outlasts its deadline."""
    return calls.open_client(replace(config, attempts=1, deadline=config.deadline + 4), nonces)


def repeating(config: Config, nonces: NonceSource) -> Client:
    """Sends what was sent before: a nonce is valid once."""
    return calls.open_client(config, lambda: "CAMPAIGN-used-0001-used")


LOST = "end before the response"


@pytest.mark.parametrize(
    ("opened", "fault", "kind"),
    [
        (with_service(Hopeful), LOST, "doubled"),
        (with_service(Rash), LOST, "denied"),
        (with_service(Proud), "end after the request", "lost"),
        (with_service(Inexact), "chunks, all right", "wrong value"),
        (with_service(Leaking), LOST, "foreign exception"),
        (impatient, LOST, "reads"),
        (repeating, "chunks, all right", "refused"),
    ],
)
def test_a_client_that_does_wrong_is_found(opened: calls.OpenClient, fault: str, kind: str) -> None:
    report = calls.run(3, count=36, threads=12, share=0.5, families=[(ALL[fault],)], forked=0, opened=opened)
    assert kind in {one.kind for one in report.findings}, found(report)
    assert report.exit_code == 1


def test_a_client_that_outlasts_its_deadline_is_found() -> None:
    families = [(ALL["stall before the service"],)]
    report = calls.run(3, count=4, threads=4, share=1.0, families=families, forked=0, opened=patient)
    assert "late" in {one.kind for one in report.findings}, found(report)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_call_that_never_ends_is_found() -> None:
    opened = with_service(Broken)
    report = calls.run(3, count=36, threads=12, families=[(ALL["slow response"],)], forked=0, opened=opened)
    assert {one.kind for one in report.findings} == {"unended"}, found(report)


def test_a_classification_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.calling.outcome.surely_refused", lambda error: True)
    report = calls.run(3, count=36, threads=6, families=[(ALL[LOST],)], share=0.5, forked=0)
    assert {"denied"} == {one.kind for one in report.findings}, found(report)


def without_memory(moment: str) -> list[str]:
    """A command that remembers nothing of what it ordered."""
    code = (
        "import sys, tempfile; from soapclient.cli import main;"
        "sys.argv[sys.argv.index('--state') + 1] = tempfile.mkdtemp(); sys.exit(main())"
    )
    return [sys.executable, "-c", code]


def with_other_rows(moment: str) -> list[str]:
    """A command that orders another day than it was told."""
    code = (
        "import sys; from soapclient.cli import main;"
        "sys.argv = [word.replace('2026-09-', '2026-08-') for word in sys.argv]; sys.exit(main())"
    )
    return [sys.executable, "-c", code]


def without_tidiness(moment: str) -> list[str]:
    """A command that leaves a file beside its own."""
    code = (
        "import sys; from soapclient.cli import main;"
        "open(sys.argv[sys.argv.index('-o') + 1] + '.left', 'x'); sys.exit(main())"
    )
    return [sys.executable, "-c", code]


def crashing(moment: str) -> list[str]:
    """A command that ends in a traceback."""
    return [sys.executable, "-c", "import sys; sys.argv[100]"]


@pytest.mark.parametrize(
    ("called", "fault", "found_too"),
    [
        (without_memory, "end before the response", {"doubled order", "left behind"}),
        (with_other_rows, "slow response", {"wrong rows", "lost order", "strange order"}),
        (without_tidiness, "slow response", {"left behind"}),
        (crashing, "slow response", {"foreign exception", "stuck", "lost order"}),
    ],
)
def test_a_command_that_does_wrong_is_found(called: exports.Command, fault: str, found_too: set[str]) -> None:
    report = exports.run(1, count=2, share=0.3, families=[(ALL[fault],)], called=called)
    assert found_too <= {one.kind for one in report.findings}, found(report)


# ---- the command


def test_a_report_tells_figures_on_one_line_and_findings_apart(capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(
        "calls", 7, {"pieces": 3, "seconds": 1.5}, [Finding("lost", "call 1", "gone", ("fault",))]
    )
    report.tell(as_json=False)
    told = capsys.readouterr()
    assert told.out == "calls seed 7: pieces 3, seconds 1.5, findings 1\n"
    assert told.err == "lost: call 1: gone\n    fault\n"
    report.tell(as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "campaign": "calls",
        "seed": 7,
        "pieces": 3,
        "seconds": 1.5,
        "findings": [{"kind": "lost", "where": "call 1", "what": "gone", "faults": ["fault"]}],
    }
    assert (report.exit_code, Report("calls", 7).exit_code) == (1, 0)


def test_the_readme_names_both_campaigns() -> None:
    assert [shlex.split(line)[3] for line in COMMANDS] == ["calls", "exports"]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_readme_run(line: str) -> None:
    """As they stand there, but for how much they do: that is what a count is for."""
    _, *words = shlex.split(line)
    done = subprocess.run(
        [sys.executable, *words, "--count", "1", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["campaign"], told["seed"], told["findings"]) == (words[2], 1, [])


def test_minutes_end_a_campaign_before_it_begins_more() -> None:
    assert calls.run(1, minutes=0.0, forked=0).figures["pieces"] == 0
    assert exports.run(1, minutes=0.0).figures["exports"] == 0
