"""The plan of a backfill: accounts, reports, days and output. Created in code or loaded from a TOML file."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast, get_args
from urllib.parse import urlsplit

from soapclient._support.durable import check_owner
from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient._support.toml import tables_of
from soapclient.calling.reader import request_element
from soapclient.clock import in_seconds
from soapclient.errors import ConfigError, ContractError
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.operations import Operation, RequestT, ResponseT
from soapclient.runtime.settings import Order
from soapclient.tracking.exports.export import DEADLINE
from soapclient.tracking.exports.formats.columns import OnDrift, typed_columns
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.jobs.job import JobTables, order_of
from soapclient.tracking.exports.orders.arguments import arguments_of, json_values, place
from soapclient.tracking.settings import current_drift_name
from zxws.data.service import PACKAGE, DataService

Option = str | int | Sequence[str]
"""Types of an order's options in a plan."""

_OF_PLAN: Final = {
    "report_type": "type",
    "from_date": "from",
    "to_date": "to",
}  # keyword of an order -> key of a plan


def request_of(
    report_type: str, first: dt.date, last: dt.date, options: Mapping[str, Option]
) -> dict[str, JobId]:
    """Return the arguments of an order as a dict of JSON values, in the form of `ExportHandle.request`.

    `first` and `last` are the first and the last day of the export, `options` the other arguments. Raises
    ContractError if an argument is invalid.
    """
    return json_values(arguments_of(order_of(PACKAGE.settings), report_type, first, last, options))


def check_order(report_type: str, day: dt.date, options: Mapping[str, Option]) -> tuple[str, str, str] | None:
    """Check an order for one day by encoding its request, without sending it.

    Returns None if the order is valid. Otherwise returns a tuple for the error: the invalid key in the
    report's table of the plan, the problem, and the allowed values.
    """
    order = order_of(PACKAGE.settings)
    names = sorted(order.fields.keys() - _OF_PLAN.keys())
    for name in options:
        if name not in names:
            problem = f"is not an option{nearest(name, names)}"
            return f"options.{name}", problem, f"one of {', '.join(names)}"
    try:
        arguments = arguments_of(order, report_type, day, day, options)
        place(DataService(_EncodeOnly()), JobTables.of(PACKAGE.settings), order, arguments)
    except _Encoded:
        return None
    except (EncodeError, ContractError) as error:
        return (_plan_key(order, error.path), f"gives {error.value}: {error.reason}", error.allowed)
    raise AssertionError(
        "internal error: the check of an order did not encode the request. Report it as a bug of soapclient."
    )


def _plan_key(order: Order, path: str) -> str:
    """Return the key of a plan that sets a field of the request, so that an error can name the key.

    `order` describes the fields of the request. `path` names the field: it is the field's path in the
    request, or the argument of `export` that sets the field, such as `from_date`.
    """
    inner = path.partition("/")[2] or path
    names = (name for name, field in order.fields.items() if inner.startswith((name, field.wire)))
    name = max(names, key=len, default=inner)
    return _OF_PLAN.get(name, f"options.{name}")


class _Encoded(Exception):
    """Raised by `_EncodeOnly.call` if a request can be encoded. Nothing is sent."""


class _EncodeOnly:
    """A replacement for the client of a generated class, which encodes requests but sends nothing."""

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        """Encode a request, then raise _Encoded."""
        request_element(operation, request, None)
        raise _Encoded


BackfillFormat = Literal["parquet", "csv.gz"]

FORMATS: Final[tuple[BackfillFormat, ...]] = get_args(BackfillFormat)
DRIFTS: Final[tuple[OnDrift, ...]] = get_args(OnDrift)
MOST_DAYS: Final = 366
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # used in paths, so it must not need quoting
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL_HELP: Final = "a label of up to 100 letters, digits, dots, hyphens and underscores"


