"""Claims of the pages about contracts that are not commands: exit codes and consequences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.contracts_matrix.loopback import serving
from tests.docs.pages import Page, run_outside
from tests.docs.test_docs_pages import a_clone_and_another_wsdl

CHANGES = Page("docs/how-to/contract-changes.md")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    a_clone_and_another_wsdl(tmp_path)
    return tmp_path


def said(command: str, folder: Path, settings: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Return exit code and output of a command."""
    done = run_outside(shlex.split(command), folder, settings or {})
    return done.returncode, done.stdout + done.stderr


def ran(command: str, folder: Path) -> str:
    code, output = said(command, folder)
    assert code == 0, f"{command}: {output}"
    return output


@pytest.mark.exhaustive
def test_exit_code_distinguishes_breaking_from_unchanged(place: Path) -> None:
    assert said("bindgen diff lock:publisher new.wsdl", place)[0] == 2
    assert said("bindgen diff lock:publisher lock:publisher", place)[0] == 0


@pytest.mark.exhaustive
def test_cron_examples_run(place: Path) -> None:
    (check,) = re.findall(r"^bindgen fetch --all --check$", CHANGES.text, re.MULTILINE)
    settings = place / "wsdl/contracts.toml"
    with Sandbox() as sandbox, serve(sandbox) as serving:
        ours = f'url = "{serving.url}'
        settings.write_text(re.sub(r'^url = "https://\w+\.invalid', ours, settings.read_text(), flags=re.M))
        ran("bindgen fetch --all", place)
        ran(check, place)
        ran("bindgen fetch publisher --file new.wsdl", place)
        assert said(check, place)[0] == 1  # the lock now differs from the sandbox's contract


# A response that contains a field that is not in the contract.
MOODY = b'{"page": 0, "items": 0, "total": 0, "mood": "good", "balanceItems": {"balanceItem": []}}'


@pytest.mark.exhaustive
def test_drift_of_responses_is_logged_and_summarised(tmp_path: Path) -> None:
    page = Page("docs/how-to/drift.md").text
    (log, name) = re.findall(r"^export (SOAPCLIENT_DRIFT_LOG)=(\S+)$", page, re.MULTILINE)[0]
    (strict,) = set(re.findall(r"`(SOAPCLIENT_DRIFT)=error`", page))
    summary = f"soapclient drift {name}"
    assert summary in page
    # A cron job that finds no drift: the file is missing.
    assert ran(summary, tmp_path).endswith("nothing found\n")
    call = "soapclient call publisher GetBalances --protocol rest"
    with serving(lambda *_: (200, "application/json", MOODY), []) as url:
        settings = {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_PUBLISHER_URL": url,
            "SOAPCLIENT_REST_FORMAT": "json",
            log: name,
        }
        assert said(call, tmp_path, settings)[0] == 0
        assert said(call, tmp_path, {**settings, strict: "error"})[0] == 9
    code, summed = said(summary, tmp_path)
    assert code == 1
    assert "GetBalancesResponse/mood" in summed
    assert "2 times" in summed
