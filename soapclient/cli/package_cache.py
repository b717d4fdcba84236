"""Packages generated for completion, kept in the user's cache folder.

Generating a package takes seconds, and completion needs it at each press of the Tab key. A package is used
again only if the WSDL and all files that it imports are unchanged. Cached packages are Python code, so the
folder must be private: if another user can change it, or owns a file in it, it is not used.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from soapclient import __version__
from soapclient._support.durable import make_folder, read_json
from soapclient.cli.packages import generate, importable, name_of

_ENTRIES: Final = 20  # packages that are kept
_BYTES: Final = 50_000_000  # size of all of them
_MANIFEST: Final = "documents.json"  # maps the paths of the WSDL and its imports to their SHA-256
_NEW: Final = ".new-"  # prefix of folders that are not complete
_LEFTOVER_AFTER: Final = 3600  # seconds, after which such a folder is from a killed process


@contextmanager
def cached(wsdl: Path) -> Iterator[str]:
    """Yield the import name of a package for `wsdl`, which is taken from the cache or generated now.

    If the cache cannot be used, the package is removed at the end of the `with` block. Raises Failure if the
    WSDL is invalid.
    """
    folder = _entry(wsdl, name_of(wsdl))
    if folder is None:
        with importable(wsdl, None) as name:
            yield name
        return
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield name_of_entry(folder)
    finally:
        sys.path[:] = before


def name_of_entry(folder: Path) -> str:
    """Return the import name of the package that `folder`, a folder of the cache, contains."""
    return next(path.name for path in folder.iterdir() if path.is_dir())


def cache_folder() -> Path:
    """Return the folder of cached packages. It may not exist."""
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root).absolute() / "soapclient/packages"


def _entry(wsdl: Path, name: str) -> Path | None:
    """Return the cache folder of the package for a WSDL. Generates the package if necessary.

    Returns None if the package cannot be cached.
    """
    try:
        if not wsdl.is_file():  # a pipe can be read only once
            return None
        root = cache_folder()
        folder = root / _key(wsdl, name)
        make_folder(root, private=True)
        if not _is_private(root):
            return None
        if folder.is_dir():
            if not _is_own(folder):
                return None
            if _is_current(folder):
                os.utime(folder)  # the entries that were not used for the longest time are removed first
                return folder
            shutil.rmtree(folder)
        return _create(root, folder, wsdl, name)
    except (OSError, RuntimeError, ValueError):  # a full disk, no home folder, a damaged manifest
        return None


def _key(wsdl: Path, name: str) -> str:
    """Return the name of the folder, inside the cache, for the package of a WSDL.

    The name changes if the WSDL or the code that generates packages changes.
    """
    spec = find_spec("bindgen")
    sources = Path(spec.origin).parent.rglob("*.py") if spec and spec.origin else ()
    newest = max((path.stat().st_mtime_ns for path in sources), default=0)
    parts = (__version__, str(newest), name, str(wsdl.absolute()), _digest(wsdl.read_bytes()))
    return _digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _create(root: Path, folder: Path, wsdl: Path, name: str) -> Path | None:
    """Generate the package in a new folder, and rename the folder to `folder` when it is complete.

    Returns `folder`. Returns None if the package cannot be cached, because its documents cannot be watched
    for changes (see `_documents`) or have changed in the meantime.
    """
    documents = _documents(wsdl)
    if documents is None:
        return None
    new = Path(mkdtemp(prefix=_NEW, dir=root))
    try:
        generate(wsdl, new / name, keep=False)
        if not _unchanged(documents):
            return None
        (new / _MANIFEST).write_text(_json(documents), encoding="utf-8")
        new.rename(folder)
    except OSError:
        if not (folder.is_dir() and _is_own(folder) and _is_current(folder)):
            raise
        # Another process created the same entry.
    finally:
        shutil.rmtree(new, ignore_errors=True)
    _remove_old(root, folder)
    return folder


def _json(documents: Mapping[str, str]) -> str:
    import json

    return json.dumps(documents, indent=1)


def _documents(wsdl: Path) -> dict[str, str] | None:
    """Return the SHA-256 of the WSDL and the files that it imports, by path.

    Returns None if a document is missing, or is not a local file. Changes of such a document would not be
    noticed.
    """
    try:
        from bindgen.fetching.collector import collect
        from bindgen.fetching.errors import FetchError
    except ImportError:
        return None
    try:
        collected = collect(wsdl, offline=True, lenient=True)
    except FetchError:  # the caller generates a temporary package, which reports the error
        return None
    if collected.missing or any("://" in name for name in collected.files.values()):
        return None
    documents = {
        str(wsdl.absolute().parent / collected.files[address]): _digest(content)
        for address, content in collected.documents.items()
    }
    return documents if _unchanged(documents) else None


def _unchanged(documents: Mapping[str, str]) -> bool:
    return all(_digest(Path(path).read_bytes()) == digest for path, digest in documents.items())


def _is_current(folder: Path) -> bool:
    """Return True if a folder of the cache has a complete package that is still current.

    It is current if its WSDL, and the files that the WSDL imports, did not change since it was generated.
    """
    try:
        documents = read_json((folder / _MANIFEST).read_bytes())
        if not isinstance(documents, dict):
            return False
        return bool(documents) and _unchanged(documents) and bool(name_of_entry(folder))
    except (OSError, ValueError, StopIteration):
        return False


def _is_private(root: Path) -> bool:
    """Return True if only this user can change the folder, and no other user can replace it.

    Parent folders may belong to root. Other users may write to a parent folder only if its sticky bit is set.
    """
    if not hasattr(os, "geteuid"):  # on Windows, the user's profile is private
        return True
    user, resolved = os.geteuid(), root.resolve()
    status = resolved.stat()
    if status.st_uid != user or stat.S_IMODE(status.st_mode) & 0o077:
        return False
    for folder in resolved.parents:
        status = folder.stat()
        is_open = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX
        if status.st_uid not in (user, 0) or is_open:
            return False
    return True


def _is_own(folder: Path) -> bool:
    """Return True if this user owns the folder and all files in it, and none of them is a symbolic link."""
    if not hasattr(os, "geteuid"):
        return True
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        is_usual = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        if status.st_uid != os.geteuid() or not is_usual:
            return False
    return True


def _remove_old(root: Path, kept: Path) -> None:
    """Remove folders from the cache until its number of folders and its size are within the limits.

    Folders that were not used for the longest time are removed first. The folder `kept` is never removed.
    """
    sizes: list[tuple[float, int, Path]] = []
    for folder in root.iterdir():
        try:
            modified = folder.stat().st_mtime
            if folder.name.startswith(_NEW):
                if time.time() - modified > _LEFTOVER_AFTER:
                    shutil.rmtree(folder, ignore_errors=True)
            elif folder != kept:
                size = sum(path.lstat().st_size for path in folder.rglob("*"))
                sizes.append((modified, size, folder))
        except OSError:  # another process removed it
            continue
    number, total = 1, sum(path.lstat().st_size for path in kept.rglob("*"))
    for _, size, folder in sorted(sizes, reverse=True):
        number, total = number + 1, total + size
        if number > _ENTRIES or total > _BYTES:
            shutil.rmtree(folder, ignore_errors=True)
