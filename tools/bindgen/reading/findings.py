"""Collects the problems, notes and remarks about a contract."""

from __future__ import annotations

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading.documents import Document


class Findings:
    """Problems, notes and remarks, each reported once.

    `strict` is True for the contracts in `contracts.toml`. If a part of such a contract can only be read less
    strictly than it is declared, this is a problem. For other contracts, it is a note.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.remarks: list[Problem] = []
        self._reported: set[tuple[str, str, int, int]] = set()

    def refuse(self, document: Document, node: etree._Element, reason: str) -> None:
        """Report a problem with a node. Operations that need this part of the contract are left out."""
        self._add(self.problems, document, node, reason)

    def weaken(self, document: Document, node: etree._Element, reason: str) -> None:
        """Report that a node is read less strictly than it is declared: a note, or a problem if `strict`."""
        self._add(self.problems if self.strict else self.notes, document, node, reason)

    def note(self, document: Document, node: etree._Element, reason: str) -> None:
        """Report information for users that is not a problem."""
        self._add(self.notes, document, node, reason)

    def remark(self, document: Document, node: etree._Element, reason: str) -> None:
        """Report a detail that does not affect the bindings."""
        self._add(self.remarks, document, node, reason)

    def _add(self, problems: list[Problem], document: Document, node: etree._Element, reason: str) -> None:
        key = (reason, document.file, node.sourceline or 0, document.columns.get(node, 0))
        if key not in self._reported:
            self._reported.add(key)
            problems.append(Problem(reason, document.place(node)))
