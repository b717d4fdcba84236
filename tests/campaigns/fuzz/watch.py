"""Runs a target in a separate process and watches the CPU time of each input, memory, and crashes."""

from __future__ import annotations

import gc
import json
import mmap
import os
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final

from .target import Prepared, Target, drawn, shown

HARD: Final = 12.0  # times an input's CPU time limit; then its process is killed
STILL: Final = 120.0  # seconds without CPU time before a process counts as hung
GROWTH: Final = 64 << 20  # bytes that a process may grow by after a tenth of its inputs
_WARM: Final = 0.1
_ROOM: Final = 3 << 30  # bytes of address space above the size of a prepared process
_POLL: Final = 0.2
_STATE: Final = struct.Struct("=qd")  # index of the current input, and the CPU time at its start


class Hang(BaseException):
    """An input exceeded its CPU time. Not an Exception, so `except Exception` does not catch it."""


@dataclass
class Outcome:
    """Outcome of some inputs of a target.

    `findings` maps the key of a finding to (kind, index, what, times). `slowest` is the CPU time of the
    slowest input in seconds, `grown` the growth of the process in bytes.
    """

    inputs: int = 0
    taken: int = 0
    slowest: float = 0.0
    grown: int = 0
    findings: dict[str, tuple[str, int, str, int]] = field(default_factory=dict)

    def find(self, kind: str, index: int, what: str, key: str, times: int = 1) -> None:
        """Count a finding. Keep the first of several with the same key."""
        known = self.findings.get(key, (kind, index, what, 0))
        self.findings[key] = (*known[:3], known[3] + times)

    def add(self, other: Outcome) -> None:
        """Merge the outcome of further inputs."""
        self.inputs += other.inputs
        self.taken += other.taken
        self.slowest = max(self.slowest, other.slowest)
        self.grown = max(self.grown, other.grown)
        for key, (kind, index, what, times) in other.findings.items():
            self.find(kind, index, what, key, times)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Hang inside the block after this much CPU time, as soon as Python code runs again."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run_one(prepared: Prepared, target: Target, seed: int, index: int, outcome: Outcome) -> None:
    """Run one input within its time limit, and add its findings to the outcome."""
    chosen, content = drawn(prepared, target.name, seed, index)
    began = time.process_time()
    found: BaseException | None = None
    try:
        with limited(target.seconds * 2):
            outcome.taken += prepared.run(chosen, content)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the fuzzer looks for any exception
        found = error
    took = time.process_time() - began
    outcome.inputs += 1
    outcome.slowest = max(outcome.slowest, took)
    if found is not None:
        kind = "hang" if isinstance(found, Hang) else _kind(found)
        where = place(found)
        what = f"{kind}: {str(found)[:300]} at {where}; seed {chosen.name}, input {shown(content)}"
        outcome.find(
            "slow" if isinstance(found, Hang) else "foreign exception", index, what, f"{kind} {where}"
        )
    elif took > target.seconds:
        what = f"{took:.1f} s of CPU time; seed {chosen.name}, input {shown(content)}"
        outcome.find("slow", index, what, f"slow {chosen.name}")


def _kind(error: BaseException) -> str:
    module = type(error).__module__
    return type(error).__qualname__ if module == "builtins" else f"{module}.{type(error).__qualname__}"


