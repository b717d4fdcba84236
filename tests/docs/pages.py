"""The pages that people read, as blocks that can be run: README.md, CONTRIBUTING.md, all in docs/.

A page runs from top to bottom in one folder and one environment; its pieces of Python share one interpreter.
What a block is says its language:

    (none), sh   commands, each of which must succeed; what they export stays
    console      lines of `$ command`, each followed by exactly what it prints
    python       a piece of the page's program

An HTML comment before the block says the rest: `<!-- file: NAME -->` a file, which is written and not run;
`<!-- output -->` what the block before has printed; `<!-- serves -->` a command that goes on while the page
is run; `<!-- picture -->` something to look at; `<!-- not run: REASON -->` what no test can do. Between
`<!-- generated: WHAT -->` and `<!-- end -->` stands what `.ci/reference.py` has written.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import requests

ROOT = Path(__file__).parents[2]
ADDRESS, HOST, WEATHER = "http://127.0.0.1:8642", "https://HOST", "https://weather.example"
SHELF = "https://shelf.example"
_BLOCK = re.compile(r"(?:^<!-- ([^\n]+) -->\n+)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_GENERATED = re.compile(r"^<!-- generated: .*?^<!-- end -->$", re.DOTALL | re.MULTILINE)
_INTERPRETER = """
import contextlib, io, json, os, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    asked, printed = json.loads(line), io.StringIO()
    os.environ.update(asked["environment"])
    failed = ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(asked["code"], "page", "exec"), names)
        except BaseException:
            failed = traceback.format_exc()
    print(json.dumps([printed.getvalue(), failed]), flush=True)
"""


@dataclass(frozen=True)
class Block:
    """A fenced block. `mark` is the word of the comment before it, and `said` what follows that word."""

    language: str
    text: str
    mark: str
    said: str
    line: int

    @property
    def skipped(self) -> bool:
        return self.mark == "not run"


@dataclass(frozen=True)
class Page:
    """A Markdown file, by its path below the root."""

    name: str

    @property
    def text(self) -> str:
        return (ROOT / self.name).read_text(encoding="utf-8")

    @property
    def by_hand(self) -> str:
        """The text without what is generated, whose lines are left empty."""
        return _GENERATED.sub(lambda found: "\n" * found[0].count("\n"), self.text)

    @property
    def blocks(self) -> list[Block]:
        text, found = self.by_hand, []
        for match in _BLOCK.finditer(text):
            mark, _, said = (match[1] or "").partition(":")
            line = text.count("\n", 0, match.start(2)) + 1
            found.append(Block(match[2], match[3], mark.strip(), said.strip(), line))
        return found

    def file(self, name: str) -> str:
        """The file of that name, as the page has it."""
        return next(each.text for each in self.blocks if (each.mark, each.said) == ("file", name))

    @property
    def python(self) -> str:
        """The page's program."""
        pieces = [each.text for each in self.blocks if each.language == "python" and not each.skipped]
        return "\n".join(pieces)


def all_pages() -> list[Page]:
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [Page(path.relative_to(ROOT).as_posix()) for path in paths]


