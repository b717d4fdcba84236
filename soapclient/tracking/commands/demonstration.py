"""What `soapclient demo` shows: the client as anybody would use it, one chapter after the other."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from typing import Final

import click

from soapclient import Client, Settings, __version__
from soapclient.cli.failures import Failure
from soapclient.errors import AuthenticationError, ContractError
from soapclient.tracking.commands.progress import progress_on_stderr
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.jobs.job import JobSnapshot
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from zxws.advertiser.service import PACKAGE as ADVERTISER
from zxws.data.service import PACKAGE as DATA
from zxws.publisher.service import PACKAGE as PUBLISHER
from zxws.publisher.types import AdspaceItem, AdspaceType

_PAGE: Final = 25
_DEADLINE: Final = 300.0  # seconds; a slow machine and many rows


def run(rows: int, folder: Path | None) -> None:
    """Show a whole job: `rows` clicks go to a file that is kept in `folder`, or removed if that is None.

    Raises what the client raises.
    """
    started = perf_counter()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)  # before anything is shown that would be for nothing
    click.secho(
        f"soapclient {__version__}: a whole job over real HTTP, against the built-in sandbox.", bold=True
    )
    click.echo(
        "The sandbox keeps a reconstructed contract, not the service's own; all its data is made up.\n"
    )
    with Sandbox(clicks_per_day=rows) as sandbox:
        with _chapter("sandbox") as say:
            server = serve(sandbox)
            every = [one for each in (PUBLISHER, DATA, ADVERTISER) for one in each.operations.values()]
            soap, rest = sum(one.soap for one in every), sum(one.rest is not None for one in every)
            say(f"{server.url}: {soap} SOAP operations, {rest} REST resources, every signature checked")
        with server, Client(_config(server.url, SAMPLE_SECRET_KEY)) as client:
            yesterday = dt.datetime.now(client.settings.report_tzinfo()).date() - dt.timedelta(days=1)
            _reading(client, yesterday)
            with Client(client.settings, protocol="rest") as resting:
                _the_same_over_rest(client, resting, yesterday)
            _partners(client, sandbox.partner_codes(SAMPLE_CONNECT_ID))
            _writing(client)
            _mistake(client, yesterday)
            with Client(_config(server.url, "not the key of this account")) as stranger:
                _wrong_key(stranger)
            if folder is not None:
                file = _export(client, yesterday, folder)
            else:
                with tempfile.TemporaryDirectory(prefix="soapclient-demo-") as fresh:
                    file = _export(client, yesterday, Path(fresh))
    kept = "it has been removed, --keep DIR keeps one" if folder is None else file.path
    click.secho(f"\nThe file: {kept}", bold=True)
    click.echo(
        f"{perf_counter() - started:.1f} s in all. Next: soapclient sandbox, and beside it soapclient call"
    )


def _config(url: str, secret_key: str) -> Settings:
    """The sandbox's address and account, whatever this machine is configured for."""
    return Settings.load(
        environ={},
        connect_id=SAMPLE_CONNECT_ID,
        secret_key=secret_key,
        publisher_url=url,
        data_url=url,
        advertiser_url=url,
        rest_format="json",
    )


@contextmanager
def _chapter(title: str) -> Iterator[Callable[[str], None]]:
    """Time what happens inside, then print it with the text it said. Colours show on a terminal only."""
    started = perf_counter()
    said: list[str] = []
    yield said.append
    seconds = click.style(f"{perf_counter() - started:7.2f} s", dim=True)
    click.echo(f"{seconds}  {click.style(f'{title:<9}', fg='cyan', bold=True)}  {' '.join(said)}")


def _more(text: str) -> None:
    """Print a line that belongs to the chapter before it."""
    click.echo(f"{'':22}{text}")


def _reading(client: Client, day: dt.date) -> None:
    """Who we are; a search; the sales of a day in pages, summed exactly, one sum per currency."""
    with _chapter("profile") as say:
        item = client.publisher.get_profile().profile_item
        if item is None:
            raise Failure("the account has no profile")
        say(f"GetProfile: {item.login_name}, {item.company}, paid in {item.currency}")
    with _chapter("programs") as say:
        found = client.publisher.search_programs(query="fashion", items=1)
        names = ", ".join(f"{program.name} ({program.id})" for program in found.program_items or [])
        say(f"SearchPrograms: {found.total} for fashion; {names} …")
    counts: Counter[str] = Counter()
    amounts: defaultdict[str, Decimal] = defaultdict(Decimal)
    commissions: defaultdict[str, Decimal] = defaultdict(Decimal)
    with _chapter("sales") as say:
        items = client.publisher.iterate.get_sales(date=day, date_type="trackingDate", items=_PAGE)
        for sale in items:
            counts[sale.currency] += 1
            amounts[sale.currency] += sale.amount
            commissions[sale.currency] += sale.commission
        say(f"GetSales: {counts.total()} on {day}, {items.page} pages, summed as exact decimals:")
    for currency in sorted(counts):
        _more(
            f"{currency} {counts[currency]:>3} sales  amount {amounts[currency]:>10,}  "
            f"commission {commissions[currency]:>8,}"
        )


