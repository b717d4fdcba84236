"""The pages of some contracts, and the one that leads to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bindgen.docs import entries, frame
from bindgen.docs.calls import Bound
from bindgen.docs.entries import Entry
from bindgen.docs.html import Element, code, document, el
from bindgen.docs.page import page
from bindgen.model import Contract


def file_name(contract: Contract) -> str:
    """The file of a contract's page."""
    return entries.of(contract).file


def earlier(folder: Path, made: Sequence[Contract]) -> list[Entry]:
    """The pages in a folder that earlier runs left there, and that these contracts do not replace.

    Raises OSError.
    """
    new = {file_name(contract) for contract in made}
    pages = [path for path in folder.glob("*.html") if path.name not in new and path.is_file()]
    found = (entries.read(path) for path in pages)
    return sorted((entry for entry in found if entry is not None), key=_by_name)


def files(contracts: Iterable[tuple[Contract, Bound]], others: Sequence[Entry] = ()) -> dict[Path, bytes]:
    """File name → content, `index.html` among them, which leads to the pages of `others`, too. Without
    contracts that is all."""
    found: dict[Path, bytes] = {}
    listed = list(others)
    for contract, bound in contracts:
        entry = entries.of(contract)
        found[Path(entry.file)] = page(contract, bound)
        listed.append(entry)
    heading = el("h1", "Contract reference")
    body = [heading, el("ul", map(_item, sorted(listed, key=_by_name)), class_="contracts")]
    found[Path("index.html")] = document(frame.whole("Contract reference", "Contracts", "", (), body))
    return found


def _by_name(entry: Entry) -> tuple[str, str]:
    return entry.name.casefold(), entry.name


def _item(entry: Entry) -> Element:
    version = f" {entry.version}" if entry.version else ""
    return el(
        "li",
        el("a", entry.name, href=entry.file),
        f"{version}, {entry.operations} operation{'s' if entry.operations != 1 else ''}",
        [el("br"), code(entry.namespace)] if entry.namespace else None,
    )
