"""Read contracts for a comparison, as their documents declare them.

The passes of bindgen, which change a contract, are not applied. Most settings have no effect. The only
settings that are used are the REST rows that define operations which the WSDL does not have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path

from bindgen.model import Contract
from bindgen.problems import ContractRefused
from bindgen.reading import rest_only, wsdl
from bindgen.reading.documents import Document, Documents, SingleDocument
from bindgen.settings import ContractSettings

_PLACE = "https://before.invalid/"


def read(
    settings: ContractSettings,
    documents: Documents | None,
    beside: Document | None,
    *,
    only: Collection[str] | None = None,
) -> Contract:
    """Read a contract from its WSDL (`documents`), its additional schema (`beside`), or both.

    Only the operations in `only` are read, by default all. Raises ContractRefused.
    """
    bare = ContractSettings(settings.name, "", "", _bare(settings), own=True)
    if documents is not None:
        return wsdl.read(bare, documents, beside=beside, only=only)
    assert beside is not None  # a contract has at least one of them
    return rest_only.contract(bare, beside, Documents(SingleDocument("", b""), {}))


def before(settings: ContractSettings, folder: Path) -> Contract | None:
    """Read the contract of the generated package in `folder`; None if it is missing or invalid."""
    try:
        text, schema = (_content(folder / name) for name in ("contract.wsdl", "rest.xsd"))
        beside = rest_only.parse("rest.xsd", schema) if schema else None
        if not (text or beside):
            return None
        source = SingleDocument(f"{_PLACE}{hashlib.sha256(text).hexdigest()}.wsdl", text)
        return read(settings, Documents(source, {source.root_url: "contract.wsdl"}) if text else None, beside)
    except (ContractRefused, OSError):
        return None


def _bare(settings: ContractSettings) -> Mapping[str, Mapping[str, object]]:
    """Return only the rows of the REST table that define an operation which the WSDL does not have.

    These are the rows with the key `request`.
    """
    rows = settings.section("rest").items()
    return {"rest": {name: row for name, row in rows if isinstance(row, dict) and row.get("request")}}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
