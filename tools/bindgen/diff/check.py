"""Compare two sources: read both, compare the models and the parts outside of the models, and report.

If the sources cannot be compared, the report contains the reason and has the verdict "unchecked".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from bindgen.diff import bindings, ignore, unmodelled
from bindgen.diff.bindings import PortOperations
from bindgen.diff.canonical import short
from bindgen.diff.compare import compare
from bindgen.diff.findings import Change, Finding, Report, finding, not_checked
from bindgen.diff.git import GitError
from bindgen.diff.ignore import Entry
from bindgen.diff.pairs import TooManyPairs
from bindgen.diff.sources import Source, SourceError
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockError
from bindgen.model import Contract
from bindgen.problems import LONG, ContractRefused, Problem
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.reading.nodes import WSDL
from bindgen.settings import ContractSettings

FAILURES = (ContractRefused, CatalogueError, FetchError, LockError, SourceError, GitError, TooManyPairs)
_COMPONENT = re.compile(
    r"<(\w+:)?(element|attribute|group|attributeGroup|(complex|simple)(Type|Content)|restriction|extension"
    r"|sequence|choice|all|any|anyAttribute|list|union)\b"
)
_DOCUMENTATION = re.compile(r"<(\w+:)?annotation\b.*?</(\w+:)?annotation>")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    `named` are the names of all operations in its WSDL, including operations that could not be read.
    `offered` are the ports with their operations. `documents` is used to find changes that the model
    does not show.
    """

    source: Source
    contract: Contract
    named: set[str]
    offered: list[PortOperations]
    documents: unmodelled.Documents

    @property
    def left_out(self) -> set[str]:
        """The names of operations that are in the WSDL but not in the model, because of reading problems."""
        if not self.contract.problems:
            return set()
        return self.named - {operation.name for operation in self.contract.operations}


def read(source: Source) -> Contract:
    """Read a source and return its model, to which no pass of bindgen has been applied.

    The passes would prepare the model for generating code. `problems` of the model say which parts of the
    source could not be read.

    Raises ContractRefused if the source is not a WSDL 1.1 document, CatalogueError if a document is missing.
    """
    settings = ContractSettings(source.name or "contract", "", source.documents.root_url, {}, own=True)
    return wsdl.read(settings, Documents(source.documents, source.files))


def side(source: Source) -> Side:
    """Read everything in a source that a comparison needs. Raises the same errors as `read`."""
    contract = read(source)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(contract.one_file, parser)
    operations = root.iterfind(f"{{{WSDL}}}portType/{{{WSDL}}}operation")
    names = {node.get("name", "").strip() for node in operations}
    return Side(source, contract, names, bindings.read(root), unmodelled.Documents.of(root))


def check(
    old: Callable[[], Source],
    new: Callable[[], Source],
    *,
    name: str = "",
    shown: tuple[str, str],
    entries: Sequence[Entry] = (),
    addresses: Collection[str] = (),
    settings: Collection[ContractSettings] = (),
) -> Report:
    """Load two sources by calling `old` and `new`, compare them, and return the report.

    If a source cannot be loaded or compared, the report has an error and no findings.

    `shown` are the names of the old and the new source. `name` is the title of the report, by default the
    contract's name. `entries` are the changes that the ignore file accepts, `addresses` the known addresses
    of the service, and `settings` the settings in contracts.toml.
    """
    try:
        return compared(
            side(old()),
            side(new()),
            name=name,
            entries=entries,
            addresses=addresses,
            settings=settings,
        )
    except FAILURES as error:
        return Report(name, *shown, error=str(error))


