"""A Dask cluster on loopback whose workers are killed at random times and during disk operations.

`python -m tests.campaigns.cluster SEED FOLDER` runs the cluster until its stdin is closed. It prints its
address, and at the end the number of workers it has lost. Each worker loads this module (`dask_setup`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, Self

from .moments import NEVER, end_at, on_disk
from .processes import ROOT

if TYPE_CHECKING:
    from distributed import Worker

_WORKERS: Final = 2
_THREADS: Final = 2
_PAUSE: Final = (2.0, 10.0)  # seconds between two kills by the clock
_OFTEN: Final = (5, 20, 60)  # a killed worker gets at most this far, in partitions
_STARTS: Final = "CAMPAIGN_STARTS"  # environment variable of a worker: the folder that counts starts
_SEED: Final = "CAMPAIGN_SEED"


class Cluster:
    """A cluster in a separate process, ended by a `with` block. `killed` then counts the lost workers."""

    def __init__(self, seed: int, environment: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="soapclient-cluster-", ignore_cleanup_errors=True)
        starts = Path(self._folder.name, "starts")
        starts.mkdir()
        more = {
            "TMPDIR": self._folder.name,
            "DASK_TEMPORARY_DIRECTORY": self._folder.name,
            "DASK_DISTRIBUTED__WORKER__PRELOAD": json.dumps(["tests.campaigns.cluster"]),
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), environment.get("PYTHONPATH")))),
            _STARTS: str(starts),
            _SEED: str(seed),
        }
        self.killed = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.cluster", str(seed), self._folder.name],
            cwd=ROOT,
            env={**environment, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # hide the messages of Dask about dying workers
            text=True,
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        starts = len(list(Path(self._folder.name, "starts").iterdir()))
        self.killed = max(0, starts - _WORKERS)
        assert self._process.stdin is not None
        self._process.stdin.close()
        with self._process:
            self._process.wait()
        self._folder.cleanup()


def serve(seed: int, folder: str) -> None:
    """Run the cluster until stdin is closed."""
    from distributed import LocalCluster, Nanny

    random, stopped = Random(f"{seed}/cluster"), threading.Event()
    with LocalCluster(  # type: ignore[no-untyped-call]  # distributed types itself in part
        n_workers=_WORKERS,
        threads_per_worker=_THREADS,
        processes=True,
        dashboard_address="127.0.0.1:0",
        local_directory=folder,
    ) as cluster:

        def kill() -> None:
            while not stopped.wait(random.uniform(*_PAUSE)):
                if len(cluster.scheduler_info["workers"]) < _WORKERS:
                    continue  # a worker is just starting: a slow machine needs time to make progress
                nannies = [one for one in cluster.workers.values() if isinstance(one, Nanny)]
                chosen = random.choice(nannies)
                if chosen.process is not None and (pid := chosen.process.pid) is not None:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
        stopped.set()
        killer.join()


def dask_setup(worker: Worker) -> None:
    """Called by Dask when a worker starts. Decides when this worker ends."""
    from .export_script import settle_soon

    settle_soon()
    number, folder = 0, Path(os.environ[_STARTS])
    while True:
        try:
            (folder / str(number)).mkdir()
            break
        except FileExistsError:
            number += 1
    random = Random(f"{os.environ[_SEED]}/worker/{number}")
    end_at(on_disk(random, random.choice(_OFTEN)) if random.random() < 1 / 2 else NEVER)


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
