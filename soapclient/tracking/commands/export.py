"""`soapclient export`: order an export, wait for it, download and verify it; `resume` goes on with one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from soapclient.cli.kinds import NewFile, day, duration
from soapclient.cli.session import load_config
from soapclient.tracking.commands.completing import of_order, report_type
from soapclient.tracking.commands.export_run import (
    HELP,
    ExportRun,
    check_apart,
    check_new_handle,
    check_target,
    folder,
    print_file,
    read_handle,
    remembers,
    with_state,
)

if TYPE_CHECKING:
    from soapclient.cli.request import FieldValue
    from soapclient.clock import Deadline
    from soapclient.runtime import AnyOperation
    from soapclient.runtime.settings import Order, OrderField
    from soapclient.tracking.client import Client
    from soapclient.tracking.commands.export_run import Begin
    from soapclient.tracking.exports.export import Export
    from soapclient.tracking.exports.handle import ExportHandle, JobId
    from soapclient.tracking.settings import Settings
    from zxws.data.types import OrderOptions


_DEADLINE: Final = click.option(
    "--deadline", type=duration, default="30m", show_default=True, help="For all of it."
)
_STATE: Final = click.option("--state", "state_folder", metavar="DIR", type=folder, help=HELP)
_NO_REORDER: Final = click.option("--no-reorder", is_flag=True, help="Do not order again what has expired.")
_OF_ORDER: Final = of_order
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")


def _known_type(ctx: click.Context, _: click.Parameter, report_type: str) -> str:
    """Check the report type before options are missing: a word that is misspelt gets its own message.

    A type that the service no longer takes passes: the order's own check says since when.
    """
    if ctx.params.get("job_id") is None and not ctx.resilient_parsing:
        operation, field = _order(), _fields().report_type
        fields = operation.codec.fields(operation.row.request)
        refused = [each.row.refused_values for each in fields if each.python == field.field]
        if not any(report_type in values for values in refused):
            _check_type(report_type, operation.name, field)
    return report_type


def _fields() -> Order:
    """The fields of an order. Raises ConfigError if the contract's tables do not name them."""
    from soapclient.cli.contracts import package_named
    from soapclient.tracking.exports.jobs.job import order_of

    return order_of(package_named("data").settings)


def _order() -> AnyOperation:
    """The operation that orders exports. Raises ConfigError if the contract's tables do not say which."""
    from soapclient.cli.contracts import operation_named, package_named
    from soapclient.tracking.exports.jobs.job import JobTables

    return operation_named("data", JobTables.of(package_named("data").settings).job.order)


class OrResume(click.Command):
    """A command with another one behind its first word: no report is called `resume`."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # click's own signature
    ) -> click.Context:
        if args and args[0] == "resume":
            return resume.make_context(f"{info_name} resume", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, with an option for each filter of the contract, and none for what it lacks."""
        if self._all is None:
            from soapclient.cli.contracts import package_named

            order = package_named("data").settings.order
            if order is None:  # ordering will say so
                return super().get_params(ctx)
            own = [each for each in self.params if each.name not in order.roles or each.name in order.fields]
            at = next(number for number, each in enumerate(own) if each.name == "deadline")
            self._all = [*own[:at], *_filter_options(order), *own[at:]]
        params, self.params = self.params, self._all
        try:
            return super().get_params(ctx)
        finally:
            self.params = params

    _all: list[click.Parameter] | None = None


def _filter_options(order: Order) -> Iterator[click.Option]:
    for name, field in order.filters.items():
        flag = f"--{name.replace('_', '-')}"
        words = name.removesuffix("_id").replace("_", " ").strip()
        help = "Which date the days are compared with." if name == order.date_type else f"Only this {words}."
        kind = int if field.form == "int" and not field.several else None
        yield click.Option([flag, name], type=kind, help=help, shell_complete=_OF_ORDER)
    for name in order.removed:  # known, so that their refusal can say since when they are gone
        yield click.Option([f"--{name.replace('_', '-')}", name], hidden=True)


