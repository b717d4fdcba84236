"""Command lines of `soapclient` and `bindgen`, run in this process.

Each must end with a documented exit code and explain errors on stderr without a traceback. Nothing is sent.
"""

# ruff: noqa: E501 - command lines

from __future__ import annotations

import contextlib
import io
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final
from unittest import mock

import click

from bindgen.cli import main as bindgen
from soapclient.cli.application import run as soapclient

from .mutation import INTERESTING, near
from .responses import recorded
from .target import Seed, Target, Wrong

_BETWEEN: Final = "\x1e"
_ROOT: Final = Path(__file__).parents[3]
_LINES: Final = (
    "--help", "--version", "operations", "operations publisher", "config", "config --help", "--config c.toml config",
    "--config c.toml --profile test config", "--debug config", "decode publisher GetProfile profile.xml",
    "decode publisher GetProfile profile.json", "decode publisher GetSales missing.xml", "decode data GetJobs -",
    "drift drift.jsonl", "drift drift.jsonl missing.jsonl --json", "drift drift.jsonl --markdown --since 2026-11-01",
    "sign rest publisher GET /profiles --json", "sign soap publisher GetProfile --nonce 12345678901234567890",
    "sign rest publisher GET /profiles --timestamp Thu,_15_Aug_2013_15:56:07_GMT",
    "call publisher GetSales date=2026-11-01 dateType=trackingDate", "call publisher GetProfile --protocol rest",
    "call publisher CreateAdspace adspaceItem.name=Blog adspaceItem.@id=5", "call publisher GetSales -",
    "call advertiser GetPartnerships partnerCode=A partnerCode=B", "call data GetJobs --trace --save out.xml",
    "export sale --from 2026-11-01 --to 2026-11-02 -o out.csv.gz --state state", "export --help",
    "export sale --from 2026-11-01 --to 2026-11-02 -o out.csv.gz", "backfill plan.toml", "backfill plan.toml --dry-run",
    "contract check publisher", "contract check publisher --format json --fail-on info", "contract check --help",
    "contract check data --ignore ignore.txt --strict-ignore", "sandbox --help", "demo --help", "nothing", "",
)  # fmt: skip
_BINDGEN: Final = (
    "--help", "--version", "init made --file a.wsdl --offline", "init made --file a.wsdl --offline --strict --out out",
    "init made --file a.wsdl --offline --operation A,B", "init made --file a.wsdl --may-be-missing X/y",
    "init class --file a.wsdl --offline", "init made --url http://127.0.0.1:9/x.wsdl", "diff a.wsdl b.wsdl",
    "diff a.wsdl b.wsdl --format json --output out.json", "diff a.wsdl b.wsdl --ignore ignore.txt --strict-ignore",
    "diff --rules", "diff a.wsdl HEAD:a.wsdl", "diff lock:data a.wsdl --contract data", "--wsdl wsdl check data",
    "--wsdl wsdl generate --help", "--wsdl nothing check", "--wsdl . check", "fetch --help", "--debug diff a.wsdl .",
    "--wsdl . fetch data --file a.wsdl --check", "docs made --file a.wsdl", "docs --help", "nothing", "",
)  # fmt: skip
_WORDS: Final = (
    "--", "-", "-h", "--help", "--json", "--config", "--profile", "--debug", "--format", "html", "-o",
    "--out", ".", "/", "a.wsdl", "b.wsdl", "c.toml", "profile.xml", "profile.json", "drift.jsonl", "wsdl",
    "publisher", "data", "GetSales", "a=1", "a.b=1", "a[2].b=1", "a[9999].b=1", "a[0]=1", "@a=1", "$=1", "=1",
    "a=", "a..b=1", "date=x", "items=9" * 9, "--timeout", "-1", "1e400", "nan", "2026-11-01", "2026-13-45",
    "--since", "--from", "--to", "--output", "/dev/null", "\udcff", "a\udcff=1", "--nope", "--json=x",
    "--format=x", "-ojson", "lock:x", "HEAD", "HEAD:x", "git:HEAD", "~nobody/x", "http://127.0.0.1:9/x",
    "http://[::1", "file:///etc/passwd", "a" * 5000, "--include-root", "--allow-host", "*", "link",
)  # fmt: skip
_FILES: Final[Mapping[str, bytes]] = {
    "c.toml": b'publisher_url = "http://127.0.0.1:9"\nconnect_id = "A1"\nsecret_key = "k"\n[profiles.test]\ntimeout = 3\n',
    "drift.jsonl": b'{"ts":"2026-11-01T00:00:00Z","contract":"publisher","version":"1","sha256":"","service":"s",'
    b'"operation":"GetSales","kind":"element","path":"a/b","detail":"","times":3}\n',
    "r.json": b'{"date": "2026-11-01", "dateType": "trackingDate"}',
    "ignore.txt": b"# nothing\n",
    "plan.toml": b'output = "out"\nfrom = "2026-11-01"\nto = "2026-11-02"\n[[accounts]]\nname = "a"\n'
    b'connect_id_env = "X"\nsecret_key_env = "Y"\n[[reports]]\ntype = "sale"\n',
}
_CODES: Final = {"soapclient": frozenset({*range(11), 130}), "bindgen": frozenset({0, 1, 2, 3})}
_VERDICTS: Final = frozenset({0, 1, 2, 3})
_UNTYPED: Final = re.compile(
    r"Traceback \(most|unexpectedly failed with|could not check: [A-Za-z.]*(Error|Exception)\b:"
)
_SERVING: Final = ("demo", "sandbox", "mock")


