"""A Dask cluster as an executor. Importing this needs distributed, so it is imported late."""

from __future__ import annotations

import concurrent.futures as cf
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import distributed
from distributed.cfexecutor import ClientExecutor

from soapclient.errors import ConfigError

_PATIENCE = 10  # seconds for the scheduler to answer
_PER_THREAD = 2  # so that no worker waits for an order

P = ParamSpec("P")
T = TypeVar("T")


class DaskExecutor(cf.Executor):
    """An executor on a client's cluster that tells how many workers are left (soapclient.backfill.run)."""

    def __init__(self, client: distributed.Client, inner: cf.Executor | None = None) -> None:
        self._client = client
        # Not pure: the same task given twice is to be done twice, for the file may be gone in between.
        # distributed types itself in part
        self._inner = inner or client.get_executor(pure=False)  # type: ignore[no-untyped-call]

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> cf.Future[T]:
        """As Executor.submit."""
        future: cf.Future[T] = self._inner.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As Executor.shutdown."""
        self._inner.shutdown(wait=wait and not cancel_futures)

    def workers(self) -> int:
        """How many workers the cluster has now; none where its scheduler does not answer."""
        try:
            # distributed types itself in part
            return len(self._client.nthreads())  # type: ignore[no-untyped-call]
        except OSError:
            return 0


def staffed(executor: cf.Executor) -> cf.Executor:
    """The same executor, which also tells how many workers are left if it is one of a Dask client's own.

    Such a one would wait for workers for ever.
    """
    client = getattr(executor, "_client", None) if isinstance(executor, ClientExecutor) else None
    return executor if client is None else DaskExecutor(client, executor)


@contextmanager
def dask_executor(scheduler: str) -> Iterator[tuple[cf.Executor, int]]:
    """An executor on the cluster of a scheduler (`tcp://host:port`), and how many tasks keep it busy.

    The workers need this package, their accounts' credentials in their environment, and the dataset's
    location under the same name. Raises ConfigError where nothing answers there, or the cluster has no
    workers. When the block is left early, what has not begun is cancelled.
    """
    try:
        # distributed types itself in part
        client = distributed.Client(scheduler, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ConfigError(
            "scheduler", f"{scheduler} does not answer: {error}", "Give that of a running Dask scheduler"
        ) from None
    with client:
        # distributed types itself in part
        threads = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
        if not threads:
            raise ConfigError("scheduler", f"{scheduler} has no workers", "Start some: dask worker ADDRESS")
        executor = DaskExecutor(client)
        try:
            yield executor, threads * _PER_THREAD
        finally:
            executor.shutdown(wait=False)  # what is left by then was given up: nobody may ever do it