def place(error: BaseException) -> str:
    """Return where an exception was raised: the last line in our code, and the last line of all."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if any(f"{os.sep}{home}{os.sep}" in each.filename for home in _HOMES)]
    named = [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in (*ours[-1:], *frames[-1:])]
    return " → ".join(dict.fromkeys(named))


_HOMES: Final = ("soapclient", "bindgen", "zxws")


def rss() -> int:
    """Return the resident memory of this process in bytes."""
    with open("/proc/self/statm", "rb") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize()


def work(
    target: Target, folder: Path, seed: int, indexes: range, until: float | None, at: Callable[[int], None]
) -> Outcome:
    """Run inputs of a target in this process until `until` (time.monotonic())."""
    outcome = Outcome()
    prepared = target.prepare(folder)
    gc.collect()
    gc.freeze()
    warm, base = max(int(len(indexes) * _WARM), 200), None
    for number, index in enumerate(indexes):
        if until is not None and time.monotonic() > until:
            break
        if number == warm:
            gc.collect()
            base = rss()
        at(index)
        run_one(prepared, target, seed, index, outcome)
    if base is not None:
        gc.collect()
        outcome.grown = rss() - base
        if outcome.grown > GROWTH:
            what = f"{outcome.grown >> 20} MiB more after {outcome.inputs} inputs than after {warm}"
            outcome.find("memory", indexes[0] + outcome.inputs - 1, what, "memory")
    return outcome


def supervised(target: Target, folder: Path, seed: int, count: int, until: float | None) -> Outcome:
    """Run the first `count` inputs of a target in separate processes.

    An input that crashes its process, or forces the watcher to kill it, is a finding. The next process
    continues after that input.
    """
    whole = Outcome()
    first = 0
    while first < count:
        done, reached = _process(target, folder, seed, range(first, count), until, whole)
        whole.add(done)
        if reached is None:
            break
        whole.inputs += reached - first + 1
        first = reached + 1
    return whole


def _process(
    target: Target, folder: Path, seed: int, indexes: range, until: float | None, whole: Outcome
) -> tuple[Outcome, int | None]:
    """Fork and watch a process. Return its outcome, and the index of the input that ended it, if any."""
    shared = mmap.mmap(-1, _STATE.size)
    shared[:] = _STATE.pack(-1, 0.0)
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(target, folder, seed, indexes, until, shared, writing)
    os.close(writing)
    os.set_blocking(reading, False)
    told, reason = b"", ""
    idle_since, idle_cpu = time.monotonic(), -1.0
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        told += _read(reading)
        if ended:
            told += _read(reading)
            break
        index, began = _STATE.unpack(shared[:])
        cpu = _cpu_of(child)
        if cpu != idle_cpu:
            idle_since, idle_cpu = time.monotonic(), cpu
        if index >= 0 and cpu - began > target.seconds * HARD:
            reason = f"hang: more than {target.seconds * HARD:g} s of CPU time, the process was killed"
        elif time.monotonic() - idle_since > STILL:
            reason = f"stuck: no CPU time for {STILL:g} s, the process was killed"
        if reason:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(_POLL)
    os.close(reading)
    index, _ = _STATE.unpack(shared[:])
    shared.close()
    if not reason and os.waitstatus_to_exitcode(status) == 0:
        data = json.loads(told)
        data["findings"] = {key: tuple(each) for key, each in data["findings"].items()}
        return Outcome(**data), None
    ending = reason or f"the process ended with {os.waitstatus_to_exitcode(status)}"
    if index < 0:
        raise RuntimeError(f"{target.name}: {ending}, before its first input")
    whole.find(
        "crash" if not reason else "slow", index, f"{ending}; {_again(target, folder, seed, index)}", ending
    )
    return Outcome(), index


def _again(target: Target, folder: Path, seed: int, index: int) -> str:
    """Recreate an input that ran in another process."""
    (folder / "again").mkdir(exist_ok=True)
    folder = folder / "again"
    chosen, content = drawn(target.prepare(folder), target.name, seed, index)
    return f"seed {chosen.name}, input {shown(content)}"


def _child(
    target: Target,
    folder: Path,
    seed: int,
    indexes: range,
    until: float | None,
    shared: mmap.mmap,
    writing: int,
) -> None:
    """Main function of a fuzzing process. Does not return."""
    code = 1
    try:
        own = folder / f"process-{os.getpid()}"
        own.mkdir()

        def at(index: int) -> None:
            shared[:] = _STATE.pack(index, time.process_time())

        limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + _ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        outcome = work(target, own, seed, indexes, until, at)
        os.set_blocking(writing, True)
        data = json.dumps(vars(outcome)).encode()
        while data:
            data = data[os.write(writing, data) :]
        code = 0
    except BaseException:  # a child must not continue with the parent's code
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _read(descriptor: int) -> bytes:
    found = b""
    while True:
        try:
            piece = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return found
        if not piece:
            return found
        found += piece


def _cpu_of(process: int) -> float:
    """Return the CPU time of a process in seconds."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
