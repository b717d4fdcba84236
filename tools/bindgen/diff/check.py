"""Two sources → a report. Whatever keeps them from being compared ends in the report, as "unchecked"."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence

from bindgen.diff import ignore, reading
from bindgen.diff.compare import compare
from bindgen.diff.findings import Finding, Report
from bindgen.diff.git import GitError
from bindgen.diff.ignore import Entry
from bindgen.diff.pairs import TooManyPairs
from bindgen.diff.reading import Side
from bindgen.diff.rules import WHOLE
from bindgen.diff.sources import Source, SourceError
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.errors import FetchError
from bindgen.fetching.locked import LockError
from bindgen.problems import ContractRefused, Problem

FAILURES = (ContractRefused, CatalogueError, FetchError, LockError, SourceError, GitError, TooManyPairs)
_UNCHECKED = "not-checked"


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
        return compared(
            reading.side(old()), reading.side(new()), name=name, entries=entries, addresses=addresses
        )
    except FAILURES as error:
        return Report(name, *shown, error=str(error))


def compared(
    one: Side, other: Side, *, name: str = "", entries: Sequence[Entry] = (), addresses: Collection[str] = ()
) -> Report:
    """Compare two sides that were read. Raises pairs.TooManyPairs."""
    unread = _left_out(one) | _left_out(other)
    findings = [
        *_unread(one, other),
        *_closed(one, other),
        *compare(one.contract, other.contract, addresses=addresses, unread=unread),
    ]
    findings += _unseen(one, other, findings)
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
    found: dict[tuple[str, str], Finding] = {}
    for problems, is_old in ((one.contract.problems, True), (other.contract.problems, False)):
        for problem in problems:
            key = (problem.message, _text(problem))
            said = f"This could not be read: {problem.message}"
            before = found.get(key)
            if before is None:
                path = met[0] if len(met) == 1 else "(unread)"
                before = Finding(
                    rule.name, rule.level, rule.direction, path, met, None, None, said, rule.remedy
                )
            if is_old:
                found[key] = dataclasses.replace(before, old=problem.place)
            else:
                found[key] = dataclasses.replace(before, new=problem.place)
    yield from found.values()


def _text(problem: Problem) -> str:
    return " ".join(" ".join(problem.place.lines).split()) if problem.place else ""


def _closed(one: Side, other: Side) -> Iterator[Finding]:
    """Components that are not looked into and say something else than before."""
    rule = WHOLE[_UNCHECKED]
    for name in sorted({*one.opaque, *other.opaque}):
        if one.opaque.get(name) != other.opaque.get(name):
            kind, _, qname = name.partition(" ")
            local = qname.rpartition("}")[2]
            said = f"The {kind} `{local}` has to do with mixed content and is not looked into; it changed."
            yield Finding(rule.name, rule.level, rule.direction, local, (), None, None, said, rule.remedy)


def _unseen(one: Side, other: Side, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Where nothing was found, the documents differ, and the model may show less than they say."""
    why = one.weak or other.weak
    if findings or not why or one.meaning == other.meaning:
        return
    rule = WHOLE[_UNCHECKED]
    said = f"The documents differ, and a part of them is not looked into: {why}."
    yield Finding(rule.name, rule.level, rule.direction, "(documents)", (), None, None, said, rule.remedy)
