"""The sandbox in another process, for backfills, and the plans of the measured backfills."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.tracking.backfill import Plan

_FIRST: Final = date(2023, 1, 1)
# An identical request gets the identical response: the sandbox would refuse its nonce, and a refusal is not
# comparable. This costs time in the server's process only, which is not measured.
_SERVER: Final = """
import io, sys
from datetime import timedelta
from werkzeug.wrappers import Request, Response
from soapclient.tracking.sandbox import JobSteps, Sandbox, serve
responses, pending = {}, set()
def remembered(request):
    body = request.get_data()
    key = (request.full_path, str(request.headers), body)
    if key not in responses:
        if key in pending:
            return None
        pending.add(key)
        environ = {**request.environ, "wsgi.input": io.BytesIO(body)}
        response = sandbox.answer(Request(environ))
        responses[key] = (b"".join(response.iter_encoded()), response.status_code, response.headers)
    return Response(*responses[key])
steps = JobSteps(running=timedelta(0), done=timedelta(seconds=float(sys.argv[2])))
with Sandbox(clicks_per_day=int(sys.argv[1]), job_steps=steps) as sandbox, serve(sandbox) as server:
    sandbox.interfere = remembered
    print(server.url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def sandbox(clicks: int, seconds: float = 0.0) -> Iterator[str]:
    """Serve a sandbox in another process, with jobs that take `seconds`. Sets its clients' environment."""
    from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY

    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(clicks), str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        os.environ |= {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_DATA_URL": url,
        }
        try:
            yield url
        finally:
            process.communicate("")


def plan_of(folder: Path, partitions: int) -> Plan:
    """Return a plan for clicks with one day per partition."""
    from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan

    return Plan(
        accounts=(BackfillAccount(name="bench"),),
        reports=(BackfillReport(type="click"),),
        first=_FIRST,
        last=_FIRST + timedelta(days=partitions - 1),
        output=str(folder / "dataset"),
        work=folder / "work",
    )
