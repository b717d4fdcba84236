"""Write a setting to a TOML file, for `soapclient config set`."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from soapclient._support import durable, toml_edit
from soapclient._support.toml import NotToml
from soapclient.errors import ConfigError
from soapclient.settings.sources import SECRETS, from_environment, from_file, has_secret

if TYPE_CHECKING:
    from soapclient.settings.addresses import AllowHttp
    from soapclient.settings.settings import Setting

_ADVICE: Final = "Correct the file by hand, or name another file"


def is_secret_value(item: Setting, text: str) -> bool:
    """Return True if `text`, a value of the setting, is or contains a secret.

    `text` is in the format of an environment variable.
    """
    return item.name in SECRETS or has_secret({item.name: item.kind.from_text(text)})


def write_setting(
    file: Path, table: Mapping[str, Setting], keys: Collection[str], name: str, text: str, profile: str | None
) -> object:
    """Set a value in a TOML file, which is created if it is missing. Returns the validated value.

    - `table`: all settings by name. `keys`: all keys that the file may have.
    - `text`: the value, as in an environment variable.
    - `profile`: the profile that gets the value, or None for the rest of the file.

    The file is replaced atomically. Its mode is kept; only the owner can read a new file. Raises ConfigError
    if the value is invalid or the file cannot be changed, and OSError.
    """
    path = Path(os.path.realpath(file.expanduser()))  # a link stays a link
    content, mode = _read(path)
    item = table[name].allowing(_allow_http(table, keys, path if content else None, profile))
    value = item.kind.from_text(text)
    checked = item.read(value, "the value")
    tables: list[tuple[str, ...]] = [("profiles", profile) if profile is not None else ()]
    # The top level and the table [soapclient] are equivalent. Use the one that the file uses.
    tables.append(("soapclient", *tables[0]))
    headers = _headers(content)
    chosen = tables[1] if tables[1] in headers and tables[0] not in headers - {()} else tables[0]
    try:
        result = toml_edit.with_value(content, lambda key: _names(key, tables, name), chosen, name, value)
    except NotToml as error:
        problem = f"the file {file}: {error}"
    except TypeError:
        problem = f"the file {file} cannot have this value"
    else:
        _write(path, result, mode)
        return checked
    raise ConfigError(name, problem, _ADVICE)  # outside of `except`: its error may contain secrets


def _read(path: Path) -> tuple[bytes, int]:
    """Return the content and the mode of a file.

    If the file is missing, return b"" and the mode that the file must get.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        return durable.read_regular(path), mode
    except FileNotFoundError:
        return b"", 0o600


def _write(path: Path, content: bytes, mode: int) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    fd = durable.create_private(part)
    try:
        with os.fdopen(fd, "wb") as opened:
            opened.write(content)
        part.chmod(mode)
        durable.finish(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _allow_http(
    table: Mapping[str, Setting], keys: Collection[str], path: Path | None, profile: str | None
) -> AllowHttp:
    """Return the value of `allow_http` from the environment or the file. Other settings are not checked."""
    only = {"allow_http": table["allow_http"]}
    value: object = from_environment(only, os.environ).get("allow_http")
    for chosen in (profile, None):
        try:
            layers = from_file(only, path, {}, keys, chosen) if path is not None else ()
        except ConfigError:  # the file has an error, or not yet this profile
            continue
        value = next(
            (layer["allow_http"] for layer in layers if "allow_http" in layer and value is None), value
        )
    return cast("AllowHttp", value or False)


def _headers(content: bytes) -> set[tuple[str, ...]]:
    """Return the paths at which a TOML document may have tables.

    These are `()` (the top level), all paths with one or two names, and the profiles in `[NAME.profiles]`.
    """
    from soapclient._support.toml import tables_of

    document = tables_of(content)
    paths: set[tuple[str, ...]] = {()}
    for name, inner in document.items() if isinstance(document, dict) else ():
        if isinstance(inner, dict):
            paths |= {(name,)} | {(name, second) for second in inner}
            if isinstance(profiles := inner.get("profiles"), dict):
                paths |= {(name, "profiles", third) for third in profiles}
    return paths


def _names(key: tuple[str, ...], tables: list[tuple[str, ...]], name: str) -> bool:
    """Return True if `key`, the path of a key in the file, sets the setting `name`.

    `tables` are the paths of the tables that may contain settings. The name of a setting may be split into a
    nested table and its key: `[proxy] credentials` is `proxy_credentials`.
    """
    for table in tables:
        rest = key[len(table) :]
        if key[: len(table)] == table and rest:
            section = rest[1:] if rest[0] == "services" and len(rest) == 3 else rest
            if len(section) <= 2 and "_".join(section) == name:
                return True
    return False
