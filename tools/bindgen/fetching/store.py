"""The writing half of a fetch: documents first, the lock after them, what is left over last."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bindgen import atomic
from bindgen.fetching import lock as lock_file
from bindgen.fetching.locked import Lock, LockedContract


def save(
    folder: Path, lock_path: Path, lock: Lock, contract: LockedContract, contents: Mapping[str, bytes]
) -> None:
    """Write a contract's documents (`contents`: file below `folder` → bytes) and a lock that holds it.

    All new bytes are on disk before the first file is replaced, and the lock follows the last one: a crash
    leaves the old state, or files that do not fit the old lock, which `Catalogue` reports. Files that only
    the old lock knew are removed at the end. Raises OSError.
    """
    before = lock.get(contract.name)
    parts: dict[Path, Path] = {}
    try:
        for file, content in contents.items():
            path = folder / file
            if not (path.is_file() and path.read_bytes() == content):
                path.parent.mkdir(parents=True, exist_ok=True)
                parts[path] = atomic.stage(path, content)
        for path in list(parts):
            parts[path].replace(path)
            del parts[path]
    except BaseException:
        for part in parts.values():
            part.unlink(missing_ok=True)
        raise
    lock_file.write(lock_path, lock.replacing(contract))
    for each in before.documents if before is not None else ():
        if each.file not in contents:
            _remove(folder, folder / each.file)


def _remove(folder: Path, path: Path) -> None:
    """Remove a file, and the folders it leaves empty."""
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == folder or any(parent.iterdir()):
            break
        parent.rmdir()
