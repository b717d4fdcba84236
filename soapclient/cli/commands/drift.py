"""`soapclient drift`: sum up the contract drift in drift logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.session import print_nothing

if TYPE_CHECKING:
    from soapclient.drift.summary import DriftFinding, SkippedLines, Summary

_EPILOG: Final = """\b
Examples: soapclient drift drift.jsonl
          soapclient drift drift.jsonl drift.jsonl.1.gz --since 2026-11-01 --markdown
"""
_FOUND, _UNREADABLE = 1, 2
_MAX_VALUES = 8  # per finding, in text and Markdown


@click.command(epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a table in Markdown.")
@click.option(
    "--since", metavar="TIME", help="Only findings since this day or time (UTC, or with an offset)."
)
@click.pass_context
def command(
    ctx: click.Context, files: tuple[Path, ...], as_json: bool, as_markdown: bool, since: str | None
) -> None:
    """Sum up FILES, the drift logs of the setting drift_log, including rotated and gzipped ones.

    A log is created with its first finding, so a missing file means no findings. Exit code: 0 if
    there are no findings, 1 if there are findings, 2 if a file cannot be read. It is also 2 if there are no
    findings, but a line was skipped that is not the last line of its file.
    """
    if as_json and as_markdown:
        raise click.UsageError("give --json or --markdown, not both")
    from soapclient._support.redaction import clean
    from soapclient.drift.summary import UnreadableLog, summed

    try:
        summary = summed(files, _moment(since))
    except UnreadableLog as error:
        click.echo(f"soapclient: {clean(str(error), 500)}", err=True)
        ctx.exit(_UNREADABLE)
    for path in summary.missing:
        missing = "no such file, so there are no findings"
        click.echo(f"soapclient: {clean(str(path))}: {missing}", err=True)
    for skipped in summary.skipped:
        click.echo(f"soapclient: {clean(str(skipped.path))}: {_skipped_text(skipped)}", err=True)
    if as_json or as_markdown or summary.findings:
        text = _as_json if as_json else _as_markdown if as_markdown else _as_text
        click.echo(text(summary))
    else:
        print_nothing()
    ctx.exit(_FOUND if summary.findings else _UNREADABLE if summary.uncertain else 0)


def _moment(since: str | None) -> datetime | None:
    """Return the time in the value of --since; None if the option is not given."""
    from soapclient.drift.log import InvalidLine, moment

    try:
        return None if since is None else moment(since)
    except InvalidLine:
        raise click.BadParameter(
            f"{since!r} is not a time such as 2026-11-01 or 2026-11-01T12:00:00Z",
            param_hint="--since",
        ) from None


def _as_text(summary: Summary) -> str:
    """Format a summary as text, by contract and operation."""
    lines = []
    for (contract, version), of_contract in groupby(summary.findings, key=attrgetter("contract", "version")):
        lines.append(f"{contract or 'no contract'} {version}".rstrip())
        for operation, findings in groupby(of_contract, key=attrgetter("operation")):
            lines.append(f"  {operation}")
            lines += [
                f"    {finding.kind} {finding.path}: "
                f"{_times_text(finding.times)}, {_when(finding)}{_values(finding)}"
                for finding in findings
            ]
    return "\n".join(lines)


def _as_json(summary: Summary) -> str:
    """Format a summary as JSON."""
    listed = [
        {
            "contract": finding.contract,
            "version": finding.version,
            "service": finding.service,
            "operation": finding.operation,
            "kind": finding.kind,
            "path": finding.path,
            "times": finding.times,
            "first": finding.first,
            "last": finding.last,
            "details": dict(sorted(finding.details.items())),
            "sha256": sorted(finding.hashes),
        }
        for finding in summary.findings
    ]
    unreadable = sum(finding.cut + finding.other for finding in summary.skipped)
    return json.dumps({"findings": listed, "unreadable_lines": unreadable}, indent=2)


def _as_markdown(summary: Summary) -> str:
    """Format a summary as Markdown."""
    if not summary.findings:
        return "Nothing found."
    return "\n".join(_table(summary))


def _skipped_text(skipped: SkippedLines) -> str:
    """Describe the lines of a file that were skipped, such as `2 lines truncated, skipped`."""
    parts = [
        f"{_lines(number)} {kind}"
        for number, kind in ((skipped.cut, "truncated"), (skipped.other, "not of a drift log"))
        if number
    ]
    return f"{' and '.join(parts)}, skipped"


def _lines(number: int) -> str:
    """Return a number of lines as text, such as `1 line` or `3 lines`."""
    return "1 line" if number == 1 else f"{number} lines"


def _table(summary: Summary) -> Iterator[str]:
    """Yield the lines of the Markdown table."""
    yield "| Contract | Operation | What | Where | Times | First | Last |"
    yield "|---|---|---|---|---:|---|---|"
    for finding in summary.findings:
        cells = (
            f"{finding.contract} {finding.version}".strip(),
            finding.operation,
            finding.kind,
            finding.path + _values(finding),
            str(finding.times),
            finding.first,
            finding.last,
        )
        yield "| " + " | ".join(map(_plain, cells)) + " |"


def _plain(text: str) -> str:
    """Escape a text for Markdown, so that names from a service do not become links or markup."""
    return "".join(f"\\{char}" if char in r"\`*_{}[]()#+!|<>~&" else char for char in text)


def _times_text(times: int) -> str:
    """Return a number of occurrences as text, such as `once` or `3 times`."""
    return "once" if times == 1 else f"{times} times"


def _when(finding: DriftFinding) -> str:
    """Return the times at which a finding first and last occurred, as `FIRST to LAST`; one time if equal."""
    return finding.first if finding.first == finding.last else f"{finding.first} to {finding.last}"


def _values(finding: DriftFinding) -> str:
    """Return a text in parentheses with the most frequent details of a finding, and how often each occurred.

    A detail is, for example, an unknown value in a response. Returns "" if the finding has no details.
    """
    if not finding.details:
        return ""
    frequent = finding.details.most_common(_MAX_VALUES)
    shown = [f"{detail!r} {_times_text(times)}" for detail, times in sorted(frequent)]
    if len(finding.details) > len(frequent):
        shown.append(f"{len(finding.details) - len(frequent)} more")
    return f" ({', '.join(shown)})"
