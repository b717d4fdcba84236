"""The demonstration of `soapclient demo`: typical use of the client, in chapters."""

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

_PAGE: Final = 25  # items
_DEADLINE: Final = 300.0  # seconds, enough for a slow machine and many rows


def run(rows: int, folder: Path | None) -> None:
    """Run all chapters, in which `rows` clicks are exported.

    The exported file is kept in `folder`, or removed if `folder` is None. Raises the errors of the client.
    """
    started = perf_counter()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)  # first, because it may fail
    click.secho(
        f"soapclient {__version__}: a complete job over real HTTP, against the built-in sandbox.", bold=True
    )
    click.echo(
        "The sandbox implements a reconstructed contract, not the service's own, and generates its data.\n"
    )
    with Sandbox(clicks_per_day=rows) as sandbox:
        with _chapter("sandbox") as say:
            server = serve(sandbox)
            packages = (PUBLISHER, DATA, ADVERTISER)
            operations = [item for package in packages for item in package.operations.values()]
            soap = sum(item.soap for item in operations)
            rest = sum(item.rest is not None for item in operations)
            say(f"{server.url}: {soap} SOAP operations, {rest} REST resources, every signature checked")
        with server, Client(_config(server.url, SAMPLE_SECRET_KEY)) as client:
            yesterday = dt.datetime.now(client.settings.report_tzinfo()).date() - dt.timedelta(days=1)
            _read(client, yesterday)
            with Client(client.settings, protocol="rest") as rest_client:
                _compare_with_rest(client, rest_client, yesterday)
            _partners(client, sandbox.partner_codes(SAMPLE_CONNECT_ID))
            _write(client)
            _mistake(client, yesterday)
            with Client(_config(server.url, "not the key of this account")) as stranger:
                _wrong_key(stranger)
            if folder is not None:
                file = _export(client, yesterday, folder)
            else:
                with tempfile.TemporaryDirectory(prefix="soapclient-demo-") as fresh:
                    file = _export(client, yesterday, Path(fresh))
    kept = "the file was removed; use --keep DIR to keep it" if folder is None else file.path
    click.secho(f"\nThe file: {kept}", bold=True)
    click.echo(
        f"{perf_counter() - started:.1f} s in all. Next, run soapclient sandbox, and soapclient call in "
        "another terminal"
    )


def _config(url: str, secret_key: str) -> Settings:
    """Return the settings of a client for the sandbox at `url`. The settings of this machine are ignored."""
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
    """Measure the time of the `with` block, a chapter. Then print its title, time and texts in one line.

    Yields a function that adds a text to the line.
    """
    started = perf_counter()
    texts: list[str] = []
    yield texts.append
    seconds = click.style(f"{perf_counter() - started:7.2f} s", dim=True)
    click.echo(f"{seconds}  {click.style(f'{title:<9}', fg='cyan', bold=True)}  {' '.join(texts)}")


def _more(text: str) -> None:
    """Print another line below the current chapter's line."""
    click.echo(f"{'':22}{text}")


def _read(client: Client, day: dt.date) -> None:
    """Read the profile, search programs, and sum the sales of a day per currency."""
    with _chapter("profile") as say:
        item = client.publisher.get_profile().profile_item
        if item is None:
            raise Failure("the demo failed: the account has no profile. Report it as a bug.")
        say(f"GetProfile: {item.login_name}, {item.company}, paid in {item.currency}")
    with _chapter("programs") as say:
        response = client.publisher.search_programs(query="fashion", items=1)
        names = ", ".join(f"{program.name} ({program.id})" for program in response.program_items or [])
        say(f"SearchPrograms: {response.total} for fashion; {names} …")
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


def _compare_with_rest(client: Client, rest_client: Client, day: dt.date) -> None:
    """Read the sales of a day over SOAP (`client`) and over REST (`rest_client`), and compare them."""
    with _chapter("REST") as say:
        over_soap, over_rest = (
            list(item.publisher.iterate.get_sales(date=day, date_type="trackingDate"))
            for item in (client, rest_client)
        )
        if over_soap != over_rest:
            raise Failure("the demo failed: SOAP and REST returned different values. Report it as a bug.")
        say(f"GET /reports/sales/date/{day}, JSON: the same {len(over_rest)} sales, equal in every field")


def _partners(client: Client, codes: Sequence[str]) -> None:
    """Get the partnerships of partner codes from the Advertiser interface, which supports only REST."""
    with _chapter("partners") as say:
        resolved = client.advertiser.partnerships([*codes, "000C000"])
        own = sum(item.user_name is not None for item in resolved)
        say(f"GET /member/partnership: {len(resolved)} codes, {own} of our own program,")
        say(f"{len(resolved.errors)} unknown")


def _write(client: Client) -> None:
    """Create an ad space and delete it again."""
    adspace = AdspaceItem(
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
        created = client.publisher.create_adspace(adspace_item=adspace).adspace_item
        if created.id is None:
            raise Failure("the demo failed: the created ad space has no number. Report it as a bug.")
        count = client.publisher.delete_adspace(adspace_id=created.id).count
        say(f"CreateAdspace: number {created.id}; DeleteAdspace: {count} deleted")


def _mistake(client: Client, day: dt.date) -> None:
    """Call an operation with a value that the contract does not allow. The client must refuse the call."""
    with _chapter("mistake") as say:
        try:
            # mypy must reject this call
            client.publisher.get_sales(date=day, date_type="clicked")  # type: ignore[arg-type]
        except ContractError as error:
            say(f"dateType={error.value} was refused before sending; mypy reports it, too")
        else:
            raise Failure(
                "the demo failed: a value that the contract does not allow was sent. Report it as a bug."
            )


def _wrong_key(stranger: Client) -> None:
    """Make a call with `stranger`, a client with a wrong secret key. The sandbox must refuse the call."""
    with _chapter("wrong key") as say:
        try:
            stranger.publisher.get_profile()
        except AuthenticationError as error:
            say(f"a call signed with another key was refused by the sandbox: fault {error.code}")
        else:
            raise Failure("the demo failed: a wrong signature was accepted. Report it as a bug.")


def _export(client: Client, day: dt.date, folder: Path) -> ExportFile:
    """Order the clicks of a day, wait, download, and read the file as typed rows."""
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
        say(f"{file.row_count:,} rows in {file.size:,} bytes; gzip checksum, length and rows are correct")
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
    """Ignore a line about the progress. Without a terminal, the lines of the chapters are sufficient."""
