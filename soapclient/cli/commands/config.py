"""`soapclient config`: every setting, its value, and where it can be set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from soapclient.cli.session import given, load_config

if TYPE_CHECKING:
    from soapclient.config import Config
    from soapclient.config.settings import Setting


@click.command(short_help="Show every setting, its value, and where to set it.")
def command() -> None:
    """Show every setting, its value (a secret is not shown), where it comes from, and where to set it.

    The environment takes precedence over the TOML file of --config or SOAPCLIENT_CONFIG, whose keys are the
    names of the settings, at the top level or in a table [soapclient]. What the profile of --profile or
    SOAPCLIENT_PROFILE has, a table in [profiles], precedes the rest of the file.
    """
    config, options = load_config(), given()
    sources = config.sources(file=options.config_file, profile=options.profile)
    for each in config.settings():
        click.secho(f"{each.name} = {_value(config, each)}", bold=True)
        if each.name in sources:
            click.echo(f"    from {sources[each.name]}")
        click.echo(f"    {each.env}, or {each.name} in the TOML file\n    {each.about}; {each.kind.allowed}")


def _value(config: Config, setting: Setting) -> str:
    from soapclient.auth.credentials import Secret

    value: object = getattr(config, setting.name)
    if value is None or value in ("", {}, ()):
        return "(not set)"
    if isinstance(value, Secret):
        return "(set, not shown)"
    if setting.kind.printed is not None:
        return setting.kind.printed(value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={inner}" for key, inner in value.items())
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if value != setting.default else f"{text} (default)"
