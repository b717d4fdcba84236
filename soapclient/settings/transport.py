"""The types of the transport settings, which validate their values.

These are the settings for trusted authorities, client certificates, proxies, headers and allowed hosts.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlsplit

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import Hidden, safe_url, shown
from soapclient._support.secret_names import is_secret
from soapclient.auth.credentials import Secret, is_visible_ascii
from soapclient.errors import ConfigError
from soapclient.settings.addresses import is_host
from soapclient.settings.settings import PATH, InvalidValue, Kind, flag, pairs

Password = str | Callable[[], str]
Certificate = str | tuple[str, str] | tuple[str, str, Password]

_SOURCE: Final = LazyPattern(r"env:[A-Za-z_][A-Za-z0-9_]*|file:.+")
_SCHEMES: Final = ("http", "https")
_NAME: Final = LazyPattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = LazyPattern(r"[!-~\x80-\xff](?:[ \t!-~\x80-\xff]*[!-~\x80-\xff])?|")
_OURS: Final = frozenset({"content-type", "content-length", "transfer-encoding", "soapaction", "host"})


def _check_verify(value: object) -> object:
    return value if isinstance(value, bool) or value == "system" else _path_of(value)


def _path_of(value: object) -> str:
    """Validate a path and return it with `~` expanded, because requests and OpenSSL do not expand it."""
    return os.path.expanduser(str(PATH.check(value)))


VERIFY: Final = Kind(
    "true (the public authorities of certifi), system (the authorities of this machine), the path of a PEM "
    "file or folder of certificates, or false (no check)",
    _check_verify,
    flag,
)


def _check_certificate(value: object) -> object:
    if not isinstance(value, list | tuple):
        return _path_of(value)
    if not 2 <= len(value) <= 3:
        raise InvalidValue(f"has {len(value)} part{'' if len(value) == 1 else 's'}")
    source = value[2] if len(value) == 3 else None
    proper = callable(source) or (isinstance(source, str) and _SOURCE.fullmatch(source))
    if source is not None and not proper:
        raise InvalidValue("has a third part that is not env:NAME or file:PATH")
    return (*map(_path_of, value[:2]), *value[2:])


def password_of(source: Password) -> str:
    """Return the password of a client certificate's key.

    `source` is `env:NAME`, `file:PATH` or a function. Raises ConfigError if there is no password at the
    source. The error does not show any password.
    """
    where = "Give the source of the password as env:NAME or file:PATH"
    if not isinstance(source, str):
        return source()
    kind, _, name = source.partition(":")
    if kind == "env":
        if (password := os.environ.get(name)) is None:
            raise ConfigError(
                "certificate", f"the environment variable {name} for its password is not set", where
            )
        return password
    try:
        return Path(name).expanduser().read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        problem = f"the file {name} with its password cannot be read ({reason})"
    raise ConfigError("certificate", problem, where)


def _show_certificate(value: object) -> str:
    # Do not show the source: users may have entered the password itself.
    if not isinstance(value, list | tuple):
        return shown(value)
    return f"({', '.join([*map(shown, value[:2]), *(['…'] if len(value) > 2 else [])])})"


def _parts(text: str) -> object:
    parts = [part.strip() for part in text.split(",")]
    return parts if len(parts) > 1 else text


CERTIFICATE: Final = Kind(
    "the path of a PEM file with certificate and key, or the paths of both and, if the key is encrypted, "
    "the source of its password, env:NAME or file:PATH (in the environment: cert.pem,key.pem,env:NAME)",
    _check_certificate,
    _parts,
    show=_show_certificate,
)


def _check_proxies(value: object) -> object:
    if value == "none" or (isinstance(value, Mapping) and not value):
        return {}
    proxies = dict.fromkeys(_SCHEMES, value) if isinstance(value, str) else value
    if not isinstance(proxies, Mapping) or not set(proxies) <= set(_SCHEMES):
        raise InvalidValue
    for address in proxies.values():
        if not isinstance(address, str):
            raise InvalidValue
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if "@" in parts.netloc:
            raise InvalidValue("has a user name or password; set proxy_credentials to user:password instead")
        if parts.scheme not in _SCHEMES or not is_host(parts.netloc):
            raise InvalidValue("has no valid host and port")
    return {
        scheme: address if "://" in address else f"http://{address}" for scheme, address in proxies.items()
    }


def _show_proxies(value: object) -> str:
    return repr(safe_url(value)) if isinstance(value, str) else "a table (not shown)"


PROXIES: Final = Kind(
    "a proxy's address, such as http://proxy.example:3128, one per scheme (in the environment: "
    "http=http://…,https=http://…), or none (ignores HTTPS_PROXY)",
    _check_proxies,
    lambda text: pairs(text) if re.match(r"https?=", text) else text,
    show=_show_proxies,
)


def _check_proxy_credentials(value: object) -> object:
    text = value.reveal() if isinstance(value, Secret) else value
    if not isinstance(text, str) or not text.partition(":")[0] or ":" not in text or not text.isprintable():
        raise InvalidValue
    return Secret(text)


PROXY_CREDENTIALS: Final = Kind(
    "user:password, printable", _check_proxy_credentials, show=lambda value: "a value (not shown)"
)


def _check_headers(value: object) -> object:
    if not isinstance(value, Mapping):
        raise InvalidValue
    for name, text in value.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise InvalidValue(f"has {shown(name)}, which is not an HTTP header that can be set here")
        if not isinstance(text, str) or not _VALUE.fullmatch(text):
            raise InvalidValue(f"has a value of {name} that is not valid in a header (not shown)")
    return {name: text if isinstance(text, Hidden) else Hidden(text) for name, text in value.items()}


class MissingSecret(Hidden):
    """Placeholder for the value of a secret header after unpickling: pickles do not contain the value."""

    __slots__ = ()


def without_values(headers: Mapping[str, str]) -> dict[str, str | None]:
    """Return headers for a pickle. The value of each header with a secret name is replaced by None."""
    return {name: None if is_secret(name) else text for name, text in headers.items()}


def with_values(headers: Mapping[str, str | None], own: Mapping[str, str]) -> dict[str, str]:
    """Return unpickled headers with their secret values from this process.

    `headers` are the unpickled headers, in which a missing value is None. `own` are the headers that are set
    in this process. If `own` does not have a header, its value becomes a placeholder (`MissingSecret`).
    """
    own_values = {name.lower(): text for name, text in own.items()}
    return {
        name: own_values.get(name.lower(), MissingSecret()) if text is None else text
        for name, text in headers.items()
    }


def require_values(headers: Mapping[str, str]) -> None:
    """Raise ConfigError if the value of a header is missing, because a pickle did not contain it."""
    for name, text in headers.items():
        if isinstance(text, MissingSecret):
            problem = (
                f"the value of {name} is missing: the pickle does not contain it, because it is secret, "
                "and it is not set in this process"
            )
            advice = "Set SOAPCLIENT_HEADERS, or pickle the result of carrying_secrets()"
            raise ConfigError("headers", problem, advice)


HEADERS: Final = Kind(
    "a table of HTTP headers in visible Latin-1 characters (in the environment: X-Team=shop,X-Site=2)",
    _check_headers,
    pairs,
    show=lambda value: "the table" if isinstance(value, Mapping) else f"a {type(value).__name__}",
    printed=lambda value: ",".join(f"{name}=(not shown)" for name in cast("Mapping[str, str]", value)),
)


def _check_reached(value: object) -> object:
    if isinstance(value, bool):
        return value
    if not isinstance(value, list | tuple | set | frozenset):
        raise InvalidValue
    for host in value:
        named = isinstance(host, str) and is_visible_ascii(host) and is_host(host) and ":" not in host
        if not isinstance(host, str) or not (named or _is_range(host)):
            raise InvalidValue(f"has {shown(host)}, which is not a host name, address or network")
    return tuple(sorted({host.lower() for host in value}))


def _is_range(text: str) -> bool:
    try:
        return bool(ipaddress.ip_network(text))
    except ValueError:
        return False


REACHED: Final = Kind(
    "a list of host names, addresses or networks (in the environment: files.internal,10.0.0.5,10.1.0.0/16), "
    "or true for all",
    _check_reached,
    lambda text: (
        found if isinstance(found := flag(text), bool) else [item.strip() for item in text.split(",")]
    ),
)


def _check_hosts(value: object) -> object:
    if isinstance(value, bool):
        return value
    if not isinstance(value, list | tuple | set | frozenset):
        raise InvalidValue
    for host in value:
        if not isinstance(host, str) or not is_visible_ascii(host) or not is_host(host) or ":" in host:
            raise InvalidValue(f"has {shown(host)}, which is not a host name")
    return tuple(sorted({host.lower() for host in value}))


HOSTS: Final = Kind(
    "a list of host names, without ports (in the environment: sandbox,10.0.0.5), or true for all",
    _check_hosts,
    lambda text: (
        found if isinstance(found := flag(text), bool) else [item.strip() for item in text.split(",")]
    ),
)
