"""An export of the command line: state directory, handle file, the checks before an order, and the run that
takes it to its file, or prints the command that goes on."""

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

HELP: Final = "Folder that remembers what was ordered. Default: the setting state_dir, or the user's own."
ELSEWHERE: Final = "name another folder with --state or SOAPCLIENT_STATE_DIR"


def folder(text: str) -> Path:
    """Read the name of a folder. Without a name it would be the current one, which nobody means by it."""
    if not text:
        raise click.BadParameter("is empty: name a folder, or leave it out")
    return Path(text)


def with_state(config: Settings, given: Path | None) -> Settings:
    """The configuration with a state directory that is there: as given, as set, or the user's own.

    Raises Failure where there can be none.
    """
    from soapclient._support.durable import check_owner, make_folder

    folder = state_folder(config, given)
    try:
        make_folder(folder, private=True)
        check_owner(folder)
    except OSError as error:
        raise Failure(f"{folder}: {error.strerror or type(error).__name__}: {ELSEWHERE}") from None
    return replace(config, state_dir=str(folder))


def state_folder(config: Settings, given: Path | None = None) -> Path:
    """The state directory, whether it is there or not. Raises Failure for a user without a home folder."""
    folder = given or (Path(config.state_dir).expanduser() if config.state_dir else user_folder(os.environ))
    return folder.absolute()


def remembers(config: Settings, handle: ExportHandle) -> bool:
    """Whether the state directory knows a handle's job as its request's, now or before. Sends nothing.

    Raises ConfigError without credentials.
    """
    from soapclient.tracking.client import Client

    with Client(config) as client:
        ledger = client.data.exports.state()
    if ledger is None or handle.service != ledger.service:
        return False
    try:
        entry = ledger.find(handle.request)
    except (ExportError, OSError):  # what cannot be read remembers nothing
        return False
    return entry is not None and (entry.was(handle.job_id) or entry.excludes(handle.job_id))


def user_folder(
    environ: Mapping[str, str],
    *,
    windows: bool = sys.platform == "win32",
    home: Callable[[], Path] = Path.home,
) -> Path:
    """The user's own: `$XDG_STATE_HOME/soapclient`, by default in ~/.local/state; on Windows %LOCALAPPDATA%.

    A relative path in the variable counts for nothing (XDG Base Directory Specification). Raises Failure for
    a user without a home folder.
    """
    named = environ.get("LOCALAPPDATA" if windows else "XDG_STATE_HOME", "")
    if named and Path(named).is_absolute():
        return Path(named) / "soapclient"
    try:
        own = home()
    except RuntimeError:
        raise Failure(f"your home folder is unknown: {ELSEWHERE}") from None
    return own / ("AppData/Local" if windows else ".local/state") / "soapclient"


_ON_THE_WAY: Final = ("", ".part", ".part.json")  # what a file is called until it is whole, and its mark


def check_target(output: Path) -> None:
    """Refuse a file that could not be downloaded before an export is ordered for it: by trying.

    Raises Failure, and ExportError where another download is writing it.
    """
    from soapclient._support import part_file

    _check(output, part_file.check_target)


def _check(file: Path, attempt: Callable[[Path], None]) -> None:
    folder = file.absolute().parent
    if file.is_dir():
        raise Failure(f"{file} is a folder: name a file")
    if not folder.is_dir():
        raise Failure(f"{folder} is not a folder: make it, or name a file elsewhere")
    try:
        attempt(file)
    except PermissionError:
        raise Failure(f"{folder} may not be written to: name a file elsewhere") from None
    except OSError as error:
        where, said = error.filename or file, error.strerror or type(error).__name__
        ours = error.errno is not None and said != os.strerror(error.errno)  # which say what to do
        raise Failure(f"{where}: {said}" if ours else f"{where}: {said}: name a file elsewhere") from None


def check_apart(output: Path, handle_file: Path) -> None:
    """Refuse one file for both the export and its handle, on their way there too."""
    taken = {os.path.realpath(f"{output}{ending}") for ending in _ON_THE_WAY}
    if not taken.isdisjoint(os.path.realpath(f"{handle_file}{ending}") for ending in ("", ".part")):
        raise Failure(
            f"{handle_file} and {output} would overwrite each other: name another file for one of them"
        )


def check_new_handle(file: Path, is_this: Callable[[ExportHandle], bool]) -> None:
    """Refuse to write a handle over anything but one that `is_this` export's: another order would be lost."""
    from soapclient._support.durable import PART, check_writable

    _check(file, lambda file: check_writable(file.with_name(file.name + PART)))
    if not os.path.lexists(file):
        return
    try:
        held = read_handle(file)
    except (ConfigError, OSError):
        held = None
    if held is None or not is_this(held):
        raise Failure(
            f"{file} is there already, and holds another order or none: go on with what it holds "
            "(soapclient export resume), or name another"
        )


def read_handle(file: Path) -> ExportHandle:
    """Read what `--handle` wrote. Raises ConfigError, OSError."""
    from soapclient.errors import ConfigError
    from soapclient.tracking.exports.handle import ExportHandle

    try:
        return ExportHandle.from_json(file.read_bytes())
    except ConfigError as error:
        raise ConfigError(str(file), error.problem, "Name a file that --handle wrote") from None


