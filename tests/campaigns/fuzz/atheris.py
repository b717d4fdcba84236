"""`python -m tests.campaigns.fuzz.atheris TARGET [options of libFuzzer]`: the same targets, led by coverage.

atheris is no part of the development tools: `pip install atheris`, where there is a wheel of it. The first
two bytes of an input say which seed it is of, the others are its content; a corpus folder may be given, and
`-runs=`, `-seed=`, `-max_total_time=`. What a target raises is printed with the input, and ends it.
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
    """The seed and the content that some bytes mean."""
    return prepared.seeds[int.from_bytes(data[:_HEAD]) % len(prepared.seeds)], data[_HEAD:]


def mutated(prepared: Prepared, mutate: Any, data: bytes, size: int, number: int) -> bytes:
    """Other bytes: changed by structure from a seed, or by libFuzzer from what led to new code."""
    random = Random(number)
    if random.random() < 0.5:
        content: bytes = mutate(data[_HEAD:], max(size - _HEAD, 1))
        return (data[:_HEAD].ljust(_HEAD, b"\0") + content)[:size]
    which = random.randrange(len(prepared.seeds))
    made = prepared.mutated(prepared.seeds[which], random)
    return (which.to_bytes(_HEAD) + made)[:size]


def main(arguments: list[str]) -> None:
    """Fuzz the target that the first argument names; the others are libFuzzer's."""
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
        targets()  # which import what is under test: nobody may have done so before
    main(sys.argv[1:])
