"""What contracts.toml says of a contract that no WSDL says: paging, jobs, columns, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bindgen.docs import wording
from bindgen.docs.catalogue import Catalogue
from bindgen.docs.html import Child, Element, code, el
from bindgen.docs.operations import pairs

# Section → its title and what to say of it.
_SECTIONS = {
    "paging": ("Paging", "Lists whose request names a page are asked for page by page."),
    "batch": ("Batches", "How many values go into one request."),
    "window": ("Report window", "How far back a report goes, and which groups exclude each other."),
    "job": ("Jobs", "Which operations order a job and tell how it stands, and which of its fields say what."),
    "waiter": (
        "States of a job",
        "What its states mean, and how long to wait between two looks, in seconds.",
    ),
    "download": ("Download", "What a finished job gives."),
    "columns": ("Columns", "The columns of the files, and the XSD type of their cells."),
    "fault": ("Faults", "Which element carries the detail of a fault, and what its codes mean."),
    "signing": ("Signing", "The elements that carry a signature; whoever sends a request fills them in."),
}


def sections(known: Catalogue) -> Iterator[tuple[str, str, Element]]:
    """The anchor, the title and the section of each table that the contract has."""
    settings = known.contract.settings
    for key, (title, about) in _SECTIONS.items():
        table = settings.section(key)
        if not table:
            continue
        anchor = known.anchors.give(("table", key), "table", key)
        inner = list(_columns(known, table)) if key == "columns" else [pairs(_rows(known, table))]
        heading = el("h3", el("a", el("span", title, class_="n"), href=f"#{anchor}", class_="self"))
        yield anchor, title, el("section", heading, el("p", about), inner, id=anchor, class_="table")


def _rows(known: Catalogue, table: Mapping[str, object]) -> list[tuple[str, Child]]:
    return [
        (wording.title(key), _value(known, value)) for key, value in table.items() if value not in ("", [])
    ]


def _columns(known: Catalogue, table: Mapping[str, object]) -> Iterator[Element]:
    for report, columns in table.items():
        if not isinstance(columns, dict):
            continue
        yield el("h4", code(report), id=known.anchors.give(("columns", report), "columns", report))
        rows = [
            el(
                "div",
                el("dt", code(name, class_="n"), " ", el("span", code(str(kind)), class_="kind")),
                id=known.anchors.give(("columns", report, name), "columns", report, name),
                data_k="column",
            )
            for name, kind in columns.items()
        ]
        yield el("dl", rows, class_="fields")


def _value(known: Catalogue, value: object) -> Child:
    if isinstance(value, list):
        return wording.joined([_value(known, one) for one in value])
    text = str(value)
    anchor = known.at(text) if "/" in text else known.called(text)
    return code(text) if anchor is None else el("a", code(text), href=f"#{anchor}")
