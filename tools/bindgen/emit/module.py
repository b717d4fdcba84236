"""A generated module: its head says what it was made from, its imports what it uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from bindgen.emit.text import Lines, harmless, imported
from bindgen.fetching.addresses import redacted
from bindgen.model import Contract

# Module of the run time → what generated code uses of it.
_RUNTIME = {
    "any_element": ("AnyElement", "AnyValue"),
    "asynchronous": ("AsyncCaller", "awaited", "paged_async", "streamed_async"),
    "nil": ("NIL", "Nil"),
    "operations": (
        "ListOperation",
        "Operation",
        "PageCaller",
        "StreamCaller",
        "paged",
        "streamed",
    ),
    "package": ("Package", "package", "refuse_outdated"),
    "protocols": ("KeptValue",),
    "record": ("Record", "copied", "copied_lists", "copied_lists_or_nil"),
    "service": ("AsyncService", "HeaderService", "Service"),
}
FROM_RUNTIME = {name: where for where, names in _RUNTIME.items() for name in names}


class Uses:
    """What a module uses of the run time, noted as it is written. A name in `taken` is imported as another
    one: use what is returned."""

    def __init__(self, taken: frozenset[str]) -> None:
        self._taken = taken
        self._names: dict[str, set[str]] = {}

    def __call__(self, name: str) -> str:
        """A name of the run time, used."""
        taken = name in self._taken
        self._names.setdefault(FROM_RUNTIME[name], set()).add(f"{name} as _{name}" if taken else name)
        return f"_{name}" if taken else name

    def imports(self) -> list[str]:
        """The lines that import it all, after an empty one."""
        found = [
            line
            for module in sorted(self._names)
            for line in imported(f"soapclient.runtime.{module}", self._names[module])
        ]
        return ["", *found] if found else []


def made_by(contract: Contract) -> str:
    """The command that makes the package."""
    if not contract.settings.own:
        return f"bindgen generate {contract.name}"
    paths = contract.settings.by_option
    options = f" --may-be-missing {harmless(','.join(paths))}" if paths else ""
    return f"bindgen init {contract.name}{options}"


def source(contract: Contract) -> str:
    """Where the contract came from, without keys; of a file its name alone."""
    said = harmless(redacted(contract.url))
    if not contract.settings.own:
        return said
    return said if "://" in said and not said.startswith("file:") else said.rpartition("/")[2]


def head(contract: Contract, doc: str) -> Lines:
    """The beginning of a module."""
    again = (
        "run it again when the contract changes"
        if contract.settings.own
        else "change the contract, run it again"
    )
    lines = Lines()
    lines(
        f"# Made by `{made_by(contract)}`. Do not edit: {again}.",
        f"# contract: {source(contract)}",
        f"# its sha256: {contract.sha256}",
    )
    if contract.one_file and contract.schema:
        lines(f"# sha256 of the schema beside it: {hashlib.sha256(contract.schema).hexdigest()}")
    if not contract.settings.own:
        lines(f"# sha256 of its settings in contracts.toml: {contract.settings.sha256}")
    lines.doc(doc)
    lines("", "from __future__ import annotations")
    return lines


def standard(text: str, *, abstract: Iterable[str] = (), typing: Iterable[str] = ()) -> list[str]:
    """Imports of the standard library for the types that `text` speaks of."""
    return [
        *(["import datetime as dt"] if "dt." in text else []),
        *imported("collections.abc", abstract),
        *(["from decimal import Decimal"] if "Decimal" in text else []),
        *imported("typing", typing),
    ]
