"""Measure a backfill against its plain HTTP calls, or with more workers: `python tests/bench/backfill.py`.

The sandbox runs in another process, so that only the client is measured. README.md in this folder explains
the table.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import requests

from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan
from soapclient.tracking.exports import backfill
from soapclient.tracking.exports.formats.arrow import schema_for
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from zxws.data.service import PACKAGE

_FIRST = date(2023, 1, 1)
# An identical request gets the identical response: the sandbox would refuse its nonce, and a refusal is not
# comparable. This costs time in the server's process only, which is not measured.
_SERVER = """
import io, sys
from datetime import timedelta
from werkzeug.wrappers import Request, Response
from soapclient.tracking.sandbox import JobSteps, Sandbox, serve
answers, inside = {}, set()
def remembered(request):
    body = request.get_data()
    key = (request.full_path, str(request.headers), body)
    if key not in answers:
        if key in inside:
            return None
        inside.add(key)
        environ = {**request.environ, "wsgi.input": io.BytesIO(body)}
        answer = sandbox.answer(Request(environ))
        answers[key] = (b"".join(answer.iter_encoded()), answer.status_code, answer.headers)
    return Response(*answers[key])
steps = JobSteps(running=timedelta(0), done=timedelta(seconds=float(sys.argv[2])))
with Sandbox(clicks_per_day=int(sys.argv[1]), job_steps=steps) as sandbox, serve(sandbox) as server:
    sandbox.interfere = remembered
    print(server.url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def served(clicks: int, seconds: float = 0.0) -> Iterator[str]:
    """Serve a sandbox in another process, with jobs that take `seconds`. Sets its clients' environment."""
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
    return Plan(
        accounts=(BackfillAccount(name="bench"),),
        reports=(BackfillReport(type="click"),),
        first=_FIRST,
        last=_FIRST + timedelta(days=partitions - 1),
        output=str(folder / "dataset"),
        work=folder / "work",
    )


@contextmanager
def kept_requests() -> Iterator[list[requests.PreparedRequest]]:
    """Collect the prepared requests that this process sends with requests."""
    sent: list[requests.PreparedRequest] = []
    send = requests.Session.send

    def keep(
        self: requests.Session, request: requests.PreparedRequest, **options: object
    ) -> requests.Response:
        sent.append(request.copy())
        return send(self, request, **options)  # type: ignore[arg-type]  # passed through

    requests.Session.send = keep  # type: ignore[method-assign]  # the bench has its own process
    try:
        yield sent
    finally:
        requests.Session.send = send  # type: ignore[method-assign]  # restore


def cpu(work: Callable[[], object]) -> float:
    """Return the process time of a call, in seconds, over all threads."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def against_bare(partitions: int, clicks: int) -> None:
    """Compare the client's CPU time per partition with the HTTP calls of the run, repeated with requests."""
    with served(clicks) as url, tempfile.TemporaryDirectory() as folder:
        backfill(plan_of(Path(folder, "warm"), 1))  # warm up: imports, contract and tables
        with kept_requests() as sent:
            took = cpu(lambda: backfill(plan_of(Path(folder), partitions)))
        kinds = {"POST": 0, "GET": 0}
        for request in sent:
            kinds[request.method or "GET"] += 1
        target = Path(folder, "same.parquet")
        columns = schema_for(PACKAGE.settings.columns["click"])
        plain(gzip.compress(",".join(columns.names).encode() + b"\r\n"), columns, target)  # imports
        with requests.Session() as session:

            def again(use: Callable[[bytes], object]) -> None:
                for request in sent:
                    with session.send(request, stream=True) as answer:
                        checked(answer, url)
                        body = b"".join(iter(lambda: answer.raw.read(1 << 16), b""))
                        if request.method == "GET":
                            use(body)

            calls_took = cpu(lambda: again(len))
            both_took = cpu(lambda: again(lambda body: plain(body, columns, target)))
        rows = partitions * clicks
        calls = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        print(f"{partitions} partitions, {rows} rows, {len(sent)} calls ({calls})")
        print(f"{'':<38}{'ms CPU a partition':>20}{'backfill, x it':>16}")
        for name, seconds in (
            ("backfill", took),
            ("its HTTP calls alone", calls_took),
            ("its HTTP calls and pyarrow's Parquet", both_took),
        ):
            print(f"{name:<38}{seconds / partitions * 1e3:>20.2f}{took / seconds:>16.2f}")


def plain(body: bytes, columns: pa.Schema, target: Path) -> None:
    """Convert the file of a partition with pyarrow alone and the same types, without checks."""
    convert = pyarrow.csv.ConvertOptions(column_types=columns, strings_can_be_null=True)
    text = pa.BufferReader(gzip.decompress(body))
    # pyarrow's own stream
    table = pyarrow.csv.read_csv(text, convert_options=convert)  # type: ignore[arg-type]
    pq.write_table(table, target, compression="zstd")


def checked(answer: requests.Response, url: str) -> None:
    """Raise SystemExit if the sandbox did not repeat its first response."""
    if answer.status_code != 200:
        raise SystemExit(f"{url} answered {answer.status_code}: the comparison would not be fair")


def with_dask(partitions: int, clicks: int, seconds: float, workers: tuple[int, ...]) -> None:
    """Measure the seconds that clusters of several sizes take for the same plan."""
    import dask
    import distributed

    from soapclient.tracking.backfill.dask_engine import dask_executor

    print(f"{partitions} partitions of {clicks} rows, jobs of {seconds:g} s, {os.cpu_count()} cores for all")
    times: dict[int, float] = {}
    for count in workers:
        with (
            served(clicks, seconds),
            tempfile.TemporaryDirectory() as folder,
            dask.config.set(temporary_directory=folder),
            distributed.LocalCluster(  # type: ignore[no-untyped-call]  # partly typed
                n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            dask_executor(cluster.scheduler_address) as (executor, at_work),
        ):
            # Each worker loads its libraries and opens its client before the measurement.
            backfill(plan_of(Path(folder, "warm"), 4 * count), executor, jobs=at_work)
            begin = time.perf_counter()
            summary = backfill(plan_of(Path(folder), partitions), executor, jobs=at_work)
            times[count] = time.perf_counter() - begin
            assert summary.exit_code == 0, summary.failed[:3]
        print(
            f"{count:>2} workers{times[count]:>9.1f} s{times[workers[0]] / times[count]:>8.2f} x", flush=True
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=1000)
    parser.add_argument("--clicks", type=int, default=50, help="rows of a partition")
    parser.add_argument("--seconds", type=float, default=0.0, help="what a job takes, with --dask")
    parser.add_argument("--dask", action="store_true", help="4 Dask workers against 1, instead")
    arguments = parser.parse_args()
    if arguments.dask:
        with_dask(arguments.partitions, arguments.clicks, arguments.seconds, (1, 4))
    else:
        against_bare(arguments.partitions, arguments.clicks)


if __name__ == "__main__":
    main()
