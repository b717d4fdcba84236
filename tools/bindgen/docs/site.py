"""The reference pages of contracts, and their index. The Jinja templates are in `templates/`.

A contract usually has one page. For a large contract, `split` divides this page into an overview and a page
for each part.

The Content Security Policy in the head of a page allows one style and one script by their hashes, so that
nothing else in the page is loaded or run (CSP Level 3, section 8.3). Each page contains its entry in the
index, so that later runs can write an index with this page.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from lxml import etree, html
from markupsafe import Markup

from bindgen.docs import split, views
from bindgen.docs.calls import Bound
from bindgen.docs.catalogue import Catalogue, faults
from bindgen.docs.examples import OperationExamples
from bindgen.model import Contract, Operation

if TYPE_CHECKING:
    import jinja2

ENTRY = "bindgen-contract"  # the name of a meta element
PART = "bindgen-part"  # the name of a meta element in a part of a divided page
_FEW = 6  # contracts with more operations have groups of operations
# Section -> its title and description.
_SECTIONS = {
    "paging": ("Paging", "Lists are requested page by page if their request has a page."),
    "echo": ("Echoes", "Elements of requests, and the elements of responses that repeat their values."),
    "batch": ("Batches", "Maximum number of values in one request."),
    "window": ("Report window", "Maximum age of a report, and the groups that exclude each other."),
    "job": ("Jobs", "Operations that order a job and return its state, and the meaning of its fields."),
    "waiter": (
        "States of a job",
        "Meaning of its states, and the seconds between two polls.",
    ),
    "download": ("Download", "Properties of the file of a finished job."),
    "columns": ("Columns", "The columns of the files, and the XSD type of their cells."),
    "chosen": (
        "Chosen columns",
        "Report types whose columns can be chosen, and the reports with these columns.",
    ),
    "groups": ("Groups", "Groups of a report, and the XSD type of the cells."),
    "sums": ("Sums", "The columns that a grouped report has after its groups."),
    "fault": ("Faults", "Element with the detail of a fault, and the meaning of its codes."),
    "signing": ("Signing", "Elements of the signature. The client fills them in."),
}
_OF_COLUMNS = ("columns", "groups", "sums")
_HEAD = 64 * 1024  # number of bytes of a page that are searched; the entry precedes style and script


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a contract in the index: its name, version, namespace and number of operations."""

    name: str
    version: str
    namespace: str
    operations: int

    @property
    def file(self) -> str:
        """The file name of the page: `NAME.html`, or `index_.html` for a contract named `index`."""
        return "index_.html" if self.name == "index" else f"{self.name}.html"


def file_name(contract: Contract) -> str:
    """Return the file name of a contract's page."""
    return _entry(contract).file


def earlier(folder: Path, contracts: Sequence[Contract]) -> list[Entry]:
    """Return the index entries of existing pages in `folder`, except pages of `contracts`. Raises OSError."""
    new = {file_name(contract) for contract in contracts}
    pages = [path for path in folder.glob("*.html") if path.name not in new and path.is_file()]
    entries = (_read(path) for path in pages)
    return sorted((entry for entry in entries if entry is not None), key=_by_name)


def files(contracts: Iterable[tuple[Contract, Bound]], others: Sequence[Entry] = ()) -> dict[Path, bytes]:
    """Return the content of all files by path: the pages of `contracts`, and `index.html`.

    `others` are the entries of other pages for the index, such as pages from earlier runs.
    """
    contents: dict[Path, bytes] = {}
    listed = list(others)
    for contract, bound in contracts:
        entry = _entry(contract)
        folder = Path(entry.file).stem
        contract_pages = pages(contract, bound, folder=folder, overview=f"../{entry.file}")
        contents[Path(entry.file)] = contract_pages.pop("")
        contents |= {Path(folder, name): content for name, content in contract_pages.items()}
        listed.append(entry)
    contents[Path("index.html")] = _render(
        "index.html", home="index.html", entries=sorted(listed, key=_by_name)
    )
    return contents


def pages(
    contract: Contract, bound: Bound, *, folder: str, overview: str, try_at: str = ""
) -> dict[str, bytes]:
    """Return the pages of a contract by file name, in UTF-8. The first page has the name "".

    A large page is divided into an overview, which is the first page, and a page for each operation and type.

    - `bound`: returns the `Bindings` for the example call of an operation, such as the import lines.
    - `folder`: the relative path from the overview to the other pages.
    - `overview`: the relative path from the other pages to the overview.
    - `try_at`: if it is not empty, each operation has a link to `TRY_AT/OPERATION`.
    """
    page = _page(contract, bound, msgspec.json.encode(_entry(contract)).decode(), try_at)
    if len(page) <= split.LARGE:
        return {"": page}
    text, parts = split.split(page.decode(), folder, overview)
    contents = {"": text.encode()}
    for part in parts:
        contents[part.file] = _render(
            "part.html", contract=contract, part=part, home=overview, title=_title(contract)
        )
    return contents


def leftovers(folder: Path, written: Collection[Path], contracts: Iterable[Contract]) -> list[Path]:
    """Return pages of operations and types that an earlier run wrote, but that are no longer needed.

    `written` are the paths that this run wrote for `contracts`. Raises OSError.
    """
    paths = []
    for contract in contracts:
        for path in sorted((folder / Path(file_name(contract)).stem).glob("*.html")):
            if path.relative_to(folder) not in written:
                with path.open("rb") as stream:
                    own = f'<meta name="{PART}" content="{contract.name}">'.encode() in stream.read(_HEAD)
                paths += [path] if own else []
    return paths


