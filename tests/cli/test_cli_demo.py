"""`soapclient demo` as a process. Its file is read without soapclient."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import NoReturn

import pytest

from soapclient.tracking.exports.export import Export
from tests.cli.conftest import COMMAND, Environment, Run, RunProcess, StartProcess, rows_of
from tests.support.terminals import shown_on_terminal

ESCAPE = "\x1b["


def printed(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, f"no {pattern} in\n{text}"
    return match[1]


# Settings for another service. The demo must not contact it.
ELSEWHERE = {
    "SOAPCLIENT_CONNECT_ID": "somebody",
    "SOAPCLIENT_PUBLISHER_URL": "https://publisher.example.org",
    "SOAPCLIENT_ATTEMPTS": "not a number",
}


@pytest.mark.exhaustive
def test_demo_runs_completely(run_process: RunProcess, tmp_path: Path) -> None:
    done = run_process("demo", env={**ELSEWHERE, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ESCAPE not in done.stdout
    assert "200,000 rows in " in done.stdout
    assert "The file: the file was removed; use --keep DIR to keep it" in done.stdout
    assert [path.name for path in tmp_path.rglob("*")] == []


@pytest.fixture
def heeded(number: signal.Signals) -> Iterator[signal.Signals]:
    """A signal with its default handler. Child processes would inherit an ignored signal, as with nohup."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
    yield number
    signal.signal(number, before)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_leaves_no_files(start_process: StartProcess, tmp_path: Path, heeded: signal.Signals) -> None:
    with start_process("demo", "--rows", "10000000", env={"TMPDIR": str(tmp_path)}) as started:
        assert any("CreateReportJob" in line for line in started.stdout)
        assert list(tmp_path.iterdir()) != []  # the folder for its file
        _, err = started.end(heeded)
    assert started.process.returncode == 128 + heeded
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.rglob("*")] == []


@pytest.mark.exhaustive
def test_demo_under_nohup_survives_its_terminal(clean_environment: Environment, tmp_path: Path) -> None:
    with subprocess.Popen(
        ("nohup", *COMMAND, "demo", "--rows", "2000"),
        env={**clean_environment, "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        rest, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "2,000 rows in " in rest


def test_demo_output_is_true(run_process: RunProcess, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    done = run_process("demo", "--rows", "300", "--keep", str(folder), env=ELSEWHERE)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    path = Path(printed(r"The file: (.+)", text))
    assert list(folder.iterdir()) == [path]
    rows = rows_of(path)
    assert len(rows) == 300
    assert f"300 rows in {path.stat().st_size:,} bytes" in text
    assert printed(r"sha256 ([0-9a-f]{64})", text) == hashlib.sha256(path.read_bytes()).hexdigest()
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[row["currency"]] += Decimal(row["commission"])
    told = printed(r"\n +commission (.+)", text).replace(",", "").split()
    assert {name: Decimal(value) for name, value in zip(told[::2], told[1::2], strict=True)} == sums

    sales = int(printed(r"GetSales: (\d+) on", text))
    by_currency = re.findall(
        r"([A-Z]{3}) +(\d+) sales  amount +([\d,]+\.\d\d)  commission +[\d,]+\.\d\d", text
    )
    assert sum(int(number) for _, number, _ in by_currency) == sales
    assert int(printed(r"(\d+) pages", text)) == -(-sales // 25)

    assert "reconstructed contract" in text
    assert "built-in sandbox" in text
    assert "1 deleted" in text
    assert "nothing was sent" in text or "refused before sending" in text
    assert "fault 403" in text
    assert "created, then" in text
    assert 15 <= len(text.splitlines()) <= 30
    shown = text.replace(str(folder), "FOLDER")  # its length depends on the machine
    assert max(map(len, shown.splitlines())) <= 110


@pytest.mark.exhaustive
def test_interrupt_leaves_no_temporary_folder(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets: list[Path] = []

    def interrupted(_: Export, path: Path, **options: object) -> NoReturn:
        targets.append(path)
        assert path.parent.is_dir()
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Export, "download", interrupted)
    result = run_unset("demo", "--rows", "20")
    assert result.exit_code == 1
    assert [target.parent.parent for target in targets] == [tmp_path]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_terminal_output_has_colours_and_a_progress_bar(
    clean_environment: Environment, tmp_path: Path
) -> None:
    environment = {**clean_environment, "TERM": "xterm-256color", "COLUMNS": "120"}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        environment.pop(name, None)
    text = shown_on_terminal((*COMMAND, "demo", "--rows", "300", "--keep", str(tmp_path)), environment)
    assert ESCAPE in text
    assert "running" in text
    assert len(rows_of(next(tmp_path.iterdir()))) == 300