@click.command(cls=OrResume, short_help="Order an export, wait for it, download and verify it.")
@click.argument("report_type", metavar="TYPE", callback=_known_type, shell_complete=report_type)
@click.option("--from", "from_date", type=day, help="First day.")
@click.option("--to", "to_date", type=day, help="Last day, included.")
@click.option("-o", "--output", required=True, type=NewFile(), metavar="FILE")
@click.option("--columns", shell_complete=_OF_ORDER, help="Comma list of the columns to export.")
@click.option("--group-by", shell_complete=_OF_ORDER, help="Comma list.")
@_DEADLINE
@click.option(
    "--job",
    "job_id",
    metavar="ID",
    is_eager=True,  # before TYPE: that of a job may be any
    help="Order nothing: go on with a job ordered before.",
)
@click.option(
    "--handle",
    "handle_file",
    metavar="FILE",
    type=NewFile(),
    help="Write down what was ordered, at once, for `soapclient export resume FILE`.",
)
@_STATE
@click.option("--reorder", is_flag=True, help="Order anew, whatever became of an earlier order of the same.")
@_NO_REORDER
@_JSON
def command(
    report_type: str,
    from_date: dt.date | None,
    to_date: dt.date | None,
    output: Path,
    deadline: float,
    job_id: str | None,
    handle_file: Path | None,
    state_folder: Path | None,
    reorder: bool,
    no_reorder: bool,
    as_json: bool,
    **options: str | int | None,
) -> None:
    """Order an export of TYPE (click, clickin, lead, sale, custom …) and wait until its file is here.

    FILE is gzip CSV. It gets its name when it is whole and verified: gzip checksum, length, rows. Printed
    are its path, rows, size in bytes and SHA-256.

    What was ordered is remembered in a folder until its file is here: the same command, run again after
    whatever happened, goes on with the job that was ordered, or takes the file if that is here already, and a
    FILE of --handle may stay where it is. Where several jobs may be the one that was ordered, their files are
    looked at; where these do not tell either, it names the jobs, and orders none.

    `soapclient export resume FILE -o PATH` goes on with an export whose handle was written to FILE.
    """
    if job_id is not None and not job_id.strip():
        raise click.BadParameter(f"{job_id!r} is no job: name one, or leave it out", param_hint="--job")
    from soapclient.tracking.settings import own

    config = own(load_config())
    if reorder and (no_reorder or job_id is not None):
        raise click.UsageError("--reorder goes neither with --no-reorder nor with --job")
    request: dict[str, JobId] = {}
    if job_id is None:
        begin, request = _ordering(
            config, report_type, from_date, to_date, options, output=output, reorder=reorder
        )
    elif from_date or to_date or any(value is not None for value in options.values()):
        raise click.UsageError("leave days and filters out beside --job: that job has its own")
    else:
        job = job_id

        def begin(client: Client, _: Deadline) -> Export:
            return client.data.exports.resume_job(job, report_type=report_type, output=output)

    check_target(output)
    if job_id is None:
        config = with_state(config, state_folder)

    def is_this(held: ExportHandle) -> bool:
        if job_id is not None:
            return (held.report_type, str(held.job_id), dict(held.request)) == (report_type, job_id, {})
        return held.request == request and remembers(config, held)

    if handle_file is not None:
        check_apart(output, handle_file)
        check_new_handle(handle_file, is_this)
    run = ExportRun(config, output, deadline, handle_file, reorder=not no_reorder, state=state_folder)
    print_file(run.run(begin), as_json=as_json)


