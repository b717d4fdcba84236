"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from soapclient.cli import completion, kinds

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)

package = click.option(
    "--package",
    metavar="NAME",
    shell_complete=completion.packages,
    help="A package that `bindgen init` wrote, in this folder or installed.",
)
file = click.option("--file", type=FILE, help="A WSDL on disk instead of a package.")
wsdl_port = click.option(
    "--port",
    metavar="NAME",
    shell_complete=completion.port,
    help="A port of the WSDL; by default the first that has the operation.",
)
address = click.option(
    "--address", metavar="URL", help="Address of the service; by default the address in the WSDL."
)
host = click.option(
    "--host",
    type=kinds.host,
    metavar="HOST",
    default="127.0.0.1",
    show_default=True,
    help="Address to serve at; 0.0.0.0 for all addresses of this machine, as in a container.",
)
allow_host = click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    type=kinds.host,
    metavar="HOST",
    help="Host name that callers may use, besides loopback and --host; repeatable.",
)
