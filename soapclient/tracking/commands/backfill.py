"""`soapclient backfill`: download many exports into one dataset, or verify an existing dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soapclient._support.redaction import clean
from soapclient.cli.failures import Failure
from soapclient.cli.session import load_config
from soapclient.tracking.commands.export_run import state_folder
from soapclient.tracking.commands.progress import terminal_bars

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from soapclient.tracking.backfill.dataset import Verification
    from soapclient.tracking.backfill.plan import Plan
    from soapclient.tracking.backfill.run import Progress, Summary

OnProgress = Callable[["Progress"], None]

_MAX_REASON = 1000  # characters of a failure's reason


@click.command()
@click.argument("plan_file", metavar="PLAN", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--verify", "only_verify", is_flag=True, help="Do not order anything; check hashes, files and plan."
)
@click.option("--recheck", is_flag=True, help="Also order complete partitions again if their hash is wrong.")
@click.option("--reorder", is_flag=True, help="Order all incomplete partitions again.")
@click.option("--jobs", type=click.IntRange(1, 1000), help="Maximum number of partitions in progress.")
@click.option("--engine", type=click.Choice(["threads", "dask"]), default="threads", show_default=True)
@click.option("--scheduler", metavar="ADDRESS", help="Address of the Dask cluster, such as tcp://host:8786.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")
@click.pass_context
def command(
    ctx: click.Context,
    plan_file: Path,
    only_verify: bool,
    recheck: bool,
    reorder: bool,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    as_json: bool,
) -> None:
    """Download each report for each account and all days in the TOML file PLAN into one partitioned dataset.

    Complete partitions are not ordered again: run the same command after a crash, or to continue. Exit code
    0: the dataset is complete. Exit code 1: some partitions failed; each is listed with its reason. A
    partition whose job is stuck or unknown to the service fails each time: --reorder orders a new job for it.
    """
    if (engine == "dask") != (scheduler is not None):
        raise click.UsageError("--engine dask and --scheduler must be used together")
    if only_verify and (recheck or reorder or jobs or scheduler):
        raise click.UsageError(
            "--verify neither orders nor downloads, so it can be combined only with --json"
        )
    from soapclient.tracking.backfill.dataset import verify
    from soapclient.tracking.backfill.plan import Plan

    plan = Plan.load(plan_file)
    if only_verify:
        ctx.exit(_print_verification(verify(plan), as_json))
    ctx.exit(_print_summary(_run(plan, jobs, scheduler, recheck=recheck, reorder=reorder), as_json))


def _run(plan: Plan, jobs: int | None, scheduler: str | None, *, recheck: bool, reorder: bool) -> Summary:
    from soapclient.tracking.backfill.run import backfill
    from soapclient.tracking.settings import own

    names = (name for account in plan.accounts for name in (account.connect_id_env, account.secret_key_env))
    config = own(load_config(names))
    with suppress(Failure):  # a user without a home folder has no other exports that it might name
        config = replace(config, state_dir=str(state_folder(config)))
    with _cluster(scheduler) as (executor, tasks), _progress_on_stderr() as on_progress:
        return backfill(
            plan,
            executor,
            on_progress,
            config=config,
            jobs=jobs or tasks,
            recheck=recheck,
            reorder=reorder,
        )


def _cluster(scheduler: str | None) -> AbstractContextManager[tuple[Executor | None, int | None]]:
    if scheduler is None:
        return nullcontext((None, None))
    try:
        from soapclient.tracking.backfill.dask_engine import dask_executor
    except ImportError:
        raise Failure("--engine dask needs the package distributed: pip install 'soapclient[dask]'") from None
    return dask_executor(scheduler)


def _print_summary(summary: Summary, as_json: bool) -> int:
    lines = (
        f"partitions {summary.partitions}: {summary.skipped} complete before, {summary.done} downloaded",
        f"downloaded {summary.rows} rows, {summary.size} bytes, {summary.stale} stale partitions replaced",
        f"failed     {len(summary.failed)}",
    )
    click.echo(json.dumps(summary.to_dict()) if as_json else "\n".join(lines))
    for failed in summary.failed:
        click.echo(f"soapclient: {failed.partition}: {clean(failed.reason, _MAX_REASON)}", err=True)
    return summary.exit_code


def _print_verification(verification: Verification, as_json: bool) -> int:
    lines = (
        f"whole    {verification.whole} partitions, {verification.rows} rows",
        f"problems {len(verification.problems)}",
    )
    click.echo(json.dumps(verification.to_dict()) if as_json else "\n".join(lines))
    for problem in verification.problems:
        click.echo(
            f"soapclient: {problem.partition}: {problem.kind}: {clean(problem.reason, _MAX_REASON)}", err=True
        )
    return verification.exit_code


@contextmanager
def _progress_on_stderr() -> Iterator[OnProgress]:
    """Show the progress of a backfill on stderr. Yields the callback that receives the progress."""
    bars = terminal_bars(counted=True)
    if bars is None:
        yield _Lines().show
        return
    with bars:
        task = bars.add_task("partitions", total=None)
        yield lambda now: bars.update(
            task, completed=now.finished, total=now.total, description=_description(now)
        )


def _description(now: Progress) -> str:
    """Return a text with the number of rows and of failed partitions in `now`, such as `5 rows, 1 failed`."""
    return f"{now.rows:,} rows" + (f", {now.failed} failed" if now.failed else "")


class _Lines:
    """Prints a progress line whenever another tenth of the partitions is finished."""

    def __init__(self) -> None:
        self._tenth = -1

    def show(self, now: Progress) -> None:
        tenth = now.finished * 10 // max(1, now.total)
        if tenth > self._tenth:
            self._tenth = tenth
            click.echo(f"soapclient: {now.finished} of {now.total} partitions, {_description(now)}", err=True)
