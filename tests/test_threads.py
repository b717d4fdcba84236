"""One client and many threads: each gets the response to its own request, and nothing piles up."""

from __future__ import annotations

import gc
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from soapclient import Client, Config

THREADS, CALLS = 64, 100
JOB = (
    '<GetJobResponse xmlns="http://data.zanox.com/namespace/2011-05-01/"><jobItem id="%s">'
    "<status>done</status></jobItem></GetJobResponse>"
)


class Jobs(ThreadingHTTPServer):
    """Answers what it is asked for, and counts whom it talks to at a time."""

    daemon_threads = True
    request_queue_size = 2 * THREADS

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Job)
        self.open: Counter[object] = Counter()
        self.closed = threading.Condition()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up."""


class Job(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Jobs
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self.server.open[self.client_address] += 1

    def finish(self) -> None:
        super().finish()
        with self.server.closed:
            del self.server.open[self.client_address]
            self.server.closed.notify_all()

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


def test_sixty_four_threads_share_a_client(jobs: Jobs, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    config = Config(
        connect_id="802B8BF4AE99EBE00F41",
        secret_key="fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44",
        data_url=f"http://127.0.0.1:{jobs.server_address[1]}",
        data_protocol="rest",
        pool_size=16,  # fewer than there are threads
    )
    start = threading.Barrier(THREADS)

    def work(number: int) -> list[str | None]:
        start.wait(60)
        asked = [f"job-{number}-{call}" for call in range(CALLS // 2)]
        found = []
        for each in asked:
            item = client.data.get_job(job_id=each).job_item
            found.append(None if item is None else str(item.id))
        return [one for one, each in zip(found, asked, strict=True) if one != each]

    with Client(config) as client, ThreadPoolExecutor(THREADS) as pool:
        objects = []
        for _ in range(2):
            assert [wrong for found in pool.map(work, range(THREADS)) for wrong in found] == []
            gc.collect()
            objects.append(len(gc.get_objects()))
        assert objects[1] < objects[0] + THREADS * CALLS // 20  # nothing is kept of each call
        with jobs.closed:  # those that had no room in the pool are being closed
            assert jobs.closed.wait_for(lambda: len(jobs.open) <= config.pool_size, 60)
        assert client.drift.counts() == {}
    assert caplog.records == []
