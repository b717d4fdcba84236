"""The model → the files of a package. Nothing here decides: the passes have."""

from __future__ import annotations

import ast

from bindgen.emit import codec, rest, service, tables, types
from bindgen.emit.xml import package as xml_package
from bindgen.model import Contract

__all__ = ["package", "xml_package"]


def package(contract: Contract, root: str) -> dict[str, bytes]:
    """The package of a contract, file name → content. `root` is the package it goes into."""
    python = {
        "__init__.py": f'"""Bindings of {contract.settings.name} {contract.settings.version}."""\n',
        "types.py": types.emit(contract, root),
        "codec.py": codec.emit(contract, root),
        "service.py": service.emit(contract, root),
        "tables.py": tables.emit(contract, root),
    }
    if any(operation.rest for operation in contract.operations):
        python["rest.py"] = rest.emit(contract, root)
    for text in python.values():
        ast.parse(text)  # text of a contract that became code by accident would show here
    documents = {"contract.wsdl": contract.one_file, "rest.xsd": contract.schema}
    return {
        **{name: text.encode() for name, text in python.items()},
        **{name: content for name, content in documents.items() if content},
    }
