"""A plan from a TOML file: keys and types checked, each error with file and key."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from soapclient.backfill.order_check import Option
from soapclient.backfill.plan import Account, Format, Plan, Report
from soapclient.config.settings import nearest
from soapclient.errors import ConfigError
from soapclient.exports.columns import OnDrift
from soapclient.exports.export import DEADLINE
from soapclient.redaction import shown

_PLAN: Final = (
    "output", "work", "from", "to", "days", "format", "deadline", "on_drift", "accounts", "reports"
)  # fmt: skip
_ACCOUNT: Final = ("name", "connect_id_env", "secret_key_env")
_REPORT: Final = ("type", "name", "options", "types")


def read_plan(file: Path) -> Plan:
    """Read a plan. Raises ConfigError."""
    place = f"the file {file}"
    table = _Table(_document(file, place), "", place, _PLAN)
    home = file.absolute().parent
    return Plan(
        accounts=tuple(_account(one) for one in table.tables("accounts", _ACCOUNT)),
        reports=tuple(_report(one) for one in table.tables("reports", _REPORT)),
        first=table.day("from"),
        last=table.day("to"),
        output=_output(table.text("output"), home),
        work=home / _expanded(table.text("work")),
        days=table.whole("days", 1),
        format=cast(Format, table.text("format", "parquet")),  # Plan checks it
        deadline=table.number("deadline", DEADLINE),
        on_drift=cast(OnDrift, table.text("on_drift", "")) or None,  # and this, too
        place=place,
    )


def _account(table: _Table) -> Account:
    known = Account(name=table.text("name"))
    return Account(
        name=known.name,
        connect_id_env=table.text("connect_id_env", known.connect_id_env, secret=True),
        secret_key_env=table.text("secret_key_env", known.secret_key_env, secret=True),
    )


def _report(table: _Table) -> Report:
    return Report(
        type=table.text("type"),
        name=table.text("name", ""),
        options=table.options("options"),
        types=table.texts("types"),
    )


def _output(text: str, home: Path) -> str:
    return text if "://" in text or not text else str(home / _expanded(text))


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # a home folder nobody knows
        return Path(text)


def _document(file: Path, place: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        problem = f"{place} cannot be read: {error.strerror or type(error).__name__}"
    except UnicodeDecodeError as error:
        problem = f"{place} is not UTF-8 text (byte {error.start})"
    except tomllib.TOMLDecodeError as error:
        problem = f"{place} is not TOML: {error}"
    raise ConfigError("plan", problem, "Name a plan file that can be read")


class _Table:
    """Typed access to one table of the file; `path` leads to it."""

    def __init__(self, values: Mapping[str, object], path: str, place: str, known: tuple[str, ...]) -> None:
        self._values = values
        self._path = path
        self._place = place
        for key in values:
            if key not in known:
                raise self._wrong(key, f"is not a key of a plan{nearest(key, known)}", ", ".join(known))

    def text(self, key: str, default: str | None = None, *, secret: bool = False) -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise self._missing_or(key, value, "text", hidden=secret)
        return value

    def whole(self, key: str, default: int) -> int:
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._missing_or(key, value, "a whole number")
        return value

    def number(self, key: str, default: float) -> float:
        value = self._values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._missing_or(key, value, "a number of seconds")
        return float(value)

    def day(self, key: str) -> dt.date:
        value = self._values.get(key)
        if isinstance(value, str):
            try:
                return dt.date.fromisoformat(value)
            except ValueError:
                pass  # refused below
        if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
            raise self._missing_or(key, value, "a day, written as 2026-11-01")
        return value

    def tables(self, key: str, known: tuple[str, ...]) -> list[_Table]:
        value = self._values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self._missing_or(key, value, f"one or more [[{key}]]")
        return [_Table(one, f"{key}[{at}].", self._place, known) for at, one in enumerate(value)]

    def options(self, key: str) -> dict[str, Option]:
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self._missing_or(key, value, "a table of options")
        for name, one in value.items():
            names = one if isinstance(one, list) else [one]
            if isinstance(one, bool) or not all(isinstance(each, str | int) for each in names):
                raise self._missing_or(f"{key}.{name}", one, "text, a whole number, or a list of names")
        return dict(value)

    def texts(self, key: str) -> dict[str, str]:
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self._missing_or(key, value, "a table of texts")
        for name, one in value.items():
            if not isinstance(one, str):
                raise self._missing_or(f"{key}.{name}", one, "text")
        return dict(value)

    def _missing_or(self, key: str, value: object, allowed: str, *, hidden: bool = False) -> ConfigError:
        given = type(value).__name__ if hidden else shown(value)
        return self._wrong(key, "is missing" if value is None else f"is {given}", allowed)

    def _wrong(self, key: str, problem: str, allowed: str) -> ConfigError:
        return ConfigError(
            f"{self._path}{key}", f"{self._place}: it {problem}; allowed: {allowed}", "Correct it there"
        )
