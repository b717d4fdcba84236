"""Error message for settings files of format 1, which bindgen no longer supports.

The message lists the lines to change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# The roles of an order, for the user to fill in, because the contract is unknown here.
_ORDER = """\
from = "…"      # the element for the first day
to = "…"        # the last day
type = "…"      # the report type
columns = "…"   # optional, as all following keys: the columns
group_by = "…"  # the groups
filters = []    # all other elements that filter the report
separator = ",\" # joins several columns, or groups, in one text"""


# Keys for listed jobs, which are needed to find an order again if its response was lost.
_JOB = {
    "list": "the operation that lists jobs",
    "type": "TYPE/ELEMENT: the report type of a job",
    "created": "the time when it was created",
    "compression": "the compression of its file, if a job has it",
}


def message(file: str, raw: Mapping[str, object]) -> str:
    """Return a message that explains how to convert a file to format 2. `raw` is the parsed TOML."""
    listed = "\n".join(f"- {change}:\n{_indented(lines)}" for change, lines in _changes(raw))
    return f"{file} has format 1, but bindgen reads format 2. Change the file:\n{listed}"


def _changes(raw: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield each change as a pair: the place in the file, in words, and the lines to write there."""
    place = "instead of format = 1" if "format" in raw else "as the first line"
    yield place, "format = 2"
    contracts = raw.get("contracts")
    if not isinstance(contracts, dict):
        yield from _of_sections("", raw)
        return
    for name, sections in contracts.items():
        if isinstance(sections, dict):
            yield from _of_sections(f"contracts.{name}.", sections)


def _of_sections(prefix: str, sections: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the changes for the sections of one contract, like `_changes`.

    `prefix` precedes the names of sections in the file: `contracts.NAME.`, or "" in a package's own file.
    """
    signing = sections.get("signing")
    if isinstance(signing, dict) and "scheme" not in signing:
        yield f"in [{prefix}signing]", 'scheme = "zxws"'
    job = sections.get("job")
    if isinstance(job, dict) and (
        lines := [f'{key} = "…" # {meaning}' for key, meaning in _JOB.items() if key not in job]
    ):
        why = "the first three are required to find an order of a state directory again"
        yield f"in [{prefix}job], if the contract has them ({why})", "\n".join(lines)
    if "job" in sections and "order" not in sections:
        yield (
            f"after [{prefix}job], with the names of the request that orders a report",
            f"[{prefix}order]\n{_ORDER}",
        )


def _indented(lines: str) -> str:
    return "\n".join(f"    {line}" for line in lines.splitlines())
