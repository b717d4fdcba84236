"""The partitions of a plan: which request each is, and where it lies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from soapclient.backfill.order_check import request_of
from soapclient.backfill.plan import Account, Format, Plan, Report
from soapclient.exports.cells import typed_columns
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.runtime.settings import Column
from zxws.data.service import PACKAGE


@dataclass(frozen=True, slots=True)
class Partition:
    """One export of the dataset. `request` is its order, canonical; `first` and `last` are its days.

    `types` are those of columns that are not as the contract has them.
    """

    account: Account
    report: str
    report_type: str
    first: dt.date
    last: dt.date
    format: Format
    request: Mapping[str, JobId] = field(hash=False)
    types: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", MappingProxyType(dict(self.request)))

    def __reduce__(self) -> tuple[object, ...]:
        # A mapping proxy cannot be pickled.
        days = (self.first, self.last)
        return (
            Partition,
            (self.account, self.report, self.report_type, *days, self.format, dict(self.request), self.types),
        )

    @property
    def folder(self) -> str:
        """Where it lies below the dataset's root, as Hive writes it; the date is its first day."""
        return f"account={self.account.name}/report={self.report}/date={self.first}"

    @property
    def request_sha256(self) -> str:
        """The hash of the order, as handles have it."""
        return ExportHandle(
            PACKAGE.settings.name, "none", self.report_type, self.request, None
        ).request_sha256

    @property
    def staged(self) -> str:
        """What its files are called on their way: the same after a crash, so that a download goes on."""
        return f"{self.account.name}_{self.report}_{self.first}_{self.request_sha256[:16]}"

    def overlaps(self, first: dt.date, last: dt.date) -> bool:
        """Tell whether it has days in common with these."""
        return self.first <= last and first <= self.last


def partitions(plan: Plan) -> Iterator[Partition]:
    """Give every partition of a plan once: accounts, in them reports, in them windows from the first day on.

    The last window ends with the plan, however few days it then has.
    """
    for account in plan.accounts:
        for report in plan.reports:
            for first, last in windows(plan.first, plan.last, plan.days):
                yield _partition(plan, account, report, first, last)


def windows(first: dt.date, last: dt.date, days: int) -> Iterator[tuple[dt.date, dt.date]]:
    """Cut a range of days into windows of that many days; first and last days are included."""
    for start in range(first.toordinal(), last.toordinal() + 1, days):
        end = min(start + days - 1, last.toordinal())
        yield dt.date.fromordinal(start), dt.date.fromordinal(end)


def _partition(plan: Plan, account: Account, report: Report, first: dt.date, last: dt.date) -> Partition:
    request = request_of(report.type, first, last, report.options)
    types = typed_columns(report.types)
    return Partition(account, report.name, report.type, first, last, plan.format, request, types)
