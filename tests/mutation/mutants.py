"""The mutants that mutmut made and their results, read from mutmut's folder."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Fate = Literal["killed", "timeout", "survived", "untested"]

# Exit codes of a mutant's run, from pytest, a signal or mutmut itself.
_FATES: dict[int | None, Fate] = {
    None: "untested",
    1: "killed",
    3: "killed",  # the mutant broke pytest itself
    **dict.fromkeys((36, 24, -24, 152, 255, -9), "timeout"),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of one function. `change` has the removed lines with `-` and the added lines with `+`."""

    name: str
    module: str
    function: str
    line: int
    change: str
    fate: Fate

    @property
    def identity(self) -> tuple[str, str, str]:
        """Identifies the mutant even if other lines of the module change."""
        return self.module, self.function, self.change

    def __str__(self) -> str:
        lines = "".join(f"\n    {line}" for line in self.change.splitlines())
        return f"{self.module}:{self.line} {self.function} ({self.fate}){lines}"


def fate_of(exit_code: int | None) -> Fate:
    """Convert the exit code of a mutant's run. Unknown codes count as survived."""
    return _FATES.get(exit_code, "survived")


def mutants(folder: Path, source: Path, modules: Iterable[str]) -> Iterator[Mutant]:
    """Yield all mutants of the modules below mutmut's `folder`. `source` has the original modules."""
    for module in modules:
        meta = folder / f"{module}.meta"
        if meta.exists():
            yield from _of_module(folder, source / module, module)


def _of_module(folder: Path, source: Path, module: str) -> Iterator[Mutant]:
    meta, spans = (json.loads((folder / f"{module}.{end}").read_text("utf-8")) for end in ("meta", "spans"))
    codes: dict[str, int | None] = meta["exit_code_by_key"]
    lines: dict[str, tuple[int, int]] = spans["spans"]
    text = (folder / module).read_text("utf-8")
    mutated = re.sub(r"__mutmut_(orig|\d+)\b", "", text).splitlines()
    original = source.read_text("utf-8").splitlines()
    for name, code in codes.items():
        mangled = name.rpartition(".")[2]
        base = re.sub(r"__mutmut_\d+$", "", mangled)
        before, after = (
            mutated[start - 1 : end] for start, end in (lines[f"{base}__mutmut_orig"], lines[mangled])
        )
        function = re.sub(r"^x_?", "", base).replace("ǁ", ".").lstrip(".")
        at, change = _change(before, after)
        yield Mutant(name, module, function, _line(original, function, before, at), change, fate_of(code))


def _change(before: list[str], after: list[str]) -> tuple[int, str]:
    """Return the first difference of two functions, as an index into the first, and the changed lines."""
    at, lines = -1, []
    for line in difflib.unified_diff(before, after, n=0, lineterm=""):
        if found := re.match(r"@@ -(\d+)", line):
            at = int(found[1]) - 1 if at < 0 else at
        elif not line.startswith(("---", "+++")):
            lines.append(f"{line[0]} {line[1:].strip()}")
    return at, "\n".join(lines)


def _line(original: list[str], function: str, before: list[str], at: int) -> int:
    """Return the number of the source line that a mutant changes, by the function's name and the text."""
    name = function.rpartition(".")[2]
    begin = re.compile(rf"\s*(async )?def {re.escape(name)}\b")
    starts = [index for index, line in enumerate(original) if begin.match(line)]
    head = next((index for index, line in enumerate(before) if re.match(r"\s*(async )?def ", line)), 0)
    changed = before[min(at, len(before) - 1)].strip()
    for line in (start + at - head for start in starts):
        if line < len(original) and (at == head or original[line].strip() == changed):
            return line + 1
    return starts[0] + 1 if starts else 0
