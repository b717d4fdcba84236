"""What the tasks of one run share in one process: clients, and the word that the run is over.

A task is a value that may be done in any process, so it finds these by the run's name.
"""

from __future__ import annotations

import dataclasses
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Final, cast

from soapclient.backfill.plan import Account
from soapclient.client import Client
from soapclient.clock import SystemClock
from soapclient.config import Config
from soapclient.errors import ConfigError
from soapclient.forks import Lock

Settings = Mapping[str, object]
"""A configuration by setting, without credentials; can be pickled."""

_CREDENTIALS: Final = ("connect_id", "secret_key")
_NOT_FOR_TASKS: Final = (*_CREDENTIALS, "state_dir")  # a backfill has a ledger of its own, and orders alone
_MOST: Final = 8  # runs that are remembered: a worker of a cluster is never told that one is over


class Stopped(Exception):
    """The run was called off."""


class Session:
    """The clients of one run, one per account. Threads may share it."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = Lock()
        self._clients: dict[Config, Client] = {}
        self._known: dict[tuple[Account, str | None, str | None], Client] = {}
        # For one that is dropped without a word: as soon as no task holds it any more.
        weakref.finalize(self, _close, self._clients)

    def client(self, settings: Settings, account: Account) -> Client:
        """Return the account's client. Raises ConfigError without credentials in the environment here."""
        # A configuration checks each of its settings, and a run has but one beside its credentials.
        key = account, os.environ.get(account.connect_id_env), os.environ.get(account.secret_key_env)
        with self._lock:
            self.check()
            if key not in self._known:
                config = config_of(settings, account)
                if config not in self._clients:
                    self._clients[config] = Client(config, clock=_Stoppable(self._stop))
                self._known[key] = self._clients[config]
            return self._known[key]

    def check(self) -> None:
        """Raise Stopped if the run was called off."""
        if self._stop.is_set():
            raise Stopped

    def stop(self) -> None:
        """Call the run off: its tasks end where they wait, or with the next piece of a file."""
        self._stop.set()

    def close(self) -> None:
        """Close all clients; tasks that come too late are stopped."""
        self.stop()
        with self._lock:
            self._known.clear()
            _close(self._clients)


def _close(clients: dict[Config, Client]) -> None:
    for client in clients.values():
        client.close()
    clients.clear()


class _Stoppable(SystemClock):
    """The machine's clock, whose sleep ends when the run does."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop

    def sleep(self, seconds: float) -> None:
        if self._stop.wait(max(0.0, seconds)):
            raise Stopped


_sessions: Final[dict[str, Session]] = {}
_lock: Final = Lock()


def session_of(run: str) -> Session:
    """Return the session of a run in this process."""
    with _lock:
        if run not in _sessions:
            while len(_sessions) >= _MOST:
                _sessions.pop(next(iter(_sessions)))
            _sessions[run] = Session()
        return _sessions[run]


def settings_of(config: Config) -> dict[str, object]:
    """Return a configuration without credentials and without the ledger of single exports."""
    names = (each.name for each in dataclasses.fields(config) if each.name not in _NOT_FOR_TASKS)
    return {name: getattr(config, name) for name in names}


def config_of(settings: Settings, account: Account, environ: Mapping[str, str] | None = None) -> Config:
    """Return an account's configuration: its credentials are those of this process's environment.

    Raises ConfigError that names the variable which is not set.
    """
    environ = os.environ if environ is None else environ
    given = dict(zip(_CREDENTIALS, (account.connect_id_env, account.secret_key_env), strict=True))
    for setting, variable in given.items():
        if not environ.get(variable):
            raise ConfigError(
                f"{setting} of the account {account.name}",
                f"the environment variable {variable} is not set",
                "Set it where the backfill runs, and on each machine that works for it",
            )
    make = cast(Callable[..., Config], Config)  # which checks each of its settings itself
    return make(**settings, **{setting: environ[variable] for setting, variable in given.items()})