def outside(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of commands: this interpreter's first on the path, and no settings but these."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SOAPCLIENT_", "MYPY"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    ours = {"PATH": path, "PYTHONUTF8": "1", "XDG_STATE_HOME": str(folder / ".state"), "COLUMNS": "80"}
    plugin = {"PYTEST_ADDOPTS": "-p soapclient.testing.plugin"}  # as if installed just now
    return {**kept, **ours, **plugin, **settings}


class Reader:
    """Does what a page says, in a folder: a context manager that ends what it started."""

    def __init__(self, folder: Path, places: Mapping[str, str], settings: Mapping[str, str]) -> None:
        """`places`: what pages call a served address, and where it really is; `settings`: of SOAPCLIENT_…"""
        self.folder = folder
        self._places = dict(places)
        self._environment = outside(folder, settings)
        self._interpreter: subprocess.Popen[str] | None = None
        self._printed = ""
        self._ends = ExitStack()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def follow(self, page: Page) -> list[str]:
        """Run the page; gives what each block printed. An AssertionError names the line."""
        printed = []
        for block in page.blocks:
            if block.skipped or block.mark == "picture":
                continue
            where = f"{page.name}:{block.line}"
            text = block.text
            for place, url in self._places.items():
                text = text.replace(place, url)
            if block.mark == "file":
                self._write(block.said, text)
            elif block.mark == "serves":
                self._serve(text.strip(), where)
            elif block.language in {"", "sh"}:
                self._printed = self._shell(text, where)
            elif block.language == "console":
                self._console(text, where)
            elif block.language == "python":
                self._printed = self._python(text, where)
            else:
                assert block.mark == "output", f"{where}: nothing says what becomes of this block"
                assert self._printed == text, where
            printed.append(self._printed)
        return printed

    def _write(self, name: str, text: str) -> None:
        """Write a file; `NAME, after TABLE` puts a block in place of a table's head in one that is there."""
        name, _, table = name.partition(", after ")
        path = self.folder / name
        if table:
            there = path.read_text(encoding="utf-8")
            assert there.count(f"{table}\n") == 1, f"{name}: {table}"
            text = there.replace(f"{table}\n", text)
        path.write_text(text, encoding="utf-8")

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=600,  # a guard: a cold mypy on a busy machine takes its time
            check=False,
        )

    def _shell(self, text: str, where: str) -> str:
        kept = self.folder / ".environment"
        done = self._run(["sh", "-e", "-c", f"{text}\nenv -0 > '{kept}'"])
        assert done.returncode == 0, f"{where}: {done.returncode}: {done.stdout}"
        for line in kept.read_text(encoding="utf-8").split("\0"):
            name, _, value = line.partition("=")
            if name.startswith("SOAPCLIENT_"):
                self._environment[name] = value
        return done.stdout

    def _console(self, text: str, where: str) -> None:
        parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
        assert parts[0] == "", f"{where}: a console begins with a command"
        for command, shown in zip(parts[1::2], parts[2::2], strict=True):
            done = self._run(["sh", "-c", command])
            assert done.stdout == shown, f"{where}: {command}"

    def _python(self, code: str, where: str) -> str:
        if self._interpreter is None:
            command = [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", _INTERPRETER]
            self._interpreter = self._ends.enter_context(
                subprocess.Popen(
                    command,
                    cwd=self.folder,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                )
            )
        running = self._interpreter
        assert running.stdin is not None
        assert running.stdout is not None
        settings = {key: value for key, value in self._environment.items() if key.startswith("SOAPCLIENT_")}
        running.stdin.write(json.dumps({"code": code, "environment": settings}) + "\n")
        running.stdin.flush()
        printed, failed = json.loads(running.stdout.readline())
        assert not failed, f"{where}: {failed}"
        return str(printed)

    def _serve(self, command: str, where: str) -> None:
        """Start what the page does, but at a free port, and wait until it is there."""
        assert command.startswith(("soapclient sandbox", "soapclient mock", "soapclient console")), where
        serving = subprocess.Popen(
            [*command.split(), "--port", "0"],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._ends.enter_context(serving)
        self._ends.callback(serving.terminate)
        assert serving.stdout is not None
        for line in serving.stdout:
            found = re.fullmatch(r"export SOAPCLIENT_PUBLISHER_URL=(\S+)\n", line)
            if found:
                self._places |= {ADDRESS: found[1], HOST: found[1]}
            if found := re.fullmatch(r"# wsdl: (http://[^/]+)/.*\n", line):
                self._places |= {ADDRESS: found[1]}
                return
            if line.startswith("# publisher profile"):
                return
            if command.startswith("soapclient console"):
                assert requests.get(line.strip(), timeout=30).ok, where
                return
        raise AssertionError(f"{where}: it did not start")
