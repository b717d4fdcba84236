"""Every command and every piece of Python in the README, run as it stands there."""

from __future__ import annotations

import ast
import csv
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
PYTHON: list[str] = [text for language, text in BLOCKS if language == "python"]
PLAN = next(text for language, text in BLOCKS if language == "toml")
COMMANDS = [line for language, text in BLOCKS if not language for line in text.splitlines()]
# Run elsewhere: the two commands and the demo by CI, the sandbox's own command by its tests.
ELSEWHERE = ("python3 -m venv", ".venv/bin/pytest", "soapclient demo", "soapclient sandbox")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with Sandbox(clicks_per_day=50) as sandbox, serve(sandbox) as serving:
        yield serving.url


def environment(url: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SOAPCLIENT_")}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_PUBLISHER_URL": url,
        "SOAPCLIENT_DATA_URL": url,
        "SOAPCLIENT_ADVERTISER_URL": url,
    }


def run(command: list[str], url: str, folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(url), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"{command} in {folder}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_readme_has_what_these_tests_look_for() -> None:
    assert len(PYTHON) == 6
    assert sum(line.startswith(("soapclient ", "bindgen ")) for line in COMMANDS) >= 9


def whole_program() -> str:
    """All pieces: the first opens the client and closes it; the others go on with one."""
    five_lines, *others = PYTHON
    indented = ["".join(f"    {line}\n" for line in piece.splitlines()) for piece in others]
    return five_lines + "".join(f"\nwith Client() as client:\n{piece}" for piece in indented)


def test_the_first_piece_has_five_lines() -> None:
    assert sum(bool(line.strip()) for line in PYTHON[0].splitlines()) == 5


def test_the_python_runs_as_printed(server: str, tmp_path: Path) -> None:
    printed = run([sys.executable, "-c", whole_program()], server, tmp_path).splitlines()
    first, summed, *sales, last, phase, programs, partners = printed
    assert phase == "done"
    total, _, listed = first.partition(" ")
    commissions = [str(each) for each in ast.literal_eval(listed)]
    assert all(re.fullmatch(r"\d+\.\d\d [A-Z]{3}", each) for each in commissions)
    # The longest page there is (record.md 4), or all there are.
    assert len(commissions) == min(int(total), 50) > 10
    # All pages give as many as the service counts, and sum up to more than the first of them.
    assert summed.split()[1:] == [total, "sales"]
    assert Decimal(summed.split()[0]) > sum(Decimal(each.split()[0]) for each in commissions)
    names = ast.literal_eval(programs.partition(" ")[2])
    assert 0 < len(names) == min(int(programs.partition(" ")[0]), 10)  # 10 items by default (record.md 4)
    assert partners.startswith("0 [")  # a code of nobody's here comes back among the errors
    # The stream gives the same page.
    assert [line.split()[1] for line in sales] == [each.split()[0] for each in commissions]
    with gzip.open(tmp_path / "clicks.csv.gz", "rt", encoding="utf-8", newline="") as file:
        clicks = list(csv.DictReader(file))
    rows, _, row = last.partition(" ")
    assert int(rows) == len(clicks) == 100  # two days of 50 clicks
    assert f"'clickId': {clicks[0]['clickId']}," in row
    assert row.count("': ") == len(clicks[0])


def test_the_python_passes_mypy(tmp_path: Path) -> None:
    program = tmp_path / "readme.py"
    program.write_text(whole_program(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)],
        cwd=ROOT,  # for the project's settings, and for what mypy remembers of the package
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("soapclient ")])
def test_the_commands_run_as_printed(line: str, server: str, tmp_path: Path) -> None:
    if line.startswith(ELSEWHERE):
        return
    if line.startswith("soapclient export resume"):
        ordered = next(each for each in COMMANDS if "--handle" in each)
        assert run(shlex.split(ordered), server, tmp_path)
    if line.startswith("soapclient backfill"):
        (tmp_path / "plan.toml").write_text(PLAN)
        if "--verify" in line:
            run(shlex.split(line.replace(" --verify", "")), server, tmp_path)
    (tmp_path / "reply.json").write_text('{"page": 0, "items": 0, "total": 7, "saleItems": ""}')
    assert run(shlex.split(line.partition("#")[0]), server, tmp_path)


def test_another_contract_goes_in_by_the_two_commands(server: str, tmp_path: Path) -> None:
    for name in ("wsdl", "generated"):
        shutil.copytree(ROOT / name, tmp_path / name)
    fetch, generate = (line for line in COMMANDS if line.startswith("bindgen "))
    said = run(shlex.split(fetch.replace("https://HOST", server)), server, tmp_path)
    assert "publisher" in said
    run(shlex.split(generate), server, tmp_path)
    # The served contract has an address of its own, and that is all that differs in what was generated.
    committed, made = (
        (folder / "generated/zxws/publisher/tables.py").read_text().splitlines()
        for folder in (ROOT, tmp_path)
    )
    differing = [new for old, new in zip(committed, made, strict=True) if old != new]
    assert [line for line in differing if not line.startswith("#") and "sha256=" not in line] == [
        f'    address="{server}/soap/2011-03-01",'
    ]
    assert (ROOT / "generated/zxws/publisher/codec.py").read_text().splitlines()[3:] == (
        tmp_path / "generated/zxws/publisher/codec.py"
    ).read_text().splitlines()[3:]
    assert run(["bindgen", "check"], server, tmp_path)
