"""The demonstration from its first line to its last."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from time import perf_counter

import click

from soapclient import Client, Config, __version__
from soapclient.cli.demonstration import calls, exports
from soapclient.cli.demonstration.chapters import chapter
from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from zxws.advertiser.service import PACKAGE as ADVERTISER
from zxws.data.service import PACKAGE as DATA
from zxws.publisher.service import PACKAGE as PUBLISHER


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
        with chapter("sandbox") as say:
            server = serve(sandbox)
            every = [one for each in (PUBLISHER, DATA, ADVERTISER) for one in each.operations.values()]
            soap, rest = sum(one.soap for one in every), sum(one.rest is not None for one in every)
            say(f"{server.url}: {soap} SOAP operations, {rest} REST resources, every signature checked")
        with server, Client(_config(server.url, SAMPLE_SECRET_KEY)) as client:
            yesterday = dt.datetime.now(client.config.report_tzinfo()).date() - dt.timedelta(days=1)
            calls.profile(client)
            calls.programs(client)
            calls.sales(client, yesterday)
            with Client(client.config, protocol="rest") as resting:
                calls.rest(client, resting, yesterday)
            calls.advertiser(client, sandbox.partner_codes(SAMPLE_CONNECT_ID))
            calls.adspace(client)
            calls.mistake(client, yesterday)
            with Client(_config(server.url, "not the key of this account")) as stranger:
                calls.wrong_key(stranger)
            with exports.place_for(folder) as place:
                file = exports.export(client, yesterday, place)
                exports.rows(file)
    kept = "it has been removed, --keep DIR keeps one" if folder is None else file.path
    click.secho(f"\nThe file: {kept}", bold=True)
    click.echo(
        f"{perf_counter() - started:.1f} s in all. Next: soapclient sandbox, and beside it soapclient call"
    )


def _config(url: str, secret_key: str) -> Config:
    """The sandbox's address and account, whatever this machine is configured for."""
    return Config.load(
        environ={},
        connect_id=SAMPLE_CONNECT_ID,
        secret_key=secret_key,
        publisher_url=url,
        data_url=url,
        advertiser_url=url,
        rest_format="json",
    )
