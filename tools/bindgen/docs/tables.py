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
    "chosen": (
        "Chosen columns",
        "Report types whose columns an order chooses, and the reports whose columns these are.",
    ),
    "groups": ("Groups", "What a report can be grouped by, and the XSD type of the cells."),
    "sums": ("Sums", "The columns that a grouped report has after its groups."),
    "fault": ("Faults", "Which element carries the detail of a fault, and what its codes mean."),
    "signing": ("Signing", "The elements that carry a signature; whoever sends a request fills them in."),
}
_OF_COLUMNS = ("columns", "groups", "sums")


def sections(known: Catalogue) -> Iterator[tuple[str, str, Element]]:
    """The anchor, the title and the section of each table that the contract has."""
    settings = known.contract.settings
    for key, (title, about) in _SECTIONS.items():
        table = settings.section(key)
        if not table:
            continue
        anchor = known.anchors.give(("table", key), "table", key)
        inner = list(_columns(known, key, table)) if key in _OF_COLUMNS else [pairs(_rows(known, table))]
        heading = el("h3", el("a", el("span", title, class_="n"), href=f"#{anchor}", class_="self"))
        yield anchor, title, el("section", heading, el("p", about), inner, id=anchor, class_="table")


def _rows(known: Catalogue, table: Mapping[str, object]) -> list[tuple[str, Child]]:
    return [
        (wording.title(key), _value(known, value)) for key, value in table.items() if value not in ("", [])
    ]


def _columns(known: Catalogue, key: str, table: Mapping[str, object]) -> Iterator[Element]:
    """A list of columns: one, or one for each report type."""
    if all(isinstance(kind, str) for kind in table.values()):
        yield _list(known, (key,), table)
        return
    for report, columns in table.items():
        if isinstance(columns, dict):
            yield el("h4", code(report), id=known.anchors.give((key, report), key, report))
            yield _list(known, (key, report), columns)


def _list(known: Catalogue, above: tuple[str, ...], columns: Mapping[str, object]) -> Element:
    rows = [
        el(
            "div",
            el("dt", code(name, class_="n"), " ", el("span", code(str(kind)), class_="kind")),
            id=known.anchors.give((*above, name), *above, name),
            data_k="column",
        )
        for name, kind in columns.items()
    ]
    return el("dl", rows, class_="fields")


def _value(known: Catalogue, value: object) -> Child:
    if isinstance(value, list):
        return wording.joined([_value(known, one) for one in value])
    text = str(value)
    anchor = known.at(text) if "/" in text else known.called(text)
    return code(text) if anchor is None else el("a", code(text), href=f"#{anchor}")
