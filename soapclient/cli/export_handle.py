"""The file that `--handle` writes: where it may stand, what may be written over, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from soapclient.cli.failures import Failure
from soapclient.errors import ConfigError

if TYPE_CHECKING:
    from soapclient.exports.handle import ExportHandle

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
            f"{handle_file} and {output} are in each other's way: name another file for one of them"
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
