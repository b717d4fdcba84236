"""`soapclient drift`: the contract drift of real responses, summed up from drift logs."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

import click

_EPILOG: Final = """\b
Examples: soapclient drift drift.jsonl
          soapclient drift drift.jsonl drift.jsonl.1.gz --since 2026-11-01 --markdown
"""
_FOUND, _UNREADABLE = 1, 2


@click.command(epilog=_EPILOG, short_help="Sum up drift logs: how responses differed from their contracts.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "form", flag_value="json", help="As JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="As a table in Markdown.")
@click.option("--since", metavar="TIME", help="Only from this day or time on (UTC, or with an offset).")
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...], form: str | None, since: str | None) -> None:
    """Sum up FILES, the drift logs of the setting drift_log, rotated and gzipped ones too.

    A log is created with its first finding: a missing one means no findings. Exit code: 0 no findings,
    1 findings, 2 a file that cannot be read, or no findings but skipped lines other than a file's last.
    """
    from soapclient.cli import drift_report
    from soapclient.drift.summary import UnreadableLog, summed
    from soapclient.redaction import clean

    try:
        summary = summed(files, _moment(since))
    except UnreadableLog as error:
        click.echo(f"soapclient: {clean(str(error), 500)}", err=True)
        ctx.exit(_UNREADABLE)
    for path in summary.missing:
        missing = "no such file, so no findings were logged there"
        click.echo(f"soapclient: {clean(str(path))}: {missing}", err=True)
    for each in summary.skipped:
        click.echo(f"soapclient: {clean(str(each.path))}: {drift_report.skipped_text(each)}", err=True)
    forms = {"json": drift_report.as_json, "markdown": drift_report.as_markdown}
    click.echo(forms.get(form or "", drift_report.as_text)(summary))
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
