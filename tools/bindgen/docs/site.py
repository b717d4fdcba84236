"""The pages of some contracts, and the one that leads to them.

What the index says of a page is written into the page, so that later runs find it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from lxml import etree, html

from bindgen.docs.calls import Bound
from bindgen.docs.page import ENTRY, page, render
from bindgen.model import Contract

_HEAD = 64 * 1024  # as far as a page is looked into; the entry stands before style and script


@dataclass(frozen=True, slots=True)
class Entry:
    """A contract's name, version, namespace and number of operations."""

    name: str
    version: str
    namespace: str
    operations: int

    @property
    def file(self) -> str:
        """The file of its page; of its name, which is a Python name, but never the index's."""
        return "index_.html" if self.name == "index" else f"{self.name}.html"


def file_name(contract: Contract) -> str:
    """The file of a contract's page."""
    return _entry(contract).file


def earlier(folder: Path, made: Sequence[Contract]) -> list[Entry]:
    """The pages in a folder that earlier runs left there, and that these contracts do not replace.

    Raises OSError.
    """
    new = {file_name(contract) for contract in made}
    pages = [path for path in folder.glob("*.html") if path.name not in new and path.is_file()]
    found = (_read(path) for path in pages)
    return sorted((entry for entry in found if entry is not None), key=_by_name)


def files(contracts: Iterable[tuple[Contract, Bound]], others: Sequence[Entry] = ()) -> dict[Path, bytes]:
    """File name → content, `index.html` among them, which leads to the pages of `others`, too. Without
    contracts that is all."""
    found: dict[Path, bytes] = {}
    listed = list(others)
    for contract, bound in contracts:
        entry = _entry(contract)
        found[Path(entry.file)] = page(contract, bound, msgspec.json.encode(entry).decode())
        listed.append(entry)
    found[Path("index.html")] = render("index.html", entries=sorted(listed, key=_by_name))
    return found


def _by_name(entry: Entry) -> tuple[str, str]:
    return entry.name.casefold(), entry.name


def _entry(contract: Contract) -> Entry:
    version, namespace = contract.settings.version, contract.namespace
    return Entry(contract.name, version, namespace, len(contract.operations))


def _read(page: Path) -> Entry | None:
    """The entry in a page; None for what is no page of ours, or has another name now. Raises OSError."""
    with page.open("rb") as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace")
    try:
        found = html.document_fromstring(head).xpath("//meta[@name=$name]/@content", name=ENTRY)
        entry = msgspec.json.decode(str(found[0]), type=Entry)
    except (etree.LxmlError, ValueError, IndexError, RecursionError):
        return None
    return entry if entry.name.isidentifier() and entry.file == page.name else None
