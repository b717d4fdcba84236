"""The head of a generated module: the origin of the module, and its imports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from bindgen.emit.text import Lines, harmless, imported
from bindgen.fetching.addresses import redacted
from bindgen.model import Contract

# Module of the runtime → names that generated code imports from it.
_RUNTIME = {
    "any_element": ("AnyElement", "AnyValue"),
    "asynchronous": ("AsyncCaller", "awaited", "paged_async", "streamed_async"),
    "binary": ("FileOrStream",),
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


class RuntimeImports:
    """Collects the names that a module uses from the runtime.

    A name in `taken`, such as the name of a generated class, is imported as `_NAME`.
    """

    def __init__(self, taken: frozenset[str]) -> None:
        self._taken = taken
        self._names: dict[str, set[str]] = {}

    def __call__(self, name: str) -> str:
        """Record that the module uses a name of the runtime. Return the name to write in the module."""
        taken = name in self._taken
        self._names.setdefault(FROM_RUNTIME[name], set()).add(f"{name} as _{name}" if taken else name)
        return f"_{name}" if taken else name

    def imports(self) -> list[str]:
        """Return an empty line and the import lines; an empty list if nothing is imported."""
        lines = [
            line
            for module in sorted(self._names)
            for line in imported(f"soapclient.runtime.{module}", self._names[module])
        ]
        return ["", *lines] if lines else []


def made_by(contract: Contract) -> str:
    """Return the command that generates the package."""
    if not contract.settings.own:
        return f"bindgen generate {contract.name}"
    paths = contract.settings.by_option
    options = f" --may-be-missing {harmless(','.join(paths))}" if paths else ""
    return f"bindgen init {contract.name}{options}"


def source(contract: Contract) -> str:
    """Return the address or file from which the contract was read, for a comment in the generated module.

    Secrets in an address are removed. For a package of `bindgen init`, a file is shown without its folder.
    """
    url = harmless(redacted(contract.url))
    if not contract.settings.own:
        return url
    return url if "://" in url and not url.startswith("file:") else url.rpartition("/")[2]


def head(contract: Contract, doc: str) -> Lines:
    """Return the first lines of a module: comments on its origin, the docstring `doc`, and an import."""
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
        lines(f"# sha256 of the additional schema: {hashlib.sha256(contract.schema).hexdigest()}")
    if not contract.settings.own:
        lines(f"# sha256 of its settings in contracts.toml: {contract.settings.sha256}")
    lines.doc(doc)
    lines("", "from __future__ import annotations")
    return lines


def standard(text: str, *, abstract: Iterable[str] = (), typing: Iterable[str] = ()) -> list[str]:
    """Return the lines that import from the standard library.

    `abstract` and `typing` are names to import from `collections.abc` and `typing`. `datetime` (as `dt`) and
    `Decimal` are imported if they occur in `text`, which contains all annotations of the module.
    """
    return [
        *(["import datetime as dt"] if "dt." in text else []),
        *imported("collections.abc", abstract),
        *(["from decimal import Decimal"] if "Decimal" in text else []),
        *imported("typing", typing),
    ]
