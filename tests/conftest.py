"""Fixtures for all tests that inspect REST requests: a recording server, and clients that never sleep.

Their names differ from those in other conftest files.
"""

from __future__ import annotations

import base64
import gc
import hashlib
import hmac
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest

from soapclient import Client, Settings
from soapclient._support.durable import OrdererLock
from soapclient.calling.events import OnAttempt
from soapclient.clock import Clock, ManualClock, NonceSource, SystemClock
from soapclient.drift import OnFinding
from soapclient.tracking.client import ProtocolName
from soapclient.tracking.sandbox import Sandbox, serve
from tests import rings
from tests.stage import NOW, Stage
from tests.support.golden import Golden, refuse_in_ci
from tests.support.wire import Recorder, Wire

REST_NOW = NOW
# the published sample of docs/explanation/service.md#signing, no live secret
CONNECT_ID = "802B8BF4AE99EBE00F41"
SECRET_KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
_MYPY_CACHE = Path(__file__).parents[1] / ".mypy_cache"
_serial = count(1)  # sandboxes are shared, and they accept each nonce once

# Many tests start processes. Without stored bytecode, each of them would compile the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.pop("FORCE_COLOR", None)  # commands would color the output that tests read
sys.dont_write_bytecode = False

_whole_run = pytest.MonkeyPatch()

_MANY = 12  # test files; from this number on, more processes save more time than their start costs


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of processes for `-n auto`, or zero if only a few files are selected.

    It is one more than there are cores, but at most four, because many tests wait for other processes.
    """
    chosen = [Path(config.invocation_params.dir, argument.partition("::")[0]) for argument in config.args]
    files = sum(1 if path.is_file() else len(list(path.rglob("test_*.py"))) for path in chosen)
    return min((os.cpu_count() or 1) + 1, 4) if files >= _MANY else 0


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update`, which rewrites golden files."""
    parser.addoption("--update", action="store_true", help="rewrite golden files instead of comparing them")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Select the tests of a ring, and restore Ctrl-C.

    A process that is started in the background ignores Ctrl-C, and so would every process that a test starts.
    """
    refuse_in_ci(config)
    rings.configure(config)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip test files of the other rings in the first and the second ring."""
    is_test = collection_path.suffix == ".py" and collection_path.name.startswith("test_")
    return True if is_test and rings.is_outside(collection_path, config) else None


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by marker
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Assign the cases of sampled tests to their rings."""
    rings.assign(items, config)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected: almost all objects stay, so searching them is wasted."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Freeze imported and collected objects, so that garbage collections do not traverse them again.

    bindgen asks for their number after it generated a package. Here they are millions, and counting them each
    time would take longer than generating.
    """
    gc.collect()
    gc.freeze()
    frozen = gc.get_freeze_count()
    _whole_run.setattr(gc, "get_freeze_count", lambda: frozen)


def pytest_sessionfinish() -> None:
    """Unfreeze the objects, because some modules check at exit that leftovers are collected."""
    _whole_run.undo()
    gc.unfreeze()


class TypeCheck(Protocol):
    """Runs `mypy --strict` in `cwd` without a configuration file.

    `path` has additional folders for modules.
    """

    def __call__(
        self, *arguments: str, cwd: Path, path: Iterable[Path] = ...
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="session")
def type_check(tmp_path_factory: pytest.TempPathFactory) -> TypeCheck:
    """Runs share one cache, so common imports are checked once. It begins as a copy of the project's cache.

    mypy verifies a cache, so old entries do no harm.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the parent folder is shared by all workers
    with OrdererLock(folder / "mypy.lock", patience=600, clock=SystemClock()):
        if _MYPY_CACHE.is_dir() and not (folder / "mypy").exists():
            shutil.copytree(_MYPY_CACHE, folder / "mypy")

    def check(*arguments: str, cwd: Path, path: Iterable[Path] = ()) -> subprocess.CompletedProcess[str]:
        options = ("--strict", "--no-error-summary", "--config-file", os.devnull)
        # mypy does not lock its cache.
        with OrdererLock(folder / "mypy.lock", patience=600, clock=SystemClock()):
            return subprocess.run(
                (sys.executable, "-m", "mypy", *options, "--cache-dir", str(folder / "mypy"), *arguments),
                cwd=cwd,
                env=os.environ | {"MYPYPATH": os.pathsep.join(map(str, path))},
                capture_output=True,
                text=True,
                check=False,
                timeout=600,
            )

    return check


@pytest.fixture(scope="session")
def _state_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("state-homes")
    return (str(root / str(number)) for number in count())


@pytest.fixture(autouse=True)
def _no_home_of_yours(_state_homes: Iterator[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes and code under test keep their state in a folder of the test, not in the user's home."""
    home = next(_state_homes)
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, home)


