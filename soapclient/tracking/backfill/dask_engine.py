"""A Dask cluster as an executor. Importing this needs distributed, so it is imported late."""

from __future__ import annotations

import concurrent.futures as cf
from collections.abc import Iterator
from contextlib import contextmanager

import distributed
from distributed.cfexecutor import ClientExecutor

from soapclient.errors import ConfigError

_PATIENCE = 10  # seconds for the scheduler to answer
_PER_THREAD = 2  # so that no worker waits for an order


class DaskExecutor(ClientExecutor):
    """A client's executor that tells how many workers are left (soapclient.tracking.backfill.run)."""

    def workers(self) -> int:
        """How many workers the cluster has now; none where its scheduler does not answer."""
        return workers_of(self)


def workers_of(executor: cf.Executor) -> int:
    """Return how many workers the cluster of a client's executor has now; 0 where its scheduler is silent."""
    try:
        return len(executor._client.nthreads()) if isinstance(executor, ClientExecutor) else 1
    except OSError:
        return 0


@contextmanager
def dask_executor(scheduler: str) -> Iterator[tuple[cf.Executor, int]]:
    """An executor on the cluster of a scheduler (`tcp://host:port`), and how many tasks keep it busy.

    The workers need this package, their accounts' credentials in their environment, and the dataset's
    location under the same name. Raises ConfigError where nothing answers there, or the cluster has no
    workers. When the block is left early, what has not begun is cancelled.
    """
    try:
        client = distributed.Client(  # type: ignore[no-untyped-call]  # distributed types itself in part
            scheduler, timeout=_PATIENCE
        )
    except (OSError, ValueError) as error:
        raise ConfigError(
            "scheduler", f"{scheduler} does not answer: {error}", "Give that of a running Dask scheduler"
        ) from None
    with client:
        threads = sum(client.nthreads().values())  # type: ignore[no-untyped-call]  # typed in part
        if not threads:
            raise ConfigError("scheduler", f"{scheduler} has no workers", "Start some: dask worker ADDRESS")
        # Not pure: the same task given twice is to be done twice, for the file may be gone in between.
        executor = DaskExecutor(client, pure=False)  # type: ignore[no-untyped-call]  # typed in part
        try:
            yield executor, threads * _PER_THREAD
        finally:
            # What is left by then was given up: nobody may ever do it.
            executor.shutdown(wait=False)  # type: ignore[no-untyped-call]  # typed in part
