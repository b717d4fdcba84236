"""Ledgers that share an account on one machine know of one another: each job is taken by one alone."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from soapclient.exports import durable
from soapclient.exports.entry_file import LedgerError

REGISTER: Final = "ledgers"
"""The folder, within that of a ledger, which names the folders of those that were made beside it."""

log = logging.getLogger(__name__)


def enrol(folder: Path, neighbour: Path) -> None:
    """Note in a ledger's folder, durably and once, that another was made beside it.

    Where that cannot be written, the log says so: the one then does not know what the other takes.
    """
    path = str(neighbour.absolute())
    name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    note = folder / REGISTER / f"{name}.json"
    try:
        if note.exists():
            return
        durable.make_folder(note.parent)
        durable.write_text(note, json.dumps({"folder": path}) + "\n")
    except OSError as error:
        log.warning("%s: ledgers here will not know what %s takes: %s", folder, neighbour, error)


def neighbours(folder: Path, beside: Iterable[Path]) -> tuple[Path, ...]:
    """Return the folders of the other ledgers: those `beside` this one, and those enrolled with any of them.

    Raises LedgerError for a note that cannot be read, OSError for a folder that cannot be listed.
    """
    own = folder.absolute()
    told = [own, *(each.absolute() for each in beside)]
    found = dict.fromkeys(path for each in told for path in (each, *_enrolled(each)))
    return tuple(path for path in found if path != own)


def _enrolled(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder / REGISTER) as notes:
            names = sorted(each.name for each in notes if each.name.endswith(".json"))
    except FileNotFoundError:
        return []
    return [_read(folder / REGISTER / name) for name in names]


def _read(note: Path) -> Path:
    try:
        data: object = json.loads(durable.read_regular(note))
        path = data.get("folder") if isinstance(data, dict) else None
        named = isinstance(path, str) and bool(path) and b"\0" not in os.fsencode(path)
    except (ValueError, RecursionError):  # of JSON, or of a name that no file system has
        named = False
    except OSError as error:
        if error.errno not in durable.NOT_REGULAR:
            raise
        named = False
    if not named:
        advice = "Remove it; the ledger it named writes it again"
        raise LedgerError(str(note), "it does not name the folder of a ledger", advice)
    return Path(str(path))