def _ordering(
    config: Settings,
    report_type: str,
    from_date: dt.date | None,
    to_date: dt.date | None,
    options: dict[str, str | int | None],
    *,
    output: Path,
    reorder: bool,
) -> tuple[Begin, dict[str, JobId]]:
    """What orders the export, or finds the one that was, and the request: its arguments, checked.

    Raises ContractError, and ConfigError where the contract's tables do not say which operation orders.
    """
    from soapclient.cli.request import checked_request
    from soapclient.tracking.exports.orders.arguments import arguments_of, json_values

    if from_date is None or to_date is None:
        raise click.UsageError("--from and --to are needed: the first and the last day of the export")
    first, last = from_date, to_date
    # Before any address or key is asked for: what the service does not take, or no longer.
    order = _fields()
    given = {"report_type": report_type, "from_date": first, "to_date": last, **options}
    checked_request(_order(), _in_fields(order, given), config)
    typed = cast("OrderOptions", options)  # they were checked

    def begin(client: Client, until: Deadline) -> Export:
        exports = client.data.exports
        ledger = exports.state(patience=until.remaining())
        assert ledger is not None  # the command has seen to it
        return exports.begin(
            ledger,
            report_type=report_type,
            from_date=first,
            to_date=last,
            reorder=reorder,
            until=until,
            output=output,
            **typed,
        )

    return begin, json_values(arguments_of(order, report_type, first, last, options))


def _in_fields(order: Order, given: Mapping[str, object]) -> FieldValue:
    """The order in the fields of its request, as texts."""
    from soapclient.cli.request import FieldValue

    top = FieldValue()
    for name, value in given.items():
        if value is None:
            continue
        field = order.fields.get(name)
        texts = [str(value)]
        if field is not None and field.several:
            texts = str(value).split(",")
        elif field is not None and field in (order.columns, order.group_by):
            texts = [str(value).replace(",", order.separator)]
        *above, last = (name if field is None else field.field).split(".")
        place = top
        for step in above:
            (place,) = place.fields.setdefault(step, [FieldValue()])
        place.fields[last] = [FieldValue(text, listed=len(texts) > 1) for text in texts]
    return top


def report_types() -> tuple[str, ...]:
    """The report types whose columns the contract's tables know."""
    from soapclient.cli.contracts import package_named

    tables = package_named("data").settings
    return (*tables.columns, *tables.chosen)


def _check_type(report_type: str, operation: str, field: OrderField) -> None:
    """Raises ContractError for a type that neither the contract nor a table knows: most likely misspelt."""
    from soapclient._support.nearest import nearest
    from soapclient.errors import ContractError

    known = field.values or report_types()
    if report_type not in known:
        listed = ", ".join(f"'{each}'" for each in known)
        error = ContractError(
            field.wire, report_type, f"one of {listed}", "it does not fit", operation=operation
        )
        if not nearest(report_type, known):  # else the message asks whether that is meant
            error.add_note(
                f"a type that the service has since: `soapclient call data {operation}` orders it, and --job "
                "goes on with it"
            )
        raise error


@click.command(short_help="Go on with an export that was ordered before.")
@click.argument("handle_file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", required=True, type=NewFile(), metavar="PATH")
@_DEADLINE
@_STATE
@_NO_REORDER
@_JSON
def resume(
    handle_file: Path,
    output: Path,
    deadline: float,
    state_folder: Path | None,
    no_reorder: bool,
    as_json: bool,
) -> None:
    """Go on with the export whose handle `soapclient export --handle FILE` wrote.

    A download that broke off goes on where it was, from PATH.part. An export that has expired at the service
    is ordered again, once, and FILE holds the new handle before anything else is done with it; a machine
    that stops between the two finds it again the next time, for the state directory remembers the order. An
    export that another state directory keeps is not ordered again here: name that one with --state.
    """
    from soapclient.tracking.settings import own

    config = with_state(own(load_config()), state_folder)
    handle = read_handle(handle_file)
    check_target(output)
    check_apart(output, handle_file)
    run = ExportRun(config, output, deadline, handle_file, reorder=not no_reorder, state=state_folder)
    file = run.run(lambda client, _: client.data.exports.resume(handle, output=output), known=True)
    print_file(file, as_json=as_json)
