"""Where a dataset lies: a folder, or anything fsspec knows. Paths are below its root, with `/`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from soapclient.errors import ConfigError


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

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """The contents of small files; those that are gone are left out."""

    def open(self, path: str) -> BinaryIO:
        """A file to read. Raises FileNotFoundError where there is none."""

    def check_writable(self) -> None:
        """Write an empty file and remove it: nothing is to be ordered for a place that takes nothing."""

    def put(self, file: Path, path: str) -> None:
        """Move a file of this machine to `path`, replacing what is there."""

    def write(self, content: bytes, path: str) -> None:
        """Write a small file at once, replacing what is there."""

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def address(self, path: str) -> str:
        """What a reader opens the file by."""


def open_store(url: str, run: str = "") -> Store:
    """Open the dataset at a folder or URL; nothing is made there before something is put.

    `run` names the run whose files on their way are left alone: a task may be done twice at a time.
    Raises ConfigError where fsspec is missing or does not know the protocol.
    """
    protocol, separator, rest = url.partition("://")
    if not separator or protocol in ("file", "local"):
        from soapclient.backfill.local_store import LocalStore

        return LocalStore(Path(os.path.abspath(rest if separator else url)), run)
    try:
        from soapclient.backfill.object_store import ObjectStore
    except ImportError:
        raise ConfigError(
            "output",
            f"{protocol}:// needs fsspec",
            "Install it with pip install 'soapclient[stores]', or name a folder",
        ) from None
    return ObjectStore.at(url)
