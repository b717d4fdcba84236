"""How a partition becomes part of the dataset: its data, then its manifest; where that lies, all is there."""

from __future__ import annotations

from pathlib import Path

from soapclient.backfill.manifest import NAME, Manifest
from soapclient.backfill.store import Store


def put_data(store: Store, data: Path, manifest: Manifest, folder: str) -> None:
    """Move the data to its place, where nobody sees it yet."""
    store.put(data, f"{folder}/{manifest.file}")


def commit(store: Store, data: Path, manifest: Manifest, folder: str) -> None:
    """Move the data to its place and enter it."""
    put_data(store, data, manifest, folder)
    enter(store, manifest, folder)


def enter(store: Store, manifest: Manifest, folder: str) -> None:
    """Make data that lie in their place part of the dataset, and remove what lay there before."""
    store.write(manifest.to_json(), f"{folder}/{NAME}")
    _tidy(store, folder, {NAME, manifest.file})


def withdraw(store: Store, folder: str, manifest: Manifest, *, data: bool) -> None:
    """Take a partition out of the dataset, with its `data` unless another is to lie in its folder."""
    store.remove(f"{folder}/{NAME}")
    if data:
        store.remove(f"{folder}/{manifest.file}")


def _tidy(store: Store, folder: str, keep: set[str]) -> None:
    """Remove what a killed process or an earlier content left, for readers that look at no manifest."""
    for path in store.in_folder(folder):
        if path.rpartition("/")[2] not in keep:
            store.remove(path)
