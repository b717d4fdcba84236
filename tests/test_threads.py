"""One client and many threads: each gets the response to its own request, and resources do not accumulate."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from types import MethodType

import pytest

from soapclient import Client, Settings

THREADS, CALLS = 64, 20  # calls of each thread in each round
JOB = (
    '<GetJobResponse xmlns="http://data.zanox.com/namespace/2011-05-01/"><jobItem id="%s">'
    "<status>done</status></jobItem></GetJobResponse>"
)


class Jobs(ThreadingHTTPServer):
    """Responds with the requested job, and tracks its open connections and their threads."""

    daemon_threads = True
    request_queue_size = 2 * THREADS

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Job)
        self.open: dict[object, threading.Thread] = {}
        self.closed = threading.Condition()
        self._ended: list[threading.Thread] = []

    def end(self, client_address: object) -> None:
        with self.closed:
            self._ended.append(self.open.pop(client_address))
            self.closed.notify_all()

    def settle(self, connections: int) -> None:
        """Wait until no more connections are open, and the threads of the others have ended."""
        with self.closed:
            assert self.closed.wait_for(lambda: len(self.open) <= connections, 60)
            ended, self._ended = self._ended, []
        for thread in ended:
            thread.join()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


class Job(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Jobs
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self.server.open[self.client_address] = threading.current_thread()

    def finish(self) -> None:
        super().finish()
        self.server.end(self.client_address)

    def do_GET(self) -> None:
        body = (JOB % self.path.rpartition("/")[2]).encode()
        self.send_response_only(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    server = Jobs()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def _objects() -> int:
    """Count the objects of this process, without the four methods that coverage.py keeps of each thread."""
    gc.collect()
    return sum(
        not (isinstance(item, MethodType) and type(item.__self__).__module__ == "coverage.collector")
        for item in gc.get_objects()
    )


@pytest.mark.exhaustive
def test_sixty_four_threads_share_a_client(
    jobs: Jobs, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING)
    # Each thread keeps its last signatures, to hide them in errors. The first round reaches this number.
    monkeypatch.setattr("soapclient.auth.issued._REQUESTS", CALLS)
    config = Settings(
        connect_id="802B8BF4AE99EBE00F41",
        secret_key="fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44",
        data_url=f"http://127.0.0.1:{jobs.server_address[1]}",
        data_protocol="rest",
        pool_size=16,  # fewer than the number of threads
    )
    start = threading.Barrier(THREADS)

    def work(number: int) -> list[str | None]:
        start.wait(60)
        asked = [f"job-{number}-{call}" for call in range(CALLS)]
        found = []
        for each in asked:
            item = client.data.get_job(job_id=each).job_item
            found.append(None if item is None else str(item.id))
        return [one for one, each in zip(found, asked, strict=True) if one != each]

    with Client(config) as client, ThreadPoolExecutor(THREADS) as pool:
        objects = []
        for _ in range(3):
            assert [wrong for found in pool.map(work, range(THREADS)) for wrong in found] == []
            # The server is in this process, so closed connections and their threads are objects, too.
            jobs.settle(config.pool_size)
            objects.append(_objects())
        # No object is kept per call: that would grow in every round. The first calls may fill caches, and a
        # round may leave more connections in the pool than the one before.
        growth = min(after - before for before, after in pairwise(objects))
        assert growth < THREADS * CALLS // 10, objects
        assert client.drift.counts() == {}
    assert caplog.records == []
