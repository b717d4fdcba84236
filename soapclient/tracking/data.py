"""The Data export service as the client offers it: the generated service, and exports."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

from soapclient._support.forks import lazy
from soapclient.calling.engine import Engine
from zxws.data.service import PACKAGE, DataService

if TYPE_CHECKING:
    from soapclient.tracking.exports.export import Export, Orders
    from soapclient.tracking.exports.orders.ledger import Ledger
    from soapclient.tracking.settings import Settings
    from zxws.data.types import OrderOptions


class Data(DataService):
    """All operations of the contract as typed methods, and exports, which are made of them."""

    def __init__(self, engine: Engine[Settings]) -> None:
        super().__init__(engine)
        self.engine = engine

    def export(
        self,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        ledger: Ledger | None = None,
        reorder: bool = False,
        output: str | os.PathLike[str] | None = None,
        **options: Unpack[OrderOptions],
    ) -> Export:
        """Order an export of the days from `from_date` to `to_date`, both included.

        `wait` for what this returns, then `download` it. Where the setting `state_dir` names a folder, or a
        `ledger` is given, no crash can lead to a second job: the same export asked for again goes on with
        the first until that is downloaded (`exports.begin`; `reorder` orders anew). Without either each call
        orders, and whoever dies before keeping `handle` will order again. `output` is the path that the file
        is to be downloaded to: where it could not be written, nothing is ordered, and with a ledger `wait`
        does not ask for what an earlier run has brought there. Raises ContractError, with
        nothing sent, for what the service does not take or no longer takes, OSError for an `output` that
        cannot be, AmbiguousOrder if it is unclear which job belongs to an earlier order. An order is never
        retried by itself.
        """
        from soapclient._support.part_file import check_target

        exports = self.exports
        ledger = exports.state() if ledger is None else ledger
        if ledger is None:
            if output is not None:
                check_target(Path(output))
            return exports.order(report_type=report_type, from_date=from_date, to_date=to_date, **options)
        return exports.begin(
            ledger,
            report_type=report_type,
            from_date=from_date,
            to_date=to_date,
            reorder=reorder,
            output=output,
            **options,
        )

    @lazy
    def exports(self) -> Orders:
        """Orders exports, and goes on with those that were ordered before: `exports.resume(handle)`."""
        from soapclient.tracking.exports.export import Orders
        from soapclient.tracking.exports.jobs.job import ReportJobs

        engine = self.engine
        assert engine.signer is not None  # clients have credentials
        return Orders(
            ReportJobs(
                methods=self,
                tables=PACKAGE.settings,
                config=engine.settings,
                signer=engine.signer,
                within=lambda deadline: DataService(engine.within(deadline)),
                list_jobs=self._list_jobs(),
                time=lambda: engine.their_time,
                clock=engine.clock,
                random=engine.loop.random,
                quota=engine.loop.quota,
                findings=engine.drift,
                offset=lambda: engine.offset,
            )
        )

    def _list_jobs(self) -> Callable[[], Iterable[object]] | None:
        """The operation that lists jobs, over all pages; None if the contract has none."""
        names = PACKAGE.settings.job
        if names is None or names.list is None:
            return None
        if (pages := getattr(self.iterate, names.list, None)) is not None:
            return cast("Callable[[], Iterable[object]]", pages)
        stream = cast(
            "Callable[[], AbstractContextManager[Iterable[object]]]", getattr(self.stream, names.list)
        )

        def items() -> Iterator[object]:
            with stream() as listed:
                yield from listed

        return items
