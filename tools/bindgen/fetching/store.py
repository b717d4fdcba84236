"""Write the result of a fetch: first the documents, then the lock. Old files are removed last."""

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
    """Write the documents of a contract, and add the contract to the lock.

    `contents` maps each file, as a path below `folder`, to its bytes.

    1. Write all new bytes to temporary files.
    2. Replace the documents, then write the lock.
    3. Remove documents of the old lock entry that are not in `contents`.

    If step 1 or 2 fails, documents and lock are restored. If the process is killed in step 2, documents may
    differ from the lock; `Catalogue` reports this. Returns notes about files that could not be removed.

    Raises FetchError and lock.LockError.
    """
    lock_path = folder / lock_file.FILE_NAME
    lock = lock_file.read(lock_path)  # read now, because another contract may have been fetched meanwhile
    before = lock.get(contract.name)
    change = _Change()
    try:
        for file, content in contents.items():
            change.prepare(folder / file, content)
        change.carry_out()
        lock_file.write(lock_path, lock.replacing(contract))
    except BaseException as error:
        restored = change.take_back()
        if not isinstance(error, OSError):
            raise
        path = str(error.filename or folder)
        problem = f"cannot be written ({error.strerror})"
        if restored:
            problem, remedy = f"{problem}; files and lock are unchanged", "fetch again"
        else:
            remedy = f"restore {folder} from version control, because not all files could be restored"
        raise FetchError(path, problem, remedy) from error
    change.finish()
    old = before.documents if before is not None else ()
    return [
        note
        for document in old
        if document.file not in contents
        for note in _remove(folder, folder / document.file)
    ]


class _Change:
    """Replaces several files. `take_back` undoes this. `finish` removes the backups, so it must be last."""

    def __init__(self) -> None:
        self._created_folders: list[Path] = []  # folders created
        self._parts: dict[Path, Path] = {}  # file → temporary file with the new bytes
        self._backups: dict[Path, Path] = {}  # file → backup with the old bytes
        self._created: list[Path] = []  # files created
        self._stale_backups: list[Path] = []  # backups that a killed fetch may have left

    def prepare(self, path: Path, content: bytes) -> None:
        """Write the new `content` of the file `path` to a temporary file, and back up the old file.

        After this, `carry_out` only needs to rename files.
        """
        if path.is_file() and path.read_bytes() == content:
            self._stale_backups.append(_backup_path(path))
            return
        self._created_folders += reversed([folder for folder in path.parents if not folder.exists()])
        path.parent.mkdir(parents=True, exist_ok=True)
        self._parts[path] = atomic.stage(path, content)
        if path.exists():
            self._backups[path] = _backup_path(path)
            shutil.copy2(path, self._backups[path])

    def carry_out(self) -> None:
        """Replace the files by the temporary files that `prepare` wrote."""
        for path in list(self._parts):
            if path not in self._backups:
                self._created.append(path)
            self._parts[path].replace(path)
            del self._parts[path]

    def take_back(self) -> bool:
        """Undo all changes of files: restore the replaced files and remove the new ones.

        Return False if a step fails.
        """
        complete = True
        for path, old in self._backups.items():
            part = self._parts.get(path)
            untouched = part is not None and part.exists()  # its new bytes, so it was not touched yet
            complete &= _succeeds(
                partial(old.unlink, missing_ok=True) if untouched else partial(old.replace, path)
            )
        for path in (*self._parts.values(), *self._created):
            complete &= _succeeds(partial(path.unlink, missing_ok=True))
        for folder in reversed(self._created_folders):
            complete &= not folder.exists() or _succeeds(folder.rmdir)
        return complete

    def finish(self) -> None:
        """Remove the backups. The next fetch overwrites a backup that cannot be removed."""
        for old in (*self._backups.values(), *self._stale_backups):
            _succeeds(partial(old.unlink, missing_ok=True))


def _backup_path(path: Path) -> Path:
    """Return the path of the backup of a file."""
    return path.with_name(f".{path.name}.old")


def _succeeds(step: Callable[[], object]) -> bool:
    """Call `step`. Return True if it succeeds, and False if it raises OSError."""
    try:
        step()
    except OSError:
        return False
    return True


def _remove(folder: Path, path: Path) -> list[str]:
    """Remove a file and its empty parent folders below `folder`. Return notes about failures to print."""
    try:
        path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == folder or not parent.exists() or any(parent.iterdir()):
                break
            parent.rmdir()
    except OSError as error:
        return [f"{error.filename or path}: no longer needed, but cannot be removed ({error.strerror})"]
    return []
