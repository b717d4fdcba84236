"""The frames of this project in one warm call: `python -m tests.bench.frames [--hops]`.

Counts the Python functions in `soapclient/` and `generated/` that `search_programs(items=1)` enters over
SOAP, against the server of server.py. With `--hops` it lists them in order, indented by their depth.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import FrameType
from typing import Final

from tests.bench.call_cases import soap_call
from tests.bench.server import Handler

_ROOT: Final = Path(__file__).parents[2]
_OWN: Final = tuple(f"{_ROOT / folder}/" for folder in ("soapclient", "generated"))


def own_frames(function: Callable[[], object]) -> list[tuple[int, str, str]]:
    """Return the project's functions that one run enters, in order: depth among these frames, file, name."""
    entered: list[tuple[int, str, str]] = []

    def note(frame: FrameType) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN):
            return
        depth, outer = 0, frame.f_back
        while outer is not None:
            depth += outer.f_code.co_filename.startswith(_OWN)
            outer = outer.f_back
        entered.append((depth, code.co_filename.removeprefix(f"{_ROOT}/"), code.co_qualname))

    _profile(function, note)
    return entered


def python_calls(function: Callable[[], object]) -> int:
    """Return the number of Python functions that one run calls, in all libraries."""
    count = itertools.count()
    _profile(function, lambda frame: next(count))
    return next(count) - 1  # without the function itself


def _profile(function: Callable[[], object], note: Callable[[FrameType], object]) -> None:
    """Run a function, and note the frames of all Python functions that it enters."""

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            note(frame)

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)


def measured() -> list[tuple[int, str, str]]:
    """Return the project's frames of a warm call over SOAP."""
    with warm_call() as call:
        return own_frames(call)


@contextmanager
def warm_call() -> Iterator[Callable[[], object]]:
    """Serve a response in this process, and yield a typed call that has been made some times."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        call = soap_call(f"http://127.0.0.1:{server.server_address[1]}")
        for _ in range(20):
            call()
        yield call
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hops", action="store_true", help="list the functions in order")
    hops = parser.parse_args().hops
    frames = measured()
    if hops:
        for depth, file, name in frames:
            print(f"{'  ' * depth}{name}  {file}")
    print(f"{len(frames)} own frames")


if __name__ == "__main__":
    main()
