"""`soapclient config`: every setting, its value, and where it can be set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from soapclient._support.nearest import nearest
from soapclient.cli.session import given, load_config

if TYPE_CHECKING:
    from soapclient.settings import CommonSettings
    from soapclient.settings.settings import Setting


@click.command(short_help="Show every setting, its value, and where to set it.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, also where nothing is configured.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Show every setting, or those named: its value (a secret is not shown), where it comes from, and where
    to set it.

    The environment takes precedence over the TOML file of --config or SOAPCLIENT_CONFIG, whose keys are the
    names of the settings, at the top level or in a table [soapclient]. What the profile of --profile or
    SOAPCLIENT_PROFILE has, a table in [profiles], precedes the rest of the file.
    """
    config, options = load_config(), given()
    sources = config.sources(file=options.config_file, profile=options.profile)
    settings = _named(config.settings(), names)
    if as_json:
        found = {each.name: _entry(config, each, sources.get(each.name)) for each in settings}
        click.echo(json.dumps(found, indent=2))
        return
    for each in settings:
        click.secho(f"{each.name} = {_value(config, each)}", bold=True)
        if each.name in sources:
            click.echo(f"    from {sources[each.name]}")
        click.echo(f"    {each.env}, or {each.name} in the TOML file\n    {each.about}; {each.kind.allowed}")


def _named(settings: Sequence[Setting], names: Sequence[str]) -> list[Setting]:
    """Return the settings of these names, all without names. A variable's name is one, too."""
    by_name = {each.name: each for each in settings}
    wanted = [name.lower().replace("-", "_").removeprefix("soapclient_") for name in names] or list(by_name)
    for name, known in zip(names, wanted, strict=False):
        if known not in by_name:
            hint = nearest(known, by_name)
            raise click.UsageError(f"there is no setting {name!r}{hint} (`soapclient config` lists them)")
    return [by_name[name] for name in dict.fromkeys(wanted)]


def _entry(config: CommonSettings, setting: Setting, source: str | None) -> Mapping[str, object]:
    """What a program wants to know of a setting. A secret has no value, whether it is set or not."""
    from soapclient.auth.credentials import Secret

    value: object = getattr(config, setting.name)
    secret = isinstance(value, Secret)
    plain = isinstance(value, bool | int | float | str)
    nothing = value is None or value in ("", {}, (), frozenset())
    shown = None if secret or nothing else value if plain else _value(config, setting)
    return {
        "value": shown,
        "set": secret or not (nothing or value == setting.default),
        "source": source,
        "variable": setting.env,
        "about": setting.about,
    }


def _value(config: CommonSettings, setting: Setting) -> str:
    from soapclient.auth.credentials import Secret

    value: object = getattr(config, setting.name)
    if value is None or value in ("", {}, (), frozenset()):
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