class RestClient(Protocol):
    """Opens a client of the recorder (or of `url`) with the published sample account."""

    def __call__(
        self,
        url: str | None = ...,
        *,
        protocol: ProtocolName = ...,
        clock: Clock | None = ...,
        nonce_source: NonceSource | None = ...,
        on_finding: OnFinding | None = ...,
        on_attempt: OnAttempt | None = ...,
        on_response: OnAttempt | None = ...,
        headers: Mapping[str, str] | None = ...,
        **settings: object,
    ) -> Client: ...


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden files in the folder `golden` next to the test file."""
    return Golden(request.path.parent / "golden", bool(request.config.getoption("update")))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    server = Recorder()
    yield server
    server.close()


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A server that sends scripted SOAP responses."""
    server = Wire()
    yield server
    server.close()


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage() as made:
        yield made


@pytest.fixture
def rest_clock() -> ManualClock:
    return ManualClock(REST_NOW)


@pytest.fixture
def rest_client(request: pytest.FixtureRequest, rest_clock: ManualClock) -> Iterator[RestClient]:
    """Open clients with a stopped clock, counted nonces, and a random function that always returns 1."""
    with ExitStack() as stack:

        def opened(
            url: str | None = None,
            *,
            protocol: ProtocolName = "rest",
            clock: Clock | None = rest_clock,
            nonce_source: NonceSource | None = None,
            on_finding: OnFinding | None = None,
            on_attempt: OnAttempt | None = None,
            on_response: OnAttempt | None = None,
            headers: Mapping[str, str] | None = None,
            **settings: object,
        ) -> Client:
            if url is None:
                url = request.getfixturevalue("recorder").url
            addresses = {f"{name}_url": url for name in ("publisher", "data", "advertiser")}
            given = {"connect_id": CONNECT_ID, "secret_key": SECRET_KEY} | addresses
            load: Callable[..., Settings] = Settings.load
            client = Client(
                load(environ={}, **(given | settings)),
                protocol=protocol,
                clock=clock,
                on_finding=on_finding,
                on_attempt=on_attempt,
                on_response=on_response,
                headers=headers,  # an argument of the client that changes its settings
                nonce_source=nonce_source or (lambda: f"REST-NONCE-{next(_serial):020d}"),
                random=lambda: 1.0,
            )
            return stack.enter_context(client)

        yield opened


@pytest.fixture(scope="session")
def rest_sandbox() -> Iterator[tuple[Sandbox, str]]:
    """A sandbox whose clock is stopped at REST_NOW, and its address."""
    with (
        Sandbox(seed=7, clock=lambda: REST_NOW, clicks_per_day=20) as service,
        serve(service, timeout=5) as server,
    ):
        yield service, server.url


@pytest.fixture
def signature_of() -> Callable[..., str]:
    """Compute the signature of some parts independently of the package, key first."""

    def signature(secret: str, *parts: str) -> str:
        mac = hmac.new(secret.encode(), "".join(parts).encode(), hashlib.sha1)
        return base64.b64encode(mac.digest()).decode()

    return signature