def _by_name(entry: Entry) -> tuple[str, str]:
    return entry.name.casefold(), entry.name


def _entry(contract: Contract) -> Entry:
    version, namespace = contract.settings.version, contract.namespace
    return Entry(contract.name, version, namespace, len(contract.operations))


def _read(page: Path) -> Entry | None:
    """Return the index entry that a page contains. Raises OSError.

    Returns None if bindgen did not write the page, or if the file was renamed.
    """
    with page.open("rb") as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace")
    try:
        values = html.document_fromstring(head).xpath("//meta[@name=$name]/@content", name=ENTRY)
        entry = msgspec.json.decode(str(values[0]), type=Entry)
    except (etree.LxmlError, ValueError, IndexError, RecursionError):
        return None
    return entry if entry.name.isidentifier() and entry.file == page.name else None


# ---- a page


def _render(template: str, **values: object) -> bytes:
    """Render a template as a page in UTF-8."""
    text = _environment().get_template(template).render(**values)
    return f"{text.rstrip()}\n".encode()


def _page(contract: Contract, bound: Bound, entry: str, try_at: str = "") -> bytes:
    """Return the page of a contract in UTF-8. It contains `entry`, its index entry as JSON.

    `try_at` is the same as in `pages`. `bound` returns the `Bindings` for the example call of an operation,
    such as the import lines.
    """
    catalogue = Catalogue(contract)
    return _render(
        "contract.html",
        contract=contract,
        entry=entry,
        home="/" if try_at else "index.html",
        try_at=try_at,
        known=catalogue,
        title=_title(contract),
        groups=_groups(contract),
        tables=list(_tables(catalogue)),
        examples=OperationExamples(contract, bound),
        bound=bound,
        faults=faults(contract),
        sha256_of_schema=contract.schema_sha256,
    )


def _title(contract: Contract) -> str:
    return " ".join(filter(None, (contract.name, contract.settings.version)))


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # imported here because most commands of bindgen do not need it

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bindgen.docs"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: views.fit(value) if type(value) is str else value,
    )
    assert environment.loader is not None
    style, script = (
        Markup(environment.loader.get_source(environment, name)[0]) for name in ("page.css", "page.js")
    )
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src 'sha256-{_hash(style)}'",
            f"script-src 'sha256-{_hash(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    environment.globals |= {
        "views": views,
        "entry_name": ENTRY,
        "part_name": PART,
        "policy": policy,
        "style": style,
        "script": script,
    }
    return environment


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _groups(contract: Contract) -> list[tuple[str, list[Operation]]]:
    """Group the operations of a page under titles. Groups and operations are sorted by name.

    - If there are several port types, each of them is a group.
    - If there are many operations, they are grouped by the first word of their names, within each port type.
    - If this gives too many groups, there is only one group.
    """
    by_port = len({item.port_type for item in contract.operations}) > 1
    by_word = len(contract.operations) > _FEW
    groups: dict[str, list[Operation]] = {}
    for operation in sorted(contract.operations, key=lambda item: (item.name.casefold(), item.name)):
        words = [views.local(operation.port_type)] if by_port else []
        words += [views.group(operation)] if by_word else []
        groups.setdefault(": ".join(words) or "Operations", []).append(operation)
    if len(groups) > max(12, len(contract.operations) // 2):  # the names have few first words in common
        return [("Operations", [item for members in groups.values() for item in members])]
    return sorted(groups.items(), key=lambda group: group[0].casefold())


@dataclass(frozen=True, slots=True)
class Table:
    """A table of contracts.toml as the page displays it.

    `rows` are the entries of the table. If the table has the columns of reports, `rows` is empty, and
    `columns` has the columns of each report.
    """

    anchor: str
    title: str
    about: str
    rows: list[tuple[str, Markup]]
    columns: list[tuple[str | None, str, list[tuple[str, str, str]]]]


def _tables(catalogue: Catalogue) -> Iterator[Table]:
    """Yield the tables of the settings that the page displays."""
    for key, (title, about) in _SECTIONS.items():
        if table := catalogue.contract.settings.section(key):
            anchor = catalogue.anchors.give(("table", key), "table", key)
            is_columns = key in _OF_COLUMNS
            rows = [] if is_columns else views.settings(catalogue, table)
            yield Table(
                anchor, title, about, rows, list(_columns(catalogue, key, table)) if is_columns else []
            )


def _columns(
    catalogue: Catalogue, key: str, table: Mapping[str, object]
) -> Iterator[tuple[str | None, str, list[tuple[str, str, str]]]]:
    """Yield the anchor, name and columns of each report. `key` is the name of the table in contracts.toml.

    If all reports have the same columns, yield these columns once, with None as anchor and "" as name.
    """
    give = catalogue.anchors.give
    if all(isinstance(kind, str) for kind in table.values()):
        yield None, "", [(give((key, name), key, name), name, str(kind)) for name, kind in table.items()]
        return
    for report, columns in table.items():
        if isinstance(columns, dict):
            anchor = give((key, report), key, report)
            yield (
                anchor,
                report,
                [
                    (give((key, report, name), key, report, name), name, str(kind))
                    for name, kind in columns.items()
                ],
            )
