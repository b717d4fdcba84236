"""Output of responses: JSON, aligned tables and CSV, with colors on a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.cli.failures import Failure
from soapclient.cli.query import Query, QueryError
from soapclient.cli.session import print_nothing

if TYPE_CHECKING:
    from soapclient.runtime import AnyOperation

OutputFormat = Literal["json", "table", "csv"]

_TOKEN: Final = LazyPattern(
    r'(?P<text>"[^"\\]*(?:\\.[^"\\]*)*")(?P<colon>:)?|(?P<word>true|false|null)|(?P<number>-?\d[\d.eE+-]*)'
)


class FormatChoice(click.Choice[str]):
    """Parameter type for the name of an output format.

    If the user gives a file name instead, the error says how to write to a file.
    """

    def __init__(self) -> None:
        super().__init__(["json", "table", "csv"])

    def convert(  # click's own signature
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the name of a format. Raises BadParameter if `value` is not the name of a format."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            is_file = "." in str(value) or os.sep in str(value)
            hint = " Write the response to a file with > FILE." if is_file else ""
            raise click.BadParameter(f"{error.message}{hint}", ctx, param) from None


def print_response(
    operation: AnyOperation, response: object, query: Query | None = None, form: OutputFormat = "json"
) -> None:
    """Print a typed response or, if `query` is given, the result of the query.

    If the response, its list or the result of the query is empty, also prints a note on stderr. If the query
    cannot be applied to the response, prints the complete response as JSON, because the request has been
    sent, and raises Failure.
    """
    import msgspec

    encoded = msgspec.json.encode(response)
    listed, fields = operation.row.list, operation.codec.fields(operation.row.response)
    if query is None:
        is_empty = not getattr(response, listed) if listed else bool(fields) and encoded == b"{}"
        if form == "json":
            _print_json(encoded)
        else:
            value = getattr(response, listed) if listed else response
            _print_rows(json.loads(msgspec.json.encode(value)), form)
    else:
        try:
            result = query.search(json.loads(encoded))
        except QueryError as error:
            _print_json(encoded)
            raise Failure(f"--query: {error}. The complete response was printed instead.") from None
        is_empty = result in (None, [], {})
        if form == "json":
            _print_json(msgspec.json.encode(result))
        else:
            _print_rows(result, form)
    if is_empty:
        print_nothing()


def _print_json(encoded: bytes) -> None:
    """Print JSON with indentation."""
    import msgspec

    formatted = msgspec.json.format(encoded, indent=2)
    if sys.stdout.isatty() or _is_colored():
        click.echo(_for_terminal(formatted.decode(), colored=_is_colored()))
    else:
        click.echo(formatted)


def _for_terminal(text: str, *, colored: bool) -> str:
    """Return JSON for a terminal: without control characters and, if `colored` is True, with colors."""

    def token(match: re.Match[str]) -> str:
        text = match[0]
        if not text.isprintable():  # such as U+009B, which begins a control sequence
            text = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
        if not colored:
            return text
        if match["colon"]:
            return click.style(text[:-1], fg="blue", bold=True) + ":"
        return click.style(text, fg="green" if match["text"] else "magenta" if match["word"] else "cyan")

    return _TOKEN.sub(token, text)


def _print_rows(value: object, form: OutputFormat) -> None:
    """Print a JSON value as a table or as CSV: a row for each item of a list, or one row.

    Prints nothing if the value is null or an empty list.
    """
    from soapclient.cli.rows import Rows, fitted, printable, width_of

    items = value if isinstance(value, list) else [] if value is None else [value]
    if not items:
        return
    rows = Rows.of(items)
    if form == "csv":
        text = rows.csv()
        click.echo((printable(text, keep="\r\n") if sys.stdout.isatty() else text).encode(), nl=False)
        return
    header, *lines = rows.lines()
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        if max(map(width_of, (header, *lines))) > width:
            message = "the table is wider than the terminal: choose columns with --query, or use -o csv"
            click.echo(f"soapclient: {message}", err=True)
        header, *lines = (fitted(line, width) for line in (header, *lines))
    click.echo("\n".join([click.style(header, bold=True) if _is_colored() else header, *lines]))


def _is_colored() -> bool:
    """Return True if stdout shows colors."""
    context = click.get_current_context(silent=True)
    wanted = None if context is None else context.color
    return sys.stdout.isatty() if wanted is None else wanted
