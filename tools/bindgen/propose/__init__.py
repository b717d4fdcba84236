"""`--propose`: find names in a settings file that the contract no longer has, and propose new lines.

A new name is written only if exactly one field of a suitable type, or exactly one operation, can replace the
old one. Otherwise the user chooses from the candidates.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bindgen import atomic
from bindgen.model import Contract
from bindgen.problems import ContractRefused, Problem
from bindgen.propose.names import Proposal
from bindgen.propose.stale_settings import find
from bindgen.propose.toml_text import TomlText, dotted, key, quoted
from bindgen.settings import SettingsError

__all__ = ["Proposal", "TableProposals", "find", "removals"]


@dataclass(frozen=True, slots=True)
class TableProposals:
    """The proposed changes of one contract's settings.

    `prefix` is the path of the contract's table in the file; empty if the file is for one package only.
    `command` is the command that writes the proposed lines.
    """

    file: Path
    prefix: tuple[str, ...]
    proposals: Sequence[Proposal]
    command: str

    def write(self) -> list[str]:
        """Apply the proposals to the settings file.

        Returns messages for the user: the changed lines, and the settings that the user must choose. Raises
        SettingsError if the file cannot be written.
        """
        text = self._text()
        edited = self._edited(text, [proposal for proposal in self.proposals if proposal.kind != "choose"])
        messages = []
        if edited != text:
            try:
                atomic.replace(self.file, edited.encode())
            except OSError as error:
                raise SettingsError(f"{self.file} cannot be written: {error.strerror}") from None
            messages.append(f"{self.file.name}: these lines were changed (marked [A]):")
            messages += [f"  {line}" for line in _changed(text, edited)]
        for proposal in self.proposals:
            if proposal.kind == "choose":
                where = ".".join((*self.prefix, proposal.setting))
                messages.append(f"{self.file.name}: {where} was not changed: {_choice(proposal)}")
        return messages

    def check_signed(self, contract: Contract) -> None:
        """Raise ContractRefused if the elements of the signature were probably renamed in the contract.

        Without this check, requests would be signed in HTTP headers, although the elements are required.
        """
        names = contract.settings.authentication
        roles = [item for item in self.proposals if item.path[0] == "signing" and item.path[1] in names]
        new_names = {name for proposal in roles for name in (proposal.new, *proposal.candidates) if name}
        if len(new_names) < len(names) or not names:  # the elements no longer exist: HTTP headers are signed
            return
        old_names = ", ".join(proposal.old for proposal in roles)
        message = (
            f"{contract.settings.where('signing')}: no operation has {old_names}, but operations of the "
            "package that was generated before have them, so the signature would be missing. Set the names "
            "of the contract's elements there. If only HTTP headers are signed now, remove that package and "
            "generate again"
        )
        raise ContractRefused([Problem(message, setting="signing")])

    def check_rest(self, contract: Contract) -> None:
        """Raise ContractRefused if the REST table has rows for operations that were probably renamed.

        Without this check, these operations would use SOAP only.
        """
        problems = []
        for item in self.proposals:
            if item.path[0] == "rest" and len(item.path) == 2 and (item.new or item.candidates):
                now = item.new or " or ".join(item.candidates)
                why = (
                    f"{contract.settings.where(item.setting)}: the contract no longer has the operation "
                    f"{item.old!r}, and {now} would use SOAP only. Rename the row, or remove it"
                )
                problems.append(Problem(why, setting=item.setting))
        if problems:
            raise self.explain(ContractRefused(problems))

    def explain(self, error: ContractRefused) -> ContractRefused:
        """Return a copy of the error, in which each problem has the proposed lines that solve it.

        Lines that solve none of the problems are added as a separate problem.
        """
        open_proposals = list(self.proposals)
        problems: list[Problem] = []
        settled = {proposal.new.rpartition("/")[2] for proposal in self.proposals}
        for problem in error.problems:
            nearby = [proposal for proposal in open_proposals if _is_near(proposal, problem)]
            matching = [proposal for proposal in nearby if proposal.old in problem.message]
            matching = matching or [proposal for proposal in nearby if proposal.setting == problem.setting]
            open_proposals = [proposal for proposal in open_proposals if proposal not in matching]
            listed = (*self._placing(problem), *(line for item in matching for line in self._lines(item)))
            if not problem.unplaced or not settled.issuperset(problem.unplaced):
                problems.append(dataclasses.replace(problem, paste=tuple(dict.fromkeys(listed))))
        if open_proposals:
            lines = [line for proposal in open_proposals for line in self._lines(proposal)]
            too = ", too" if problems else ""
            problems.append(
                Problem(f"{self.file.name} needs these lines{too}", paste=tuple(dict.fromkeys(lines)))
            )
        if any(proposal.kind != "choose" for proposal in self.proposals):
            problems.append(
                Problem(f"`{self.command}` writes these lines, if only one candidate is possible.")
            )
        return ContractRefused(problems)

    def _placing(self, problem: Problem) -> Iterator[str]:
        """Yield lines for the REST table that send the elements in `problem.unplaced` as query parameters.

        These are the elements for which the table does not say where they are sent.

        The lines are a proposal: each parameter gets the name of its element, and the user must check these
        names.
        """
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
        """Return the lines that `write` would write for one proposal.

        If the user must choose, return a comment with the candidates.
        """
        text = self._text()
        if proposal.kind == "choose":
            return [f"# {'.'.join((*self.prefix, proposal.setting))}: {_choice(proposal)}"]
        single = self._edited(text, [proposal])
        complete = self._edited(text, [item for item in self.proposals if item.kind != "choose"])
        same_lines = complete.count("\n") == single.count("\n") == text.count("\n")
        return _changed(text, single, complete if same_lines else single)

    def _text(self) -> str:
        return self.file.read_bytes().decode()  # universal newlines would change bytes

    def _edited(self, text: str, proposals: Sequence[Proposal]) -> str:
        """Apply proposals to the text of the settings file, and return the new text."""
        document = TomlText(text)
        for proposal in proposals:
            path = (*self.prefix, *proposal.path)
            if proposal.kind == "add":
                document.add(path, proposal.new)
            elif not document.has(path):  # the path comes from a command line option
                continue
            elif proposal.kind == "value":
                document.replace(path, proposal.new)
            elif proposal.kind == "list":
                document.replace_list(path, proposal.candidates)
            elif proposal.kind == "key":
                document.rename(path, proposal.new)
            else:
                document.remove(path, proposal.why)
        return document.edited()


def removals(problems: Iterable[Problem], proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Yield a proposal to remove each setting whose removal solves a problem.

    Settings that a proposal in `proposals` already changes, completely or in part, are left out.
    """
    changed = {proposal.setting for proposal in proposals}
    reasons: dict[str, str] = {}
    for problem in problems:
        within = f"{problem.setting}."
        if problem.removable and not any(f"{setting}.".startswith(within) for setting in changed):
            reasons.setdefault(problem.setting, problem.message)
    for setting, why in reasons.items():
        path = tuple(setting.split(".", 1))
        yield Proposal(path, "remove", path[-1], why=why.removesuffix(": not supported"))


