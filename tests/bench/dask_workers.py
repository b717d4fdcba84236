"""Measure backfills on clusters of Dask with one and four workers: `python -m tests.bench.dask_workers`.

The times are wall times, which depend on the load of the machine. Workers and sandbox share its cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.bench.sandbox import plan_of, sandbox

_WORKERS: Final = (1, 4)


def measure(partitions: int, clicks: int, seconds: float) -> None:
    """Print the seconds that clusters of several sizes take for the same plan."""
    import dask
    import distributed

    from soapclient.tracking.backfill.dask_engine import dask_executor
    from soapclient.tracking.exports import backfill

    print(f"{partitions} partitions of {clicks} rows, jobs of {seconds:g} s, {os.cpu_count()} cores for all")
    times: dict[int, float] = {}
    for count in _WORKERS:
        with (
            sandbox(clicks, seconds),
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
        ratio = times[_WORKERS[0]] / times[count]
        print(f"{count:>2} workers{times[count]:>9.1f} s{ratio:>8.2f} x", flush=True)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=1000)
    parser.add_argument("--clicks", type=int, default=50, help="rows of a partition")
    parser.add_argument("--seconds", type=float, default=0.0, help="duration of a job")
    options = parser.parse_args()
    measure(options.partitions, options.clicks, options.seconds)


if __name__ == "__main__":
    main()
