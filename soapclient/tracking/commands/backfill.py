"""`soapclient backfill`: bring many exports into one dataset, or check the one that is there."""

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

_LONGEST = 1000  # of a reason: a line that can be read


@click.command(short_help="Bring many exports into one dataset.")
@click.argument("plan_file", metavar="PLAN", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--verify", "only_verify", is_flag=True, help="Order nothing: check hashes, files and plan.")
@click.option("--recheck", is_flag=True, help="Ask again for complete partitions whose hash is wrong, too.")
@click.option("--reorder", is_flag=True, help="Order anew whatever is not complete.")
@click.option("--jobs", type=click.IntRange(1, 1000), help="Partitions on their way at a time.")
@click.option("--engine", type=click.Choice(["threads", "dask"]), default="threads", show_default=True)
@click.option("--scheduler", metavar="ADDRESS", help="Of the Dask cluster, such as tcp://host:8786.")
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
    """Bring accounts x report types x days, as the TOML file PLAN has them, into one partitioned dataset.

    What is complete is not asked for again; run the same command after a crash, or to go on. Exit code 0: the
    dataset is complete. 1: some partitions failed, each is named with its reason. A partition whose job is
    stuck, or not known any more, fails each time: --reorder orders a new job in place of it.
    """
    if (engine == "dask") != (scheduler is not None):
        raise click.UsageError("--engine dask and --scheduler go together")
    if only_verify and (recheck or reorder or jobs or scheduler):
        raise click.UsageError("--verify goes with --json alone: it neither orders nor downloads")
    from soapclient.tracking.backfill.dataset import verify
    from soapclient.tracking.backfill.plan import Plan

    plan = Plan.load(plan_file)
    if only_verify:
        ctx.exit(_print_verification(verify(plan), as_json))
    ctx.exit(_print_summary(_run(plan, jobs, scheduler, recheck=recheck, reorder=reorder), as_json))


def _run(plan: Plan, jobs: int | None, scheduler: str | None, *, recheck: bool, reorder: bool) -> Summary:
    from soapclient.tracking.backfill.run import backfill
    from soapclient.tracking.settings import own

    names = (name for each in plan.accounts for name in (each.connect_id_env, each.secret_key_env))
    config = own(load_config(names))
    with suppress(Failure):  # a user without a home folder has no other exports that it might name
        config = replace(config, state_dir=str(state_folder(config)))
    with _cluster(scheduler) as (executor, at_work), _progress_on_stderr() as on_progress:
        return backfill(
            plan,
            executor,
            on_progress,
            config=config,
            jobs=jobs or at_work,
            recheck=recheck,
            reorder=reorder,
        )


def _cluster(scheduler: str | None) -> AbstractContextManager[tuple[Executor | None, int | None]]:
    if scheduler is None:
        return nullcontext((None, None))
    try:
        from soapclient.tracking.backfill.dask_engine import dask_executor
    except ImportError:
        raise Failure("--engine dask needs distributed: pip install 'soapclient[dask]'") from None
    return dask_executor(scheduler)


def _print_summary(found: Summary, as_json: bool) -> int:
    lines = (
        f"partitions {found.partitions}: {found.skipped} complete before, {found.done} brought",
        f"brought    {found.rows} rows, {found.size} bytes, {found.stale} in place of stale ones",
        f"failed     {len(found.failed)}",
    )
    click.echo(json.dumps(found.to_dict()) if as_json else "\n".join(lines))
    for failed in found.failed:
        click.echo(f"soapclient: {failed.partition}: {clean(failed.reason, _LONGEST)}", err=True)
    return found.exit_code


def _print_verification(found: Verification, as_json: bool) -> int:
    lines = f"whole    {found.whole} partitions, {found.rows} rows", f"problems {len(found.problems)}"
    click.echo(json.dumps(found.to_dict()) if as_json else "\n".join(lines))
    for one in found.problems:
        click.echo(f"soapclient: {one.partition}: {one.kind}: {clean(one.reason, _LONGEST)}", err=True)
    return found.exit_code


@contextmanager
def _progress_on_stderr() -> Iterator[OnProgress]:
    """Show progress while a backfill runs."""
    bars = terminal_bars(counted=True)
    if bars is None:
        yield _Lines().show
        return
    with bars:
        task = bars.add_task("partitions", total=None)
        yield lambda now: bars.update(task, completed=now.finished, total=now.total, description=_said(now))


def _said(now: Progress) -> str:
    return f"{now.rows:,} rows" + (f", {now.failed} failed" if now.failed else "")


class _Lines:
    def __init__(self) -> None:
        self._tenth = -1

    def show(self, now: Progress) -> None:
        tenth = now.finished * 10 // max(1, now.total)
        if tenth > self._tenth:
            self._tenth = tenth
            click.echo(f"soapclient: {now.finished} of {now.total} partitions, {_said(now)}", err=True)
