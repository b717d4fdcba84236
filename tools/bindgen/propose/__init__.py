"""`--propose`: what in a settings file no longer fits its contract, and the lines that fit instead.

A line is proposed only if exactly one field, or operation, of the right type can play the role.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bindgen import atomic
from bindgen.model import Contract
from bindgen.passes.signing import ROLES
from bindgen.problems import ContractRefused, Problem
from bindgen.propose.finder import find
from bindgen.propose.names import Proposal
from bindgen.propose.toml_text import TomlText, dotted, key, quoted
from bindgen.settings import SettingsError

__all__ = ["Proposal", "Proposed", "find"]


@dataclass(frozen=True, slots=True)
class Proposed:
    """The proposals for one table of a settings file; `prefix` leads to it. `command` writes them."""

    file: Path
    prefix: tuple[str, ...]
    proposals: Sequence[Proposal]
    command: str

    def write(self) -> list[str]:
        """Write the lines into the file; give what to say of it. Raises SettingsError."""
        text = self._text()
        edited = self._edited(text, [each for each in self.proposals if each.kind != "choose"])
        said = []
        if edited != text:
            try:
                atomic.replace(self.file, edited.encode())
            except OSError as error:
                raise SettingsError(f"{self.file} cannot be written: {error.strerror}") from None
            said.append(f"{self.file.name}: these lines were changed, see the mark [A]:")
            said += [f"  {line}" for line in _changed(text, edited)]
        for each in self.proposals:
            if each.kind == "choose":
                where = ".".join((*self.prefix, each.setting))
                said.append(f"{self.file.name}: {where} was not changed: {_choice(each)}")
        return said

    def check_signed(self, contract: Contract) -> None:
        """Refuse a contract without elements of a signature if those of before have other names now.

        Raises ContractRefused.
        """
        roles = [each for each in self.proposals if each.path[0] == "signing" and each.path[1] in ROLES]
        able = {name for each in roles for name in (each.new, *each.candidates) if name}
        if len(able) < len(ROLES):  # they are gone: HTTP headers are signed
            return
        names = ", ".join(each.old for each in roles)
        message = (
            f"{contract.settings.where('signing')}: no operation has {names}, and those of the package that "
            "was generated before have, so nothing would fill in their elements. Name the elements of the "
            "contract there. If HTTP headers alone are signed now, remove that package and generate again"
        )
        raise ContractRefused([Problem(message, setting="signing")])

    def check_rest(self, contract: Contract) -> None:
        """Refuse a contract if REST rows are about operations that have other names now.

        Raises ContractRefused.
        """
        problems = []
        for each in self.proposals:
            if each.path[0] == "rest" and len(each.path) == 2 and (each.new or each.candidates):
                now = each.new or " or ".join(each.candidates)
                why = (
                    f"{contract.settings.where(each.setting)}: the contract has no operation {each.old!r} "
                    f"any more, and {now} would go over SOAP alone. Rename the row, or remove it"
                )
                problems.append(Problem(why, setting=each.setting))
        if problems:
            raise self.explain(ContractRefused(problems))

    def explain(self, error: ContractRefused) -> ContractRefused:
        """Add the lines to paste to the problems they solve, and those that no problem mentions."""
        open_proposals = list(self.proposals)
        problems: list[Problem] = []
        settled = {each.new.rpartition("/")[2] for each in self.proposals}
        for problem in error.problems:
            near = [each for each in open_proposals if _is_near(each, problem)]
            mine = [each for each in near if each.old in problem.message]
            mine = mine or [each for each in near if each.setting == problem.setting]
            open_proposals = [each for each in open_proposals if each not in mine]
            listed = (*self._placing(problem), *(line for each in mine for line in self._lines(each)))
            if not problem.unplaced or not settled.issuperset(problem.unplaced):
                problems.append(dataclasses.replace(problem, paste=tuple(dict.fromkeys(listed))))
        if open_proposals:
            lines = [line for each in open_proposals for line in self._lines(each)]
            too = ", too" if problems else ""
            problems.append(
                Problem(f"{self.file.name} needs these lines{too}", paste=tuple(dict.fromkeys(lines)))
            )
        if any(each.kind != "choose" for each in self.proposals):
            problems.append(Problem(f"`{self.command}` writes these lines, where only one can be meant."))
        return ContractRefused(problems)

    def _placing(self, problem: Problem) -> Iterator[str]:
        """Lines that say where elements go over REST; the user checks the names of the parameters."""
        if not problem.unplaced:
            return
        row = (*self.prefix, *problem.setting.split(".", 1))
        document = TomlText(self._text())
        if (inline := document.entries.get((*row, "query"))) is not None:
            more = "".join(f", {key(name)} = {quoted(name)}" for name in problem.unplaced)
            there = document.text[inline.value.start : inline.value.end].removesuffix("}").rstrip()
            yield from (f"[{dotted(row)}]", f"query = {there}{more} }}")
        else:
            yield f"[{dotted((*row, 'query'))}]"
            yield from (f"{key(name)} = {quoted(name)}" for name in problem.unplaced)

    def _lines(self, proposal: Proposal) -> list[str]:
        """The lines of one proposal as they stand in the file then."""
        text = self._text()
        if proposal.kind == "choose":
            return [f"# {'.'.join((*self.prefix, proposal.setting))}: {_choice(proposal)}"]
        alone = self._edited(text, [proposal])
        whole = self._edited(text, [each for each in self.proposals if each.kind != "choose"])
        same_lines = whole.count("\n") == alone.count("\n") == text.count("\n")
        return _changed(text, alone, whole if same_lines else alone)

    def _text(self) -> str:
        return self.file.read_bytes().decode()  # universal newlines would change bytes

    def _edited(self, text: str, proposals: Sequence[Proposal]) -> str:
        document = TomlText(text)
        for each in proposals:
            path = (*self.prefix, *each.path)
            if not document.has(path):  # an option of the command line gave it
                continue
            if each.kind == "value":
                document.replace(path, each.new)
            elif each.kind == "key":
                document.rename(path, each.new)
            else:
                document.remove(path, each.why)
        return document.edited()


def _choice(proposal: Proposal) -> str:
    if not proposal.candidates:
        return f"the contract has no {proposal.old!r}, and nothing new of its type"
    return f"the contract has no {proposal.old!r}; it may be: {', '.join(proposal.candidates)}"


def _is_near(proposal: Proposal, problem: Problem) -> bool:
    """Return True if a problem may be about the place of a proposal."""
    one, other = proposal.setting, problem.setting
    return bool(other) and (one.startswith(other) or other.startswith(one))


def _changed(old: str, new: str, shown_as: str = "") -> list[str]:
    """The lines that differ, below the header of their table, as they are in `shown_as`."""
    before, after, last = old.split("\n"), new.split("\n"), (shown_as or new).split("\n")
    found, header, shown = [], "", ""
    for at, line in enumerate(after):
        plain = line.lstrip()
        is_header = plain.startswith("[") and not line.startswith((" ", "\t"))
        header = last[at].removesuffix("\r") if is_header else header
        if at < len(before) and line == before[at]:
            continue
        if header and header != shown and not is_header and not plain.startswith("# ["):
            found.append(header)
        shown = header
        found.append(last[at].removesuffix("\r"))
    return found
