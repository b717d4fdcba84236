"""Where a dataset lies: a folder, or anything fsspec knows. Paths are below its root, with `/`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from soapclient._support.durable import check_writable, finish, make_folder, remove
from soapclient._support.redaction import safe_url
from soapclient.errors import ConfigError

if TYPE_CHECKING:
    import fsspec


class LocalStore:
    """A dataset in a folder."""

    def __init__(self, root: Path, run: str = "") -> None:
        self._root = root
        self._run = run

    def files(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                    found[path.relative_to(self._root).as_posix()] = path.stat().st_size
        return found

    def in_folder(self, folder: str) -> list[str]:
        try:
            found = [path.name for path in (self._root / folder).iterdir() if path.is_file()]
        except FileNotFoundError:
            return []
        return [
            f"{folder}/{name}"
            for name in sorted(found)
            if not (self._run and name.endswith(".part") and f".{self._run}-" in name)
        ]

    def left_over(self, folder: str) -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            names = sorted(os.listdir(self._root / folder))
            return [f"{folder}/{name}" for name in names if left_by(self._run).search(name)]
        return []

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        found = {}
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                found[path] = (self._root / path).read_bytes()
        return found

    def open(self, path: str) -> BinaryIO:
        return (self._root / path).open("rb")

    def check_writable(self) -> None:
        make_folder(self._root)
        check_writable(self._root / "_check.part")

    def put(self, file: Path, path: str) -> None:
        target = self._root / path
        make_folder(target.parent)
        part = self._part_of(target)
        shutil.move(file, part)  # a rename, or a copy where the work folder is on another disk
        finish(part, target)
        part.unlink(missing_ok=True)  # a rename of one link of a file to another does nothing

    def write(self, content: bytes, path: str) -> None:
        target = self._root / path
        make_folder(target.parent)
        part = self._part_of(target)
        part.write_bytes(content)
        finish(part, target)

    def remove(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):  # of its folder
            remove(self._root / path)

    def address(self, path: str) -> str:
        return str(self._root / path)

    def _part_of(self, target: Path) -> Path:
        """A name of its own: a cluster that lost sight of a worker may have given its task away again."""
        return target.with_name(f"{target.name}.{self._run}-{token_hex(4)}.part")


def left_by(run: str = "[0-9a-f]{16}") -> re.Pattern[str]:
    """The ending of files on their way, of a run or of any."""
    return re.compile(rf"\.{run}-[0-9a-f]{{8}}\.part$")


class Store(Protocol):
    """What a dataset needs. A file that was put is there whole and for good, or not at all.

    Everything raises OSError where the storage fails.
    """

    def files(self) -> Mapping[str, int]:
        """Every file, and its size in bytes."""

    def in_folder(self, folder: str) -> list[str]:
        """The paths of the files in one folder, but for those that this run is about to put there.

        None if there is no such folder.
        """

    def left_over(self, folder: str) -> list[str]:
        """What workers of this run that were killed left in one folder; for when no other one is at it."""

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """The contents of small files; those that are gone are left out."""

    def open(self, path: str) -> BinaryIO:
        """A file to read. Raises FileNotFoundError where there is none."""

    def check_writable(self) -> None:
        """Write an empty file and remove it: nothing is to be ordered for a place that takes nothing.

        Its name is always the same, so that the next check removes what a killed one left. An underscore
        keeps Hive readers away.
        """

    def put(self, file: Path, path: str) -> None:
        """Move a file of this machine to `path`, replacing what is there."""

    def write(self, content: bytes, path: str) -> None:
        """Write a small file at once, replacing what is there."""

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def address(self, path: str) -> str:
        """What a reader opens the file by."""


class ObjectStore:
    """A dataset on whatever fsspec knows, object stores above all: a put is whole or is not, and no renaming.

    `fs` is fsspec's file system, `root` a path of it.
    """

    def __init__(self, fs: fsspec.AbstractFileSystem, root: str) -> None:
        self._fs = fs
        self._root = root.rstrip("/")

    def files(self) -> Mapping[str, int]:
        self._fs.invalidate_cache()  # other machines write here too
        try:
            found = self._fs.find(self._root, detail=True)
        except FileNotFoundError:
            return {}
        return {self._below(path): int(info["size"]) for path, info in found.items()}

    def in_folder(self, folder: str) -> list[str]:
        self._fs.invalidate_cache()
        try:
            found = self._fs.find(f"{self._root}/{folder}", maxdepth=1)
        except FileNotFoundError:
            return []
        return sorted(self._below(path) for path in found)

    def left_over(self, folder: str) -> list[str]:
        return []

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        wanted = [f"{self._root}/{path}" for path in paths]
        if not wanted:
            return {}
        # All at once: one by one, a thousand manifests would be a thousand round trips.
        found = self._fs.cat(wanted, on_error="return")
        contents: dict[str, bytes] = {}
        for path, content in found.items():
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

    def put(self, file: Path, path: str) -> None:
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
        # Object stores have none and take no notice; others (SFTP, HDFS) refuse a file without.
        self._fs.makedirs(f"{self._root}/{path}".rpartition("/")[0], exist_ok=True)

    def _below(self, path: str) -> str:
        # Some file systems give their paths back without a leading slash that the root has.
        return path.lstrip("/").removeprefix(self._root.lstrip("/")).lstrip("/")


def open_store(url: str, run: str = "") -> Store:
    """Open the dataset at a folder or URL; nothing is made there before something is put.

    `run` names the run whose files on their way are left alone: a task may be done twice at a time.
    Raises ConfigError where fsspec is missing or does not know the protocol.
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
            "output", f"{safe_url(url)} cannot be opened: {error}", "Install what fsspec needs for it"
        ) from None
