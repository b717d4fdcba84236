"""Write the files of a package from the model. The passes have already made all decisions.

`types` writes the data classes, `service` the operations and their methods, and `rows` the file schema.json,
which tells the runtime how to read and write messages. `docs` writes docs.json, the documentation for tools.
`module` writes the head of a Python module. `proof` checks that the files agree.
"""

from __future__ import annotations

from bindgen.emit import docs, rows, service, types
from bindgen.emit.module import head
from bindgen.emit.proof import check, prove
from bindgen.emit.text import Lines, literal
from bindgen.model import Contract

__all__ = ["package", "root"]

_MADE = "# Made by `bindgen generate`. Do not edit: it is overwritten with each package.\n"
_RUNTIME = '''"""Compatibility with packages that version 0.1 generated, which import `zxws._runtime`."""

from soapclient.runtime.package import refuse_outdated

refuse_outdated("a package that imports zxws._runtime")
'''


def package(contract: Contract) -> dict[str, bytes]:
    """Return the contents of a package's files, by file name.

    The passes (`bindgen.passes`) must have been run on the contract before.
    """
    python = {
        "__init__.py": _init(contract),
        "types.py": types.emit(contract),
        "service.py": service.emit(contract),
    }
    trees = {name: check(name, text) for name, text in python.items()}
    schema = rows.emit(contract)
    if (tree := trees["types.py"]) is not None:
        prove(tree, schema)
    files = {name: text.encode() for name, text in python.items()}
    documents = {
        "docs.json": docs.emit(contract),
        "contract.wsdl": contract.one_file,
        "rest.xsd": contract.schema,
        "messages.xsd": contract.messages,
    }
    return {
        **files,
        "schema.json": schema,
        **({"py.typed": b""} if contract.settings.own else {}),
        **{name: content for name, content in documents.items() if content},
    }


def root() -> dict[str, bytes]:
    """Return the files to write next to the packages of `bindgen generate`: maps file names to contents."""
    return {
        "__init__.py": f'{_MADE}"""Python bindings: one package for each contract."""\n'.encode(),
        "_runtime.py": f"{_MADE}{_RUNTIME}".encode(),
        "py.typed": b"",
    }


def _init(contract: Contract) -> str:
    """Return `__init__.py`, which loads the service classes when they are first used."""
    names = sorted([*contract.service_classes.values(), *contract.further_classes.values()])
    lines: Lines = head(contract, f"Python bindings for {types.called(contract)}.")
    lines("", "from typing import TYPE_CHECKING", "")
    with lines.block("if TYPE_CHECKING:"):
        lines(*(f"from .service import {name} as {name}" for name in names))
    with lines.block("else:"):
        lines("")
        with lines.block("def __getattr__(name: str) -> object:"):
            with lines.block("if name not in __all__:"):
                lines('raise AttributeError(f"module {__name__!r} has no attribute {name!r}")')
            lines("from . import service", "", "return getattr(service, name)")
    lines("", "", f"__all__ = [{', '.join(map(literal, names))}]")
    return lines.text()
