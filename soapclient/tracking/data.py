"""The client's Data export service: the generated operations, and methods that order and resume exports."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
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

__all__ = ["Data"]


class Data(DataService):
    """The Data export service: all operations of the contract as typed methods, `export` and `exports`.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 1)
    >>> with Client() as client:
    ...     export = client.data.export(report_type="click", from_date=day, to_date=day, reorder=True)
    ...     file = export.wait(deadline=600).download("clicks.csv.gz")
    >>> file.row_count
    250
    """

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

        Call `wait` on the result, then `download`.

        Orders are recorded in a ledger: `ledger`, or the ledger of the setting `state_dir`.

        - With a ledger, ordering the same export again resumes the first order until its file is downloaded
          (see `exports.begin`). So a crash never leads to a second job. With `reorder`, a new job is always
          ordered.
        - Without a ledger, each call orders a new job. If the process ends before the caller has stored the
          export's `handle`, the export must be ordered again.

        `output` is the path for the download. If it cannot be written, nothing is ordered. With a ledger,
        `wait` sends nothing if an earlier run has already downloaded the file.

        Raises ContractError, before anything is sent, for an argument that the service does not accept or has
        removed. Raises OSError if `output` cannot be written, and AmbiguousOrder if it is unclear which job
        belongs to an earlier order. Orders are never retried automatically.
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
        """The object that orders exports. Its method `resume(handle)` resumes an earlier export."""
        from soapclient.tracking.exports.export import Orders
        from soapclient.tracking.exports.jobs.connections import FileConnections
        from soapclient.tracking.exports.jobs.job import ReportJobs

        engine = self.engine
        assert engine.signer is not None  # clients have credentials
        jobs = ReportJobs(
            methods=self,
            tables=PACKAGE.settings,
            config=engine.settings,
            signer=engine.signer,
            within=lambda seconds: self.with_options(deadline=seconds),
            list_jobs=self._list_jobs(),
            time=lambda: engine.their_time,
            clock=engine.clock,
            random=engine.loop.random,
            quota=engine.loop.quota,
            findings=engine.drift,
            offset=lambda: engine.offset,
            files=engine.own(FileConnections(engine.settings, PACKAGE.settings)),
        )
        return Orders(jobs)

    def _list_jobs(self) -> Callable[[], Iterable[object]] | None:
        """Return a function that lists all jobs over all pages, or None if the contract has no job list."""
        names = PACKAGE.settings.job
        if names is None or names.list is None:
            return None
        rows = (operation.row for operation in PACKAGE.operations.values())
        pages = next((row.pages for row in rows if row.method == names.list), None)
        if pages is not None:
            listed = cast("Callable[..., Iterable[object]]", getattr(self.iterate, names.list))
            return partial(listed, **{pages.page: None, pages.items: None})
        stream = cast(
            "Callable[[], AbstractContextManager[Iterable[object]]]", getattr(self.stream, names.list)
        )

        def items() -> Iterator[object]:
            with stream() as listed:
                yield from listed

        return items
