"""Settings as keyword arguments of functions that open clients and services."""

from __future__ import annotations

import datetime as dt
import inspect
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal, TypedDict, TypeVar

from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient.auth.credentials import Secret
from soapclient.errors import ConfigError
from soapclient.settings.common import CommonSettings
from soapclient.settings.settings import settings_of
from soapclient.settings.transport import Certificate

# Arguments of earlier versions.
_RENAMED: Final = {
    "config": "settings",
    "carrier": "protocol",
    "max_reply_bytes": "max_response_bytes",
}

F = TypeVar("F", bound=Callable[..., object])
SettingsT = TypeVar("SettingsT", bound=CommonSettings)


class CommonArguments(TypedDict, total=False):
    """The settings for any service as keyword arguments of `connect`, with the types that callers may pass.

    `CommonSettings` describes them. An argument that is None counts as not set.

    >>> from typing import Unpack
    >>> from soapclient.settings import CommonArguments, CommonSettings
    >>> def settings_for_tests(**options: Unpack[CommonArguments]) -> CommonSettings:
    ...     return CommonSettings(**{"attempts": 1, **options})
    >>> settings_for_tests(timeout=5).timeout
    5.0
    """

    connect_id: str | None
    secret_key: str | Secret | None
    keyring: str | None
    deadline: float | dt.timedelta | None
    timeout: float | dt.timedelta | None
    connect_timeout: float | dt.timedelta | None
    attempts: int | None
    safe: Collection[str] | None
    naive_zone: str | dt.tzinfo | None
    report_zone: str | dt.tzinfo | None
    verify: bool | str | None
    certificate: Certificate | None
    proxies: str | Mapping[str, str] | None
    proxy_credentials: str | Secret | None
    headers: Mapping[str, str] | None
    user_agent: str | None
    pool_size: int | None
    allow_http: bool | Collection[str] | None
    allow_private: bool | Collection[str] | None
    max_response_bytes: int | None
    max_response_nodes: int | None
    max_response_parts: int | None
    max_compression_ratio: int | None
    max_download_bytes: int | None
    validate: Literal["requests", "all", "off"] | None
    on_invalid_value: Literal["error", "skip"] | None
    drift: Literal["tolerate", "warn", "error"] | None
    drift_log: str | os.PathLike[str] | None
    request_id_header: str | None
    signature_placement: Literal["auto", "body", "headers"] | None
    rest_format: Literal["xml", "json"] | None
    rest_signature: Literal["headers", "query"] | None
    lowercase_path: bool | None
    signature_validity_minutes: int | None
    stream_above: int | None
    mtom: Literal["auto", "always", "never"] | None
    mtom_above: int | None
    security: str | os.PathLike[str] | Mapping[str, object] | Literal[False] | None
    services: Mapping[str, Mapping[str, object]] | None


def showing(arguments: type) -> Callable[[F], F]:
    """Show the keys of a TypedDict as the arguments in a function's signature, instead of `**options`.

    Used as a decorator. `help`, notebooks and the documentation use this signature.
    """

    def decorated(function: F) -> F:
        signature = inspect.signature(function)
        parameters = [item for item in signature.parameters.values() if item.kind is not item.VAR_KEYWORD]
        keyword_only = inspect.Parameter.KEYWORD_ONLY
        parameters += [
            inspect.Parameter(name, keyword_only, default=None, annotation=hint)
            for name, hint in _hints(arguments).items()
        ]
        shown_as: Any = function
        shown_as.__signature__ = signature.replace(parameters=parameters)
        return function

    return decorated


def _hints(arguments: type) -> dict[str, str]:
    """Return the annotations of a TypedDict by key, as source text. The keys of its bases come first."""
    hints: Mapping[str, object] = arguments.__annotations__  # for a TypedDict, they include its bases
    return {name: getattr(hint, "__forward_arg__", str(hint)) for name, hint in hints.items()}


def _kind_of(value: object) -> str:
    """Describe a value in an error only by its type, because the value may contain secrets."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def with_options(
    kind: type[SettingsT],
    settings: SettingsT | None,
    options: Mapping[str, object],
    taker: Callable[..., object],
) -> SettingsT:
    """Return `settings` with the changes in `options`, which the caller passed as keyword arguments.

    If `settings` is None, settings of the class `kind` are loaded from the environment and the TOML file.
    `taker` is the function that the user called, whose parameters an error may suggest. Raises ConfigError
    for an unknown option or an invalid value.
    """
    names = settings_of(kind)
    for name in options.keys() - names.keys():
        parameters = [item for item in inspect.signature(taker).parameters if item not in {"self", "options"}]
        if name in _RENAMED and _RENAMED[name] in (*names, *parameters):
            problem, advice = f"was renamed to {_RENAMED[name]}", f"Pass {_RENAMED[name]}="
        elif name in kind.of_all_services():
            problem, advice = "has no effect here: it is a setting of another service", "Leave it out"
        else:
            problem = f"{shown(name)} is not an argument{nearest(name, [*names, *parameters])}"
            advice = f"Settings are: {', '.join(names)}"
        raise ConfigError(name, problem, advice)
    if settings is None:
        return kind.load(file=None, profile=None, environ=None, **options)
    if not isinstance(settings, kind):
        advice = "Pass Settings.load(…), or omit it to read the environment"
        raise ConfigError("settings", f"must be a Settings, got {_kind_of(settings)}", advice)
    others: Mapping[str, Any] = {name: value for name, value in options.items() if value is not None}
    return settings.replaced(**others) if others else settings