Begin = Callable[["Client", "Deadline"], "Export"]
"""Orders an export or takes one up, with what time there is."""

_LEAST: Final = 5.0  # seconds for an order or a download, however little is left: cut off, one is in doubt


@dataclass(frozen=True)
class ExportRun:
    """One run of a command that brings an export to `output`.

    `config` names a state directory; `state` and `handle_file` are what was given with the command. The
    deadline, in seconds, is for all of it, but order and download get `_LEAST` each.
    """

    config: Settings
    output: Path
    deadline: float
    handle_file: Path | None = None
    reorder: bool = True
    state: Path | None = None

    def run(self, begin: Begin, *, known: bool = False) -> ExportFile:
        """Begin an export, wait for it, download it; `known`: its handle stands in the file already.

        Raises whatever goes wrong, after it has said how to go on.
        """
        from soapclient.clock import Deadline, SystemClock
        from soapclient.tracking.client import Client
        from soapclient.tracking.commands.progress import progress_on_stderr

        config, clock = self.config, SystemClock()
        until, begun = Deadline(clock, self.deadline), clock.now()
        config = replace(config, deadline=min(config.deadline, max(self.deadline, _LEAST)))
        with opened(Client(config)) as client:
            export = self._begun(lambda: begin(client, until))
            ordered_at = export.handle.ordered_at
            earlier = ordered_at is not None and ordered_at < begun
            when = f", ordered {ordered_at:%Y-%m-%d %H:%M} UTC" if earlier else ""
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
                        deadline=max(until.remaining(), _LEAST),
                        on_progress=progress.download,
                        reorder_expired=self.reorder,
                        on_reorder=self._keep,
                        acknowledge=False,
                    )
            except BaseException as error:  # Ctrl-C above all: what was ordered need not be ordered again
                hint = self._hint(error, export.handle, written=written)
                if hint is not None:
                    click.echo(f"soapclient: {hint}", err=True)
                raise

    def _keep(self, handle: ExportHandle) -> None:
        """Write the handle so that it survives whatever happens to this process or machine."""
        from soapclient._support.durable import write_text

        if self.handle_file is not None:
            write_text(self.handle_file, handle.to_json() + "\n")

    def _begun(self, begin: Callable[[], Export]) -> Export:
        from soapclient.errors import AmbiguousOrder

        try:
            return begin()
        except AmbiguousOrder:
            click.echo("soapclient: --reorder orders anew, whichever of them it is", err=True)
            raise
        except OSError as error:
            folder, path = self.config.state_dir, error.filename
            if folder is not None and isinstance(path, str) and Path(path).is_relative_to(folder):
                error.add_note(ELSEWHERE)
            raise

    def _hint(self, error: BaseException, handle: ExportHandle, *, written: bool) -> str | None:
        """What to do after an error; None where the error itself says all there is to say."""
        from soapclient.errors import AmbiguousOrder, JobExpired, JobFailed, JobUnknown, NotThisExport

        elsewhere = f"another state directory keeps the order: {ELSEWHERE}"
        if isinstance(error, AmbiguousOrder | JobUnknown):
            again = self._the_same(handle, "--reorder")
            if again is not None:
                return f"--reorder orders anew: {again}"
            return elsewhere if handle.in_ledger else None
        if isinstance(error, NotThisExport):
            again = self._the_same(handle)
            return None if again is None else f"to order it, or find its own job: {again}"
        if isinstance(error, JobExpired):
            return elsewhere if handle.in_ledger and self.reorder and self._the_same(handle) is None else None
        if isinstance(error, JobFailed):
            return None
        if written and self.handle_file is not None:
            words = ["resume", str(self.handle_file)]
        elif handle.in_ledger:
            words = _asked(handle)
        else:
            words = [handle.report_type, "--job", str(handle.job_id)]
        return f"to go on with this job: {self._command(*words)}"

    def _the_same(self, handle: ExportHandle, *more: str) -> str | None:
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
        state = [] if self.state is None else ["--state", str(self.state)]
        return shlex.join(["soapclient", *given().words(), "export", *words, *state, "-o", str(self.output)])


def _asked(handle: ExportHandle) -> list[str]:
    asked = {f"--{name.replace('_', '-')}": str(value) for name, value in handle.request.items()}
    asked.pop("--report-type", None)
    days = {"--from": asked.pop("--from-date", ""), "--to": asked.pop("--to-date", "")}
    return [handle.report_type, *(word for pair in (days | asked).items() for word in pair)]


def print_file(file: ExportFile, *, as_json: bool) -> None:
    """Print what was downloaded. Only then it is acknowledged: killed before, the same command finds it."""
    from soapclient._support.part_file import acknowledge

    result = {"path": str(file.path), "rows": file.row_count, "size": file.size, "sha256": file.sha256}
    if as_json:
        click.echo(json.dumps(result))
    else:
        click.echo("\n".join(f"{name:<7} {value}" for name, value in result.items()))
    if not file.row_count:
        print_nothing()
    acknowledge(file.path)
