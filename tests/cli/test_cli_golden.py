"""Golden files of the output of commands: help, and descriptions of operations.

After an intended change, run this file with `pytest --update` and review the diff.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bindgen.cli import main as bindgen
from soapclient.cli.application import cli
from tests.cli.conftest import Run, output_of
from tests.support.golden import Golden

WSDL = Path(__file__).parents[1] / "connection/weather.wsdl"
PROGRAMS: Mapping[str, click.Command] = {"soapclient": cli, "bindgen": bindgen}
DESCRIBED = {
    "publisher-GetSales": ("publisher", "GetSales"),
    "data-CreateReportJob": ("data", "CreateReportJob"),
    "advertiser-GetPartnerships": ("advertiser", "GetPartnerships"),
    "weather": ("--file", str(WSDL)),
    "weather-GetWeather": ("--file", str(WSDL), "GetWeather"),
    "weather-Observe": ("--file", str(WSDL), "Observe"),
}


def commands(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of a command and of all its subcommands."""
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from commands(subcommand, (*words, name))


@pytest.mark.exhaustive  # the layout depends on the version of click
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.usefixtures("unset")
def test_help_equals_the_golden_files(program: str, golden: Golden) -> None:
    texts = {}
    for words in commands(PROGRAMS[program]):
        done = CliRunner().invoke(
            PROGRAMS[program], [*words, "--help"], prog_name=program, env={"COLUMNS": "80"}
        )
        assert done.exit_code == 0, done.output
        texts[f"{'-'.join((program, *words))}.golden"] = done.output
    assert len(texts) > 5
    golden.check_folder(f"help-{program}", texts)


def test_descriptions_equal_the_golden_files(run_unset: Run, golden: Golden) -> None:
    texts = {}
    for name, arguments in DESCRIBED.items():
        stdout = output_of(run_unset("describe", *arguments, env={"COLUMNS": "80"}))
        texts[f"{name}.golden"] = stdout.replace(str(WSDL), "weather.wsdl")
    golden.check_folder("describe", texts)
