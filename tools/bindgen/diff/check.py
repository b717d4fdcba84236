"""Two sources → the models to compare, and what these do not show → a report.

Whatever keeps them from being compared ends in the report, as "unchecked".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from bindgen.diff import bindings, ignore, unmodelled
from bindgen.diff.bindings import Offered
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
    """One side of a comparison: `named` are all operations that its WSDL names, read or not.

    `offered` are the ports with their operations; `documents` are what the model does not show.
    """

    source: Source
    contract: Contract
    named: set[str]
    offered: list[Offered]
    documents: unmodelled.Documents

    @property
    def left_out(self) -> set[str]:
        """Operations that the WSDL names and the model lacks."""
        if not self.contract.problems:
            return set()
        return self.named - {each.name for each in self.contract.operations}


def read(source: Source) -> Contract:
    """The contract as its documents say it, before any pass; its `problems` say what is left out.

    Raises ContractRefused where it is no WSDL 1.1 at all, CatalogueError for a document that is not there.
    """
    settings = ContractSettings(source.name or "contract", "", source.documents.root_url, {}, own=True)
    return wsdl.read(settings, Documents(source.documents, source.files))


def side(source: Source) -> Side:
    """All that a comparison needs of a source. Raises as `read` does."""
    contract = read(source)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(contract.one_file, parser)
    operations = root.iterfind(f"{{{WSDL}}}portType/{{{WSDL}}}operation")
    names = {each.get("name", "").strip() for each in operations}
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
    """Compare what two sources give. `shown` names them in a report that says why that was not possible.

    `addresses` are places of the service that are known already, and `settings` say which elements have a
    role, see `compare`.
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
    one: Side,
    other: Side,
    *,
    name: str = "",
    entries: Sequence[Entry] = (),
    addresses: Collection[str] = (),
    settings: Collection[ContractSettings] = (),
) -> Report:
    """Compare two sides that were read. Raises pairs.TooManyPairs."""
    unread = one.left_out | other.left_out
    findings = [
        *_unread(one, other, tuple(sorted(unread))),
        *_invalid(one, other),
        *compare(
            one.contract,
            other.contract,
            addresses=addresses,
            unread=unread,
            settings=settings,
        ),
    ]
    # What changed of operations at other ports than the first, in which form the model has them.
    reported = {(each.rule, operation) for each in findings for operation in each.operations}
    names = sorted((one.named & other.named) - unread)
    findings += bindings.compare(one.offered, other.offered, names, reported)
    findings += _weak(one, other)
    findings += unmodelled.unseen(one.documents, other.documents, findings)
    stay, accepted, unused = ignore.apply(entries, findings)
    named = name or one.source.name or other.source.name or one.contract.service
    return Report(named, one.source.shown, other.source.shown, tuple(stay), tuple(accepted), tuple(unused))


def _unread(one: Side, other: Side, met: tuple[str, ...]) -> list[Finding]:
    """What could not be read on either side, each problem once; both sides may have the same."""
    problems = [(side, each) for side in (one, other) for each in side.contract.problems]
    now = short(sorted(other.documents.meaning(met or None).items())) if problems else ""
    path = f"{met[0] if len(met) == 1 else '(unread)'}/{now}"
    found: dict[tuple[str, str], Change] = {}
    for side, problem in problems:
        lines = problem.place.lines if problem.place else ()
        key = (problem.message, " ".join(" ".join(lines).split()))
        before = found.get(key, Change("not-checked", path, problem.message, operations=met))
        old, new = (problem.place, before.new) if side is one else (before.old, problem.place)
        found[key] = dataclasses.replace(before, old=old, new=new)
    return [finding(each, f"This could not be read: {each.said}") for each in found.values()]


def _invalid(old: Side, new: Side) -> Iterator[Finding]:
    """Schemas that are none any more: what is read of them is a guess, and nothing is generated from them."""
    before = {problem.message for problem in old.contract.invalid}
    fresh = [problem for problem in new.contract.invalid if problem.message not in before]
    if fresh:
        more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
        said = f"the new schemas do not compile, so `bindgen generate` refuses them: {fresh[0].message}{more}"
        path = f"(schemas)/{short(sorted(problem.message for problem in fresh))}"
        yield dataclasses.replace(not_checked(path, said), new=fresh[0].place)


def _weak(one: Side, other: Side) -> Iterator[Finding]:
    """Places of the schemas of which less was read than they say, on both sides, where they differ."""
    before, after = (_weak_places(side.contract.notes) for side in (one, other))
    for message in sorted(before.keys() & after.keys()):
        if before[message] != after[message]:
            said = f"a part that is not compared in full changed: {message}"
            yield not_checked(f"(documents)/{short(after[message])}", said)


def _weak_places(notes: Sequence[Problem]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for note in notes:
        lines = note.place.lines if note.place else ()
        if lines and max(map(len, lines)) <= LONG and _COMPONENT.search(lines[0]):
            text = _DOCUMENTATION.sub("", " ".join(" ".join(lines).split()))
            found.setdefault(note.message, []).append(text)
    return {message: sorted(texts) for message, texts in found.items()}