@dataclass(frozen=True, kw_only=True)
class BackfillAccount:
    """The label of an account, and the names of the environment variables that hold its credentials.

    >>> from soapclient.tracking.backfill import BackfillAccount
    >>> account = BackfillAccount(
    ...     name="north", connect_id_env="NORTH_CONNECT_ID", secret_key_env="NORTH_SECRET_KEY"
    ... )
    """

    name: str
    connect_id_env: str = "SOAPCLIENT_CONNECT_ID"
    secret_key_env: str = "SOAPCLIENT_SECRET_KEY"


@dataclass(frozen=True, kw_only=True)
class BackfillReport:
    """A report type with the options of its order (`zxws.data.types.OrderOptions`).

    `name` (default: the type) is part of the paths of the report's partitions. Two reports of the same type
    need different names. `types` overrides the contract's column types or adds missing ones: column → XSD
    type, such as `xsd:decimal`.

    >>> from soapclient.tracking.backfill import BackfillReport
    >>> BackfillReport(type="sale", name="open-sales", options={"review_state": "open"}).name
    'open-sales'
    """

    type: str
    name: str = ""
    options: Mapping[str, Option] = field(default_factory=dict, hash=False)
    types: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.type)
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))
        object.__setattr__(self, "types", MappingProxyType(dict(self.types)))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to export: each report for each account and each window of `days` days.

    The windows cover the range from `first` to `last`, both included. `output` is a folder or an fsspec URL.
    `work` is a folder of this machine for the ledger (the record of the orders) and for incomplete files.
    `deadline` is the maximum time for one partition, from the moment a worker starts it, in seconds or as a
    timedelta.

    `on_drift` decides what happens if a file does not have the expected columns: "tolerate" accepts the file,
    "warn" also logs a warning, "error" fails the partition. If it is None, the configuration decides. `place`
    says in error messages where the plan comes from, such as the name of its file.

    Raises ConfigError that names the key and `place` if the plan is invalid.

    >>> import datetime as dt
    >>> from pathlib import Path
    >>> from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan
    >>> plan = Plan(
    ...     accounts=(BackfillAccount(name="main"),),
    ...     reports=(BackfillReport(type="sale"),),
    ...     first=dt.date(2026, 11, 1),
    ...     last=dt.date(2026, 11, 2),
    ...     output="dataset",
    ...     work=Path("work"),
    ... )
    >>> len(list(plan.accounts)), plan.format
    (1, 'parquet')
    """

    accounts: tuple[BackfillAccount, ...]
    reports: tuple[BackfillReport, ...]
    first: dt.date
    last: dt.date
    output: str
    work: Path
    days: int = 1
    format: BackfillFormat = "parquet"
    deadline: float | dt.timedelta = DEADLINE
    on_drift: OnDrift | None = None
    place: str = field(default="the plan", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "output", os.fspath(self.output))
        object.__setattr__(self, "work", Path(self.work))
        if not self.output:
            raise self.wrong("output", "is empty", "a folder, or an fsspec URL such as s3://bucket/exports")
        if _has_password(self.output):  # not quoted; the URL would also be sent to every worker
            raise self.wrong(
                "output",
                "contains a password",
                "a URL without the password; set the password in the environment of the workers",
            )
        if self.format not in FORMATS:
            raise self.wrong("format", f"is {shown(self.format)}", " or ".join(FORMATS))
        object.__setattr__(self, "on_drift", current_drift_name(self.on_drift))
        if self.on_drift is not None and self.on_drift not in DRIFTS:
            raise self.wrong("on_drift", f"is {shown(self.on_drift)}", " or ".join(DRIFTS))
        if self.first > self.last:
            raise self.wrong(
                "from",
                f"is {self.first}, which is after the last day, 'to' ({self.last})",
                f"{self.last} or earlier",
            )
        if not 1 <= self.days <= MOST_DAYS:
            raise self.wrong("days", f"is {self.days}", f"a number of days from 1 to {MOST_DAYS}")
        object.__setattr__(self, "deadline", in_seconds(self.deadline))
        if not 0 < in_seconds(self.deadline) < math.inf:
            raise self.wrong("deadline", f"is {self.deadline}", "a finite number of seconds greater than 0")
        self._check_names("accounts", [account.name for account in self.accounts])
        self._check_names("reports", [report.name for report in self.reports])
        for number, account in enumerate(self.accounts):
            for key in ("connect_id_env", "secret_key_env"):
                if not _VARIABLE.fullmatch(getattr(account, key)):
                    # Not quoted: it may be the secret instead of the name of its variable.
                    help = "the name of an environment variable, not the value itself"
                    raise self.wrong(f"accounts[{number}].{key}", "is not a valid name", help)
        for number, report in enumerate(self.reports):
            wrong = check_order(report.type, self.first, report.options)
            if wrong is not None:
                key, problem, allowed = wrong
                raise self.wrong(f"reports[{number}].{key}", problem, allowed)
            for column, kind in report.types.items():
                try:
                    typed_columns({column: kind})
                except ConfigError:
                    help = "an XSD type, such as xsd:decimal"
                    raise self.wrong(f"reports[{number}].types.{column}", f"is {shown(kind)}", help) from None

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Plan:
        """Load a plan from a TOML file. Relative paths in it are relative to the file's folder.

        Raises ConfigError that names the file and the key. Never raises OSError.
        """
        file = Path(file)
        place = f"the file {file}"
        table = _Table(_load_tables(file, place), "", place, _PLAN)
        home, output = file.absolute().parent, table.text("output")
        return cls(
            accounts=tuple(
                BackfillAccount(
                    name=row.text("name"),
                    connect_id_env=row.text("connect_id_env", BackfillAccount.connect_id_env, secret=True),
                    secret_key_env=row.text("secret_key_env", BackfillAccount.secret_key_env, secret=True),
                )
                for row in table.tables("accounts", _ACCOUNT)
            ),
            reports=tuple(
                BackfillReport(
                    type=row.text("type"),
                    name=row.text("name", ""),
                    options=row.options("options"),
                    types=row.texts("types"),
                )
                for row in table.tables("reports", _REPORT)
            ),
            first=table.day("from"),
            last=table.day("to"),
            output=output if "://" in output or not output else str(home / _expand_user(output)),
            work=home / _expand_user(table.text("work")),
            days=int(table.number("days", 1, whole=True)),
            format=cast(BackfillFormat, table.text("format", "parquet")),  # checked above
            deadline=float(table.number("deadline", DEADLINE)),
            on_drift=cast(OnDrift, table.text("on_drift", "")) or None,  # checked by __post_init__
            place=place,
        )

    def wrong(self, key: str, problem: str, allowed: str) -> ConfigError:
        """Return the error for an invalid key of this plan.

        `problem` completes the sentence "it …", such as "is empty". `allowed` says what the key may contain.
        """
        more = f"; expected: {allowed}" if allowed else ""
        return ConfigError(key, f"{self.place}: it {problem}{more}", "Correct the plan")

    def _check_names(self, key: str, names: Iterable[str]) -> None:
        seen: set[str] = set()
        number = -1
        for number, name in enumerate(names):
            if not _LABEL.fullmatch(name):
                raise self.wrong(f"{key}[{number}].name", f"is {shown(name)}", _LABEL_HELP)
            # Ignore case, because some file systems do.
            if name.lower() in seen:
                raise self.wrong(f"{key}[{number}].name", f"is {name}, which occurs twice", "unique names")
            seen.add(name.lower())
        if number < 0:
            raise self.wrong(key, "is empty", f"at least one [[{key}]]")


def _has_password(url: str) -> bool:
    try:
        return "://" in url and urlsplit(url).password is not None
    except ValueError:
        return False


_PLAN: Final = (
    "output", "work", "from", "to", "days", "format", "deadline", "on_drift", "accounts", "reports"
)  # fmt: skip
_ACCOUNT: Final = ("name", "connect_id_env", "secret_key_env")
_REPORT: Final = ("type", "name", "options", "types")


def _expand_user(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # unknown home folder
        return Path(text)


def _load_tables(file: Path, place: str) -> Mapping[str, object]:
    """Return the parsed TOML of a plan file. Raises ConfigError if the file cannot be read or is not TOML.

    `place` names the file in the error.
    """
    try:
        check_owner(file)
        tables = tables_of(file.read_bytes())
        if not isinstance(tables, str):
            return tables
        problem = f"{place} is not TOML: {tables}"
    except OSError as error:
        problem = f"{place} cannot be read: {error.strerror or type(error).__name__}"
    except ValueError:  # NUL in the path
        problem = f"{place} is not a path"
    raise ConfigError("plan", problem, "Give a plan file that can be read")


class _Table:
    """Typed access to one table of a TOML plan file.

    `path` is the prefix of the table's keys in errors, such as `accounts[0].`. Raises ConfigError for an
    unknown key or a value of the wrong type.
    """

    def __init__(
        self, values: Mapping[str, object], path: str, place: str, allowed_keys: tuple[str, ...]
    ) -> None:
        self._values = values
        self._path = path
        self._place = place
        for key in values:
            if key not in allowed_keys:
                raise self._wrong(
                    key, f"is not a key of a plan{nearest(key, allowed_keys)}", ", ".join(allowed_keys)
                )

    def text(self, key: str, default: str | None = None, *, secret: bool = False) -> str:
        """Return the string at `key`, or `default` if the key is missing.

        If `secret` is True, errors do not quote the value. Without a default, the key is required.
        """
        value = self._values.get(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise self._type_error(key, value, "text", hidden=secret)
        return value

    def number(self, key: str, default: float, *, whole: bool = False) -> float:
        """Return the number at `key`, or `default` if the key is missing.

        If `whole` is True, the number must be an integer.
        """
        value = self._values.get(key, default)
        kinds = int if whole else int | float
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise self._type_error(key, value, "a whole number" if whole else "a number of seconds")
        return value

    def day(self, key: str) -> dt.date:
        """Return the date at `key`, which is a TOML date or an ISO string."""
        value = self._values.get(key)
        with contextlib.suppress(ValueError):
            value = dt.date.fromisoformat(value) if isinstance(value, str) else value
        if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
            raise self._type_error(key, value, "a date such as 2026-11-01")
        return value

    def tables(self, key: str, allowed_keys: tuple[str, ...]) -> list[_Table]:
        """Return the tables of the array of tables at `key` (in TOML: `[[key]]`).

        Each table may have only the keys in `allowed_keys`.
        """
        value = self._values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._type_error(key, value, f"one or more [[{key}]]")
        return [
            _Table(item, f"{key}[{index}].", self._place, allowed_keys) for index, item in enumerate(value)
        ]

    def options(self, key: str) -> dict[str, Option]:
        """Return the options of an order, which are the table at `key`: name → string, integer or list."""
        values = self._table(key, "a table of options")
        for name, value in values.items():
            items = value if isinstance(value, list) else [value]
            if isinstance(value, bool) or not all(isinstance(item, str | int) for item in items):
                raise self._type_error(f"{key}.{name}", value, "text, a whole number, or a list of names")
        return cast("dict[str, Option]", values)

    def texts(self, key: str) -> dict[str, str]:
        """Return the table at `key` as a dict. All values in it must be strings."""
        values = self._table(key, "a table of texts")
        for name, value in values.items():
            if not isinstance(value, str):
                raise self._type_error(f"{key}.{name}", value, "text")
        return cast("dict[str, str]", values)

    def _table(self, key: str, allowed: str) -> dict[str, object]:
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self._type_error(key, value, allowed)
        return value

    def _type_error(self, key: str, value: object, allowed: str, *, hidden: bool = False) -> ConfigError:
        received = type(value).__name__ if hidden else shown(value)
        return self._wrong(key, "is missing" if value is None else f"is {received}", allowed)

    def _wrong(self, key: str, problem: str, allowed: str) -> ConfigError:
        return ConfigError(
            f"{self._path}{key}",
            f"{self._place}: it {problem}{' Expected' if problem.endswith('?') else '; expected'}: {allowed}",
            "Correct the plan",
        )
