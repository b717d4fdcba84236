"""The fuzzer finds nothing in a short run, and reports every kind of planted error.

An input depends only on the seed and its index.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

from soapclient.cli.decoding import decode
from soapclient.errors import ResponseError
from soapclient.tracking.exports.handle import ExportHandle
from tests.campaigns import fuzz
from tests.campaigns.__main__ import main
from tests.campaigns.fuzz import atheris, json_mutation, xml_mutation
from tests.campaigns.fuzz.differential import BEYOND_PYTHON
from tests.campaigns.fuzz.target import Seed, Target, Wrong, drawn

pytestmark = pytest.mark.exhaustive

KEPT: list[bytes] = []  # in the process of a target
SHARES = sum(target.share for target in fuzz.targets().values())


class Planted:
    """A target that does something wrong with some inputs."""

    seeds = tuple(Seed("one", word) for word in (b"good", b"good", b"bad"))

    def __init__(self, wrong: Callable[[bytes], bool], folder: Path) -> None:
        self._wrong = wrong

    def mutated(self, seed: Seed, random: Random) -> bytes:
        return seed.content + b"%d" % random.randrange(1000)

    def run(self, seed: Seed, content: bytes) -> bool:
        return not content.startswith(b"bad") or self._wrong(content)


def typed(content: bytes) -> bool:
    raise Wrong("planted")


def foreign(content: bytes) -> bool:
    return {b"good": True}[content]


def deep(content: bytes) -> bool:
    return deep(content)


def hungry(content: bytes) -> bool:
    return bool(bytearray(8 << 30))


def leaking(content: bytes) -> bool:
    KEPT.append(os.urandom(1 << 20))
    return True


def slow(content: bytes) -> bool:
    while True:
        pass


def deaf(content: bytes) -> bool:
    """Hang without running Python signal handlers, like C code."""
    signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
    return slow(content)


def dead(content: bytes) -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return True


def quitting(content: bytes) -> bool:
    raise SystemExit


@pytest.mark.sampled(0, 1)
@pytest.mark.parametrize(
    ("wrong", "kind", "said"),
    [
        (typed, "foreign exception", "Wrong: planted"),
        (foreign, "foreign exception", "KeyError: b'bad"),
        (deep, "foreign exception", "RecursionError"),
        (hungry, "foreign exception", "MemoryError"),
        (quitting, "foreign exception", "SystemExit"),
        (slow, "slow", "hang: more than 0.4 s of CPU time at"),
        (deaf, "slow", "hang: more than 2.4 s of CPU time, the process was killed"),
        (dead, "crash", "the process ended with -9"),
    ],
)
def test_failure_is_reported_with_its_input(wrong: Callable[[bytes], bool], kind: str, said: str) -> None:
    planted = partial(Planted, wrong)
    only = {"planted": Target("planted", 1, planted, seconds=0.2)}
    report = fuzz.run(1, count=8, only=only)
    assert report.figures["inputs"] == report.figures["planted"] == 8  # it continues after each finding
    bad = [at for at in range(8) if drawn(planted(Path()), "planted", 1, at)[1].startswith(b"bad")]
    assert 2 <= len(bad) < 8
    first = min(report.findings, key=lambda each: int(each.where.split()[4]))
    assert first.kind == kind
    assert said in first.what
    assert f"input b'bad{drawn(planted(Path()), 'planted', 1, bad[0])[1][3:].decode()}'" in first.what
    assert first.where.startswith(f"planted seed 1 index {bad[0]}")
    assert first.faults == (f"python -m tests.campaigns fuzz --seed 1 --only planted --index {bad[0]}",)
    assert report.exit_code == 1


@pytest.mark.night
def test_growing_memory_is_found() -> None:
    report = fuzz.run(1, count=500, only={"planted": Target("planted", 1, partial(Planted, leaking))})
    assert [each.kind for each in report.findings] == ["memory"], str(report)
    assert "MiB more after 500 inputs than after 200" in report.findings[0].what
    assert report.figures["grown_mib"] > 64


def test_similar_failures_are_one_finding() -> None:
    report = fuzz.run(1, count=60, only={"planted": Target("planted", 1, partial(Planted, typed))})
    assert len(report.findings) == 1
    assert "times)" in report.findings[0].where


@pytest.mark.night
def test_planted_bug_is_found_and_reproduced_by_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("soapclient.tracking.exports.handle.shown", lambda value: value["nothing"])
    report = fuzz.run(5, count=400, only={"handle": fuzz.targets()["handle"]})
    assert report.findings
    (command,) = report.findings[0].faults
    assert main(shlex.split(command)[3:]) == 1
    told = capsys.readouterr()
    assert "Traceback" in told.err
    assert "handle.py" in told.err
    assert told.out.startswith("fuzz seed 5: inputs 1, taken 0,")


def inexact(*given: Any, **named: Any) -> object:
    """Decode some names differently from zeep."""
    value = decode(*given, **named)
    if hasattr(value, "adspace_item") and value.adspace_item is not None:
        value.adspace_item.name = f"{value.adspace_item.name} "
    return value


def refusing(*given: object, **named: object) -> object:
    raise ResponseError("a", "b", "c")


@pytest.mark.night
@pytest.mark.parametrize(
    ("planted", "count", "said"),
    [(inexact, 600, "zeep reads"), (refusing, 60, "valid by libxml2, and refused")],
)
def test_wrong_decoding_is_found(
    monkeypatch: pytest.MonkeyPatch, planted: Callable[..., object], count: int, said: str
) -> None:
    monkeypatch.setattr("tests.campaigns.fuzz.responses.decode", planted)
    report = fuzz.run(1, count=count, only={"decode": fuzz.targets()["decode"]})
    assert any(said in each.what for each in report.findings), str(report)


@pytest.mark.sampled(0, 1)
@pytest.mark.parametrize(
    "share", [{"init", "diff", "cli", "packages"}, {"decode", "calls", "recording"}, None]
)
def test_small_fuzz_run_finds_nothing(share: set[str] | None) -> None:
    known = fuzz.targets()
    others = {"init", "diff", "cli", "packages", "decode", "calls", "recording"}
    names = share if share is not None else known.keys() - others
    only = {name: target for name, target in known.items() if name in names}
    count = 60 if share and "init" in share else 240
    even = {name: Target(name, 1, each.prepare, each.seconds * 3) for name, each in only.items()}
    report = fuzz.run(20261123, count=count, only=even)
    assert report.findings == [], str(report)
    assert report.figures["inputs"] == count
    assert report.figures["taken"] > count / 20


def test_every_target_has_a_share_of_a_million_inputs() -> None:
    assert SHARES >= 1_000_000
    assert fuzz.FULL >= 1_000_000
    assert min(target.share for target in fuzz.targets().values()) >= 2_000


def test_input_depends_only_on_seed_target_and_index(tmp_path: Path) -> None:
    target = fuzz.targets()["handle"]
    prepared = target.prepare(tmp_path)
    several = [drawn(prepared, "handle", 7, at) for at in range(20)]
    random.seed(3)
    for _, content in several:
        prepared.run(several[0][0], content)
    assert [drawn(prepared, "handle", 7, at) for at in reversed(range(20))] == several[::-1]
    assert drawn(prepared, "handle", 8, 0) != several[0]
    assert drawn(prepared, "another", 7, 0) != several[0]
    assert len({content for _, content in several}) > 15


def test_handle_seeds_are_accepted_unchanged(tmp_path: Path) -> None:
    prepared = fuzz.targets()["handle"].prepare(tmp_path)
    assert all(prepared.run(seed, seed.content) for seed in prepared.seeds)
    assert ExportHandle.from_json(prepared.seeds[0].content).job_id == "4711"


def test_settings_seed_is_accepted_unchanged(tmp_path: Path) -> None:
    prepared = fuzz.targets()["name-toml"].prepare(tmp_path)
    assert any(prepared.run(seed, seed.content) for seed in prepared.seeds)


def test_json_mutations_keep_the_rest() -> None:
    text = '{"a":1.10,"b":["x",{"c":null}],"a":true}'
    data = json_mutation.parsed(text.encode())
    assert json_mutation.text(data) == text
    made = {json_mutation.mutated(data, Random(at)) for at in range(50)}
    assert len(made) > 40
    assert json_mutation.text(data) == text


def test_xml_mutations_do_not_modify_the_seed() -> None:
    tree = xml_mutation.parsed(b"<a><b c='1'>2</b><b/></a>")
    made = {xml_mutation.mutated(tree, Random(at)) for at in range(100)}
    assert len(made) > 70
    assert etree.tostring(tree) == b'<a><b c="1">2</b><b/></a>'


def test_unknown_target_is_reported() -> None:
    with pytest.raises(SystemExit, match=r"there is no target nothing; there are .*decode"):
        main(["fuzz", "--only", "nothing"])
    with pytest.raises(SystemExit, match=r"name a target: .*decode"):
        atheris.main([])


def test_atheris_bytes_select_a_seed_and_its_content(tmp_path: Path) -> None:
    prepared = Planted(typed, tmp_path)
    assert atheris.input_of(prepared, b"\0\5abc") == (prepared.seeds[2], b"abc")
    assert atheris.input_of(prepared, b"") == (prepared.seeds[0], b"")
    made = {atheris.mutated(prepared, lambda data, size: data[::-1], b"\0\1abc", 50, at) for at in range(20)}
    assert b"\0\1cba" in made
    assert any(each[2:].startswith(b"bad") for each in made)
    assert {
        len(atheris.mutated(prepared, lambda data, size: data * 9, b"\0\1abc", 5, at)) for at in range(9)
    } == {5}


def test_known_libxml2_errors_do_not_count_as_a_second_opinion() -> None:
    assert all(map(BEYOND_PYTHON.fullmatch, ("1E", "-1.5e+", ".5E-", "1e10000000", "10000-01-01")))
    assert not any(map(BEYOND_PYTHON.fullmatch, ("E", "1E5", "1", "1.5e-3", "e+", "2026-11-01")))
