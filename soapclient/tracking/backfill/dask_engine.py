"""Run the tasks of a backfill on a Dask cluster. Imported on first use, because it needs `distributed`."""

from __future__ import annotations

import concurrent.futures as cf
from collections.abc import Iterator
from contextlib import contextmanager

import distributed
from distributed.cfexecutor import ClientExecutor

from soapclient.errors import ConfigError

_PATIENCE = 10  # seconds to wait for the scheduler
_PER_THREAD = 2  # tasks per worker, so that no worker waits for an order


class DaskExecutor(ClientExecutor):
    """An executor that runs tasks on a Dask cluster, and reports how many workers the cluster has.

    Implements `soapclient.tracking.backfill.run.HasWorkers`.
    """

    def workers(self) -> int:
        """Return the current number of workers; 0 if the scheduler does not respond."""
        return workers_of(self)


def workers_of(executor: cf.Executor) -> int:
    """Return the current number of workers of a cluster; 0 if its scheduler does not respond."""
    try:
        return len(executor._client.nthreads()) if isinstance(executor, ClientExecutor) else 1
    except OSError:
        return 0


@contextmanager
def dask_executor(scheduler: str) -> Iterator[tuple[cf.Executor, int]]:
    """Connect to a Dask scheduler (`tcp://host:port`) for a `with` block.

    Yields an executor, and the number of tasks to submit at a time so that the cluster is always busy.

    The workers need this package, the credentials of their accounts in their environment, and access to the
    dataset at the same path or URL. Raises ConfigError if the scheduler does not respond or the cluster has
    no workers. Tasks that have not started when the block ends are cancelled.
    """
    try:
        client = distributed.Client(  # type: ignore[no-untyped-call]  # distributed types itself in part
            scheduler, timeout=_PATIENCE
        )
    except (OSError, ValueError) as error:
        raise ConfigError(
            "scheduler",
            f"{scheduler} does not respond: {error}",
            "Give the address of a running Dask scheduler",
        ) from None
    with client:
        threads = sum(client.nthreads().values())  # type: ignore[no-untyped-call]  # typed in part
        if not threads:
            raise ConfigError(
                "scheduler", f"{scheduler} has no workers", "Start workers: dask worker ADDRESS"
            )
        # `pure=False`, because a task that is submitted twice must run twice: its file may have been removed
        # after the first run.
        executor = DaskExecutor(client, pure=False)  # type: ignore[no-untyped-call]  # typed in part
        try:
            yield executor, threads * _PER_THREAD
        finally:
            # The remaining tasks are abandoned and may never run.
            executor.shutdown(wait=False)  # type: ignore[no-untyped-call]  # typed in part
