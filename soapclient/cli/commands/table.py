"""`soapclient table`: write a list as a Parquet, CSV or Excel file, for one or many days."""

from __future__ import annotations

import datetime as dt
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from soapclient.cli import completion
from soapclient.cli.contracts import WITH_SOAP
from soapclient.cli.failures import Failure
from soapclient.cli.param_types import ServiceName, day
from soapclient.cli.session import FieldsCommand, given_fields, load_config, opened, print_nothing

if TYPE_CHECKING:
    from soapclient._support.part_file import Written
    from soapclient.calling.engine import Engine
    from soapclient.cli.contracts import ProtocolName, ServiceAdapter
    from soapclient.cli.request import FieldValue
    from soapclient.runtime import AnyOperation
    from soapclient.runtime.frames import Tabular
    from soapclient.settings import CommonSettings

_EPILOG: Final = """\b
Example: soapclient table publisher GetSales --from 2026-07-01 --to 2026-09-30 -o sales.parquet \\
  dateType=trackingDate

\b
Names and values of fields are as in `soapclient call`. The suffix of FILE is the format: .parquet, .csv or
.xlsx. A folder, written with a slash at its end, gets a Parquet file for each day.
"""
_FORMS: Final = {".parquet": "to_parquet", ".csv": "to_csv", ".xlsx": "to_excel"}
_MAX_WORKERS: Final = 32


@click.command(cls=FieldsCommand, epilog=_EPILOG)
@click.argument("service", type=ServiceName())
@click.argument("operation", shell_complete=completion.list_operation)
@click.argument("assignments", metavar="[NAME=VALUE]...|-", nargs=-1, shell_complete=completion.assignments)
@click.option("--from", "first", type=day, help="First day.")
@click.option("--to", "last", type=day, help="Last day, included.")
@click.option("-o", "--output", required=True, metavar="FILE", help="Output; an existing file is replaced.")
@click.option("--zone", help="Time zone of date-times, such as Europe/Berlin. Default: UTC.")
@click.option(
    "--workers",
    type=click.IntRange(1, _MAX_WORKERS),
    default=1,
    show_default=True,
    help="Number of days requested at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print path, rows, size and SHA-256 as a JSON object.")
@click.option("--protocol", type=click.Choice(["soap", "rest"]), help="Overrides the configured one.")
def command(
    service: str,
    operation: str,
    assignments: tuple[str, ...],
    first: dt.date | None,
    last: dt.date | None,
    output: str,
    zone: str | None,
    workers: int,
    as_json: bool,
    protocol: ProtocolName | None,
) -> None:
    """Write the list that OPERATION of SERVICE returns, all pages, as a table; print path, rows, size and
    SHA-256.

    With --from and --to, an operation for one day is called for each day. The data of a range is kept next
    to FILE until it is complete: run the same command again to continue.
    """
    from soapclient.cli.contracts import adapter_of, operation_named
    from soapclient.errors import UnsupportedByProtocol

    write = _writer(output)
    if (first is None) != (last is None):
        raise click.UsageError("give --from and --to, or neither")
    if first is not None and last is not None and last < first:
        raise click.UsageError(f"--to {last} is before --from {first}")
    fields = given_fields(assignments)
    if protocol == "soap" and service not in WITH_SOAP:
        raise UnsupportedByProtocol(f"the {service} service", "SOAP")
    chosen = operation_named(service, operation)
    if not chosen.safe:
        raise click.UsageError(
            f"{chosen.name} does not return a list, so it cannot be written as a table: use soapclient call"
        )
    span = None if first is None or last is None else _span(chosen, fields, first, last)
    if workers > 1 and not span:
        raise click.UsageError(
            "--workers can be used only with --from and --to, and only for an operation that accepts one day"
        )
    if output.endswith("/") and not span:
        raise click.UsageError(
            "-o can be a folder only with --from and --to, and only for an operation that accepts one day"
        )
    adapter = adapter_of(service)
    with opened(adapter.client(load_config(), protocol)) as client:
        from soapclient.cli.request import checked_request

        soap = getattr(client.settings, f"{service}_protocol", "rest") == "soap"
        request = checked_request(chosen, fields, client.settings.for_service(service), soap=soap)
        if span:
            from soapclient.calling.ranges import days

            assert first is not None  # otherwise `span` is empty
            assert last is not None
            setattr(request, span, days(first, last, workers=workers))
        table = _table(adapter, adapter.engine(client, service), chosen, request)
        written: Written = getattr(table, write)(output, zone=zone, progress=sys.stderr.isatty())
    if as_json:
        click.echo(json.dumps({**asdict(written), "path": str(written.path)}))
    else:
        click.echo(f"{written.path}: {written.rows:,} rows, {written.size:,} bytes, sha256 {written.sha256}")
    if not written.rows:
        print_nothing()


def _writer(output: str) -> str:
    """Return the name of the method of `Tabular` that writes the file `output`, such as `to_parquet`.

    The suffix of the file determines the method. Raises an error if the suffix is unknown, or if the file's
    folder does not exist.
    """
    if not output:
        raise click.BadParameter("'' is not a file: give the name of a file", param_hint="-o")
    if output.endswith("/") or Path(output).is_dir():
        return "to_parquet"
    suffix = Path(output).suffix.lower()
    if suffix not in _FORMS:
        raise click.UsageError(f"the name of FILE must end in {', '.join(_FORMS)} or a slash, got {output!r}")
    folder = Path(output).parent
    if not folder.is_dir():  # checked before any request
        raise Failure(f"{folder} is not a folder: create it, or choose another folder")
    return _FORMS[suffix]


def _span(operation: AnyOperation, fields: FieldValue, first: dt.date, last: dt.date) -> str:
    """Set the days of --from and --to (`first` and `last`) in `fields`, the fields of a request.

    - If the request has two day fields, sets one to `first` and the other to `last`. Returns "".
    - If the request has one day field, sets it to `first`, and returns the field's Python name. The caller
      then sets this field to all days from `first` to `last`.
    """
    from soapclient.cli.request import FieldValue

    day_fields = [
        field
        for field in operation.codec.fields(operation.row.request)
        if field.row.type in ("day", "date") and not field.repeats
    ]
    conflicting = [field for field in day_fields if {field.name, field.python} & fields.fields.keys()]
    if conflicting:
        raise click.UsageError(f"give --from and --to, or {conflicting[0].name}=, not both")
    pages = operation.row.pages is not None
    if len(day_fields) == 1 and pages and day_fields[0].least and not day_fields[0].arms:
        fields.fields[day_fields[0].name] = [FieldValue(text=str(first))]
        return day_fields[0].python
    if len(day_fields) == 2 and not pages:
        for field, boundary in zip(day_fields, (first, last), strict=True):
            fields.fields[field.name] = [FieldValue(text=str(boundary))]
        return ""
    raise click.UsageError(f"{operation.name} does not accept a range of days: omit --from and --to")


def _table(
    adapter: ServiceAdapter, engine: Engine[CommonSettings], operation: AnyOperation, request: Any
) -> Tabular:
    """Call an operation through `engine`, and return the result as a table.

    If the operation has pages, the table has the items of all pages. Otherwise, it has the one response.
    """
    from soapclient.runtime import ListOperation

    if isinstance(operation, ListOperation) and operation.pages is not None:
        pages: Tabular = engine.pages(operation, request, None)
        return pages
    response = engine.call(operation, request)
    from soapclient.tables import rows_of

    return adapter.table(operation, response) or rows_of(response)
