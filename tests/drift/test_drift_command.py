"""`soapclient drift`: summaries of logs, with exit codes for cron and CI."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from soapclient.cli.application import cli
from soapclient.drift.log import Line, dumps


def _line(ts: str = "2026-11-20T12:00:00Z", times: int = 1, **others: str) -> str:
    named = {"contract": "publisher", "version": "1", "sha256": "ab", "service": "P", "detail": ""}
    named |= {"operation": "GetSales", "kind": "element", "path": "a/b"}
    return dumps(Line(ts=ts, times=times, **(named | others)))


def _drift(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["drift", *map(str, arguments)])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A log that ends within a line, and its rotated, gzipped predecessor."""
    new, old = tmp_path / "drift.jsonl", tmp_path / "drift.jsonl.1.gz"
    old.write_bytes(gzip.compress((_line("2026-11-01T00:00:00Z", 5) + _line(path="a/c")).encode()))
    new.write_text(
        _line("2026-11-20T12:00:00Z", 9)
        + _line("2026-11-10T12:00:00Z", 2)
        + _line(kind="value", path="a/d", detail="billboard", times=3)
        + _line(kind="value", path="a/d", detail="poster", ts="2026-11-21T00:00:00Z", sha256="cd")
        + _line(operation="GetLeads")
        + _line(path="a/lost")[:-30],
        encoding="utf-8",
    )
    return new, old


def test_counts_of_all_files_are_added(files: tuple[Path, Path]) -> None:
    done = _drift(*files, "--json", files[0])
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert found["unreadable_lines"] == 1
    assert "1 line truncated" in done.stderr
    assert [(each["operation"], each["kind"], each["path"], each["times"]) for each in found["findings"]] == [
        ("GetLeads", "element", "a/b", 1),
        ("GetSales", "element", "a/b", 16),
        ("GetSales", "element", "a/c", 1),
        ("GetSales", "value", "a/d", 4),
    ]
    sales, value = found["findings"][1], found["findings"][3]
    assert (sales["first"], sales["last"]) == ("2026-11-01T00:00:00Z", "2026-11-20T12:00:00Z")
    assert value["details"] == {"billboard": 3, "poster": 1}
    assert value["sha256"] == ["ab", "cd"]


@pytest.mark.parametrize(
    ("since", "times"),
    [
        ("2026-11-02", 11),
        ("2026-11-20T12:00:00Z", 9),
        ("2026-11-20T13:00:00+01:00", 9),
        ("2026-11-20 12:00:01", 0),
    ],
)
def test_since_option_filters_by_time(files: tuple[Path, Path], since: str, times: int) -> None:
    found = json.loads(_drift(*files, "--json", "--since", since).stdout)["findings"]
    assert sum(
        each["times"] for each in found if (each["operation"], each["path"]) == ("GetSales", "a/b")
    ) == (times)


def test_text_and_markdown_output(files: tuple[Path, Path], tmp_path: Path) -> None:
    text = _drift(*files).stdout
    assert "publisher 1\n  GetLeads\n    element a/b: once, 2026-11-20T12:00:00Z\n" in text
    assert "value a/d: 4 times, 2026-11-20T12:00:00Z to 2026-11-21T00:00:00Z" in text
    assert "('billboard' 3 times, 'poster' once)" in text
    evil = tmp_path / "evil.jsonl"
    evil.write_text(_line(path="a|b](http://x)<i>\x1b[31m"), encoding="utf-8")
    table = _drift(evil, "--markdown").stdout.splitlines()
    assert len(table) == 3
    assert table[2].replace("\\|", "").count("|") == 8
    assert r"a\|b\]\(http://x\)\<i\>" in table[2]
    assert "\x1b" not in table[2] + _drift(evil).stdout


def test_most_frequent_values_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "drift.jsonl"
    lines = [_line(kind="value", detail=f"v{number}", times=number) for number in range(2, 13)]
    log.write_text("".join(lines), encoding="utf-8")
    shown = ", ".join(f"'v{number}' {number} times" for number in sorted(range(5, 13), key=str))
    assert f"({shown}, 3 more)" in _drift(log).stdout


