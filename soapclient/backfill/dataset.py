"""What a dataset holds, by its manifests: files without one are not part of it."""

from __future__ import annotations

import os

from soapclient.backfill.manifest import NAME, Manifest
from soapclient.backfill.store import Store, open_store
from soapclient.errors import ReplyError


def dataset_files(url: str | os.PathLike[str]) -> list[str]:
    """Return the paths or URLs of the files that make up the dataset at a folder or fsspec URL, sorted.

    Each complete partition has one; what killed processes left behind is not among them. Give them to a
    reader (`duckdb.read_parquet(files, hive_partitioning=True)`). Raises ReplyError for a manifest that
    cannot be read, ConfigError, OSError.
    """
    store = open_store(os.fspath(url))
    found = manifests(store, list(store.files()))
    return sorted(store.address(f"{folder}/{manifest.file}") for folder, manifest in found.items())


def manifests(store: Store, paths: list[str], broken: dict[str, str] | None = None) -> dict[str, Manifest]:
    """Return folder → manifest of those among `paths`.

    One that cannot be read goes into `broken`, with the reason, or raises ReplyError where that is None.
    """
    found = {}
    names = [path for path in paths if path.rpartition("/")[2] == NAME]
    for path, content in store.read(names).items():
        folder = path.rpartition("/")[0]
        try:
            found[folder] = Manifest.from_json(content, path)
        except ReplyError as error:
            if broken is None:
                raise
            broken[folder] = str(error)
    return found
