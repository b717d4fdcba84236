"""Fuzz the compiled reader with checks of its memory: `python -m tests.campaigns.fuzz.memory_checks`.

- `address`: the module is built with AddressSanitizer of gcc or clang. pip downloads what the build needs.
- `debug`: the installed module runs with `PYTHONMALLOC=debug`, which fills freed memory and checks bounds.

Each check runs the target `speedups` in other processes. A message of a check ends the process that has the
input, which the campaign reports as a crash.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from ..processes import ROOT

_CHECKS: Final = ("address", "debug")
_FLAGS: Final = "-fsanitize=address -fno-omit-frame-pointer -g -O1"


def main(arguments: list[str] | None = None) -> int:
    """Run the checks named in the arguments and return the exit code: 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fuzz.memory_checks", description=__doc__)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"by default all: {', '.join(_CHECKS)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60_000, help="of all targets; speedups has its share")
    options = parser.parse_args(arguments)
    for check in options.checks:
        if check not in _CHECKS:
            parser.error(f"{check} is not a check. Checks: {', '.join(_CHECKS)}")
    codes = []
    with tempfile.TemporaryDirectory(prefix="memory-checks-") as folder:
        for check in options.checks or _CHECKS:
            environment = (
                with_address_sanitizer(Path(folder)) if check == "address" else with_debug_allocator()
            )
            print(f"{check}:", end=" ", flush=True)
            codes.append(_fuzzed(environment, options.seed, options.count))
    return max(codes)


def with_debug_allocator() -> dict[str, str]:
    """Return the environment of a process with the debug allocator of Python."""
    return {**os.environ, "SOAPCLIENT_SPEEDUPS": "1", "PYTHONMALLOC": "debug"}


def with_address_sanitizer(folder: Path) -> dict[str, str]:
    """Build the module with AddressSanitizer in a folder. Return the environment of a process that uses it.

    Raises CalledProcessError if the build fails.
    """
    build = {**os.environ, "SOAPCLIENT_SPEEDUPS": "1", "CFLAGS": _FLAGS, "LDFLAGS": "-fsanitize=address"}
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), str(ROOT)]
    subprocess.run(install, env=build, check=True)
    command = [os.environ.get("CC", "cc"), "-print-file-name=libasan.so"]
    library = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        **os.environ,
        "SOAPCLIENT_SPEEDUPS": "1",
        "LD_PRELOAD": library.stdout.strip(),
        # detect_leaks: Python frees little at its end. quarantine_size_mb: freed memory is kept to detect
        # its use; with the default, 256, the campaign would report the growth of the process.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16",
        "PYTHONMALLOC": "malloc",  # so that each object is an allocation that the sanitizer checks
        "PYTHONPATH": os.pathsep.join(
            [*(str(ROOT / name) for name in ("", "generated", "tools")), str(folder)]
        ),
    }


def _fuzzed(environment: dict[str, str], seed: int, count: int) -> int:
    command = ["fuzz", "--target", "speedups", "--seed", str(seed), "--count", str(count)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.campaigns", *command], cwd=ROOT, env=environment, check=False
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
