"""What a backfill is to bring: accounts, reports, days, and where to."""

from __future__ import annotations

import datetime as dt
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, get_args
from urllib.parse import urlsplit

from soapclient.backfill.order_check import Option, check_order
from soapclient.errors import ConfigError
from soapclient.exports.cells import typed_columns
from soapclient.exports.columns import OnDrift
from soapclient.exports.export import DEADLINE
from soapclient.redaction import shown

Format = Literal["parquet", "csv.gz"]

FORMATS: Final[tuple[Format, ...]] = get_args(Format)
DRIFTS: Final[tuple[OnDrift, ...]] = get_args(OnDrift)
MOST_DAYS: Final = 366
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # stands in paths: nothing to quote
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL_HELP: Final = "a label of letters, digits, dots, hyphens and underscores, up to 100"


@dataclass(frozen=True, kw_only=True)
class Account:
    """An account by its label, and the names of the environment variables that hold its credentials."""

    name: str
    connect_id_env: str = "SOAPCLIENT_CONNECT_ID"
    secret_key_env: str = "SOAPCLIENT_SECRET_KEY"


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report type with the options of its order (`soapclient.exports.order.OrderOptions`).

    `name` is what its partitions are called, the type if not given: two reports of one type need two names.
    `types` are those of columns whose cells are not what the contract says, or of which it says nothing:
    column → XSD type, such as `xsd:decimal`.
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
    """Accounts by reports by windows of `days` days from `first` to `last`, both included.

    `output` is a folder or an fsspec URL; `work` a folder of this machine for the ledger and for files on
    their way; `deadline` the seconds that one partition may take once a worker has it. `on_drift`
    says whether a file of other columns than ordered is reported, or fails its partition; None is as
    the configuration says. `place` is where the plan stands, for errors. Raises ConfigError that names key
    and place.
    """

    accounts: tuple[Account, ...]
    reports: tuple[Report, ...]
    first: dt.date
    last: dt.date
    output: str
    work: Path
    days: int = 1
    format: Format = "parquet"
    deadline: float = DEADLINE
    on_drift: OnDrift | None = None
    place: str = field(default="the plan", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "output", os.fspath(self.output))
        object.__setattr__(self, "work", Path(self.work))
        if not self.output:
            raise self.wrong("output", "is empty", "a folder, or an fsspec URL such as s3://bucket/exports")
        if _holds_password(self.output):  # not repeated: it would go to every worker, too
            raise self.wrong(
                "output", "holds a password", "a URL without; workers have it in their environment"
            )
        if self.format not in FORMATS:
            raise self.wrong("format", f"is {shown(self.format)}", " or ".join(FORMATS))
        if self.on_drift is not None and self.on_drift not in DRIFTS:
            raise self.wrong("on_drift", f"is {shown(self.on_drift)}", " or ".join(DRIFTS))
        if self.first > self.last:
            raise self.wrong("from", f"{self.first} is after to, {self.last}", "a day up to that one")
        if not 1 <= self.days <= MOST_DAYS:
            raise self.wrong("days", f"is {self.days}", f"days per window, from 1 to {MOST_DAYS}")
        if not 0 < self.deadline < math.inf:
            raise self.wrong("deadline", f"is {self.deadline}", "a finite number of seconds above 0")
        self._check_names("accounts", [account.name for account in self.accounts])
        self._check_names("reports", [report.name for report in self.reports])
        for number, account in enumerate(self.accounts):
            for key in ("connect_id_env", "secret_key_env"):
                if not _VARIABLE.fullmatch(getattr(account, key)):
                    # Not repeated: somebody may have put the secret where its variable's name belongs.
                    help = "the name of an environment variable, not the value itself"
                    raise self.wrong(f"accounts[{number}].{key}", "is no such name", help)
        for number, report in enumerate(self.reports):
            wrong = check_order(report.type, self.first, report.options)
            if wrong is not None:
                raise self.wrong(f"reports[{number}].{wrong.key}", wrong.problem, wrong.allowed)
            for column, kind in report.types.items():
                try:
                    typed_columns({column: kind})
                except ConfigError:
                    help = "an XSD type, such as xsd:decimal"
                    raise self.wrong(f"reports[{number}].types.{column}", f"is {shown(kind)}", help) from None

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Plan:
        """Read a plan from a TOML file; its relative paths count from the file's own folder.

        Raises ConfigError that names the file and the key, OSError never.
        """
        from soapclient.backfill.plan_file import read_plan

        return read_plan(Path(file))

    def wrong(self, key: str, problem: str, allowed: str) -> ConfigError:
        """Return the error for an improper key of this plan."""
        more = f"; allowed: {allowed}" if allowed else ""
        return ConfigError(key, f"{self.place}: it {problem}{more}", "Correct it there")

    def _check_names(self, key: str, names: Iterable[str]) -> None:
        seen: set[str] = set()
        number = -1
        for number, name in enumerate(names):
            if not _LABEL.fullmatch(name):
                raise self.wrong(f"{key}[{number}].name", f"is {shown(name)}", _LABEL_HELP)
            # Not by case: on some file systems two such folders are one.
            if name.lower() in seen:
                raise self.wrong(f"{key}[{number}].name", f"is {name} again", "each name once")
            seen.add(name.lower())
        if number < 0:
            raise self.wrong(key, "names none", f"at least one [[{key}]]")


def _holds_password(url: str) -> bool:
    try:
        return "://" in url and urlsplit(url).password is not None
    except ValueError:
        return False
