"""A module of a package in XML: its head says what it was made from, its imports what it uses."""

from __future__ import annotations

from collections.abc import Iterable

from bindgen.emit.text import Lines, harmless, imported
from bindgen.model import Contract

# Module of the run time → what generated code uses of it.
_RUNTIME = {
    "any_element": ("AnyElement", "read_any", "write_anything"),
    "compound": ("default_of", "list_of", "union_of"),
    "derived": ("Derived", "Known", "further_attribute", "no_attributes_of"),
    "elements": ("Element",),
    "leaves": ("Choice", "Scalar", "no_attributes", "read_optional", "read_unless_nil"),
    "nil": ("NIL", "Nil", "is_nil", "nil_or", "nil_or_empty"),
    "protocols": ("Node", "Reader"),
    "reading": ("absent", "read_list", "repeated"),
    "soap_operation": ("AnySoapOperation", "Part", "SoapCaller", "SoapOperation", "header"),
    "soap_tables": ("PortTable", "SoapTables"),
    "turns": ("Step", "Turns"),
    "wildcards": ("Wild",),
    "writing": ("copied", "copied_lists", "copied_lists_or_nil", "expect"),
    "xml_writing": (
        "exactly_one",
        "put_any",
        "put_anys",
        "put_attribute",
        "put_attributes",
        "put_fixed",
        "put_fixed_attribute",
        "put_group",
        "put_groups",
        "put_many",
        "put_many_nillable",
        "put_nillable",
        "put_nillable_text",
        "put_one",
        "put_optional",
        "put_optional_any",
        "put_optional_group",
        "put_optional_nillable",
        "put_required_attribute",
        "put_text",
        "put_wrapped",
        "put_wrapped_nillable",
    ),
}
FROM_RUNTIME = {name: where for where, names in _RUNTIME.items() for name in names}


def class_names(contract: Contract) -> frozenset[str]:
    """The classes of a contract, which keep their names where the run time has one of that name."""
    enums = {enum.python for enum in contract.enums}
    return frozenset({*enums, *(struct.python for struct in contract.structs)})


class Uses:
    """What a module uses of the run time and of its own package, noted as it is written.

    A name of the run time that is in `taken` is imported as another one: use what is returned.
    """

    def __init__(self, runtime: str, taken: frozenset[str] = frozenset()) -> None:
        self._runtime = "soapclient.runtime"
        self._taken = taken
        self._names: dict[str, set[str]] = {}
        self._given: dict[str, str] = {}
        self._own: dict[str, set[str]] = {}

    def __call__(self, name: str) -> str:
        """A name of the run time, used."""
        if name not in self._given:
            self._given[name] = self.of(FROM_RUNTIME[name], name)
        return self._given[name]

    def of(self, module: str, name: str) -> str:
        """A name of that module of the run time, used."""
        if name in self._taken:
            self._names.setdefault(module, set()).add(f"{name} as _{name}")
            return f"_{name}"
        self._names.setdefault(module, set()).add(name)
        return name

    def own(self, module: str, *names: str) -> None:
        """Names of another module of the package."""
        self._own.setdefault(module, set()).update(names)

    def imports(self) -> list[str]:
        """The lines that import it all."""
        found = [
            line
            for module in sorted(self._names)
            for line in imported(f"{self._runtime}.{module}", self._names[module])
        ]
        own = [line for module in sorted(self._own) for line in imported(f".{module}", self._own[module])]
        return [*found, *([""] if found and own else []), *own]


def head(contract: Contract, doc: str, standard: Iterable[str] = (), uses: Uses | None = None) -> Lines:
    """The beginning of a module."""
    lines = Lines()
    lines(
        f"# Made by `bindgen init {contract.name}{_options(contract)}`. "
        "Do not edit: run it again when the contract changes.",
        f"# contract: {_source(contract.url)}",
        f"# its sha256: {contract.sha256}",
    )
    lines.doc(doc)
    lines("", "from __future__ import annotations")
    own = uses.imports() if uses else []
    if known := list(standard):
        lines("", *known)
    if own:
        lines("", *own)
    return lines


def standard(text: str, *, abstract: Iterable[str] = (), typing: Iterable[str] = ()) -> list[str]:
    """Imports of the standard library for the types that `text` speaks of."""
    from_abstract = sorted(abstract)
    from_typing = sorted(typing)
    return [
        *(["import datetime as dt"] if "dt." in text else []),
        *([f"from collections.abc import {', '.join(from_abstract)}"] if from_abstract else []),
        *(["from decimal import Decimal"] if "Decimal" in text else []),
        *([f"from typing import {', '.join(from_typing)}"] if from_typing else []),
    ]


def _options(contract: Contract) -> str:
    """The options that change what is generated, for whoever runs it again."""
    paths = contract.settings.texts("types", "may_be_missing")
    return f" --may-be-missing {harmless(','.join(paths))}" if paths else ""


def _source(url: str) -> str:
    """Where the contract came from; of a file its name alone, where it lay is no part of the contract."""
    said = harmless(url)
    return said if "://" in said and not said.startswith("file:") else said.rpartition("/")[2]