def _choice(proposal: Proposal) -> str:
    if not proposal.candidates:
        return f"the contract has no {proposal.old!r}, and it does not have a new element of this type"
    return f"the contract has no {proposal.old!r}; it may be: {', '.join(proposal.candidates)}"


def _is_near(proposal: Proposal, problem: Problem) -> bool:
    """Return True if a proposal changes the setting that causes a problem, or a setting above or below it."""
    setting, other = proposal.setting, problem.setting
    return bool(other) and (setting.startswith(other) or other.startswith(setting))


def _changed(old: str, new: str, shown_as: str = "") -> list[str]:
    """Return the lines of `new` that differ from `old`, each group below the header of its table.

    If `shown_as` is given, the returned lines are the lines of `shown_as` with the same numbers. `shown_as`
    must be a variant of `new` with the same number of lines.
    """
    before, after, last = old.split("\n"), new.split("\n"), (shown_as or new).split("\n")
    blocks = difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_matching_blocks()
    same = {block.b + offset for block in blocks for offset in range(block.size)}
    lines, header, shown = [], "", ""
    for index, line in enumerate(after):
        stripped = line.lstrip()
        is_header = stripped.startswith("[") and not line.startswith((" ", "\t"))
        header = last[index].removesuffix("\r") if is_header else header
        if index in same:
            continue
        if header and header != shown and not is_header and not stripped.startswith("# ["):
            lines.append(header)
        shown = header
        lines.append(last[index].removesuffix("\r"))
    return lines
