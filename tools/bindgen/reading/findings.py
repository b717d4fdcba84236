"""Where what is found in a contract goes: problems, which cost something; notes and remarks, worth a word."""

from __future__ import annotations

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading.documents import Document


class Findings:
    """Problems, notes and remarks, each once. Whoever wants the contract as it is has notes for obstacles.

    `strict` is for contracts of the project's own: there whatever would only be read more weakly than it is
    meant is a problem, too.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.remarks: list[Problem] = []
        self._said: set[tuple[str, str, int, int]] = set()

    def refuse(self, document: Document, node: etree._Element, why: str) -> None:
        """Something that cannot be done: what needs it is left out."""
        self._say(self.problems, document, node, why)

    def weaken(self, document: Document, node: etree._Element, why: str) -> None:
        """Something that is not read as it is meant, but so that one can live with it."""
        self._say(self.problems if self.strict else self.notes, document, node, why)

    def note(self, document: Document, node: etree._Element, why: str) -> None:
        """Something that is worth a word, and no obstacle by itself."""
        self._say(self.notes, document, node, why)

    def remark(self, document: Document, node: etree._Element, why: str) -> None:
        """Something that is worth a word, and no obstacle to anybody."""
        self._say(self.remarks, document, node, why)

    def _say(self, where: list[Problem], document: Document, node: etree._Element, why: str) -> None:
        key = (why, document.file, node.sourceline or 0, document.columns.get(node, 0))
        if key not in self._said:
            self._said.add(key)
            where.append(Problem(why, document.place(node)))
