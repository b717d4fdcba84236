"""The page of a contract."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from bindgen.docs import entries, fields, frame, operations, tables, types, wording
from bindgen.docs.calls import Bound
from bindgen.docs.catalogue import Catalogue, faults
from bindgen.docs.examples import OperationExamples
from bindgen.docs.html import Child, Element, code, document, el
from bindgen.model import Contract, Operation

_FEW = 6  # operations; more of them are put together by what they do


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page: its anchor and title, what the menu leads to in it, and its sections."""

    anchor: str
    title: str
    entries: list[tuple[str | None, str]]
    sections: list[Element]


def page(contract: Contract, bound: Bound) -> bytes:
    """The whole page in UTF-8."""
    known = Catalogue(contract)
    title = " ".join(filter(None, (contract.name, contract.settings.version)))
    parts = [part for part in _parts(known, OperationExamples(contract, bound), bound) if part.sections]
    body: list[Child] = [_about(known, title), _faults(known), _notes(contract)]
    for part in parts:
        body.append(el("section", el("h2", part.title, id=part.anchor), part.sections, class_="part"))
    body.append(_foot(contract))
    bar = (contract.name, contract.settings.version)
    entry = entries.dumps(entries.of(contract))
    return document(frame.whole(f"{title}, contract reference", *bar, _menu(parts), body, entry=entry))


def _parts(known: Catalogue, examples: OperationExamples, bound: Bound) -> Iterator[Part]:
    for at, (name, members) in enumerate(_groups(known.contract), 1):
        entries = [(known.of(one), one.name) for one in members]
        sections = [operations.section(known, examples, one, bound(one).receiver) for one in members]
        yield Part(f"group.{at}", name, entries, sections)
    entries = [(known.of(one), one.name) for one in known.types]
    yield Part("types", "Types", entries, [types.struct(known, one) for one in known.types])
    entries = [(known.of(one), wording.local(one.qname)) for one in known.enums]
    yield Part("enums", "Enumerations", entries, [types.enum(known, one) for one in known.enums])
    further = list(tables.sections(known))
    title = "Beyond the WSDL" if known.contract.one_file else "Further tables"
    yield Part("beyond", title, [(at, name) for at, name, _ in further], [each for _, _, each in further])


def _menu(parts: list[Part]) -> Iterator[Element]:
    for part in parts:
        yield el("h2", el("a", part.title, href=f"#{part.anchor}"))
        yield el("ul", (el("li", el("a", name, href=f"#{anchor}")) for anchor, name in part.entries))


def _groups(contract: Contract) -> list[tuple[str, list[Operation]]]:
    """Operations by the port type, where there are several, and by the first word of their names; sorted."""
    by_port = len({one.port_type for one in contract.operations}) > 1
    by_word = len(contract.operations) > _FEW
    found: dict[str, list[Operation]] = {}
    for operation in sorted(contract.operations, key=lambda one: (one.name.casefold(), one.name)):
        words = [wording.local(operation.port_type)] if by_port else []
        words += [wording.group(operation)] if by_word else []
        found.setdefault(": ".join(words) or "Operations", []).append(operation)
    if len(found) > max(12, len(contract.operations) // 2):  # names that share no words
        return [("Operations", [one for members in found.values() for one in members])]
    return sorted(found.items(), key=lambda group: group[0].casefold())


def _about(known: Catalogue, title: str) -> list[Element]:
    contract = known.contract
    counts = [
        f"{number} {words[number != 1]}"
        for number, words in (
            (len(contract.operations), ("operation", "operations")),
            (len(known.types), ("type", "types")),
            (len(known.enums), ("enumeration", "enumerations")),
        )
        if number
    ]
    rows: list[tuple[str, Child]] = []
    for name, value in (("Service", contract.service), ("Namespace", contract.namespace)):
        rows += [(name, code(value))] if value else []
    ports = [(port.name, port.address, f"SOAP {port.soap}") for port in contract.ports]
    for name, address, soap in ports or [(contract.port, contract.address, "SOAP 1.1")]:
        rows += [("Port", [code(name), f", {soap}, ", code(address or "without an address")])] if name else []
    return [el("h1", title), el("p", ", ".join(counts), ".", class_="lead"), operations.pairs(rows)]


def _faults(known: Catalogue) -> list[Element]:
    found = faults(known.contract)
    if not found:
        return []
    linked = wording.joined([[code(name), " (", fields.linked_type(known, one), ")"] for name, one in found])
    return [el("p", "Faults may carry ", linked, ".", id="faults")]


def _notes(contract: Contract) -> list[Element]:
    if not contract.notes:
        return []
    said = [
        el("li", note.message, f" ({_place(note.place.file)}:{note.place.line})" if note.place else "")
        for note in contract.notes
    ]
    return [el("h2", "What was left out or weakened", id="notes"), el("ul", said)]


def _place(file: str) -> str:
    """A file's name: where it lies on a machine is not told."""
    return file.replace("\\", "/").rpartition("/")[2]


def _foot(contract: Contract) -> Element:
    rows: list[tuple[str, Child]] = [("Contract", code(contract.sha256))]
    if contract.one_file and contract.schema:
        rows.append(("Schema beside it", code(hashlib.sha256(contract.schema).hexdigest())))
    if contract.settings.sections:
        rows.append(("Settings", code(contract.settings.sha256)))
    made = el("p", "Made by ", code("bindgen docs"), " from what has these sha256:")
    return el("footer", made, operations.pairs(rows))
