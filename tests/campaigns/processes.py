"""Processes that may be killed: started normally, or forked from a process with preloaded imports.

`python -m tests.campaigns.processes PROGRAM MOMENT ARGUMENTS` is a program that ends at a moment (`moments`).
Without arguments it is a template: each line on stdin is an order as JSON, which a forked child carries out.
Each line on stdout reports how the child ended.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
    "zeep",
    "requests",
    "soapclient.cli.application",
    "soapclient.tracking.commands.export",
    "soapclient.tracking.client",
    "soapclient.soap.engine",
    "soapclient.rest.engine",
    "soapclient.tracking.exports.export",
    "soapclient.transport.session",
    *(module for module, _ in _PROGRAMS.values()),
)


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


class Processes(Protocol):
    """Runs a program until it ends. `moment` is when it is killed, `limit` its time limit in seconds."""

    def run(
        self,
        program: str,
        moment: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        limit: float,
    ) -> Ended: ...


def program(name: str, moment: str) -> list[str]:
    """Return the command that starts one of our programs."""
    return [sys.executable, "-m", "tests.campaigns.processes", name, moment]


class Started:
    """Processes with their own interpreters. `called` returns the command that starts a program."""

    def __init__(self, called: Callable[[str, str], list[str]] = program) -> None:
        self._called = called

    def run(
        self,
        program: str,
        moment: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        limit: float,
    ) -> Ended:
        after = _seconds_of(moment)
        process = subprocess.Popen(
            [*self._called(program, NEVER if after is not None else moment), *arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                out, err = process.communicate(timeout=limit if after is None else min(after, limit))
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                return Ended(process.returncode, out, err, late=after is None)
        return Ended(process.returncode, out, err)


class Forked:
    """Processes forked from templates, one template per parallel run. A `with` block ends them."""

    def __init__(self) -> None:
        self._free: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
        self._lock = threading.Lock()
        self._all: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for each in self._all:
            assert each.stdin is not None
            each.stdin.close()
        for each in self._all:
            with each:
                each.wait()

    def run(
        self,
        program: str,
        moment: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        limit: float,
    ) -> Ended:
        template = self._template()
        assert template.stdin is not None
        assert template.stdout is not None
        with tempfile.TemporaryDirectory(prefix="soapclient-process-") as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            order = {
                "program": program,
                "moment": moment,
                "arguments": list(arguments),
                "environment": dict(environment),
                "limit": limit,
                "out": str(out),
                "err": str(err),
            }
            template.stdin.write(json.dumps(order) + "\n")
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


def _seconds_of(moment: str) -> float | None:
    """Return the seconds until a process is killed, if the moment is a time."""
    kind, _, number = moment.partition(":")
    return float(number) if kind == CLOCK else None


# ---- in the child processes


def be_template() -> None:
    """Main function of a template: carry out the orders on stdin one after the other."""
    for name in _IMPORTED:
        importlib.import_module(name)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(order)
            return
        print(json.dumps(_watched(child, order)), flush=True)


def _become(order: Mapping[str, object]) -> None:
    """Run the ordered program with its own files and environment."""
    given = {0: os.devnull, 1: str(order["out"]), 2: str(order["err"])}
    for number, path in given.items():
        opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    environment, arguments = order["environment"], order["arguments"]
    assert isinstance(environment, dict)
    assert isinstance(arguments, list)
    os.environ.clear()
    os.environ.update(environment)
    be_program(str(order["program"]), str(order["moment"]), arguments)


def _watched(child: int, order: Mapping[str, object]) -> tuple[int, bool]:
    """Wait for a child and kill it when its time is up. Return its exit code, and whether it was late."""
    after, limit = _seconds_of(str(order["moment"])), float(str(order["limit"]))
    fired = threading.Event()

    def end() -> None:
        fired.set()
        os.kill(child, signal.SIGKILL)

    timer = threading.Timer(limit if after is None else min(after, limit), end)
    timer.start()
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # does not reap the child: its id stays valid
    timer.cancel()
    timer.join()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), fired.is_set() and after is None


def be_program(name: str, moment: str, arguments: Sequence[str]) -> None:
    """Run one of the programs until that moment and exit with its code."""
    from .export_script import settle_soon

    settle_soon()
    module, function = _PROGRAMS[name]
    sys.argv = ["soapclient", *arguments]
    end_at(NEVER if _seconds_of(moment) is not None else moment)
    sys.exit(getattr(importlib.import_module(module), function)())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        be_program(sys.argv[1], sys.argv[2], sys.argv[3:])
    else:
        be_template()