def _refused(*_: object, **__: object) -> socket.socket:
    raise ConnectionRefusedError(111, "nothing is sent here")


class _Lines:
    """Command lines in a folder with one file of each kind."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "here"
        self._folder.mkdir()
        soap, as_json = recorded()["soap GetProfile"][2], recorded()["json GetProfile"][2]
        corpus = _ROOT / "tests" / "corpus" / "contracts"
        self._files = {
            **_FILES,
            "profile.xml": soap,
            "profile.json": as_json,
            "a.wsdl": (corpus / "choices.wsdl").read_bytes(),
            "b.wsdl": (corpus / "alls.wsdl").read_bytes(),
            "contracts.toml": b"format = 2\n",
        }
        self.seeds = tuple(
            Seed(program, _BETWEEN.join(line.split()).encode())
            for program, known in (("soapclient", _LINES), ("bindgen", _BINDGEN))
            for line in known
        )
        (self._folder / "link").symlink_to("nowhere")
        self._fill()

    def mutated(self, seed: Seed, random: Random) -> bytes:
        words = seed.content.decode().split(_BETWEEN)
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            at = random.randrange(len(words) + 1)
            way = random.randrange(6)
            if way == 0 and at < len(words):
                del words[at]
            elif way == 1 and at < len(words):
                words[at] = near(words[at], random)
            elif way == 2 and at < len(words):
                words[at] = random.choice(_WORDS)
            elif way == 3 and at < len(words) and "=" in words[at]:
                words[at] = words[at].partition("=")[0] + "=" + random.choice(INTERESTING)
            elif way == 4:
                words.insert(at, random.choice(INTERESTING)[:200])
            else:
                words.insert(at, random.choice(_WORDS))
        # Arguments of a process cannot contain NUL.
        return _BETWEEN.join(words).replace("\0", "").encode("utf-8", "surrogatepass")

    def run(self, seed: Seed, content: bytes) -> bool:
        words = content.decode("utf-8", "surrogatepass").split(_BETWEEN)
        if seed.name == "soapclient" and set(words) & set(_SERVING) and "--help" not in words:
            return False  # commands that wait for requests
        out, told = _Stream(), _Stream()
        with _here(self._folder), _captured(out, told):
            code = _run(soapclient if seed.name == "soapclient" else bindgen, seed.name, words)
        said = told.text()
        allowed = _VERDICTS if seed.name == "soapclient" and "contract" in words else _CODES[seed.name]
        if code not in allowed:
            raise Wrong(f"exit code {code}: {said[-300:]}")
        if "--debug" not in words and (found := _UNTYPED.search(said)):
            raise Wrong(f"an unexpected error: {said[found.start() :][:300]}")
        if code and not said and not out.text() and "--output" not in words:
            raise Wrong(f"exit code {code}, and not a word")
        if out.text() or said:
            self._tidy()
        return code == 0

    def _tidy(self) -> None:
        """Restore the folder, whatever the command wrote."""
        for path in sorted(self._folder.rglob("*"), reverse=True):
            known = self._files.get(path.name) if path.parent == self._folder else None
            if path.name == "link" and path.is_symlink():
                continue
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            elif known is None:
                path.unlink()
            elif path.is_symlink() or path.stat().st_size != len(known):
                path.unlink()
                path.write_bytes(known)
        self._fill()

    def _fill(self) -> None:
        """Write the files that are missing."""
        for name, content in self._files.items():
            if not (self._folder / name).exists():
                (self._folder / name).write_bytes(content)


class _Stream(io.TextIOWrapper):
    """A replacement for stdout or stderr of a process."""

    def __init__(self) -> None:
        self._raw = io.BytesIO()
        super().__init__(self._raw, "utf-8", "backslashreplace", write_through=True)

    def text(self) -> str:
        self.flush()
        return self._raw.getvalue().decode()


def _run(command: Callable[[], int] | click.Group, name: str, words: Sequence[str]) -> int:
    with mock.patch.object(sys, "argv", [name, *words]):
        try:
            if isinstance(command, click.Group):
                command.main(list(words), prog_name=name)
                return 0
            return command()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)


@contextlib.contextmanager
def _here(folder: Path) -> Iterator[None]:
    """Run in this folder with a minimal environment and without network access."""
    environ = {
        "HOME": str(folder),
        "PATH": os.environ.get("PATH", ""),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, environ, clear=True),
        mock.patch("socket.create_connection", _refused),
        mock.patch("socket.getaddrinfo", _refused),
        mock.patch("urllib3.util.connection.create_connection", _refused),
        mock.patch("time.sleep"),
    ):
        yield


@contextlib.contextmanager
def _captured(out: _Stream, told: _Stream) -> Iterator[None]:
    with (
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", told),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}"))),
        mock.patch("atexit.register"),
    ):
        yield


TARGETS: Final[Sequence[Target]] = (Target("cli", 15_000, _Lines, seconds=8.0),)
