"""`python -m tests.campaigns.fuzz.atheris TARGET [options of libFuzzer]`: coverage-guided fuzzing.

It uses the same targets. atheris is not one of the development tools: run `pip install atheris` if there is a
wheel for your platform. The first two bytes of an input select a seed and the rest is the content. Pass a
corpus folder and options such as `-runs=`, `-seed=` and `-max_total_time=`. If a target raises, the exception
is printed with the input and fuzzing stops.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

from . import targets
from .target import Prepared, Seed
from .watch import limited

_HEAD: Final = 2


def input_of(prepared: Prepared, data: bytes) -> tuple[Seed, bytes]:
    """Decode bytes to a seed and a content."""
    return prepared.seeds[int.from_bytes(data[:_HEAD]) % len(prepared.seeds)], data[_HEAD:]


def mutated(prepared: Prepared, mutate: Any, data: bytes, size: int, number: int) -> bytes:
    """Return a mutation: from a seed by structure, or by libFuzzer from an input that reached new code."""
    random = Random(number)
    if random.random() < 0.5:
        content: bytes = mutate(data[_HEAD:], max(size - _HEAD, 1))
        return (data[:_HEAD].ljust(_HEAD, b"\0") + content)[:size]
    which = random.randrange(len(prepared.seeds))
    made = prepared.mutated(prepared.seeds[which], random)
    return (which.to_bytes(_HEAD) + made)[:size]


def main(arguments: list[str]) -> None:
    """Fuzz the target in the first argument. The other arguments are options of libFuzzer."""
    known = targets()
    if not arguments or arguments[0] not in known:
        raise SystemExit(f"name a target: {', '.join(known)}")
    target = known[arguments[0]]
    logging.disable(logging.CRITICAL)
    atheris: Any = import_module("atheris")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        prepared = target.prepare(Path(folder))

        def one(data: bytes) -> None:
            seed, content = input_of(prepared, data)
            with limited(target.seconds * 2):
                prepared.run(seed, content)

        def change(data: bytes, size: int, number: int) -> bytes:
            return mutated(prepared, atheris.Mutate, data, size, number)

        atheris.Setup([sys.argv[0], *arguments[1:]], one, custom_mutator=change)
        atheris.Fuzz()


if __name__ == "__main__":
    with import_module("atheris").instrument_imports(include=["soapclient", "bindgen", "zxws"]):
        targets()  # imports the code under test, which must not be imported before instrumentation
    main(sys.argv[1:])
