"""Where `soapclient export` remembers what was ordered, and how to say so on the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from soapclient.cli.failures import Failure

if TYPE_CHECKING:
    from soapclient.config import Config

HELP: Final = "Folder that remembers what was ordered. Default: the setting state_dir, or the user's own."
_ELSEWHERE: Final = "name another folder with --state or SOAPCLIENT_STATE_DIR"


def with_state(config: Config, given: Path | None) -> Config:
    """The configuration with a state folder that is there: as given, as set, or the user's own.

    Raises Failure where there can be none.
    """
    from soapclient.exports.durable import make_folder

    folder = given or (Path(config.state_dir).expanduser() if config.state_dir else user_folder(os.environ))
    folder = folder.absolute()
    try:
        make_folder(folder)
    except OSError as error:
        raise Failure(f"{folder}: {error.strerror or type(error).__name__}: {_ELSEWHERE}") from None
    return replace(config, state_dir=str(folder))


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
        raise Failure(f"nobody knows your home folder: {_ELSEWHERE}") from None
    return own / ("AppData/Local" if windows else ".local/state") / "soapclient"
