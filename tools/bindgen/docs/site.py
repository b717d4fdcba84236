"""The pages of some contracts, and the one that leads to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bindgen.docs import frame
from bindgen.docs.calls import Bound
from bindgen.docs.html import code, document, el
from bindgen.docs.page import page
from bindgen.model import Contract


def file_name(contract: Contract) -> str:
    """The file of a contract's page; of its name, which is a Python name, but never the index's."""
    return "index_.html" if contract.name == "index" else f"{contract.name}.html"


def files(contracts: Iterable[tuple[Contract, Bound]]) -> dict[Path, bytes]:
    """File name → content, `index.html` among them. Without contracts that is all."""
    found: dict[Path, bytes] = {}
    entries = []
    for contract, bound in contracts:
        name = file_name(contract)
        found[Path(name)] = page(contract, bound)
        number = len(contract.operations)
        entries.append(
            el(
                "li",
                el("a", contract.name, href=name),
                f" {contract.settings.version}, {number} operation{'s' if number != 1 else ''}",
                [el("br"), code(contract.namespace)] if contract.namespace else None,
            )
        )
    heading = el("h1", "Contract reference")
    body = [heading, el("ul", entries, class_="contracts")]
    found[Path("index.html")] = document(frame.whole("Contract reference", "Contracts", "", (), body))
    return found
