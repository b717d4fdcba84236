"""Storage of a dataset: a local folder, or any file system that fsspec supports.

Paths are relative to the dataset's root, and have `/` between their parts.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from soapclient._support.durable import check_writable, default_mode, finish, make_folder, remove
from soapclient._support.redaction import safe_url
from soapclient.errors import ConfigError

if TYPE_CHECKING:
    import fsspec


class LocalStore:
    """A dataset in a local folder; see `Store`."""

    def __init__(self, root: Path, run: str = "") -> None:
        self._root = root
        self._run = run
        self._mode: int | None = None  # of new files, in their folder

    def files(self) -> Mapping[str, int]:
        sizes: dict[str, int] = {}
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                    sizes[path.relative_to(self._root).as_posix()] = path.stat().st_size
        return sizes

    def in_folder(self, folder: str) -> list[str]:
        try:
            names = [path.name for path in (self._root / folder).iterdir() if path.is_file()]
        except FileNotFoundError:
            return []
        return [
            f"{folder}/{name}"
            for name in sorted(names)
            if not (self._run and name.endswith(".part") and f".{self._run}-" in name)
        ]

    def leftovers(self, folder: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            names = sorted(os.listdir(self._root / folder))
            return [f"{folder}/{name}" for name in names if leftover_pattern(self._run).search(name)]
        return []

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        contents = {}
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                contents[path] = (self._root / path).read_bytes()
        return contents

    def open(self, path: str) -> BinaryIO:
        return (self._root / path).open("rb")

    def check_writable(self) -> None:
        make_folder(self._root)
        check_writable(self._root / "_check.part")

    def put(self, file: Path, path: str, *, name_synced: bool = True) -> None:
        target = self._root / path
        make_folder(target.parent)
        part = self._part_of(target)
        shutil.move(file, part)  # a rename, or a copy if the work folder is on another disk
        if self._mode is None:
            self._mode = default_mode(target.parent)
        finish(part, target, name_synced=name_synced, mode=self._mode)
        part.unlink(missing_ok=True)  # renaming a file to another hard link of itself does nothing

    def write(self, content: bytes, path: str) -> None:
        target = self._root / path
        make_folder(target.parent)
        part = self._part_of(target)
        part.write_bytes(content)
        finish(part, target)

    def remove(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):  # the folder may be missing
            remove(self._root / path)

    def address(self, path: str) -> str:
        return str(self._root / path)

    def _part_of(self, target: Path) -> Path:
        """Return a unique path for the part file, which is written first and then renamed to `target`.

        The path is unique because the same target may be written twice at the same time: a cluster that loses
        contact with a worker may run its task again.
        """
        return target.with_name(f"{target.name}.{self._run}-{token_hex(4)}.part")


def leftover_pattern(run: str = "[0-9a-f]{16}") -> re.Pattern[str]:
    """Return a regular expression for the names of part files (files that are not completely written yet).

    It matches the end of a name. With `run`, it matches only the part files of this run; by default, the
    part files of all runs.
    """
    return re.compile(rf"\.{run}-[0-9a-f]{{8}}\.part$")


class Store(Protocol):
    """Interface of a dataset's storage. A stored file is complete, or does not exist.

    Only one thread uses an object. All methods raise OSError if the storage fails.
    """

    def files(self) -> Mapping[str, int]:
        """Return the paths of all files, with their sizes in bytes."""

    def in_folder(self, folder: str) -> list[str]:
        """Return the paths of the files in one folder, except for part files (incomplete files) of this run.

        The list is empty if there is no such folder.
        """

    def leftovers(self, folder: str) -> list[str]:
        """Return the paths of the part files of this run in one folder.

        Call this method only while no worker writes to the folder. The files are then leftovers of workers
        that were killed.
        """

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the contents of small files, as a map from path to bytes. Leaves out missing files."""

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading. Raises FileNotFoundError if it is missing."""

    def check_writable(self) -> None:
        """Write an empty file and remove it. Raises OSError if the storage is not writable.

        A run calls this method before it orders exports. The file always has the same name, so the next check
        removes a file that an interrupted check left. Hive readers ignore names that begin with an
        underscore.
        """

    def put(self, file: Path, path: str, *, name_synced: bool = True) -> None:
        """Move a local file to `path`. Replaces an existing file at `path`.

        Content and name are durable. With `name_synced=False`, the name of a local file is durable only when
        `write` has written another file to the same folder.
        """

    def write(self, content: bytes, path: str) -> None:
        """Write a small file atomically. Replaces an existing file at `path`."""

    def remove(self, path: str) -> None:
        """Remove a file. A missing file is not an error."""

    def address(self, path: str) -> str:
        """Return the path or URL with which a reader opens the file."""


class ObjectStore:
    """A dataset in an fsspec file system, mainly an object store. Writes are atomic, so nothing is renamed.

    `fs` is the fsspec file system, `root` the path of the dataset in it.
    """

    def __init__(self, fs: fsspec.AbstractFileSystem, root: str) -> None:
        self._fs = fs
        self._root = root.rstrip("/")

    def files(self) -> Mapping[str, int]:
        self._fs.invalidate_cache()  # other machines write here too
        try:
            details = self._fs.find(self._root, detail=True)
        except FileNotFoundError:
            return {}
        return {self._below(path): int(info["size"]) for path, info in details.items()}

    def in_folder(self, folder: str) -> list[str]:
        self._fs.invalidate_cache()
        try:
            paths = self._fs.find(f"{self._root}/{folder}", maxdepth=1)
        except FileNotFoundError:
            return []
        return sorted(self._below(path) for path in paths)

    def leftovers(self, folder: str) -> list[str]:
        return []

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        addresses = [f"{self._root}/{path}" for path in paths]
        if not addresses:
            return {}
        # One call, because a thousand manifests would otherwise take a thousand round trips.
        results = self._fs.cat(addresses, on_error="return")
        contents: dict[str, bytes] = {}
        for path, content in results.items():
            if isinstance(content, bytes):
                contents[self._below(path)] = content
            elif not isinstance(content, FileNotFoundError):
                raise content
        return contents

    def open(self, path: str) -> BinaryIO:
        return cast(BinaryIO, self._fs.open(f"{self._root}/{path}", "rb"))

    def check_writable(self) -> None:
        self.write(b"", "_check")
        self.remove("_check")

    def put(self, file: Path, path: str, *, name_synced: bool = True) -> None:
        self._make_folder(path)
        self._fs.put_file(str(file), f"{self._root}/{path}")
        file.unlink()

    def write(self, content: bytes, path: str) -> None:
        self._make_folder(path)
        self._fs.pipe_file(f"{self._root}/{path}", content)

    def remove(self, path: str) -> None:
        try:
            self._fs.rm_file(f"{self._root}/{path}")
        except FileNotFoundError:
            return

    def address(self, path: str) -> str:
        return str(self._fs.unstrip_protocol(f"{self._root}/{path}"))

    def _make_folder(self, path: str) -> None:
        # Object stores have no folders and ignore this; other file systems (SFTP, HDFS) need the folder.
        self._fs.makedirs(f"{self._root}/{path}".rpartition("/")[0], exist_ok=True)

    def _below(self, path: str) -> str:
        # Some file systems return paths without the leading slash of the root.
        return path.lstrip("/").removeprefix(self._root.lstrip("/")).lstrip("/")


def open_store(url: str, run: str = "") -> Store:
    """Open the dataset at a folder or URL. Creates nothing until something is stored.

    `run` names the current run. The store's `in_folder` does not list part files of this run, so that a task
    does not remove them: the same task may run twice at the same time. Raises ConfigError if fsspec is
    missing or does not support the protocol.
    """
    protocol, separator, rest = url.partition("://")
    if not separator or protocol in ("file", "local"):
        return LocalStore(Path(os.path.abspath(rest if separator else url)), run)
    try:
        import fsspec
    except ImportError:
        raise ConfigError(
            "output",
            f"{protocol}:// needs fsspec",
            "Install it with pip install 'soapclient[stores]', or name a folder",
        ) from None
    try:
        return ObjectStore(*fsspec.core.url_to_fs(url))
    except (ImportError, ValueError) as error:
        raise ConfigError(
            "output",
            f"{safe_url(url)} cannot be opened: {error}",
            "Correct the address, or install the package that fsspec needs for its protocol",
        ) from None
