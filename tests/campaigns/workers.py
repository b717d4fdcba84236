"""Worker processes of the campaign `processes`: each way to share a client, one line of JSON per call."""

from __future__ import annotations

import asyncio
import datetime as dt
import faulthandler
import json
import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from typing import Any, Final

from soapclient import AsyncClient, Client, Settings
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from zxws.publisher.types import AdspaceItem

from .faces import adspace
from .processes import codes_of, fork, in_threads

FIRST: Final = dt.date(2026, 11, 1)
WORKERS: Final = 4
_CREATED: Final = 0.15  # share of all calls


@dataclass(frozen=True)
class Asked:
    """The work for a way: `total` calls, determined by a seed, for the sales with these ids."""

    url: str
    protocol: str
    seed: int
    total: int
    ids: Sequence[str]
    deadline: float = 120.0
    plant: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def config(self) -> Settings:
        rest = self.protocol != "SOAP"
        return Settings(
            connect_id=SAMPLE_CONNECT_ID,
            secret_key=SAMPLE_SECRET_KEY,
            publisher_url=self.url,
            publisher_protocol="rest" if rest else "soap",
            rest_format="json" if self.protocol == "JSON" else "xml",
            deadline=self.deadline,
            attempts=1,  # a second attempt would hide the failure of the first
        ).carrying_secrets()


@dataclass
class Worker:
    """A thread, task or process that shares a client."""

    asked: Asked
    way: str
    name: str

    def call(self, client: Client, number: int) -> None:
        """Make a call and report how it ended."""
        kind, what = self._what(number)
        with self._reported(kind, what) as responses:
            responses.append(self._sent(client, kind, what))

    async def ask(self, client: AsyncClient, number: int) -> None:
        """Make a call with asyncio and report how it ended."""
        kind, what = self._what(number)
        with self._reported(kind, what) as responses:
            responses.append(await self._sent(client, kind, what))

    def _sent(self, client: Client | AsyncClient, kind: str, what: str) -> Any:
        """Return the response, or what can be awaited for it."""
        mine = client.with_options(headers={"X-Process": f"{self.way}-{os.getpid()}"}).publisher
        if kind == "create":
            return mine.create_adspace(adspace_item=adspace(AdspaceItem, what, None, 1))
        return mine.get_sale(sale_id=what)

    @contextmanager
    def _reported(self, kind: str, what: str) -> Iterator[list[Any]]:
        responses: list[Any] = []
        try:
            yield responses
            created = kind == "create"
            item = responses[0].adspace_item if created else responses[0].sale_item
            got = None if item is None else item.name if created else item.id
        except Exception as error:
            self.tell(kind, what, error=f"{type(error).__name__}: {error}")
        else:
            self.tell(kind, what, got=got)

    def _what(self, number: int) -> tuple[str, str]:
        random = Random(f"{self.asked.seed}/{self.way}/{self.name}/{number}")
        if random.random() < _CREATED:
            return "create", f"{self.way} {self.name} {number}"
        return "sale", random.choice(self.asked.ids)

    def tell(self, kind: str, what: str, **end: object) -> None:
        line = json.dumps({"worker": self.name, "kind": kind, "asked": what, **end})
        os.write(1, line.encode()[:4000] + b"\n")  # one write: lines of several processes do not mix

    def calls(self, client: Client, numbers: range) -> None:
        for number in numbers:
            self.call(client, number)


def _used(asked: Asked) -> Client:
    """Return a used client that has several open connections."""
    client = Client(asked.config())
    in_threads([client.publisher.get_profile] * WORKERS)
    if asked.plant:
        PLANTS[asked.plant](client)
    return client


def _shared_sockets(client: Client) -> None:
    """Plant a bug: a forked child keeps the connections of its parent."""
    from soapclient.transport.connections import TimedAdapter

    del client
    TimedAdapter.renew = lambda self: None  # type: ignore[method-assign] # planted bug


def _same_nonces(client: Client) -> None:
    """Plant a bug: children inherit the state of the nonce generator."""
    random = Random(1)
    signer = client.publisher.engine.signer
    assert signer is not None
    signer._nonce_source = lambda: f"{random.getrandbits(160):040x}"


PLANTS: Final[dict[str, Callable[[Client], None]]] = {"sockets": _shared_sockets, "nonces": _same_nonces}