def _the_same_over_rest(client: Client, resting: Client, day: dt.date) -> None:
    with _chapter("REST") as say:
        over_soap, over_rest = (
            list(one.publisher.iterate.get_sales(date=day, date_type="trackingDate"))
            for one in (client, resting)
        )
        if over_soap != over_rest:
            raise Failure("SOAP and REST returned different values")
        say(f"GET /reports/sales/date/{day}, JSON: the same {len(over_rest)} sales, equal in every field")


def _partners(client: Client, codes: Sequence[str]) -> None:
    """The interface that only REST has."""
    with _chapter("partners") as say:
        resolved = client.advertiser.partnerships([*codes, "000C000"])
        own = sum(one.user_name is not None for one in resolved)
        say(f"GET /member/partnership: {len(resolved)} codes, {own} of our own program,")
        say(f"{len(resolved.errors)} unknown")


def _writing(client: Client) -> None:
    """Make an ad space and take it away again."""
    wish = AdspaceItem(
        name="Demo",
        url="https://demo.example.org/",
        description="Made by soapclient demo",
        adspace_type=AdspaceType.WEBSITE,
        visitors=1000,
        impressions=5000,
        language="en",
        check_number=1234,
    )
    with _chapter("ad space") as say:
        made = client.publisher.create_adspace(adspace_item=wish).adspace_item
        if made.id is None:
            raise Failure("the ad space that was made has no number")
        gone = client.publisher.delete_adspace(adspace_id=made.id).count
        say(f"CreateAdspace: number {made.id}; DeleteAdspace: {gone} deleted")


def _mistake(client: Client, day: dt.date) -> None:
    """A value that the contract does not have, which the type checker would have found as well."""
    with _chapter("mistake") as say:
        try:
            # that is the point
            client.publisher.get_sales(date=day, date_type="clicked")  # type: ignore[arg-type]
        except ContractError as error:
            say(f"dateType={error.value} was refused before anything was sent; mypy sees it, too")
        else:
            raise Failure("a value that the contract does not have was sent")


def _wrong_key(stranger: Client) -> None:
    """A signature that is not ours."""
    with _chapter("wrong key") as say:
        try:
            stranger.publisher.get_profile()
        except AuthenticationError as error:
            say(f"a call signed with another key was refused by the sandbox: fault {error.code}")
        else:
            raise Failure("a wrong signature was accepted")


def _export(client: Client, day: dt.date, folder: Path) -> ExportFile:
    """Order the clicks of a day, wait, download, read the file as typed rows."""
    with _chapter("export") as say:
        ordered = client.data.export(report_type="click", from_date=day, to_date=day)
        say(f"CreateReportJob: the clicks of {day}, job {ordered.id}")
    with _chapter("waiting") as say, progress_on_stderr(_silence) as progress:
        states: list[str] = []

        def look(job: JobSnapshot) -> None:
            progress.job(job)
            if job.status is not None and job.status not in states:
                states.append(job.status)

        ordered.wait(deadline=_DEADLINE, on_progress=look)
        say(f"GetJob: {', then '.join(states)}")
    target = folder / f"clicks-{day}.csv.gz"
    with _chapter("download") as say, progress_on_stderr(_silence) as progress:
        file = ordered.download(target, deadline=_DEADLINE, on_progress=progress.download)
        say(f"{file.row_count:,} rows in {file.size:,} bytes; gzip checksum, length and rows are right")
    _more(f"sha256 {file.sha256}")
    commissions: defaultdict[str, Decimal] = defaultdict(Decimal)
    with _chapter("rows") as say:
        for row in file:
            currency, commission = row["currency"], row["commission"]
            if isinstance(currency, str) and isinstance(commission, Decimal):
                commissions[currency] += commission
        say(f"{file.row_count:,} read back, each cell in its type: dates with zones, numbers, exact decimals")
    _more(f"commission {', '.join(f'{name} {total:,}' for name, total in sorted(commissions.items()))}")
    return file


def _silence(line: str) -> None:
    """Elsewhere than on a terminal the chapters say enough."""
