"""Leak tests for the console of a sandbox: pages, headers, logs, the sandbox's log, `soapclient doctor`."""

from __future__ import annotations

import html
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import requests

from soapclient import Client, Settings
from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.console.control_client import ControlClient
from soapclient.serving.server import Server
from soapclient.tracking.console import ExportJobs, targets_of
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox, serve
from tests.console.browser import Browser

from .canaries import Canaries, leaks
from .places import Places

ASKED: Final = ("publisher/GetProfile", "publisher/GetSales", "publisher/SearchPrograms", "data/GetJobs")
PAGES: Final = ("/", "/history", "/history/1", "/jobs", "/watch", "/nothing", f"/try/{ASKED[0]}?again=1")


class Kept(Browser):
    """A browser that keeps everything a console serves, including headers and redirects."""

    def __init__(self, url: str, token: str, places: Places) -> None:
        self._places = places
        super().__init__(url, token)

    def _parsed(self, response: requests.Response) -> object:
        for each in (*response.history, response):
            self._places.keep(f"page {each.url}", html.unescape(each.text))
            self._places.keep(f"headers of {each.url}", str(each.headers))
        return super()._parsed(response)


def _used(places: Places, sandbox: Sandbox, url: str, key: str) -> int:
    """Use all functions of a console. Return the number of requests to its sandbox."""
    urls = {f"{name}_url": url for name in ("publisher", "data", "advertiser")}
    settings: dict[str, object] = {"connect_id": SAMPLE_CONNECT_ID, "secret_key": key, **urls}
    config = Settings.load(environ={}, attempts=1, **settings)  # type: ignore[arg-type] # by name
    with Client(config) as client:
        jobs = ExportJobs(client)
        console = Console(targets_of(client), {}, in_words, ControlClient(url), jobs)
        with Server(console) as server:
            browser = Kept(server.url, console.token, places)
            for kind in ("", "fault", "unavailable", "reset", "drift element"):
                if kind:
                    ControlClient(url).add("", *kind.partition(" ")[::2], times=1)
                for path in ASKED if not kind else ASKED[:1]:
                    browser.get(f"/try/{path}")
                    browser.press("example")
                    browser.press("check")
                    browser.press("send")
            for path in PAGES:
                browser.get(path)
            browser._parsed(
                browser.session.post(
                    f"{server.url}/jobs/{'0' * 8}", {"report_type": "sale"}, headers={"Origin": server.url}
                )
            )
            places.reachable("the console", console)
    seen = requests.get(f"{url}/-/calls", timeout=30)
    places.keep("the log of the sandbox", seen.text)
    return len(sandbox.switches.calls())


@pytest.mark.exhaustive
@pytest.mark.parametrize("right", [True, False], ids=["right key", "refused signature"])
def test_console_does_not_reveal_its_key(right: bool) -> None:
    canaries, places = Canaries(), Places()
    key = canaries.new("the secret key")
    signatures: set[str] = set()

    def listen(request: object) -> None:
        header = getattr(request, "headers", {}).get("Authorization", "")
        if header.upper().startswith("ZXWS") and header.count(":") == 1:
            signatures.add(header.partition(":")[2])

    accounts = {SAMPLE_CONNECT_ID: key if right else "another key, not hunted"}
    with (
        places.listening("a console"),
        Sandbox(accounts=accounts, switchboard=True, interfere=listen) as sandbox,
        serve(sandbox) as serving,
    ):
        assert _used(places, sandbox, serving.url, key) > 5
    assert signatures
    for signature in signatures:
        canaries.add(signature)
    assert any(place.startswith("page") and SAMPLE_CONNECT_ID.encode() in text for place, text in places.kept)
    assert leaks(places.kept, canaries) == {}


@pytest.mark.exhaustive
def test_doctor_does_not_reveal_its_key(tmp_path: Path) -> None:
    canaries, places = Canaries(), Places()
    key = canaries.new("the secret key", odd="+/&<~")
    with (
        Sandbox(accounts={SAMPLE_CONNECT_ID: "another key, not hunted"}) as sandbox,
        serve(sandbox) as serving,
    ):
        told = {"SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID, "SOAPCLIENT_SECRET_KEY": key}
        for name in ("PUBLISHER", "DATA", "ADVERTISER"):
            told[f"SOAPCLIENT_{name}_URL"] = serving.url
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **told}
        command = [sys.executable, "-m", "soapclient.cli", "doctor"]
        ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, timeout=120, check=False)
        asked = len(sandbox.switches.calls())
    assert ran.returncode != 0, ran.stdout.decode()
    assert asked
    places.keep("stdout", ran.stdout)
    places.keep("stderr", ran.stderr)
    places.folder("what it left", tmp_path)
    assert leaks(places.kept, canaries) == {}
