"""Packages generated for variants of a contract, and programs that use them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from bindgen.cli import main
from tests.contracts_matrix.service import CONNECT_ID, SECRET_KEY
from tests.contracts_matrix.variants import edit_settings

ROOT = Path(__file__).parents[2]
FILES = {"publisher": "publisher/2011-03-01/publisher.wsdl", "data": "data/2011-05-01/data.wsdl"}


def bindgen(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run bindgen with the contracts in a folder. Return the exit code and the output."""
    done = CliRunner().invoke(main, ["--wsdl", str(folder / "wsdl"), *arguments])
    return done.exit_code, done.output


def fetched(
    folder: Path, contract: str, *source: str, edit: Callable[[str], str] = str, ignore: str = "__pycache__"
) -> None:
    """Copy the contracts and packages, except for ignored ones, edit the settings, and fetch a contract."""
    shutil.copytree(ROOT / "wsdl", folder / "wsdl")
    others = shutil.ignore_patterns("__pycache__", ignore)
    shutil.copytree(ROOT / "generated", folder / "generated", ignore=others)
    edit_settings(folder / "wsdl", contract, edit)
    code, said = bindgen(folder, "fetch", contract, *source)
    assert code == 0, said


def generated(folder: Path, contract: str, *, propose: bool = False) -> str:
    """Generate the package of a contract. Return the output."""
    code, said = bindgen(folder, "generate", contract, *(("--propose",) if propose else ()))
    assert code == 0, said
    return said


def account(url: str, contract: str, folder: Path) -> dict[str, str]:
    """The variables of a program that calls a service with the packages in a folder."""
    return {
        "PYTHONPATH": str(folder / "generated"),
        "SOAPCLIENT_CONNECT_ID": CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SECRET_KEY,
        f"SOAPCLIENT_{contract.upper()}_URL": url,
    }


def ran(folder: Path, *command: str, **environ: str) -> str:
    """Run a command in a folder with only the given variables. Return its output."""
    names = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "TEMP", "LANG", "XDG_STATE_HOME", "LOCALAPPDATA")
    plain = {name: os.environ[name] for name in names if name in os.environ} | {"NO_PROXY": "127.0.0.1"}
    done = subprocess.run(
        command, check=False, env=plain | environ, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
