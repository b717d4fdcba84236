"""Write a page for each method of the built-in services: signature, parameters, response, and example.

The pages contain what the generated package and the contract say. `bindgen docs` writes the complete
reference of a contract, with its XML and its rules for values; each page links to its operation there.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from bindgen.docs import sources
from bindgen.docs.catalogue import Catalogue
from bindgen.docs.examples import OperationExamples
from bindgen.docs.site import file_name
from bindgen.docs.views import badges, occurrence
from bindgen.emit import hints
from bindgen.model import Contract, Enum, Field, Operation
from bindgen.settings import read

OPERATIONS = Path("docs/reference/operations")


def write_operations(folder: Path, wsdl: Path) -> None:
    """Write the pages below `folder`, and an index. `wsdl` is the folder with contracts.toml."""
    settings = read(wsdl)
    (folder / OPERATIONS).mkdir(parents=True)
    index = _heading("Operations, method by method", "=")
    index += ["The methods of the tracking service's clients, with parameters, responses and code.", ""]
    for name in settings.contracts:
        contract, bound = sources.of_settings(name, settings)
        catalogue, examples = Catalogue(contract), OperationExamples(contract, bound)
        index += [*_heading(name, "-"), ".. toctree::", "   :maxdepth: 1", ""]
        operations = sorted(contract.operations, key=lambda operation: operation.method)
        for operation in operations:
            anchor = catalogue.of(operation) or ""
            text = _page(settings.package, contract, operation, examples.call(operation), anchor)
            path = OPERATIONS / name / f"{operation.method}.rst"
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
            index.append(f"   {OPERATIONS.name}/{name}/{operation.method}")
        index.append("")
    (folder / OPERATIONS.with_suffix(".rst")).write_text("\n".join(index), encoding="utf-8")


def _page(package: str, contract: Contract, operation: Operation, code: str, anchor: str) -> str:
    """Return the page of a method as reStructuredText. `anchor` is its place in the contract's reference."""
    module = f"{package}.{contract.name}.service"
    owner = contract.service_classes.get(operation.port_type, contract.service_class)
    kept = ", ".join(text for _, text in badges(operation))
    reference = f"../../../../contracts/{file_name(contract)}#{anchor}"
    return "\n".join(
        [
            *_heading(f"{contract.name}.{operation.method}", "="),
            f"The operation ``{operation.name}``: {kept}. Complete description: `contract <{reference}>`__.",
            "",
            f".. automethod:: {module}.{owner}.{operation.method}",
            "   :no-index:",
            "",
            *(f"   :param {name}: {text}" for name, text in _described(operation.request.all_fields())),
            "",
            *_heading("Response", "-"),
            *_fields(operation.response.all_fields()),
            "",
            *_heading("Example", "-"),
            *_block("python", code),
            "With asyncio, use ``AsyncClient`` in the same way, and ``await`` the call. On the command line:",
            "",
            *_block("none", f"soapclient describe {contract.name} {operation.name}"),
        ]
    )


def _fields(fields: Iterable[Field]) -> list[str]:
    """Return a list of fields: name, type, and description."""
    types = {field.python: hints.attribute(field)[0] for field in fields}
    lines = [f"- ``{name}`` (``{types[name]}``): {text}" for name, text in _described(fields)]
    return lines or ["The response has no fields."]


def _described(fields: Iterable[Field]) -> Iterator[tuple[str, str]]:
    """Yield the name of each field with its occurrence, its values, and the documentation of the contract."""
    for field in fields:
        if field.python and not field.refused:
            kind = (field.item or field).type
            sentences = [f"{occurrence(field).capitalize()}."]
            if isinstance(kind, Enum):
                sentences.append(f"Values: {', '.join(f'``{value}``' for value in kind.values)}.")
            if field.protocol:
                sentences.append(f"Only over {field.protocol.upper()}.")
            yield field.python, " ".join([*sentences, _escaped(" ".join(field.doc.split()))]).rstrip()


def _escaped(text: str) -> str:
    """Return a text of the contract without the markup characters of reStructuredText."""
    return "".join(f"\\{mark}" if mark in "*`|_\\" else mark for mark in text)


def _heading(title: str, line: str) -> list[str]:
    return [title, line * len(title), ""]


def _block(language: str, code: str) -> list[str]:
    return [f".. code-block:: {language}", "", *textwrap.indent(code.rstrip(), "   ").splitlines(), ""]