def _shares(total: int, parts: int) -> list[range]:
    """Divide the numbers of calls into `parts` ranges."""
    return [range(at * total // parts, (at + 1) * total // parts) for at in range(parts)]


def _threads(asked: Asked, way: str) -> None:
    with _used(asked) as client:
        in_threads(
            partial(Worker(asked, way, f"thread{at}").calls, client, numbers)
            for at, numbers in enumerate(_shares(asked.total, 2 * WORKERS))
        )


def _ended(children: Sequence[int]) -> None:
    if any(codes := codes_of(children)):
        sys.exit(f"children ended with {codes}")


def _forks(asked: Asked, way: str) -> None:
    """Fork children and a grandchild after calls, while the parent continues."""
    shares = _shares(asked.total, WORKERS + 2)
    with _used(asked) as client:

        def child(at: int) -> None:
            Worker(asked, way, f"child{at}").calls(client, shares[at])
            if at == 0:
                _ended([fork(partial(Worker(asked, way, "grandchild").calls, client, shares[WORKERS]))])

        children = [fork(partial(child, at)) for at in range(WORKERS)]
        Worker(asked, way, "parent").calls(client, shares[-1])
        _ended(children)


def _midway(asked: Asked, way: str) -> None:
    """Fork children repeatedly while threads of the parent are making calls."""
    rounds = max(1, min(20, asked.total // 8))
    shares = _shares(asked.total, 2)
    of_children = _shares(len(shares[0]), rounds)
    with _used(asked) as client:
        threads = [
            threading.Thread(
                target=Worker(asked, way, f"thread{at}").calls,
                args=(client, range(shares[1].start + numbers.start, shares[1].start + numbers.stop)),
            )
            for at, numbers in enumerate(_shares(len(shares[1]), WORKERS))
        ]
        for each in threads:
            each.start()
        children = [
            fork(partial(Worker(asked, way, f"child{at}").calls, client, numbers))
            for at, numbers in enumerate(of_children)
        ]
        for each in threads:
            each.join()
        _ended(children)


def _preload(asked: Asked, way: str) -> None:
    """Fork workers as gunicorn --preload does: all start at the same time, and the parent continues."""
    shares = _shares(asked.total, 2 * WORKERS + 1)
    out, into = os.pipe()
    with _used(asked) as client:

        def child(at: int) -> None:
            os.close(into)
            os.read(out, 1)  # wait until the parent starts all children at the same time
            half = len(shares[at]) // 2
            name, numbers = f"worker{at}", shares[at]
            in_threads(
                partial(Worker(asked, way, f"{name}{end}").calls, client, part)
                for end, part in (("a", numbers[:half]), ("b", numbers[half:]))
            )

        children = [fork(partial(child, at)) for at in range(2 * WORKERS)]
        os.close(out)
        os.close(into)
        Worker(asked, way, "parent").calls(client, shares[-1])
        _ended(children)


_client: Client | None = None


def _in_pool(asked: Asked, way: str, given: tuple[str, range]) -> None:
    """Do a piece of work in a pool process, with the client that it inherited or received."""
    assert _client is not None
    Worker(asked, way, given[0]).calls(_client, given[1])


def _receive(client: Client) -> None:
    global _client  # noqa: PLW0603 - pools pass objects to their processes in this way
    _client = client
    faulthandler.enable()


def _pool(asked: Asked, way: str, method: str) -> None:
    pieces = [(f"piece{at}", numbers) for at, numbers in enumerate(_shares(asked.total, 4 * WORKERS))]
    most = WORKERS if method == "fork" else 2
    with _used(asked) as client:
        _receive(client)
        given = () if method == "fork" else (client,)
        start = None if method == "fork" else _receive
        with multiprocessing.get_context(method).Pool(most, start, given) as pool:
            pool.map(partial(_in_pool, asked, way), pieces, chunksize=1)
            pool.close()
            pool.join()


def _asyncio(asked: Asked, way: str) -> None:
    """Run tasks and threads at the same time, then fork a child."""
    shares = _shares(asked.total, WORKERS + 1)

    async def tasks() -> None:
        async with AsyncClient(asked.config()) as client:
            some = [number for share in shares[: WORKERS // 2] for number in share]
            worker = Worker(asked, way, "task")
            await asyncio.gather(*(worker.ask(client, number) for number in some))

    with _used(asked) as client:
        works = [
            partial(Worker(asked, way, f"thread{at}").calls, client, numbers)
            for at, numbers in enumerate(shares[WORKERS // 2 : WORKERS])
        ]
        in_threads([partial(asyncio.run, tasks()), *works])
        _ended([fork(partial(Worker(asked, way, "child").calls, client, shares[-1]))])


def _of_dask(asked: Asked, way: str, client: Client, given: tuple[str, int, int]) -> list[str]:
    """Run on a Dask worker, whose own output is not read. Returns the lines."""
    told: list[str] = []
    worker = Worker(asked, way, given[0])
    worker.tell = lambda kind, what, **end: told.append(  # type: ignore[method-assign] # collect the lines
        json.dumps({"worker": given[0], "kind": kind, "asked": what, **end})
    )
    worker.calls(client, range(*given[1:]))
    return told


def _dask(asked: Asked, way: str) -> None:
    import distributed

    pieces = [
        (f"piece{at}", numbers.start, numbers.stop) for at, numbers in enumerate(_shares(asked.total, 8))
    ]
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # distributed is only partly typed
    cluster_of: Callable[..., distributed.LocalCluster] = distributed.LocalCluster
    client_of: Callable[..., distributed.Client] = distributed.Client
    with (
        cluster_of(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster,
        client_of(cluster) as dask,
        _used(asked) as client,
    ):
        submit: Callable[..., list[object]] = dask.map
        gather: Callable[..., list[list[str]]] = dask.gather
        for told in gather(submit(partial(_of_dask, asked, way, client), pieces, pure=False)):
            for line in told:
                os.write(1, line.encode() + b"\n")


WAYS: Final[dict[str, Callable[[Asked, str], None]]] = {
    "threads": _threads,
    "forks": _forks,
    "forks midway": _midway,
    "preload": _preload,
    "pool": partial(_pool, method="fork"),
    "spawn": partial(_pool, method="spawn"),
    "asyncio": _asyncio,
    "dask": _dask,
}


def main() -> None:
    """Run the way named in the argument. The work comes from stdin."""
    faulthandler.enable()
    logging.disable(logging.CRITICAL)
    WAYS[sys.argv[1]](Asked(**json.loads(sys.stdin.read())), sys.argv[1].replace(" ", "-"))


if __name__ == "__main__":
    main()