def test_log_without_findings_exits_with_0(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    done = _drift(empty)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "soapclient: nothing found\n" in done.stderr
    assert json.loads(_drift(empty, "--json").stdout) == {"findings": [], "unreadable_lines": 0}
    assert _drift(empty, "--markdown").stdout == "Nothing found.\n"
    late = tmp_path / "late.jsonl"
    late.write_text(_line(), encoding="utf-8")
    assert _drift(late, "--since", "2027-01-01").exit_code == 0


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_missing_log_counts_as_no_findings(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """The healthy case: the file is created with its first finding. A warning on stderr reveals a typo."""
    log = tmp_path / "none.jsonl"
    done = _drift(log)
    assert (done.exit_code, done.stdout) == (0, "")
    missing = f"soapclient: {log}: no such file, so there are no findings\n"
    assert done.stderr == f"{missing}soapclient: nothing found\n"
    assert json.loads(_drift(log, "--json").stdout) == {"findings": [], "unreadable_lines": 0}
    assert _drift(log, files[1]).exit_code == 1
    link = tmp_path / "link.jsonl"
    for moved in ("gone.jsonl", tmp_path / "nowhere" / "drift.jsonl"):  # it is unknown whether there were any
        link.symlink_to(moved)
        done = _drift(link)
        assert (done.exit_code, done.stdout) == (2, "")
        assert f"{link}: cannot be read (No such file or directory)" in done.stderr
        link.unlink()
    link.symlink_to(link)
    looped = _drift(link)
    assert (looped.exit_code, f"{link}: cannot be read" in looped.stderr) == (2, True)


@pytest.mark.parametrize(
    "content",
    [
        b"no log\n",
        b"{}\n",
        b'{"ts": "now"}',
        b"[1]",
        b"\x1f\x8bbroken",
        _line().encode()[:-30],
        b"[" * 100_000,
    ],
)
def test_other_file_is_an_error_and_not_an_empty_log(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "odd"
    file.write_bytes(content)
    done = _drift(file)
    assert done.exit_code == 2
    assert str(file) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_archive_is_unreadable(tmp_path: Path) -> None:
    """Its header is intact but its data is damaged. zlib's error is not an OSError."""
    lines = "".join(_line(path=f"a/{number}") for number in range(200))
    packed = bytearray(gzip.compress(lines.encode()))
    packed[40:60] = b"\xff" * 20
    file = tmp_path / "drift.jsonl.gz"
    file.write_bytes(packed)
    with pytest.raises(zlib.error):
        gzip.decompress(packed)
    done = _drift(file)
    assert done.exit_code == 2
    assert isinstance(done.exception, SystemExit)
    assert f"{file}: cannot be read" in done.stderr


@pytest.mark.parametrize(
    ("after", "code", "said"),
    [
        ('{"ts":"2026-11-20T1', 0, "1 line truncated, skipped"),
        ('{"cut\n{"cut\n', 2, "2 lines truncated, skipped"),
        ('{"cut\n' + _line(), 2, "1 line truncated, skipped"),
        ("garbage\n", 2, "1 line not of a drift log, skipped"),
        ("{}\n", 2, "1 line not of a drift log, skipped"),
        ('garbage\n{"ts":', 2, "1 line truncated and 1 line not of a drift log, skipped"),
    ],
)
def test_no_findings_is_reported_only_if_all_files_were_read(
    tmp_path: Path, after: str, code: int, said: str
) -> None:
    """An incomplete last line is not an error: its process is still writing or was killed."""
    file = tmp_path / "part.jsonl"
    file.write_text(_line() + after, encoding="utf-8")
    done = _drift(file, "--since", "2027-01-01")
    assert (done.exit_code, done.stdout) == (code, "")
    assert "soapclient: nothing found\n" in done.stderr
    assert said in done.stderr
    assert _drift(file).exit_code == 1  # findings are shown, even if other files cannot be read


def test_missing_files_and_invalid_options_are_errors(tmp_path: Path, files: tuple[Path, Path]) -> None:
    assert _drift(tmp_path / "nowhere" / "drift.jsonl").exit_code == 2
    assert _drift(files[0] / "drift.jsonl").exit_code == 2
    assert _drift(tmp_path).exit_code == 2
    assert _drift().exit_code == 2
    assert _drift(files[0], tmp_path / "nowhere" / "drift.jsonl").exit_code == 2
    assert _drift(files[0], "--since", "yesterday").exit_code == 2
