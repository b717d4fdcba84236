"""`soapclient export resume`: go on with an export that was ordered before, by any process."""

from __future__ import annotations

from pathlib import Path

import click

from soapclient.cli.export_files import HELP, StateFolder, check_apart, check_target, read_handle, with_state
from soapclient.cli.export_run import run_export, tell_file
from soapclient.cli.kinds import duration
from soapclient.cli.session import load_config


@click.command(short_help="Go on with an export that was ordered before.")
@click.argument("handle_file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="PATH")
@click.option("--deadline", type=duration, default="30m", show_default=True, help="For all of it.")
@click.option("--state", "state_folder", metavar="DIR", type=StateFolder(), help=HELP)
@click.option("--no-reorder", is_flag=True, help="Do not order again what has expired.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")
def command(
    handle_file: Path,
    output: Path,
    deadline: float,
    state_folder: Path | None,
    no_reorder: bool,
    as_json: bool,
) -> None:
    """Go on with the export whose handle `soapclient export --handle FILE` wrote.

    A download that broke off goes on where it was, from PATH.part. An export that has expired at the service
    is ordered again, once, and FILE holds the new handle before anything else is done with it; a machine
    that stops between the two finds it again the next time, for the state folder remembers the order. An
    export that another state folder keeps is not ordered again here: name that one with --state.
    """
    config = with_state(load_config(), state_folder)
    handle = read_handle(handle_file)
    check_target(output)
    check_apart(output, handle_file)
    file = run_export(
        config,
        lambda client, _: client.data.exports.resume(handle, output=output),
        output,
        deadline,
        handle_file=handle_file,
        known=True,
        reorder=not no_reorder,
        state=state_folder,
    )
    tell_file(file, as_json=as_json)
