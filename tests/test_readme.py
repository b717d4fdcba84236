"""Every command and every piece of Python in the README, run as it stands there.

What it says of contracts that change, and of WSDLs of one's own, is in test_readme_contracts.py.
"""

from __future__ import annotations

import ast
import csv
import gzip
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
# A package of one's own, and what is done with contracts by bindgen: test_readme_contracts.py runs these.
PYTHON: list[str] = [text for language, text in BLOCKS if language == "python" and "connect(" not in text]
PLAN = next(text for language, text in BLOCKS if language == "toml" and "[[accounts]]" in text)
COMMANDS = [line for language, text in BLOCKS if not language for line in text.splitlines()]
# Run elsewhere: the two commands and the demo by CI, the sandbox's own command by its tests.
ELSEWHERE = ("python3 -m venv", ".venv/bin/pytest", "soapclient demo", "soapclient sandbox")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(clicks_per_day=50) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def server(sandbox: Sandbox) -> Iterator[str]:
    with serve(sandbox) as serving:
        yield serving.url


def environment(url: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SOAPCLIENT_")}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_PUBLISHER_URL": url,
        "SOAPCLIENT_DATA_URL": url,
        "SOAPCLIENT_ADVERTISER_URL": url,
    }


def run(
    command: list[str], url: str, folder: Path, *, code: int = 0, settings: Mapping[str, str] | None = None
) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment(url), **(settings or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, f"{command} in {folder}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_readme_has_what_these_tests_look_for() -> None:
    assert len(PYTHON) == 6
    assert sum(line.startswith(("soapclient ", "bindgen ")) for line in COMMANDS) >= 20
    assert all(line.startswith(("soapclient ", "bindgen ", *ELSEWHERE)) for line in COMMANDS)


def test_every_setting_it_names_is_one(server: str, tmp_path: Path) -> None:
    listed = run(["soapclient", "config"], server, tmp_path)
    named = set(re.findall(r"SOAPCLIENT_[A-Z_]+", README)) - {"SOAPCLIENT_CONFIG"}  # that one names the file
    assert len(named) > 10
    assert named <= set(re.findall(r"SOAPCLIENT_[A-Z_]+", listed))


def whole_program() -> str:
    """All pieces: the first opens the client and closes it; the others go on with one."""
    five_lines, *others = PYTHON
    indented = ["".join(f"    {line}\n" for line in piece.splitlines()) for piece in others]
    return five_lines + "".join(f"\nwith Client() as client:\n{piece}" for piece in indented)


def test_the_first_piece_has_five_lines() -> None:
    assert sum(bool(line.strip()) for line in PYTHON[0].splitlines()) == 5


def test_the_python_runs_as_printed(sandbox: Sandbox, server: str, tmp_path: Path) -> None:
    holdings = sandbox.store.of(SAMPLE_CONNECT_ID)
    assert holdings.account.profile.get().city != "Berlin"
    printed = run([sys.executable, "-c", whole_program()], server, tmp_path).splitlines()
    first, summed, *sales, last, phase, programs, partners = printed
    assert phase == "done"
    total, _, listed = first.partition(" ")
    commissions = [str(each) for each in ast.literal_eval(listed)]
    assert all(re.fullmatch(r"\d+\.\d\d [A-Z]{3}", each) for each in commissions)
    # The longest page there is (record.md 4), or all there are.
    assert len(commissions) == min(int(total), 50) > 10
    # All pages give as many as the service counts; what is in different currencies is not added up.
    expected: dict[str, Decimal] = {}
    for one in holdings.sales.on(date(2026, 11, 1), "trackingDate"):
        expected[one.currency] = expected.get(one.currency, Decimal(0)) + one.commission
    assert len(expected) > 1
    assert summed.split(" ", 2)[:2] == [total, "sales"]
    assert dict(ast.literal_eval(summed.split(" ", 2)[2])) == {
        currency: str(commission) for currency, commission in expected.items()
    }
    names = ast.literal_eval(programs.partition(" ")[2])
    assert 0 < len(names) == min(int(programs.partition(" ")[0]), 10)  # 10 items by default (record.md 4)
    # The codes it asks for are the account's own, and it changes the account's own profile.
    asked = re.findall(r'"(\d{8}C\d{8}T?)"', README)
    assert len(asked) > 1
    assert set(asked) <= set(sandbox.partner_codes(SAMPLE_CONNECT_ID))
    assert partners == f"{len(asked)} []"
    (profile,) = re.findall(r'update_profile\(profile_item={"id": (\d+), "city": "Berlin"}', README)
    changed = holdings.account.profile.get()
    assert (int(profile), "Berlin") == (changed.id, changed.city)
    # The stream gives the same page.
    assert [line.split()[1] for line in sales] == [each.split()[0] for each in commissions]
    with gzip.open(tmp_path / "clicks.csv.gz", "rt", encoding="utf-8", newline="") as file:
        clicks = list(csv.DictReader(file))
    rows, _, row = last.partition(" ")
    assert int(rows) == len(clicks) == 100  # two days of 50 clicks
    assert f"'clickId': {clicks[0]['clickId']}," in row
    assert row.count("': ") == len(clicks[0])


def test_the_python_passes_mypy(tmp_path: Path) -> None:
    program = tmp_path / "readme.py"
    program.write_text(whole_program(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)],
        cwd=ROOT,  # for the project's settings, and for what mypy remembers of the package
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("soapclient ")])
def test_the_commands_run_as_printed(line: str, server: str, tmp_path: Path) -> None:
    if line.startswith((*ELSEWHERE, "soapclient drift")):
        return
    if line.startswith("soapclient export resume"):
        ordered = next(each for each in COMMANDS if "--handle" in each)
        assert run(shlex.split(ordered), server, tmp_path)
    if line.startswith("soapclient backfill"):
        (tmp_path / "plan.toml").write_text(PLAN)
        if "--verify" in line:
            run(shlex.split(line.replace(" --verify", "")), server, tmp_path)
    (tmp_path / "reply.json").write_text('{"page": 0, "items": 0, "total": 7, "saleItems": ""}')
    assert run(shlex.split(line.partition("#")[0]), server, tmp_path)


class Moody(BaseHTTPRequestHandler):
    """A service whose answers hold what the contract does not know."""

    def do_GET(self) -> None:
        answer = b'{"page": 0, "items": 0, "total": 0, "mood": "good", "balanceItems": {"balanceItem": []}}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_what_replies_hold_beyond_the_contract_is_kept_and_summed_up(tmp_path: Path) -> None:
    (line,) = (line for line in COMMANDS if line.startswith("soapclient drift"))
    assert run(shlex.split(line), "", tmp_path)  # the healthy case of a cron job: there is no file yet
    (log,) = re.findall(r"`(SOAPCLIENT_DRIFT_LOG)=drift.jsonl`", README)
    call = "soapclient call publisher GetBalances --carrier rest"
    moody = ThreadingHTTPServer(("127.0.0.1", 0), Moody)
    thread = Thread(target=moody.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        url = f"http://127.0.0.1:{moody.server_address[1]}"
        settings = {"SOAPCLIENT_REST_FORMAT": "json", log: "drift.jsonl"}
        run(shlex.split(call), url, tmp_path, settings=settings)
        strict = {**settings, "SOAPCLIENT_DRIFT": "error"}
        run(shlex.split(call), url, tmp_path, code=1, settings=strict)
    finally:
        moody.shutdown()
        moody.server_close()
        thread.join()
    told = run(shlex.split(line), "", tmp_path, code=1)
    assert "GetBalancesResponse/mood" in told
    assert "2 times" in told
