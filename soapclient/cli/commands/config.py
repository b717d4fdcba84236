"""`soapclient config`: show every setting, its value, and where it can be set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from soapclient._support.suggestions import nearest
from soapclient.cli.session import given, load_config

if TYPE_CHECKING:
    from soapclient.settings import CommonSettings
    from soapclient.settings.settings import Setting


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, even if nothing is configured.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Show every setting, or the given ones: the value (a secret is hidden), its source, and where to set it.

    The environment takes precedence over the TOML file of --config or SOAPCLIENT_CONFIG, whose keys are
    the names of the settings, at the top level or in a table [soapclient]. A profile, a table in
    [profiles] chosen by --profile or SOAPCLIENT_PROFILE, takes precedence over the rest of the file.
    """
    config, options = load_config(), given()
    sources = config.sources(file=options.config_file, profile=options.profile)
    settings = _named(config.settings(), names)
    if as_json:
        entries = {setting.name: _entry(config, setting, sources.get(setting.name)) for setting in settings}
        click.echo(json.dumps(entries, indent=2))
        return
    for setting in settings:
        click.secho(f"{setting.name} = {_value(config, setting)}", bold=True)
        if setting.name in sources:
            click.echo(f"    from {sources[setting.name]}")
        click.echo(
            f"    {setting.env}, or {setting.name} in the TOML file\n"
            f"    {setting.about}; {setting.kind.allowed}"
        )


def _named(settings: Sequence[Setting], names: Sequence[str]) -> list[Setting]:
    """Return the settings with these names, or all settings if `names` is empty.

    A name can also be the environment variable of the setting.
    """
    by_name = {setting.name: setting for setting in settings}
    keys = [name.lower().replace("-", "_").removeprefix("soapclient_") for name in names] or list(by_name)
    for name, key in zip(names, keys, strict=False):
        if key not in by_name:
            hint = nearest(key, by_name)
            raise click.UsageError(
                f"{name!r} is not a setting{hint} (`soapclient config` lists all settings)"
            )
    return [by_name[name] for name in dict.fromkeys(keys)]


def _entry(config: CommonSettings, setting: Setting, source: str | None) -> Mapping[str, object]:
    """Return a setting as a dict for JSON output. The value of a secret is always None.

    `source` says where the value was set; None if it was not set.
    """
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
    """Return the value of a setting as text. A secret is not shown."""
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
