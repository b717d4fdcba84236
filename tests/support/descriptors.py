"""The files that this process has open."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")


def open_files(folder: Path) -> list[str]:
    """Return the names of the open files in this folder. Files of other tests do not count.

    Where the system has no `/proc`, it returns an empty list.
    """
    targets: list[str] = []
    for descriptor in os.listdir(_DESCRIPTORS) if _DESCRIPTORS.is_dir() else ():
        with suppress(FileNotFoundError):  # the descriptor of the listing itself
            targets.append(os.readlink(_DESCRIPTORS / descriptor))
    prefix = f"{folder.resolve()}{os.sep}"
    return sorted(target.removeprefix(prefix) for target in targets if target.startswith(prefix))
