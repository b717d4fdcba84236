"""A dataset on whatever fsspec knows, object stores above all: a put is whole or is not, and no renaming."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Final, cast

import fsspec

from soapclient.errors import ConfigError
from soapclient.redaction import safe_url

# The underscore keeps Hive readers away. Always the same: the next check removes what a killed one left.
_CHECK: Final = "_check"


class ObjectStore:
    """See soapclient.backfill.store.Store. `fs` is fsspec's file system, `root` a path of it."""

    def __init__(self, fs: fsspec.AbstractFileSystem, root: str) -> None:
        self._fs = fs
        self._root = root.rstrip("/")

    @classmethod
    def at(cls, url: str) -> ObjectStore:
        """Open a URL. Raises ConfigError for a protocol that fsspec or this machine does not have."""
        try:
            fs, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise ConfigError(
                "output", f"{safe_url(url)} cannot be opened: {error}", "Install what fsspec needs for it"
            ) from None
        return cls(fs, root)

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
        self.write(b"", _CHECK)
        self.remove(_CHECK)

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
