"""Cases that start a process: its first call, its imports, its help.

The costs of bare Python are subtracted. First calls run as if optional packages of zeep were not installed.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tests.bench import ours
from tests.bench.cases import OURS, Case, Opened, Prepared, Way, child_environment, python
from tests.bench.server import PROGRAMS_RESPONSE, served

BARE: Final = "bare Python"
_ZEEP_CALL: Final = "zeep.Client and its first call"
_ZEEP, _REQUESTS, _CLICK = "import zeep", "import requests", "click"
# Optional packages that zeep, tenacity and msgspec import if they are installed, as for the tests. The
# core installation does not have them. With httpx, which imports rich, zeep would take half as long again.
_WITHOUT_OPTIONAL: Final = (
    "import sys; sys.modules.update(dict.fromkeys(('httpx', 'tornado', 'typing_extensions')))\n"
)
_NAMES: Final = "import of Client, connect, Settings"


def programs(commands: Mapping[str, list[str]], expected: str) -> Opened:
    """Return ways that are programs. Each must print the same."""

    def way(command: list[str]) -> Callable[[], Prepared]:
        environment = child_environment(os.environ)

        def run() -> object:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            return done.stdout

        return lambda: Prepared(run, lambda result: str(result).partition(" ")[0].strip(), command)

    return Opened(expected, {name: way(command) for name, command in commands.items()})


@contextlib.contextmanager
def _open_first_call(size: int) -> Iterator[Opened]:
    with served(PROGRAMS_RESPONSE) as url:
        zeep_code = (
            f"{_WITHOUT_OPTIONAL}import zeep; client = zeep.Client({str(ours.CONTRACT)!r})\n"
            f"service = client.create_service(next(iter(client.wsdl.bindings)), {url!r})\n"
            "print(service.SearchPrograms(connectId='x', items=1).total)"
        )
        ours_code = (
            f"{_WITHOUT_OPTIONAL}from soapclient import Client, Settings\n"
            "settings = Settings.load(environ={}, connect_id='802B8BF4AE99EBE00F41', secret_key='no secret',"
            f" publisher_url={url!r})\nprint(Client(settings).publisher.search_programs(items=1).total)"
        )
        commands = {BARE: python("print(1)"), _ZEEP_CALL: python(zeep_code), OURS: python(ours_code)}
        yield programs(commands, "1")


@contextlib.contextmanager
def _open_import(size: int) -> Iterator[Opened]:
    codes = {
        BARE: "pass",
        OURS: "import soapclient",
        _NAMES: "from soapclient import Client, connect, Settings",
        _REQUESTS: "import requests",
        _ZEEP: "import zeep",
    }
    yield programs({name: python(f"{code}\nprint(1)") for name, code in codes.items()}, "1")


@contextlib.contextmanager
def _open_help(size: int) -> Iterator[Opened]:
    shown = "import sys; sys.argv = ['program', '--help']\n"
    codes = {
        BARE: "print('Usage:')",
        _CLICK: f"{shown}import click; click.group(lambda: None)()",
        OURS: f"{shown}from soapclient.cli import main; main()",
    }
    yield programs({name: python(code) for name, code in codes.items()}, "Usage:")


CASES: Final = (
    Case(
        name="first-call", title="The first call of a process, with imports",
        base_is="peer", unit="process", size=1, few=1, reads=True, idle=BARE,
        ways=(Way(BARE), Way(_ZEEP_CALL), Way(OURS)), open=_open_first_call,
    ),
    Case(
        name="import", title="`import soapclient`", base_is="peer", unit="process", size=1, few=1, idle=BARE,
        ways=(Way(BARE), Way(_REQUESTS), Way(OURS), Way(_NAMES), Way(_ZEEP)), open=_open_import,
    ),
    Case(
        name="help", title="`soapclient --help`", base_is="floor", unit="process", size=1, few=1, idle=BARE,
        ways=(Way(BARE), Way(_CLICK), Way(OURS)), open=_open_help,
    ),
)  # fmt: skip