def compared(
    old: Side,
    new: Side,
    *,
    name: str = "",
    entries: Sequence[Entry] = (),
    addresses: Collection[str] = (),
    settings: Collection[ContractSettings] = (),
) -> Report:
    """Compare two contracts that are already read, and return the report. Raises pairs.TooManyPairs.

    - `name`: the title of the report, by default the contract's name.
    - `entries`: the changes that the ignore file accepts.
    - `addresses`: known addresses of the service.
    - `settings`: settings from contracts.toml.
    """
    unread = old.left_out | new.left_out
    findings = [
        *_unread(old, new, tuple(sorted(unread))),
        *_invalid(old, new),
        *compare(
            old.contract,
            new.contract,
            addresses=addresses,
            unread=unread,
            settings=settings,
        ),
    ]
    # The model has only one form of each operation. Compare the forms at other ports, too.
    reported = {(item.rule, operation) for item in findings for operation in item.operations}
    names = sorted((old.named & new.named) - unread)
    findings += bindings.compare(old.offered, new.offered, names, reported)
    findings += _partly_read(old, new)
    findings += unmodelled.unseen(old.documents, new.documents, findings)
    remaining, accepted, unused = ignore.apply(entries, findings)
    title = name or old.source.name or new.source.name or old.contract.service
    return Report(title, old.source.shown, new.source.shown, tuple(remaining), tuple(accepted), tuple(unused))


def _unread(old_side: Side, new_side: Side, affected: tuple[str, ...]) -> list[Finding]:
    """Return a finding for each problem in reading the contracts.

    `affected` are the operations that could not be read. Each finding names all of them. A problem that both
    sides have is one finding.
    """
    problems = [(side, item) for side in (old_side, new_side) for item in side.contract.problems]
    now = short(sorted(new_side.documents.meaning(affected or None).items())) if problems else ""
    path = f"{affected[0] if len(affected) == 1 else '(unread)'}/{now}"
    changes: dict[tuple[str, str], Change] = {}
    for side, problem in problems:
        lines = problem.place.lines if problem.place else ()
        key = (problem.message, " ".join(" ".join(lines).split()))
        before = changes.get(key, Change("not-checked", path, problem.message, operations=affected))
        old, new = (problem.place, before.new) if side is old_side else (before.old, problem.place)
        changes[key] = dataclasses.replace(before, old=old, new=new)
    return [finding(item, f"could not be read: {item.message}") for item in changes.values()]


def _invalid(old: Side, new: Side) -> Iterator[Finding]:
    """Report compile errors of the new schemas that the old schemas do not have.

    The model of such schemas may be wrong, and no code is generated from them.
    """
    before = {problem.message for problem in old.contract.invalid}
    fresh = [problem for problem in new.contract.invalid if problem.message not in before]
    if fresh:
        more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
        message = (
            f"the new schemas do not compile, so `bindgen generate` refuses them: {fresh[0].message}{more}"
        )
        path = f"(schemas)/{short(sorted(problem.message for problem in fresh))}"
        yield dataclasses.replace(not_checked(path, message), new=fresh[0].place)


def _partly_read(old: Side, new: Side) -> Iterator[Finding]:
    """Report changes in schema components that bindgen could read only partly in both contracts."""
    before, after = (_partly_read_texts(side.contract.notes) for side in (old, new))
    for note in sorted(before.keys() & after.keys()):
        if before[note] != after[note]:
            message = f"a part that cannot be fully compared changed: {note}"
            yield not_checked(f"(documents)/{short(after[note])}", message)


def _partly_read_texts(notes: Sequence[Problem]) -> dict[str, list[str]]:
    """Return the source texts of the schema components that `notes` are about, by the notes' messages.

    Several notes can have the same message, so each message is mapped to a list of texts.
    """
    texts_by_message: dict[str, list[str]] = {}
    for note in notes:
        lines = note.place.lines if note.place else ()
        if lines and max(map(len, lines)) <= LONG and _COMPONENT.search(lines[0]):
            text = _DOCUMENTATION.sub("", " ".join(" ".join(lines).split()))
            texts_by_message.setdefault(note.message, []).append(text)
    return {message: sorted(texts) for message, texts in texts_by_message.items()}
