"""Two sources → a report. Whatever keeps them from being compared ends in the report, as "unchecked"."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterator, Sequence

from bindgen.diff import bindings, ignore, sides, unmodelled
from bindgen.diff.canonical import short
from bindgen.diff.compare import compare, finding
from bindgen.diff.findings import Finding, Report
from bindgen.diff.git import GitError
from bindgen.diff.ignore import Entry
from bindgen.diff.pairs import TooManyPairs
from bindgen.diff.rules import WHOLE
from bindgen.diff.sides import Side
from bindgen.diff.sources import Source, SourceError
from bindgen.diff.unmodelled import not_checked
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockError
from bindgen.model import Contract
from bindgen.problems import LONG, ContractRefused, Problem

FAILURES = (ContractRefused, CatalogueError, FetchError, LockError, SourceError, GitError, TooManyPairs)
_UNCHECKED = "not-checked"
_COMPONENT = re.compile(
    r"<(\w+:)?(element|attribute|group|attributeGroup|(complex|simple)(Type|Content)|restriction|extension"
    r"|sequence|choice|all|any|anyAttribute|list|union)\b"
)
_DOCUMENTATION = re.compile(r"<(\w+:)?annotation\b.*?</(\w+:)?annotation>")


def check(
    old: Callable[[], Source],
    new: Callable[[], Source],
    *,
    name: str = "",
    shown: tuple[str, str],
    entries: Sequence[Entry] = (),
    addresses: Collection[str] = (),
) -> Report:
    """Compare what two sources give. `shown` names them in a report that says why that was not possible.

    `addresses` are places of the service that are known already, see `compare`.
    """
    try:
        return compared(sides.side(old()), sides.side(new()), name=name, entries=entries, addresses=addresses)
    except FAILURES as error:
        return Report(name, *shown, error=str(error))


def compared(
    one: Side, other: Side, *, name: str = "", entries: Sequence[Entry] = (), addresses: Collection[str] = ()
) -> Report:
    """Compare two sides that were read. Raises pairs.TooManyPairs."""
    unread = _left_out(one) | _left_out(other)
    findings = [
        *_unread(one, other),
        *_invalid(one.contract, other.contract),
        *compare(one.contract, other.contract, addresses=addresses, unread=unread),
    ]
    findings += _at_ports(one, other, findings)
    findings += _weak(one, other)
    findings += unmodelled.unseen(one.documents, other.documents, findings)
    stay, accepted, unused = ignore.apply(entries, findings)
    named = name or one.source.name or other.source.name or one.contract.service
    return Report(named, one.source.shown, other.source.shown, tuple(stay), tuple(accepted), tuple(unused))


def _left_out(side: Side) -> set[str]:
    """Operations that the WSDL names and the model lacks."""
    read = {each.name for each in side.contract.operations}
    return {name for name in side.named if name not in read} if side.contract.problems else set()


def _unread(one: Side, other: Side) -> Iterator[Finding]:
    """What could not be read on either side, each problem once; both sides may have the same."""
    rule = WHOLE[_UNCHECKED]
    met = tuple(sorted(_left_out(one) | _left_out(other)))
    now = short(sorted(other.documents.meaning(met or None).items())) if _problems(one, other) else ""
    found: dict[tuple[str, str], Finding] = {}
    for problems, is_old in ((one.contract.problems, True), (other.contract.problems, False)):
        for problem in problems:
            key = (problem.message, _text(problem))
            said = f"This could not be read: {problem.message}"
            before = found.get(key)
            if before is None:
                path = f"{met[0] if len(met) == 1 else '(unread)'}/{now}"
                before = Finding(
                    rule.name, rule.level, rule.direction, path, met, None, None, said, rule.remedy
                )
            if is_old:
                found[key] = dataclasses.replace(before, old=problem.place)
            else:
                found[key] = dataclasses.replace(before, new=problem.place)
    yield from found.values()


def _invalid(old: Contract, new: Contract) -> Iterator[Finding]:
    """Schemas that are none any more: what is read of them is a guess, and nothing is generated from them."""
    before = {problem.message for problem in old.invalid}
    fresh = [problem for problem in new.invalid if problem.message not in before]
    if fresh:
        more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
        said = f"the new schemas do not compile, so `bindgen generate` refuses them: {fresh[0].message}{more}"
        path = f"(schemas)/{short(sorted(problem.message for problem in fresh))}"
        yield dataclasses.replace(not_checked(path, said), new=fresh[0].place)


def _problems(*sides: Side) -> bool:
    return any(side.contract.problems for side in sides)


def _text(problem: Problem) -> str:
    return " ".join(" ".join(problem.place.lines).split()) if problem.place else ""


def _at_ports(one: Side, other: Side, findings: Sequence[Finding]) -> Iterator[Finding]:
    """What changed of operations at other ports than the first, in which form the model has them."""
    names = sorted((one.named & other.named) - _left_out(one) - _left_out(other))
    reported = {(each.rule, name) for each in findings for name in each.operations}
    for each in bindings.compare(one.offered, other.offered, names, reported):
        if each.name == _UNCHECKED:
            yield not_checked(each.path, each.said, each.operations)
        else:
            yield finding(each)


def _weak(one: Side, other: Side) -> Iterator[Finding]:
    """Places of the schemas of which less was read than they say, on both sides, where they differ."""
    sides = [_weak_places(side.contract.notes) for side in (one, other)]
    for message in sorted(sides[0].keys() & sides[1].keys()):
        if sides[0][message] != sides[1][message]:
            now = sides[1][message]
            yield not_checked(
                f"(documents)/{short(now)}", f"a part that is not compared in full changed: {message}"
            )


def _weak_places(notes: Sequence[Problem]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for note in notes:
        lines = note.place.lines if note.place else ()
        if lines and max(map(len, lines)) <= LONG and _COMPONENT.search(lines[0]):
            text = _DOCUMENTATION.sub("", " ".join(" ".join(lines).split()))
            found.setdefault(note.message, []).append(text)
    return {message: sorted(texts) for message, texts in found.items()}
