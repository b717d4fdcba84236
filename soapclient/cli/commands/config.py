"""`soapclient config`: show every setting, its value, and where it can be set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from soapclient._support.suggestions import nearest
from soapclient.cli.session import given, load_config

if TYPE_CHECKING:
    from soapclient.settings import CommonSettings
    from soapclient.settings.settings import Setting


_EPILOG: Final = """\b
To change a setting in the file:
  soapclient --config FILE config set timeout 20
  soapclient --config FILE --profile nightly config set timeout 600
  soapclient --config FILE config set secret_key -    (reads the value from stdin)
"""


class _Config(click.Command):
    """A command whose arguments `set NAME VALUE` may have a negative number as VALUE."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line. A VALUE such as -1 is not an option."""
        if args[:1] == ["set"] and len(args) == 3 and not args[2].startswith("--"):
            args.insert(2, "--")
        return super().parse_args(ctx, args)


@click.command(cls=_Config, epilog=_EPILOG)
@click.argument("names", metavar="[NAME]... | set NAME [VALUE]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, even if nothing is configured.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Show every setting, or the given ones: the value (a secret is hidden), its source, and where to set it.

    The environment takes precedence over the TOML file of --config or SOAPCLIENT_CONFIG, whose keys are
    the names of the settings, at the top level or in a table [soapclient]. A profile, a table in
    [profiles] chosen by --profile or SOAPCLIENT_PROFILE, takes precedence over the rest of the file.

    `config set` writes a setting to the file, or to the profile. VALUE has the form of the environment
    variable. It is checked first, and comments and order of the file stay. Secrets are not accepted as
    VALUE: give - to read the value from stdin, or leave VALUE out to be asked for it.
    """
    if names[:1] == ("set",):
        if as_json:
            raise click.UsageError("config set does not print JSON: leave out --json")
        _set(names[1:])
        return
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


def _set(arguments: Sequence[str]) -> None:
    """Write a setting to the configured file. `arguments` are its name and, optionally, its value."""
    import os
    from pathlib import Path

    from soapclient.cli.contracts import settings_class
    from soapclient.settings.settings import settings_of
    from soapclient.settings.sources import FILE_VARIABLE, PROFILE_VARIABLE
    from soapclient.settings.writing import write_setting

    usage = "soapclient --config FILE config set NAME VALUE"
    name = arguments[0] if arguments else ""
    if "=" in name and len(arguments) == 1:
        raise click.UsageError(f"write the name and the value as two words: {usage}")
    if not 1 <= len(arguments) <= 2:
        raise click.UsageError(f"give a name and a value: {usage}")
    settings, options = settings_class(), given()
    (setting,) = _named(settings.settings(), [name])
    file = options.config_file or os.environ.get(FILE_VARIABLE) or None
    if file is None:
        raise click.UsageError(f"name the TOML file to change: {usage}; or set {FILE_VARIABLE}")
    profile = options.profile if options.profile is not None else os.environ.get(PROFILE_VARIABLE) or None
    if profile == "":
        raise click.UsageError("--profile must not be empty")
    text = _given_value(setting, arguments[1:])
    write_setting(Path(file), settings_of(settings), settings.of_all_services(), setting.name, text, profile)
    where = f"{file}, profile {profile}" if profile is not None else str(file)
    click.echo(f"soapclient: {where}: {setting.name} is set", err=True)
    if os.environ.get(setting.env):
        click.echo(f"soapclient: {setting.env} is set, too, and takes precedence over the file", err=True)


def _given_value(setting: Setting, values: Sequence[str]) -> str:
    """Return the value for `config set`, from the command line, from stdin (`-`), or from a prompt."""
    import sys

    from soapclient.settings.writing import is_secret_value

    command = f"soapclient --config FILE config set {setting.name} -"
    if not values:
        if not sys.stdin.isatty():
            raise click.UsageError(f"give a value, or read it from stdin: {command}")
        return str(click.prompt(setting.name, hide_input=is_secret_value(setting, "")))
    if values[0] == "-":
        with click.open_file("-") as stdin:
            return str(stdin.read()).rstrip("\r\n")
    if is_secret_value(setting, values[0]):
        raise click.UsageError(
            f"{setting.name} is a secret (not shown): on the command line, other users and the history of "
            f"the shell can see it. Read it from stdin: {command}"
        )
    return values[0]


def _named(settings: Sequence[Setting], names: Sequence[str]) -> list[Setting]:
    """Return the settings with these names, or all settings if `names` is empty.

    A name can also be the environment variable of the setting.
    """
    by_name = {setting.name: setting for setting in settings}
    keys = [name.lower().replace("-", "_").removeprefix("soapclient_") for name in names] or list(by_name)
    for word, lowered in zip(names, keys, strict=False):
        if lowered not in by_name:
            name, equals, value = word.partition("=")  # the value may be a secret
            key = lowered.partition("=")[0]
            if word in ("get", "show", "list"):
                shown = " ".join(["soapclient config", *(other for other in keys if other in by_name)])
                raise click.UsageError(f"{word!r} is not a setting: to show settings, write {shown}")
            if equals and key in by_name:
                import shlex

                from soapclient.settings.writing import is_secret_value

                text = "-" if is_secret_value(by_name[key], value) else shlex.quote(value)
                raise click.UsageError(f"to change a setting, write soapclient config set {key} {text}")
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
