"""The writing half of a fetch: documents first, the lock after them, what is left over last."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from bindgen import atomic
from bindgen.fetching import lock as lock_file
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockedContract


def save(folder: Path, contract: LockedContract, contents: Mapping[str, bytes]) -> list[str]:
    """Write a contract's documents (`contents`: file below `folder` → bytes) and the lock that holds it.

    All new bytes are on disk before the first file is replaced, and the lock follows the last one. What
    fails before the lock is in place is taken back, files and lock are as they were; only a process that is
    killed there leaves files that do not fit the old lock, which `Catalogue` reports. Files that only the
    old lock knew are removed at the end; the notes that are returned name those that could not be.

    Raises FetchError and lock.LockError.
    """
    lock_path = folder / lock_file.FILE_NAME
    lock = lock_file.read(lock_path)  # as it is now: another contract may have been fetched meanwhile
    before = lock.get(contract.name)
    change = _Change()
    try:
        for file, content in contents.items():
            change.prepare(folder / file, content)
        change.carry_out()
        lock_file.write(lock_path, lock.replacing(contract))
    except BaseException as error:
        whole = change.take_back()
        if not isinstance(error, OSError):
            raise
        where = str(error.filename or folder)
        problem = f"cannot be written ({error.strerror})"
        if whole:
            problem, remedy = f"{problem}; files and lock are as they were", "fetch again"
        else:
            remedy = f"restore {folder} from version control, for not all files could be put back"
        raise FetchError(where, problem, remedy) from error
    change.finish()
    old = before.documents if before is not None else ()
    return [note for each in old if each.file not in contents for note in _remove(folder, folder / each.file)]


class _Change:
    """Files that are replaced one after the other, and can be put back as long as it is not finished."""

    def __init__(self) -> None:
        self._made: list[Path] = []  # folders that were not there
        self._parts: dict[Path, Path] = {}  # file → its new bytes beside it
        self._kept: dict[Path, Path] = {}  # file → its old bytes beside it
        self._new: list[Path] = []  # files that were not there
        self._left: list[Path] = []  # what an earlier fetch that was killed may have left

    def prepare(self, path: Path, content: bytes) -> None:
        """Put the new bytes beside the file, and a copy of the old ones: what follows only renames."""
        if path.is_file() and path.read_bytes() == content:
            self._left.append(_old(path))
            return
        self._made += reversed([each for each in path.parents if not each.exists()])
        path.parent.mkdir(parents=True, exist_ok=True)
        self._parts[path] = atomic.stage(path, content)
        if path.exists():
            self._kept[path] = _old(path)
            shutil.copy2(path, self._kept[path])

    def carry_out(self) -> None:
        """Put the new files in place."""
        for path in list(self._parts):
            if path not in self._kept:
                self._new.append(path)
            self._parts[path].replace(path)
            del self._parts[path]

    def take_back(self) -> bool:
        """Put everything as it was; False where something resists."""
        whole = True
        for path, old in self._kept.items():
            part = self._parts.get(path)
            waits = part is not None and part.exists()  # its new bytes, so it was not touched yet
            whole &= _done(partial(old.unlink, missing_ok=True) if waits else partial(old.replace, path))
        for path in (*self._parts.values(), *self._new):
            whole &= _done(partial(path.unlink, missing_ok=True))
        for made in reversed(self._made):
            whole &= not made.exists() or _done(made.rmdir)
        return whole

    def finish(self) -> None:
        """Forget the old bytes; a copy that stays is written over by the next fetch."""
        for old in (*self._kept.values(), *self._left):
            _done(partial(old.unlink, missing_ok=True))


def _old(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


def _done(step: Callable[[], object]) -> bool:
    try:
        step()
    except OSError:
        return False
    return True


def _remove(folder: Path, path: Path) -> list[str]:
    """Remove a file, and the folders it leaves empty; what cannot be removed is a note."""
    try:
        path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == folder or not parent.exists() or any(parent.iterdir()):
                break
            parent.rmdir()
    except OSError as error:
        return [f"{error.filename or path}: no longer belongs here, and cannot be removed ({error.strerror})"]
    return []
