"""Run an export from the command line: state directory, handle file, checks before an order, and the run.

A handle identifies an ordered export: its job, and the request of its order. A failed run prints the command
that continues it.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.failures import Failure
from soapclient.cli.session import given, opened, print_nothing
from soapclient.errors import ConfigError, ExportError

if TYPE_CHECKING:
    from soapclient.clock import Deadline
    from soapclient.tracking.client import Client
    from soapclient.tracking.exports.export import Export
    from soapclient.tracking.exports.formats.export_file import ExportFile
    from soapclient.tracking.exports.handle import ExportHandle
    from soapclient.tracking.settings import Settings

HELP: Final = "Folder in which orders are recorded. Default: the setting state_dir, or a folder of the user."
ELSEWHERE: Final = "choose another folder with --state or SOAPCLIENT_STATE_DIR"


def folder(text: str) -> Path:
    """Parse the name of a folder. An empty name is an error because it would mean the current folder."""
    if not text:
        raise click.BadParameter("is empty. Give a folder, or omit the option")
    return Path(text)


def with_state(config: Settings, chosen: Path | None) -> Settings:
    """Return the configuration with a state directory, which is created if it does not exist.

    The directory is `chosen`, if given; otherwise see the function `state_folder`. Raises Failure if the
    directory cannot be created.
    """
    from soapclient._support.durable import check_owner, make_folder

    folder = state_folder(config, chosen)
    try:
        make_folder(folder, private=True)
        check_owner(folder)
    except OSError as error:
        raise Failure(f"{folder}: {error.strerror or type(error).__name__}: {ELSEWHERE}") from None
    return replace(config, state_dir=str(folder))


def state_folder(config: Settings, chosen: Path | None = None) -> Path:
    """Return the state directory: `chosen`, or else the setting `state_dir`, or else the user's folder.

    It may not exist yet. Raises Failure if the user's folder is needed and the user has no home folder.
    """
    folder = chosen or (Path(config.state_dir).expanduser() if config.state_dir else user_folder(os.environ))
    return folder.absolute()


def remembers(config: Settings, handle: ExportHandle) -> bool:
    """Return True if the state directory knows the handle's job.

    The state directory has a record of each request. It knows the job if the record of the handle's request
    contains the job as the current job, as an earlier job, or as a job that must not be used for this
    request. Sends nothing. Raises ConfigError without credentials.
    """
    from soapclient.tracking.client import Client

    with Client(config) as client:
        ledger = client.data.exports.state()
    if ledger is None or handle.service != ledger.service:
        return False
    try:
        entry = ledger.find(handle.request)
    except (ExportError, OSError):  # unreadable
        return False
    return entry is not None and (entry.was(handle.job_id) or entry.excludes(handle.job_id))


def user_folder(
    environ: Mapping[str, str],
    *,
    windows: bool = sys.platform == "win32",
    home: Callable[[], Path] = Path.home,
) -> Path:
    """Return the user's default state directory.

    This is the folder `soapclient` in $XDG_STATE_HOME, which defaults to ~/.local/state, or in %LOCALAPPDATA%
    on Windows. A relative path in the variable is ignored (XDG Base Directory Specification). Raises Failure
    for a user without a home folder.
    """
    path = environ.get("LOCALAPPDATA" if windows else "XDG_STATE_HOME", "")
    if path and Path(path).is_absolute():
        return Path(path) / "soapclient"
    try:
        own = home()
    except RuntimeError:
        raise Failure(f"your home folder is unknown: {ELSEWHERE}") from None
    return own / ("AppData/Local" if windows else ".local/state") / "soapclient"


# Endings of a file, of its download, and of the download's mark.
_DOWNLOAD_FILES: Final = ("", ".part", ".part.json")


def check_target(output: Path) -> None:
    """Check that the file `output` can be written, by opening it for writing.

    Call this function before ordering.

    Raises Failure if it cannot be written, and ExportError if another download is writing it.
    """
    from soapclient._support import part_file

    _check(output, part_file.check_target)


def _check(file: Path, attempt: Callable[[Path], None]) -> None:
    """Check that a file can be written: its folder exists, and `attempt(file)` does not raise an OSError.

    Raises Failure if the file cannot be written.
    """
    folder = file.absolute().parent
    if file.is_dir():
        raise Failure(f"{file} is a folder: give the path of a file")
    if not folder.is_dir():
        raise Failure(f"{folder} is not a folder: create it, or choose another folder")
    try:
        attempt(file)
    except PermissionError:
        raise Failure(f"{folder} is not writable: choose another folder") from None
    except OSError as error:
        path, message = error.filename or file, error.strerror or type(error).__name__
        has_advice = error.errno is not None and message != os.strerror(error.errno)
        advice = "" if has_advice else ": choose another folder"
        raise Failure(f"{path}: {message}{advice}") from None


def check_apart(output: Path, handle_file: Path) -> None:
    """Check that an export and its handle use different files and different temporary files.

    Raises Failure if they have a file in common.
    """
    used_paths = {os.path.realpath(f"{output}{ending}") for ending in _DOWNLOAD_FILES}
    if not used_paths.isdisjoint(os.path.realpath(f"{handle_file}{ending}") for ending in ("", ".part")):
        raise Failure(
            f"{handle_file} and {output} would overwrite each other: choose another file for one of them"
        )


def check_new_handle(file: Path, is_this: Callable[[ExportHandle], bool]) -> None:
    """Check that a handle can be written to `file` without overwriting the handle of another order.

    `is_this` returns True for a handle of this order. Raises Failure if `file` has other content.
    """
    from soapclient._support.durable import PART, check_writable

    _check(file, lambda file: check_writable(file.with_name(file.name + PART)))
    if not os.path.lexists(file):
        return
    try:
        handle = read_handle(file)
    except (ConfigError, OSError):
        handle = None
    if handle is None or not is_this(handle):
        raise Failure(
            f"{file} already exists and is not the handle of this export. Choose another file, or continue "
            "the export of that file (soapclient export resume)"
        )


def read_handle(file: Path) -> ExportHandle:
    """Read a file that `--handle` wrote.

    Raises ConfigError if it is not a handle, OSError if it cannot be read.
    """
    from soapclient.errors import ConfigError
    from soapclient.tracking.exports.handle import ExportHandle

    try:
        return ExportHandle.from_json(file.read_bytes())
    except ConfigError as error:
        raise ConfigError(str(file), error.problem, "Give a file that was written with --handle") from None


Begin = Callable[["Client", "Deadline"], "Export"]
"""Orders an export or adopts its earlier order, within a deadline."""

_MIN_TIME: Final = 5.0  # seconds for an order or a download: an interrupted order may have been processed


@dataclass(frozen=True)
class ExportRun:
    """One run of a command that downloads an export to `output`.

    `config` must have a state directory. `state` and `handle_file` are the values of the options `--state`
    and `--handle`. If `reorder` is True, an expired export is ordered again. `deadline` (seconds) is for the
    complete run, but the order and the download get at least `_MIN_TIME` seconds each.
    """

    config: Settings
    output: Path
    deadline: float
    handle_file: Path | None = None
    reorder: bool = True
    state: Path | None = None

    def run(self, begin: Begin, *, known: bool = False) -> ExportFile:
        """Order or resume an export with the function `begin`, wait for it, and download it.

        `known` is True if the handle file already contains the export's handle. If this method raises an
        error, it has printed how to continue.
        """
        from soapclient.clock import Deadline, SystemClock
        from soapclient.tracking.client import Client
        from soapclient.tracking.commands.progress import progress_on_stderr

        config, clock = self.config, SystemClock()
        until, begun = Deadline(clock, self.deadline), clock.now()
        config = replace(config, deadline=min(config.deadline, max(self.deadline, _MIN_TIME)))
        with opened(Client(config)) as client:
            export = self._begin(lambda: begin(client, until))
            ordered_at = export.handle.ordered_at
            is_earlier = ordered_at is not None and ordered_at < begun
            when = f", ordered {ordered_at:%Y-%m-%d %H:%M} UTC" if is_earlier else ""
            click.echo(f"soapclient: job {export.id}{when}", err=True)
            written = known
            try:
                if not known:
                    self._keep(export.handle)
                    written = True
                with progress_on_stderr() as progress:
                    export.wait(
                        deadline=until.remaining(),
                        on_progress=progress.job,
                        reorder_expired=self.reorder,
                        on_reorder=self._keep,
                    )
                    return export.download(
                        self.output,
                        deadline=max(until.remaining(), _MIN_TIME),
                        on_progress=progress.download,
                        reorder_expired=self.reorder,
                        on_reorder=self._keep,
                        acknowledge=False,
                    )
            except BaseException as error:  # also for Ctrl-C, because the order must not be lost
                hint = self._hint(error, export.handle, written=written)
                if hint is not None:
                    click.echo(f"soapclient: {hint}", err=True)
                raise

    def _keep(self, handle: ExportHandle) -> None:
        """Write the handle to the handle file, if there is one.

        The file is written durably, so that it survives a crash of the process or the machine.
        """
        from soapclient._support.durable import write_text

        if self.handle_file is not None:
            write_text(self.handle_file, handle.to_json() + "\n")

    def _begin(self, begin: Callable[[], Export]) -> Export:
        from soapclient.errors import AmbiguousOrder

        try:
            return begin()
        except AmbiguousOrder:
            click.echo("soapclient: use --reorder to order again anyway", err=True)
            raise
        except OSError as error:
            folder, path = self.config.state_dir, error.filename
            if folder is not None and isinstance(path, str) and Path(path).is_relative_to(folder):
                error.add_note(ELSEWHERE)
            raise

    def _hint(self, error: BaseException, handle: ExportHandle, *, written: bool) -> str | None:
        """Return a line that says how to continue after an error; None if the error's message is enough.

        `written` is True if `handle_file` contains the handle, so that the line can name this file.
        """
        from soapclient.errors import AmbiguousOrder, JobExpired, JobFailed, JobUnknown, NotThisExport

        elsewhere = f"the order is recorded in another state directory: {ELSEWHERE}"
        if isinstance(error, AmbiguousOrder | JobUnknown):
            again = self._same_order(handle, "--reorder")
            if again is not None:
                return f"to order a new job: {again}"
            return elsewhere if handle.in_ledger else None
        if isinstance(error, NotThisExport):
            again = self._same_order(handle)
            return None if again is None else f"to find its own job, or to order it again: {again}"
        if isinstance(error, JobExpired):
            return (
                elsewhere if handle.in_ledger and self.reorder and self._same_order(handle) is None else None
            )
        if isinstance(error, JobFailed):
            return None
        if written and self.handle_file is not None:
            words = ["resume", str(self.handle_file)]
        elif handle.in_ledger:
            words = _arguments(handle)
        else:
            words = [handle.report_type, "--job", str(handle.job_id)]
        return f"to continue with this job: {self._command(*words)}"

    def _same_order(self, handle: ExportHandle, *more: str) -> str | None:
        """Return the command line that repeats the handle's order, with the options `more`.

        The command continues with the order's current job, or orders the same export again. Returns None in
        two cases:

        - The handle does not contain the request of its order.
        - The order is recorded in a state directory that this run does not use. The command would not find
          the order there, and would order a second job.
        """
        known = bool(handle.request) and remembers(self.config, handle)
        if not handle.request or (handle.in_ledger and not known):
            return None
        if known and self.handle_file is not None:
            more = (*more, "--handle", str(self.handle_file))
        return self._command(*_arguments(handle), *more)

    def _command(self, *words: str) -> str:
        state = [] if self.state is None else ["--state", str(self.state)]
        return shlex.join(["soapclient", *given().words(), "export", *words, *state, "-o", str(self.output)])


def _arguments(handle: ExportHandle) -> list[str]:
    """Return the arguments of `soapclient export` that order the handle's export."""
    options = {f"--{name.replace('_', '-')}": str(value) for name, value in handle.request.items()}
    options.pop("--report-type", None)
    days = {"--from": options.pop("--from-date", ""), "--to": options.pop("--to-date", "")}
    return [handle.report_type, *(word for pair in (days | options).items() for word in pair)]


def print_file(file: ExportFile, *, as_json: bool) -> None:
    """Print path, rows, size and SHA-256 of a downloaded file, then mark the file as acknowledged.

    If the program ends before the file is marked, running the same command again uses the file, and does not
    order again.
    """
    from soapclient._support.part_file import acknowledge

    result = {"path": str(file.path), "rows": file.row_count, "size": file.size, "sha256": file.sha256}
    if as_json:
        click.echo(json.dumps(result))
    else:
        click.echo("\n".join(f"{name:<7} {value}" for name, value in result.items()))
    if not file.row_count:
        print_nothing()
    acknowledge(file.path)
