"""Processes that may be killed: started normally, or forked from a process with preloaded imports.

`python -m tests.campaigns.processes PROGRAM MOMENT ARGUMENTS` is a program that ends at a moment (`moments`).
Without arguments it is a template: each line on stdin is an order as JSON, which a forked child carries out.
Each line on stdout reports how the child ended.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, Protocol, Self

from .moments import CLOCK, NEVER, end_at

ROOT: Final = Path(__file__).parents[2]
_PROGRAMS: Final = {
    "command": ("soapclient.cli", "main"),
    "script": ("tests.campaigns.export_script", "script"),
}
_IMPORTED: Final = (
    "zeep", "requests", "soapclient.cli.application", "soapclient.tracking.commands.export",
    "soapclient.tracking.client", "soapclient.soap.engine", "soapclient.rest.engine",
    "soapclient.tracking.exports.export", "soapclient.transport.session",
    *(module for module, _ in _PROGRAMS.values()),
)  # fmt: skip


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code or the negative signal. `late` means it exceeded its time limit."""

    code: int
    out: str
    err: str
    late: bool = False

    @property
    def killed(self) -> bool:
        """Return True if it ended by a planned SIGKILL."""
        return self.code == -signal.SIGKILL and not self.late

    def problem(self, failures: Container[int], limit: float) -> tuple[str, str] | None:
        """Return kind and words of a finding. None if it was killed, or failed with one of these codes."""
        if self.late:
            return "late", f"still running after {limit:g} seconds: {self.err[-600:]}"
        if self.killed or (self.code in failures and not re.search("Traceback|unexpected", self.err)):
            return None
        return "foreign exception", f"exit code {self.code}: {self.err[-2000:]}"


@dataclass(frozen=True)
class Order:
    """A program to run. `moment` is when it is killed, `limit` its time limit in seconds."""

    program: str
    moment: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    limit: float

    @property
    def after(self) -> float | None:
        """The seconds until it is killed, if the moment is a time."""
        kind, _, number = self.moment.partition(":")
        return float(number) if kind == CLOCK else None

    @property
    def seconds(self) -> float:
        """The seconds after which it is killed at the latest."""
        return self.limit if self.after is None else min(self.after, self.limit)

    @property
    def own_moment(self) -> str:
        """The moment at which the program kills itself."""
        return self.moment if self.after is None else NEVER


class Processes(Protocol):
    """Runs a program until it ends."""

    def run(self, order: Order) -> Ended: ...


def program(name: str, moment: str) -> list[str]:
    """Return the command that starts one of our programs."""
    return [sys.executable, "-m", "tests.campaigns.processes", name, moment]


class Started:
    """Processes with their own interpreters. `called` returns the command that starts a program."""

    def __init__(self, called: Callable[[str, str], list[str]] = program) -> None:
        self._called = called

    def run(self, order: Order) -> Ended:
        process = subprocess.Popen(
            [*self._called(order.program, order.own_moment), *order.arguments],
            cwd=ROOT,
            env=order.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                out, err = process.communicate(timeout=order.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                return Ended(process.returncode, out, err, late=order.after is None)
        return Ended(process.returncode, out, err)


class Forked:
    """Processes forked from templates, one template per parallel run. A `with` block ends them."""

    def __init__(self) -> None:
        self._free: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
        self._lock = threading.Lock()
        self._all: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._all:
            assert each.stdin is not None
            each.stdin.close()
        for each in self._all:
            with each:
                each.wait()

    def run(self, order: Order) -> Ended:
        template = self._template()
        assert template.stdin is not None
        assert template.stdout is not None
        with tempfile.TemporaryDirectory(prefix="soapclient-process-") as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            template.stdin.write(json.dumps([asdict(order), str(out), str(err)]) + "\n")
            template.stdin.flush()
            code, late = json.loads(template.stdout.readline())
            self._free.put(template)
            return Ended(code, out.read_text(), err.read_text(), late)

    def _template(self) -> subprocess.Popen[str]:
        with suppress(Empty):
            return self._free.get_nowait()
        template = subprocess.Popen(
            [sys.executable, "-m", "tests.campaigns.processes"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with self._lock:
            self._all.append(template)
        return template


def environment(home: Path, url: str, tag: str, **more: str) -> dict[str, str]:
    """Return the environment of a client of `url` whose own files are in `home`."""
    from soapclient.tracking.sandbox import (  # the programs do not need it
        SAMPLE_CONNECT_ID,
        SAMPLE_SECRET_KEY,
    )

    kept = {name: text for name, text in os.environ.items() if not name.startswith("SOAPCLIENT_")}
    return {
        **kept,
        "TMPDIR": str(home / "tmp"),
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_DATA_URL": url,
        "SOAPCLIENT_STATE_DIR": str(home / "state"),
        "SOAPCLIENT_DEADLINE": "4",
        "SOAPCLIENT_CONNECT_TIMEOUT": "2",
        "SOAPCLIENT_USER_AGENT": f"CAMPAIGN-{tag}-",
        **more,
    }


def fork(work: Callable[[], object]) -> int:
    """Fork a child that does some work and exits without the cleanup of its parent. Return its id."""
    if pid := os.fork():
        return pid
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def codes_of(children: Sequence[int]) -> list[int]:
    """Wait until children end, and return their codes, 0 for success."""
    return [os.waitpid(pid, 0)[1] for pid in children]


def in_threads(works: Iterable[Callable[[], object]]) -> None:
    """Do works at the same time, each in its own thread, and wait for them."""
    threads = [threading.Thread(target=each, daemon=True) for each in works]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


# ---- in the child processes


def be_template() -> None:
    """Main function of a template: carry out the orders on stdin one after the other."""
    for name in _IMPORTED:
        importlib.import_module(name)
    for line in sys.stdin:
        given, out, err = json.loads(line)
        order = Order(**given)
        child = os.fork()
        if child == 0:
            _become(order, out, err)
            return
        print(json.dumps(_watched(child, order)), flush=True)


def _become(order: Order, out: str, err: str) -> None:
    """Run the ordered program with its own files and environment."""
    for number, path in enumerate((os.devnull, out, err)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(order.environment)
    be_program(order.program, order.own_moment, order.arguments)


def _watched(child: int, order: Order) -> tuple[int, bool]:
    """Wait for a child and kill it when its time is up. Return its exit code, and whether it was late."""
    fired = threading.Event()

    def end() -> None:
        fired.set()
        os.kill(child, signal.SIGKILL)

    timer = threading.Timer(order.seconds, end)
    timer.start()
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # does not reap the child: its id stays valid
    timer.cancel()
    timer.join()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), fired.is_set() and order.after is None


def be_program(name: str, moment: str, arguments: Sequence[str]) -> None:
    """Run one of the programs until that moment and exit with its code."""
    from .export_script import settle_soon

    settle_soon()
    module, function = _PROGRAMS[name]
    sys.argv = ["soapclient", *arguments]
    end_at(moment)
    sys.exit(getattr(importlib.import_module(module), function)())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        be_program(sys.argv[1], sys.argv[2], sys.argv[3:])
    else:
        be_template()
