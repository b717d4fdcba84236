"""Take an export to its file and print it, or the command that goes on: for `export` and `export resume`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.export_files import ELSEWHERE, in_state, remembers, write_handle
from soapclient.cli.session import Globals, opened

if TYPE_CHECKING:
    from soapclient.client import Client
    from soapclient.clock import Deadline
    from soapclient.config import Config
    from soapclient.exports.export import Export
    from soapclient.exports.formats.export_file import ExportFile
    from soapclient.exports.handle import ExportHandle


@dataclass(frozen=True)
class Hints:
    """Commands for an export to `output`. `state` and `handle_file` are what was given with the command."""

    config: Config
    output: Path
    state: Path | None
    handle_file: Path | None

    def go_on(self, handle: ExportHandle, *, written: bool) -> str:
        """The command that goes on with a job; `written` tells that the handle's file holds it."""
        if written and self.handle_file is not None:
            return self._command("resume", str(self.handle_file))
        if handle.in_ledger:
            return self._command(*_asked(handle))
        return self._command(handle.report_type, "--job", str(handle.job_id))

    def the_same(self, handle: ExportHandle, *more: str) -> str | None:
        """The command that orders the same, or goes on with the job that it has by now; None if none can.

        What another state directory keeps is not to be ordered through this one.
        """
        known = bool(handle.request) and remembers(self.config, handle)
        if not handle.request or (handle.in_ledger and not known):
            return None
        if known and self.handle_file is not None:
            more = (*more, "--handle", str(self.handle_file))
        return self._command(*_asked(handle), *more)

    def _command(self, *words: str) -> str:
        given = click.get_current_context().find_object(Globals) or Globals()
        settings = [] if given.config_file is None else ["--config", str(given.config_file)]
        state = [] if self.state is None else ["--state", str(self.state)]
        return shlex.join(["soapclient", *settings, "export", *words, *state, "-o", str(self.output)])


def _asked(handle: ExportHandle) -> list[str]:
    asked = {f"--{name.replace('_', '-')}": str(value) for name, value in handle.request.items()}
    asked.pop("--report-type", None)
    days = {"--from": asked.pop("--from-date", ""), "--to": asked.pop("--to-date", "")}
    return [handle.report_type, *(word for pair in (days | asked).items() for word in pair)]


Begin = Callable[["Client", "Deadline"], "Export"]
"""Orders an export or takes one up, with what time there is."""

_LEAST: Final = 5.0  # seconds for an order or a download, however little is left: cut off, one is in doubt


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

    `config` names a state directory, `state` is the one that was given with the command. The deadline, in
    seconds, is for all of it, but order and download get `_LEAST` each. Raises whatever goes wrong, after it
    has said how to go on.
    """
    from soapclient.cli.progress import progress_on_stderr
    from soapclient.clock import Deadline, SystemClock

    def keep(handle: ExportHandle) -> None:
        if handle_file is not None:
            write_handle(handle_file, handle)

    hints = Hints(config, output, state, handle_file)
    clock = SystemClock()
    until, begun = Deadline(clock, deadline), clock.now()
    with opened(replace(config, timeout=min(config.timeout, max(deadline, _LEAST)))) as client:
        export = _begun(config, lambda: begin(client, until))
        ordered_at = export.handle.ordered_at
        earlier = ordered_at is not None and ordered_at < begun
        when = f", ordered {ordered_at:%Y-%m-%d %H:%M} UTC" if earlier else ""
        click.echo(f"soapclient: job {export.id}{when}", err=True)
        written = known
        try:
            if not known:
                keep(export.handle)
                written = True
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
                    acknowledge=False,
                )
        except BaseException as error:  # Ctrl-C above all: what was ordered need not be ordered again
            hint = _hint(hints, error, export.handle, written=written, reorder=reorder)
            if hint is not None:
                click.echo(f"soapclient: {hint}", err=True)
            raise


def _begun(config: Config, begin: Callable[[], Export]) -> Export:
    from soapclient.exports.orders.adoption import AmbiguousOrder

    try:
        return begin()
    except AmbiguousOrder:
        click.echo("soapclient: --reorder orders anew, whichever of them it is", err=True)
        raise
    except OSError as error:
        if in_state(config, error.filename):
            error.add_note(ELSEWHERE)
        raise


def _hint(
    hints: Hints, error: BaseException, handle: ExportHandle, *, written: bool, reorder: bool
) -> str | None:
    """What to do after an error; None where the error itself says all there is to say."""
    from soapclient.errors import JobExpired, JobFailed
    from soapclient.exports.formats.request_match import NotThisExport
    from soapclient.exports.jobs.job import JobUnknown
    from soapclient.exports.orders.adoption import AmbiguousOrder

    if isinstance(error, AmbiguousOrder | JobUnknown):
        again = hints.the_same(handle, "--reorder")
        if again is not None:
            return f"--reorder orders anew: {again}"
        return f"another state directory keeps the order: {ELSEWHERE}" if handle.in_ledger else None
    if isinstance(error, NotThisExport):
        again = hints.the_same(handle)
        return None if again is None else f"to order it, or find its own job: {again}"
    if isinstance(error, JobExpired):
        if handle.in_ledger and reorder and hints.the_same(handle) is None:
            return f"another state directory keeps the order: {ELSEWHERE}"
        return None
    if isinstance(error, JobFailed):
        return None
    return f"to go on with this job: {hints.go_on(handle, written=written)}"


def print_file(file: ExportFile, *, as_json: bool) -> None:
    """Print what was downloaded. Only then it is acknowledged: killed before, the same command finds it."""
    from soapclient.exports.part_file import acknowledge

    result = {"path": str(file.path), "rows": file.row_count, "size": file.size, "sha256": file.sha256}
    if as_json:
        click.echo(json.dumps(result))
    else:
        click.echo("\n".join(f"{name:<7} {value}" for name, value in result.items()))
    acknowledge(file.path)
