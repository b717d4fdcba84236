"""`soapclient export`: order an export, wait for it, download and verify it; `resume` continues an export."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from soapclient.cli.param_types import NewFile, day, duration
from soapclient.cli.session import load_config
from soapclient.tracking.commands.completion import of_order, report_type
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
    "--deadline",
    type=duration,
    default="30m",
    show_default=True,
    help="Time limit for the complete export.",
)
_STATE: Final = click.option("--state", "state_folder", metavar="DIR", type=folder, help=HELP)
_NO_REORDER: Final = click.option("--no-reorder", is_flag=True, help="Do not order expired exports again.")
_OF_ORDER: Final = of_order
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")


def _known_type(ctx: click.Context, _: click.Parameter, report_type: str) -> str:
    """Return the report type, or raise ContractError if it looks misspelt. A callback of click.

    click runs callbacks before it reports missing options, so a typo in the type is reported first. A removed
    type is accepted here, because the validation of the order rejects it later, with the date of its removal.
    """
    if ctx.params.get("job_id") is None and not ctx.resilient_parsing:
        operation, field = _order(), _fields().report_type
        fields = operation.codec.fields(operation.row.request)
        refused = [item.row.refused_values for item in fields if item.python == field.field]
        if not any(report_type in values for values in refused):
            _check_type(report_type, operation.name, field)
    return report_type


def _fields() -> Order:
    """Return the part of the Data service's contract settings that describes the fields of an order.

    Raises ConfigError if the settings do not have this part.
    """
    from soapclient.cli.contracts import package_named
    from soapclient.tracking.exports.jobs.job import order_of

    return order_of(package_named("data").settings)


def _order() -> AnyOperation:
    """Return the operation that orders exports. The contract's settings contain its name.

    Raises ConfigError if the settings do not contain the name.
    """
    from soapclient.cli.contracts import operation_named, package_named
    from soapclient.tracking.exports.jobs.job import JobTables

    return operation_named("data", JobTables.of(package_named("data").settings).job.order)


class ExportGroup(click.Command):
    """The command `export TYPE`, where TYPE is a report type, with the subcommand `export resume`."""

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
        """Return the parameters of the command: its own parameters, and an option for each filter.

        The contract defines the filters. Options for which the contract has no field are left out.
        """
        if self._all is None:
            from soapclient.cli.contracts import package_named

            order = package_named("data").settings.order
            if order is None:  # the order will report this
                return super().get_params(ctx)
            own = [item for item in self.params if item.name not in order.roles or item.name in order.fields]
            position = next(number for number, item in enumerate(own) if item.name == "deadline")
            self._all = [*own[:position], *_filter_options(order), *own[position:]]
        params, self.params = self.params, self._all
        try:
            return super().get_params(ctx)
        finally:
            self.params = params

    _all: list[click.Parameter] | None = None


def _filter_options(order: Order) -> Iterator[click.Option]:
    """Yield an option for each filter that the contract defines for orders.

    Also yields a hidden option for each filter that the service has removed, so that using it gives an error
    with the date of the removal.
    """
    for name, field in order.filters.items():
        flag = f"--{name.replace('_', '-')}"
        words = name.removesuffix("_id").replace("_", " ").strip()
        help = (
            "Kind of date that --from and --to limit." if name == order.date_type else f"Only this {words}."
        )
        kind = int if field.form == "int" and not field.several else None
        yield click.Option([flag, name], type=kind, help=help, shell_complete=_OF_ORDER)
    for name in order.removed:  # accepted, so that the error can say since when they are gone
        yield click.Option([f"--{name.replace('_', '-')}", name], hidden=True)


@click.command(cls=ExportGroup)
@click.argument("report_type", metavar="TYPE", callback=_known_type, shell_complete=report_type)
@click.option("--from", "from_date", type=day, help="First day.")
@click.option("--to", "to_date", type=day, help="Last day, included.")
@click.option("-o", "--output", required=True, type=NewFile(), metavar="FILE")
@click.option("--columns", shell_complete=_OF_ORDER, help="Columns to export, separated by commas.")
@click.option("--group-by", shell_complete=_OF_ORDER, help="Groups, separated by commas.")
@_DEADLINE
@click.option(
    "--job",
    "job_id",
    metavar="ID",
    is_eager=True,  # before TYPE, because a job can have any type
    help="Do not order; continue with a job that was ordered before.",
)
@click.option(
    "--handle",
    "handle_file",
    metavar="FILE",
    type=NewFile(),
    help="Save the order in FILE, for `soapclient export resume FILE`.",
)
@_STATE
@click.option("--reorder", is_flag=True, help="Order again, even if the same export was ordered before.")
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
    """Order an export of TYPE (click, clickin, lead, sale, custom …) and wait until its file is downloaded.

    FILE is gzip CSV. It appears when it is complete and verified: gzip checksum, length, rows. The
    command prints path, rows, size in bytes and SHA-256.

    The order is remembered in a folder until the file is downloaded. Run the same command again after any
    error, with the same FILE of --handle: it continues with the job that was ordered, or uses the downloaded
    file. If several jobs match the order, their files are compared. If that does not decide, the command
    lists the jobs and orders nothing.

    `soapclient export resume FILE -o PATH` continues with an export whose handle was saved in FILE.
    """
    if job_id is not None and not job_id.strip():
        raise click.BadParameter(
            f"{job_id!r} is not a job id: give one, or omit the option", param_hint="--job"
        )
    from soapclient.tracking.settings import own

    config = own(load_config())
    if reorder and (no_reorder or job_id is not None):
        raise click.UsageError("--reorder cannot be used with --no-reorder or --job")
    request: dict[str, JobId] = {}
    if job_id is None:
        begin, request = _ordering(
            config, report_type, from_date, to_date, options, output=output, reorder=reorder
        )
    elif from_date or to_date or any(value is not None for value in options.values()):
        raise click.UsageError("days and filters cannot be used with --job, because the job already has them")
    else:
        job = job_id

        def begin(client: Client, _: Deadline) -> Export:
            return client.data.exports.resume_job(job, report_type=report_type, output=output)

    check_target(output)
    if job_id is None:
        config = with_state(config, state_folder)

    def is_this(handle: ExportHandle) -> bool:
        if job_id is not None:
            return (handle.report_type, str(handle.job_id), dict(handle.request)) == (report_type, job_id, {})
        return handle.request == request and remembers(config, handle)

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
    """Return a function that orders the export, and the validated request as JSON values.

    If the export was ordered before, the function continues with this order, unless `reorder` is True. Raises
    ContractError if an argument is invalid, and ConfigError if the contract's settings do not name the
    operation that orders.
    """
    from soapclient.cli.request import checked_request
    from soapclient.tracking.exports.orders.arguments import arguments_of, json_values

    if from_date is None or to_date is None:
        raise click.UsageError("--from and --to are required: the first and the last day of the export")
    first, last = from_date, to_date
    # Report values that the service does not accept before an address or a key is needed.
    order = _fields()
    arguments = {"report_type": report_type, "from_date": first, "to_date": last, **options}
    checked_request(_order(), _in_fields(order, arguments), config)
    typed = cast("OrderOptions", options)  # validated above

    def begin(client: Client, until: Deadline) -> Export:
        exports = client.data.exports
        ledger = exports.state(patience=until.remaining())
        assert ledger is not None  # the command configures a state directory
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


def _in_fields(order: Order, arguments: Mapping[str, object]) -> FieldValue:
    """Convert the arguments of an order to the fields of its request, with all values as text."""
    from soapclient.cli.request import FieldValue

    top = FieldValue()
    for name, value in arguments.items():
        if value is None:
            continue
        field = order.fields.get(name)
        texts = [str(value)]
        if field is not None and field.several:
            texts = str(value).split(",")
        elif field is not None and field in (order.columns, order.group_by):
            texts = [str(value).replace(",", order.separator)]
        *parents, last = (name if field is None else field.field).split(".")
        parent = top
        for parent_name in parents:
            (parent,) = parent.fields.setdefault(parent_name, [FieldValue()])
        parent.fields[last] = [FieldValue(text, listed=len(texts) > 1) for text in texts]
    operation = _order()
    for row in operation.codec.fields(operation.row.request):
        if row.row.nil and row.least and top.fields.keys().isdisjoint((row.name, row.python)):
            top.fields[row.name] = [FieldValue(fields={"@xsi:nil": [FieldValue("true")]})]
    return top


def report_types() -> tuple[str, ...]:
    """Return all report types that are named in the contract's settings.

    Some have a fixed list of columns. For the others, the order selects the columns.
    """
    from soapclient.cli.contracts import package_named

    tables = package_named("data").settings
    return (*tables.columns, *tables.chosen)


def _check_type(report_type: str, operation: str, field: OrderField) -> None:
    """Raise ContractError if a report type is in neither the contract nor its settings.

    Such a report type is probably misspelt. For the error, `operation` is the name of the operation that
    orders exports, and `field` the field of its request that contains the report type.
    """
    from soapclient._support.suggestions import nearest
    from soapclient.errors import ContractError
    from soapclient.runtime.errors import INVALID

    types = field.values or report_types()
    if report_type not in types:
        listed = ", ".join(f"'{item}'" for item in types)
        error = ContractError(field.wire, report_type, f"one of {listed}", INVALID, operation=operation)
        if not nearest(report_type, types):  # otherwise, the message asks if this is intended
            error.add_note(
                f"to order a new type of the service, use `soapclient call data {operation}`, then --job"
            )
        raise error


@click.command(short_help="Continue with an export that was ordered before.")
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
    """Continue with an export whose handle was saved by `soapclient export --handle FILE`.

    An interrupted download is resumed from PATH.part. If the export has expired at the service, it is ordered
    again once, and the new handle is saved in FILE before anything else. If the machine stops before this,
    the state directory has recorded the order, and the next run finds it. An export in another state
    directory is not ordered again: name that directory with --state.
    """
    from soapclient.tracking.settings import own

    config = with_state(own(load_config()), state_folder)
    handle = read_handle(handle_file)
    check_target(output)
    check_apart(output, handle_file)
    run = ExportRun(config, output, deadline, handle_file, reorder=not no_reorder, state=state_folder)
    file = run.run(lambda client, _: client.data.exports.resume(handle, output=output), known=True)
    print_file(file, as_json=as_json)
