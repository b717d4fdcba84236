"""`soapclient drift`: the contract drift of real responses, summed up from drift logs."""

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
_MOST_VALUES = 8  # of each finding, in text and Markdown


@click.command(epilog=_EPILOG, short_help="Sum up drift logs: how responses differed from their contracts.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="As a table in Markdown.")
@click.option("--since", metavar="TIME", help="Only from this day or time on (UTC, or with an offset).")
@click.pass_context
def command(
    ctx: click.Context, files: tuple[Path, ...], as_json: bool, as_markdown: bool, since: str | None
) -> None:
    """Sum up FILES, the drift logs of the setting drift_log, rotated and gzipped ones too.

    A log is created with its first finding: a missing one means no findings. Exit code: 0 no findings,
    1 findings, 2 a file that cannot be read, or no findings but skipped lines other than a file's last.
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
        missing = "no such file, so no findings were logged there"
        click.echo(f"soapclient: {clean(str(path))}: {missing}", err=True)
    for each in summary.skipped:
        click.echo(f"soapclient: {clean(str(each.path))}: {_skipped_text(each)}", err=True)
    if as_json or as_markdown or summary.findings:
        text = _as_json if as_json else _as_markdown if as_markdown else _as_text
        click.echo(text(summary))
    else:
        print_nothing()
    ctx.exit(_FOUND if summary.findings else _UNREADABLE if summary.uncertain else 0)


def _moment(since: str | None) -> datetime | None:
    from soapclient.drift.log import InvalidLine, moment

    try:
        return None if since is None else moment(since)
    except InvalidLine:
        raise click.BadParameter(
            f"{since!r} is not a time such as 2026-11-01 or 2026-11-01T12:00:00Z",
            param_hint="--since",
        ) from None


def _as_text(summary: Summary) -> str:
    """For people: by contract and operation."""
    lines = []
    for (contract, version), of_contract in groupby(summary.findings, key=attrgetter("contract", "version")):
        lines.append(f"{contract or 'no contract'} {version}".rstrip())
        for operation, findings in groupby(of_contract, key=attrgetter("operation")):
            lines.append(f"  {operation}")
            lines += [
                f"    {each.kind} {each.path}: {_often(each.times)}, {_when(each)}{_values(each)}"
                for each in findings
            ]
    return "\n".join(lines)


def _as_json(summary: Summary) -> str:
    """For programs."""
    listed = [
        {
            "contract": each.contract,
            "version": each.version,
            "service": each.service,
            "operation": each.operation,
            "kind": each.kind,
            "path": each.path,
            "times": each.times,
            "first": each.first,
            "last": each.last,
            "details": dict(sorted(each.details.items())),
            "sha256": sorted(each.hashes),
        }
        for each in summary.findings
    ]
    unreadable = sum(each.cut + each.other for each in summary.skipped)
    return json.dumps({"findings": listed, "unreadable_lines": unreadable}, indent=2)


def _as_markdown(summary: Summary) -> str:
    """For a ticket or a chat."""
    if not summary.findings:
        return "Nothing found."
    return "\n".join(_table(summary))


def _skipped_text(skipped: SkippedLines) -> str:
    """Describe the skipped lines of a file."""
    parts = [
        f"{_lines(number)} {what}"
        for number, what in ((skipped.cut, "truncated"), (skipped.other, "not of a drift log"))
        if number
    ]
    return f"{' and '.join(parts)}, skipped"


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"


def _table(summary: Summary) -> Iterator[str]:
    yield "| Contract | Operation | What | Where | Times | First | Last |"
    yield "|---|---|---|---|---:|---|---|"
    for each in summary.findings:
        cells = (
            f"{each.contract} {each.version}".strip(),
            each.operation,
            each.kind,
            each.path + _values(each),
            str(each.times),
            each.first,
            each.last,
        )
        yield "| " + " | ".join(map(_plain, cells)) + " |"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: a service's names must not become links or markup."""
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]()#+!|<>~&" else sign for sign in text)


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _when(each: DriftFinding) -> str:
    return each.first if each.first == each.last else f"{each.first} to {each.last}"


def _values(each: DriftFinding) -> str:
    if not each.details:
        return ""
    most = each.details.most_common(_MOST_VALUES)
    shown = [f"{detail!r} {_often(times)}" for detail, times in sorted(most)]
    if len(each.details) > len(most):
        shown.append(f"{len(each.details) - len(most)} more")
    return f" ({', '.join(shown)})"
