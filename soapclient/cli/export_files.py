"""The state directory and the handle file of `soapclient export`: where they lie, how they are written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.failures import Failure
from soapclient.errors import ConfigError, ExportError

if TYPE_CHECKING:
    from soapclient.config import Config
    from soapclient.exports.handle import ExportHandle

HELP: Final = "Folder that remembers what was ordered. Default: the setting state_dir, or the user's own."
ELSEWHERE: Final = "name another folder with --state or SOAPCLIENT_STATE_DIR"


class StateFolder(click.Path):
    """A folder by its name. One without a name would be the current folder, which nobody means by it."""

    name = "folder"

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        if value == "":
            self.fail("is empty: name a folder, or leave it out", param, ctx)
        return super().convert(value, param, ctx)


def with_state(config: Config, given: Path | None) -> Config:
    """The configuration with a state directory that is there: as given, as set, or the user's own.

    Raises Failure where there can be none.
    """
    from soapclient.exports.durable import make_folder

    folder = state_folder(config, given)
    try:
        make_folder(folder)
    except OSError as error:
        raise Failure(f"{folder}: {error.strerror or type(error).__name__}: {ELSEWHERE}") from None
    return replace(config, state_dir=str(folder))


def state_folder(config: Config, given: Path | None = None) -> Path:
    """The state directory, whether it is there or not. Raises Failure for a user without a home folder."""
    folder = given or (Path(config.state_dir).expanduser() if config.state_dir else user_folder(os.environ))
    return folder.absolute()


def in_state(config: Config, path: object) -> bool:
    """Whether something that an error names lies in the configuration's state directory."""
    return (
        config.state_dir is not None and isinstance(path, str) and Path(path).is_relative_to(config.state_dir)
    )


def remembers(config: Config, handle: ExportHandle) -> bool:
    """Whether the state directory knows a handle's job as its request's, now or before. Sends nothing.

    Raises ConfigError without credentials.
    """
    from soapclient.client import Client

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
    from soapclient.exports import part_file

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
    from soapclient.exports.durable import PART, check_writable

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
    from soapclient.exports.handle import ExportHandle

    return ExportHandle.from_json(file.read_bytes())


def write_handle(file: Path, handle: ExportHandle) -> None:
    """Write a handle so that it survives whatever happens to this process or machine. Raises OSError."""
    from soapclient.exports.durable import write_text

    write_text(file, handle.to_json() + "\n")
