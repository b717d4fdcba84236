"""The model → a package that writes XML itself, for any WSDL. Nothing here decides: the passes have.

`module` what every file begins with · `constants`, `reading`, `writing` → `codec` · `types` · `service` ·
`tables`.
"""

from __future__ import annotations

from bindgen.emit.text import literal
from bindgen.emit.xml import codec, service, tables, types
from bindgen.emit.xml.allowed import check
from bindgen.emit.xml.module import head
from bindgen.model import Contract


def package(contract: Contract, runtime: str = "zxws") -> dict[str, bytes]:
    """The package of a contract, file name → content.

    `runtime` is the package whose `_runtime` it stands on. Expects a contract that went through
    `passes.run_for_xml`.
    """
    python = {
        "__init__.py": _init(contract),
        "types.py": types.emit(contract, runtime),
        "codec.py": codec.emit(contract, runtime),
        "service.py": service.emit(contract, runtime),
        "tables.py": tables.emit(contract, runtime),
    }
    for name, text in python.items():
        check(name, text)
    files = {name: text.encode() for name, text in python.items()}
    files |= {"py.typed": b"", "contract.wsdl": contract.one_file}
    if contract.messages:
        files["messages.xsd"] = contract.messages
    return files


def _init(contract: Contract) -> str:
    """The service classes, loaded when they are first asked for."""
    names = sorted(contract.service_classes.values())
    known = ["from typing import TYPE_CHECKING"]
    lines = head(contract, f"Bindings of {contract.name}.", known)
    lines("")
    with lines.block("if TYPE_CHECKING:"):
        for name in names:
            lines(f"from .service import {name} as {name}")
    with lines.block("else:"):
        lines("")
        with lines.block("def __getattr__(name: str) -> object:"):
            with lines.block("if name not in __all__:"):
                lines('raise AttributeError(f"module {__name__!r} has no attribute {name!r}")')
            lines("from . import service", "", "return getattr(service, name)")
    lines("", "")
    with lines.block("__all__ = [", "]"):
        for name in names:
            lines(f"{literal(name)},")
    return lines.text()
