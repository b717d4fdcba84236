"""A process is killed during a download and another process resumes it. No byte is sent twice."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from subprocess import PIPE

import pytest
from werkzeug.wrappers import Request

from soapclient.tracking.sandbox import (
    SAMPLE_CONNECT_ID,
    SAMPLE_SECRET_KEY,
    JobScript,
    JobSteps,
    Sandbox,
    serve,
)

pytestmark = pytest.mark.exhaustive

PIECE = 4096
COMMAND = (sys.executable, "-m", "soapclient.cli", "export")


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_download_is_resumed_by_another_process(tmp_path: Path) -> None:
    target, handle = tmp_path / "clicks.csv.gz", tmp_path / "handle.json"
    part, side = tmp_path / "clicks.csv.gz.part", tmp_path / "clicks.csv.gz.part.json"
    go_on, pieces = threading.Event(), 0

    def pace() -> None:
        nonlocal pieces
        pieces += 1
        if pieces * PIECE > 0.6 * sandbox.jobs.of(SAMPLE_CONNECT_ID)[0].file.size:
            go_on.wait(timeout=60)

    ranges: list[str | None] = []

    def see(request: Request) -> None:
        if request.path.endswith("/download"):
            ranges.append(request.headers.get("Range"))

    at_once = JobSteps(running=timedelta(0), done=timedelta(0))
    with Sandbox(clicks_per_day=4000, job_steps=at_once) as sandbox, serve(sandbox) as server:
        sandbox.interfere = see
        environ = {key: value for key, value in os.environ.items() if not key.startswith("SOAPCLIENT_")} | {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_DATA_URL": server.url,
        }
        sandbox.jobs.script(JobScript(pace=pace))
        days = ("--from", "2026-11-01", "--to", "2026-11-01")
        order = (*COMMAND, "click", *days, "--handle", str(handle), "-o", str(target))
        first = subprocess.Popen(order, env=environ, stdout=PIPE, stderr=PIPE, text=True)
        with first:
            assert first.stderr is not None
            while not re.search("downloaded (25|50) %", first.stderr.readline()):
                assert first.poll() is None
            first.kill()
        go_on.set()
        assert first.returncode == -9
        [job] = sandbox.jobs.of(SAMPLE_CONNECT_ID)
        whole = job.file.open().read()
        kept = part.read_bytes()
        assert len(whole) // 4 <= len(kept) < len(whole)
        assert kept == whole[: len(kept)]
        assert json.loads(side.read_text())["job_id"] == job.id
        assert not target.exists()

        resume = (*COMMAND, "resume", str(handle), "-o", str(target), "--json")
        second = subprocess.run(resume, env=environ, capture_output=True, text=True, timeout=120, check=False)
        assert second.returncode == 0, second.stderr
        assert len(sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 1
    assert target.read_bytes() == whole
    told = json.loads(second.stdout)
    assert told["sha256"] == hashlib.sha256(whole).hexdigest()
    assert told["rows"] == gzip.decompress(whole).count(b"2026-11-01T") == 4000
    assert ranges == [None, f"bytes={len(kept)}-"]
    assert {path.name for path in tmp_path.iterdir()} == {"clicks.csv.gz", "handle.json"}
