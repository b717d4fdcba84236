"""Orders of one account: placed directly, or once and never twice through a ledger."""

from __future__ import annotations

import contextlib
import datetime as dt
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from soapclient.clock import Deadline
from soapclient.errors import ConfigError, ContractError, ResponseError
from soapclient.runtime.foreign import plain_day, plain_value
from soapclient.runtime.package import Package
from soapclient.runtime.settings import Job, Order, OrderField
from soapclient.tracking.exports.download.delivery import Downloads
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.jobs.job import JobTables, operation_of, order_of, ordered_id
from soapclient.tracking.exports.orders.adoption import ListedJob, evidence_of
from soapclient.tracking.exports.orders.ledger import Ledger, account_of
from soapclient.tracking.exports.orders.placement import SETTLE, TOLERANCE, Placement, Replaced
from soapclient.tracking.settings import Settings

if TYPE_CHECKING:
    from zxws.data.types import OrderOptions as OrderOptions


def __getattr__(name: str) -> object:
    """Return OrderOptions, which the contract's package has if its settings name the fields of an order."""
    if name == "OrderOptions":
        return getattr(import_module("zxws.data.types"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def arguments_of(
    order: Order, report_type: str, from_date: dt.date, to_date: dt.date, options: Mapping[str, object]
) -> dict[str, object]:
    """Return an order by its keywords, without those that are None; lists of names are one text with commas.

    Raises ContractError for a list that is none, for days in the wrong order, and for a role that the
    contract has no field for.
    """
    from_date, to_date = cast("dt.date", plain_day(from_date)), cast("dt.date", plain_day(to_date))
    if _is_day(from_date) and _is_day(to_date) and from_date > to_date:
        raise ContractError("from_date", str(from_date), f"to_date ({to_date}) or earlier", "is no beginning")
    given: dict[str, object] = {"report_type": report_type, "from_date": from_date, "to_date": to_date}
    given |= {name: plain_value(value) for name, value in options.items() if value is not None}
    roles, fields = order.roles, order.fields
    for name, value in given.items():
        if name in roles and name not in fields:
            offered = ", ".join(fields)
            reason = "the contract has no field for it"
            raise ContractError(name, None, offered, reason, operation=order.operation)
        if name in _LISTS or (name in fields and fields[name].several):
            given[name] = _comma_list(name, value)
    return {name: value for name, value in given.items() if value is not None}


_LISTS: Final = ("columns", "group_by")


def place(service: object, tables: JobTables, order: Order, arguments: Mapping[str, object]) -> object:
    """Call the ordering operation; return its response. Raises what the service raises, and ContractError."""
    method = operation_of(service, tables.job.order)
    try:
        fields = method_arguments(service, order, arguments)
        inspect.signature(method).bind(**fields)
    except TypeError as error:  # an argument that this version of the contract does not have
        raise ContractError(order.operation, None, "the fields of the contract", str(error)) from None
    return method(**fields)


def method_arguments(service: object, order: Order, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return an order as the arguments of the generated method. A keyword that is not of the order stays."""
    fields, sent = order.fields, list[_Placed]()
    for name, value in arguments.items():
        field = fields.get(name)
        if field is None:
            sent.append(_Placed((name,), (), value))
        else:
            steps = tuple(field.field.split("."))
            sent.append(_Placed(steps, field.types, _sent(name, field, value, order.separator)))
    return _nested(service, sent)


class _Placed(NamedTuple):
    """A value, where it goes: attributes, and the classes of all but the last."""

    steps: tuple[str, ...]
    types: tuple[str, ...]
    value: object


def _nested(service: object, placed: Iterable[_Placed]) -> dict[str, object]:
    values: dict[str, object] = {}
    inner: dict[tuple[str, str], list[_Placed]] = {}
    for one in placed:
        if one.types:
            below = _Placed(one.steps[1:], one.types[1:], one.value)
            inner.setdefault((one.steps[0], one.types[0]), []).append(below)
        else:
            values[one.steps[0]] = one.value
    for (name, kind), parts in inner.items():
        package: Package = service.PACKAGE  # type: ignore[attr-defined]  # of each generated class
        values[name] = package.codec.kind(kind)(**_nested(service, parts))
    return values


def _sent(name: str, field: OrderField, value: object, separator: str) -> object:
    """Return a value as the contract's field takes it. What is of another type stays, to be refused."""
    if name in _LISTS:
        if not isinstance(value, str):
            return value
        return value.split(",") if field.several else separator.join(value.split(","))
    if field.several and isinstance(value, str):
        return [_typed(field, text) for text in value.split(",")]
    if field.form == "text" and _is_day(value):
        return cast("dt.date", value).isoformat()
    roles = ("report_type", "from_date", "to_date")
    return value if name in roles else _typed(field, value)


def _typed(field: OrderField, value: object) -> object:
    """Read a filter's value as a handle keeps it, as a text."""
    if not isinstance(value, str):
        return value
    with contextlib.suppress(ValueError, ArithmeticError):
        if field.form == "date":
            return dt.date.fromisoformat(value)
        if field.form == "decimal":
            return Decimal(value)
        if field.form == "int" and field.several:
            return int(value)
    return {"true": True, "false": False}.get(value, value) if field.form == "boolean" else value


def json_values(arguments: Mapping[str, object]) -> dict[str, JobId]:
    """Return arguments as a handle keeps them."""
    return {name: _json_value(value) for name, value in arguments.items()}


def _json_value(value: object) -> JobId:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str | int) else str(value)


def _is_day(value: object) -> bool:
    # What is no day at all is for the generated encoder to refuse.
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _comma_list(name: str, value: object) -> object:
    """Join names, of filters also numbers and days; what is neither is left for the encoder to refuse."""
    kinds = (str,) if name in _LISTS else (str, int, Decimal, dt.date)
    values = value.split(",") if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not all(isinstance(each, kinds) for each in values):
        return value
    names = [str(_json_value(each)) for each in values]
    for each in names:
        if not each.strip() or "," in each:
            raise ContractError(name, value, "names, or one comma list of names", "an improper name in it")
    if not names:
        raise ContractError(name, value, "at least one name, or None", "an empty list")
    return ",".join(each.strip() for each in names)


def ordered_arguments(request: Mapping[str, JobId]) -> dict[str, object]:
    """Return the arguments that a handle keeps. Raises ConfigError without report type or days.

    Whether the service takes them is for the ordering to say.
    """
    try:
        days = {name: dt.date.fromisoformat(str(request[name])) for name in ("from_date", "to_date")}
        return {**request, "report_type": str(request["report_type"]), **days}
    except (KeyError, ValueError):
        raise ConfigError(
            "export handle",
            "does not say what was ordered: a report type and two days",
            "Order the export again",
        ) from None


def _listed(jobs: Callable[[], Iterable[object]], names: Job) -> Iterator[ListedJob]:
    for item in jobs():
        if (job := ListedJob.of(item, names)) is not None:
            yield job


PATIENCE: Final = 300.0
"""Seconds that an order waits for the lock of the state directory."""

_USUAL: Final = 60.0  # seconds that one call may take unless the setting `deadline` says otherwise


class Orders:
    """Places orders. Threads may share it.

    `downloads` compare a job's file with requests, `offset` is what has to be added to this machine's time
    before it is signed.
    """

    def __init__(self, downloads: Downloads, config: Settings, *, offset: Callable[[], dt.timedelta]) -> None:
        self.downloads = downloads
        self._jobs = downloads.jobs
        self._config = config
        self._offset = offset
        self._seen: dict[tuple[str, str, dt.datetime], float] = {}  # pending orders, and since when

    @property
    def service(self) -> str:
        """The name of the service that is ordered from."""
        return self._tables.service

    @property
    def fields(self) -> Order:
        """The fields of an order. Raises ConfigError if the contract's settings do not name them."""
        return order_of(self._jobs.service.tables)

    @property
    def _tables(self) -> JobTables:
        return self._jobs.service.job_tables

    def place(self, arguments: Mapping[str, object]) -> ExportHandle:
        """Order without a ledger; see Exporter.order."""
        tables, names = self._tables, self._tables.job
        job_id = ordered_id(place(self._jobs.service.methods, tables, self.fields, arguments), tables)
        if job_id is None:
            raise ResponseError(names.item, None, "the job that was ordered", operation=names.order)
        return ExportHandle(
            service=self.service,
            job_id=job_id,
            report_type=str(arguments["report_type"]),
            request=json_values(arguments),
            ordered_at=self._jobs.clock.now(),
        )

    def ledger(
        self,
        folder: str | os.PathLike[str],
        *,
        patience: float = 0.0,
        neighbours: Iterable[str | os.PathLike[str]] = (),
    ) -> Ledger:
        """The ledger of this client's account in a folder, named by a hash of the connect ID.

        It holds what was ordered at the configured address. `patience` is how many seconds to wait for the
        lock, `neighbours` are folders of other ledgers of the account: see Ledger. Sends nothing.
        """
        return Ledger(
            folder,
            account=account_of(self._config.credentials().connect_id),
            service=self.service,
            patience=patience,
            clock=self._jobs.clock,
            address=self._address(),
            neighbours=neighbours,
        )

    def state(self, *, patience: float = PATIENCE) -> Ledger | None:
        """The ledger that the setting `state_dir` names, for exports that end as files; None without it."""
        folder = self._config.state_dir
        return None if folder is None else self.ledger(Path(folder).expanduser(), patience=patience)

    def keeper(self, handle: ExportHandle) -> Ledger | None:
        """Return the ledger of the state directory, if a handle is or may be its own."""
        state = self.state()
        if state is None or not handle.request:
            return None
        if not handle.in_ledger:
            return state
        entry = state.find(handle.request)
        return state if entry is not None and entry.was(handle.job_id) else None

    def place_once(
        self,
        ledger: Ledger,
        request: Mapping[str, JobId],
        *,
        reorder: bool = False,
        tolerance: dt.timedelta = TOLERANCE,
        settle: float | None = None,
        replaced: Replaced = lambda _: False,
        expired: JobId | None = None,
        until: Deadline | None = None,
    ) -> ExportHandle:
        """Order a request through a ledger, or return the job that it has; see Exporter.order_once."""
        arguments = ordered_arguments(request)
        ledger.check(self.service, self._config.credentials().connect_id, self._address())
        jobs, service = self._jobs, self._jobs.service
        if service.list_jobs is None:
            raise ConfigError(
                "exports",
                "there is no list of jobs, in which an order is found again",
                "Name the operation that lists jobs in [job] list, and generate again",
            )
        placement = Placement(
            operation=self._tables.job.order,
            jobs=partial(_listed, service.list_jobs, self._tables.job),
            their_time=service.time,
            clock=jobs.clock,
            offset=self._offset,
            validity=dt.timedelta(minutes=self._config.signature_validity_minutes),
            ledger=ledger,
            tolerance=tolerance,
            # An order that is allowed more time may be carried out later.
            settle=SETTLE + max(0.0, self._config.deadline - _USUAL) if settle is None else settle,
            until=until,
            seen=self._seen,
            look=partial(evidence_of, self.downloads),
        )
        return placement.order(
            request, lambda: self.place(arguments), reorder=reorder, replaced=replaced, expired=expired
        )

    def reorder(self, handle: ExportHandle) -> ExportHandle:
        """Order once more what a handle was ordered with that no ledger keeps.

        Raises what `order` raises, and ConfigError for one of a ledger: that is for `reorder_once`.
        """
        if handle.in_ledger:
            raise ConfigError(
                "export handle", "is kept in a state directory", "Call reorder_once(ledger, handle)"
            )
        return self.place(ordered_arguments(handle.request))

    def reorder_once(
        self, ledger: Ledger, handle: ExportHandle, *, until: Deadline | None = None
    ) -> ExportHandle:
        """Order once more, through a ledger, what a job was ordered with that has expired.

        Under the ledger's lock: where the request has another job by now, that one's handle is given and
        nothing is sent; if an order of it is pending, its job is looked for as by `order_once`. The
        old job stays known as taken. A handle of no ledger is taken up by this one. `until` is as for
        `begin`. Raises what `order_once` raises, and ConfigError for a handle of another ledger.
        """
        ordered_arguments(handle.request)  # or there is nothing to order by
        unknown = handle.in_ledger and ledger.find(handle.request) is None
        if handle.service != ledger.service or unknown:
            raise ConfigError(
                "ledger", f"it does not know the request of job {handle.job_id}", "Give the one that keeps it"
            )
        return self.place_once(
            ledger,
            handle.request,
            replaced=lambda entry: entry.is_job(handle.job_id),
            expired=handle.job_id,
            until=until,
        )

    def _address(self) -> str | None:
        with contextlib.suppress(ConfigError):  # none is configured: ordering will say so
            return self._config.rest_base(self.service, self._tables.version)
        return None
