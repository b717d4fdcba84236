"""A complete run of one client: reads, writes, streams, pages, exports, each with every kind of failure."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from soapclient import AsyncClient, Client
from soapclient.testing.builders import complete
from soapclient.tracking.backfill.plan import Plan
from soapclient.tracking.exports.orders.ledger import Ledger
from zxws.publisher.types import AdspaceItem

from .places import Places
from .service import FAULTS, Act, Echo, challenge, drop, fault, hang, refused, stranger

Call = Callable[[Client], object]
Faults = Sequence[Act]
DAY: Final = dt.date(2026, 11, 1)


def tried(places: Places, what: str, call: Callable[[], object]) -> object:
    """Return the result of a call. An error is searched and returned."""
    try:
        found = call()
    except Exception as error:
        places.error(what, error)
        return error
    return found


def plan_of(folder: Path) -> Plan:
    """Return the plan of a backfill of one report of one account."""
    (folder / "plan.toml").write_text(
        f'output = "{folder}/data"\nwork = "{folder}/work"\nfrom = "{DAY}"\nto = "{DAY}"\n'
        'accounts = [{name = "main"}]\nreports = [{type = "click"}]\n'
    )
    return Plan.load(folder / "plan.toml")


class Run:
    """The calls of one client and everything they leave behind. `failed` counts the searched errors."""

    def __init__(self, places: Places, echo: Echo, client: Client, folder: Path, faults: Faults) -> None:
        self.places = places
        self.echo = echo
        self.client = client
        self.folder = folder
        self.faults = faults
        self.failed = 0

    def __call__(self) -> None:
        calls: dict[str, Call] = {
            "GetProfile": lambda client: client.publisher.get_profile(),
            "GetProgramCategories (public)": lambda client: client.publisher.get_program_categories(),
            "CreateAdspace": lambda client: client.publisher.create_adspace(
                adspace_item=complete(AdspaceItem)
            ),
        }
        self.each(calls, self.faults)
        self.each({"stream of GetSales": streamed, "pages of GetSales": _paged}, (stranger, drop, fault))
        self._export()
        self.places.reachable("the client", self.client)
        self.places.value("a view", self.client.with_options(deadline=3))

    def each(self, calls: dict[str, Call], faults: Faults) -> None:
        """Make each call without a fault, then with each fault."""
        hasty = self.client.with_options(timeout=0.3)
        for what, call in calls.items():
            found = tried(self.places, what, partial(call, self.client))
            assert not isinstance(found, Exception), (what, found)
            self.places.value(f"response of {what}", found)
            for act in faults:
                self.echo.acts.append(act)
                doing = partial(call, hasty if act is hang else self.client)
                failed = isinstance(tried(self.places, f"{what}, {act.__name__}", doing), Exception)
                assert failed or act.__name__ in ("stranger", "wrong_value"), (what, act.__name__)
                self.failed += failed
                self.echo.acts.clear()

    def _export(self) -> None:
        """Make an order that is lost and then found; a download fails and then succeeds."""
        data = self.client.data
        ledger = Ledger(self.folder / "state", account="ours")
        order: Callable[[], object] = lambda: data.export(  # noqa: E731 - one of a kind
            report_type="click", from_date=DAY, to_date=DAY, ledger=ledger
        )
        self.echo.acts.append(drop)
        tried(self.places, "an order without a response", order)
        self.echo.acts.clear()
        export = data.export(report_type="click", from_date=DAY, to_date=DAY, ledger=ledger)
        self.places.value("an export", export)
        self.places.value("its handle", export.handle)
        self.places.keep("its handle as JSON", export.handle.to_json())
        export.wait(10)
        target = self.folder / "clicks.csv.gz"
        for act in (fault, refused, challenge, drop):
            self.echo.acts.append(act)
            tried(self.places, f"download, {act.__name__}", lambda: export.download(target, 5))
            self.echo.acts.clear()
        file = export.download(target, 10)
        self.places.value("the file", file)


def streamed(client: Client) -> object:
    """Iterate over a list while it arrives."""
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        return list(sales)


def _paged(client: Client) -> object:
    return list(client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate", items=3))


def plainly(run: Run) -> None:
    """Make the same calls with zeep's own service."""
    zeep = run.client.publisher.zeep
    run.each({"plain GetProfile": lambda client: client.publisher.zeep.GetProfile()}, FAULTS)
    run.places.value("the plain service", zeep)


def on_asyncio(run: Run) -> None:
    """Make the same calls with asyncio in debug mode, which logs the running code."""

    async def go() -> None:
        async with AsyncClient(run.client.settings) as client:
            await client.publisher.get_profile()
            for act in FAULTS:
                run.echo.acts.append(act)
                asked = client.with_options(timeout=0.3) if act is hang else client
                try:
                    await asked.publisher.get_profile()
                except Exception as error:
                    run.places.error(f"asyncio, {act.__name__}", error)
                run.echo.acts.clear()
            task = asyncio.ensure_future(client.publisher.get_profile())
            run.places.value("a task", task)
            await task
            run.places.reachable("the client for asyncio", client)

    asyncio.run(go(), debug=True)
