"""Take an export to its file and tell of it: what `soapclient export` and its `resume` share."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.failures import Failure
from soapclient.cli.session import opened

if TYPE_CHECKING:
    from soapclient.client import Client
    from soapclient.clock import Deadline
    from soapclient.config import Config
    from soapclient.exports.export import Export
    from soapclient.exports.handle import ExportHandle
    from soapclient.exports.rows import ExportFile

Begin = Callable[["Client", "Deadline"], "Export"]
"""Orders an export or takes one up, with what time there is."""

_LEAST: Final = 5.0  # seconds for an order or a download, however little is left: cut off, one is in doubt


def check_target(output: Path) -> None:
    """Refuse a file that could not be written before an export is ordered for it."""
    folder = output.absolute().parent
    if output.is_dir():
        raise Failure(f"{output} is a folder: name a file")
    if not folder.is_dir():
        raise Failure(f"{folder} is not a folder: make it, or name a file elsewhere")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Failure(f"{folder} may not be written to: name a file elsewhere")


def check_new_handle(file: Path) -> None:
    """Refuse to write a handle over another: that one's order would be lost."""
    check_target(file)
    if os.path.lexists(file):
        raise Failure(
            f"{file} is there already: go on with what it holds (soapclient export resume), or name another"
        )


def read_handle(file: Path) -> ExportHandle:
    """Read what `--handle` wrote. Raises Failure, ConfigError, OSError."""
    from soapclient.exports.handle import ExportHandle

    return ExportHandle.from_json(file.read_bytes())


def write_handle(file: Path, handle: ExportHandle) -> None:
    """Write a handle so that it survives whatever happens to this process or machine. Raises OSError."""
    from soapclient.exports.durable import write_text

    write_text(file, handle.to_json() + "\n")


def run_export(
    config: Config,
    begin: Begin,
    output: Path,
    deadline: float,
    *,
    handle_file: Path | None = None,
    known: bool = False,
    reorder: bool = True,
    state: Path | None = None,
) -> ExportFile:
    """Begin an export, wait for it, download it; `known` tells that its handle stands in the file already.

    `config` names a state folder, `state` is the one that was given with the command. The deadline, in
    seconds, is for all of it, but order and download get `_LEAST` each. Raises whatever goes wrong, after it
    has said how to go on.
    """
    from soapclient.cli.progress import progress_on_stderr
    from soapclient.clock import Deadline, SystemClock
    from soapclient.errors import JobExpired, JobFailed
    from soapclient.exports.adoption import AmbiguousOrder
    from soapclient.exports.job import JobUnknown

    def keep(handle: ExportHandle) -> None:
        if handle_file is not None:
            write_handle(handle_file, handle)

    clock = SystemClock()
    until, begun = Deadline(clock, deadline), clock.now()
    with opened(replace(config, timeout=min(config.timeout, max(deadline, _LEAST)))) as client:
        try:
            export = begin(client, until)
        except AmbiguousOrder:
            click.echo("soapclient: --reorder orders anew, whichever of them it is", err=True)
            raise
        ordered_at = export.handle.ordered_at
        earlier = ordered_at is not None and ordered_at < begun
        when = f", ordered {ordered_at:%Y-%m-%d %H:%M} UTC" if earlier else ""
        click.echo(f"soapclient: job {export.id}{when}", err=True)
        kept = handle_file if known else None
        try:
            if not known:
                keep(export.handle)
                kept = handle_file
            with progress_on_stderr() as progress:
                export.wait(
                    deadline=until.remaining(),
                    on_progress=progress.job,
                    reorder_expired=reorder,
                    on_reorder=keep,
                )
                return export.download(
                    output,
                    deadline=max(until.remaining(), _LEAST),
                    on_progress=progress.download,
                    reorder_expired=reorder,
                    on_reorder=keep,
                )
        except JobUnknown:
            if export.handle.in_ledger:
                click.echo("soapclient: the order is remembered: --reorder orders anew", err=True)
            raise
        except (JobFailed, JobExpired):
            raise
        except BaseException:  # Ctrl-C above all: what was ordered need not be ordered again
            click.echo(f"soapclient: to go on with this job: {_again(export, output, kept, state)}", err=True)
            raise


def _again(export: Export, output: Path, kept: Path | None, state: Path | None) -> str:
    handle = export.handle
    if kept is not None:
        words = ["resume", str(kept)]
    elif handle.in_ledger:
        days = {"--from": handle.request["from_date"], "--to": handle.request["to_date"]}
        rest = {f"--{name.replace('_', '-')}": value for name, value in handle.request.items()}
        for name in ("--report-type", "--from-date", "--to-date"):
            rest.pop(name, None)
        words = [handle.report_type, *(str(word) for pair in (days | rest).items() for word in pair)]
    else:
        words = [handle.report_type, "--job", str(export.id)]
    if state is not None:
        words += ["--state", str(state)]
    return shlex.join(["soapclient", "export", *words, "-o", str(output)])


def tell_file(file: ExportFile, *, as_json: bool) -> None:
    """Print what was downloaded."""
    result = {"path": str(file.path), "rows": file.row_count, "size": file.size, "sha256": file.sha256}
    if as_json:
        click.echo(json.dumps(result))
        return
    for name, value in result.items():
        click.echo(f"{name:<7} {value}")
