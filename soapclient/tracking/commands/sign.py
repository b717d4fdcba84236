"""`soapclient sign`: print a signature and the text that was signed, for comparison with other programs."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.auth.signing import SHORTEST_NONCE, VERBS, rest_timestamp, soap_timestamp
from soapclient.cli import completion
from soapclient.cli.contracts import SERVICES, WITH_SOAP, operation_named, package_named
from soapclient.cli.param_types import ServiceName
from soapclient.cli.session import load_config
from soapclient.transport.dates import http_date

if TYPE_CHECKING:
    from soapclient.settings import CommonSettings

# Milliseconds, a Z, or both may follow (docs/explanation/service.md#signing).
_SOAP_FORM: Final = LazyPattern(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{3})?Z?", re.ASCII)


_Stamps = tuple[str, str, dict[str, str]]
"""Timestamp, nonce, and a dict (name → value) of the generated ones among these two values."""


def _rest_stamp(timestamp: str | None, nonce: str | None) -> _Stamps:
    moment = http_date(timestamp)
    is_valid = moment is not None and rest_timestamp(moment) == timestamp
    return _stamps(timestamp, nonce, rest_timestamp, is_valid, "Thu, 15 Aug 2013 15:56:07 GMT")


def _soap_stamp(timestamp: str | None, nonce: str | None) -> _Stamps:
    match = _SOAP_FORM.fullmatch(timestamp or "")
    try:
        is_valid = match is not None and bool(dt.datetime.fromisoformat(match[1]))
    except ValueError:
        is_valid = False
    return _stamps(timestamp, nonce, soap_timestamp, is_valid, "2013-08-20T14:44:21")


def _stamps(
    timestamp: str | None,
    nonce: str | None,
    write: Callable[[dt.datetime], str],
    is_valid: bool,
    example: str,
) -> _Stamps:
    """Return (timestamp, nonce, generated). `generated` is a dict (name → value) of the generated values.

    - `timestamp`, `nonce`: returned unchanged. If one of them is None, a value is generated. If the service
      would reject a value, a warning is printed.
    - `write`: formats the current time as a timestamp.
    - `is_valid`: True if `timestamp` has the right format.
    - `example`: a valid timestamp, shown in the warning.
    """
    from soapclient.clock import SystemClock, fresh_nonce

    generated = {}
    if timestamp is None:
        timestamp = generated["timestamp"] = write(SystemClock().now())
    elif not is_valid:
        click.echo(f"soapclient: the service requires a timestamp such as {example}, in GMT", err=True)
    if nonce is None:
        nonce = generated["nonce"] = fresh_nonce()
    elif len(nonce) < SHORTEST_NONCE:
        click.echo(
            f"soapclient: the service requires a nonce of {SHORTEST_NONCE} or more characters", err=True
        )
    return timestamp, nonce, generated


_TIMESTAMP: Final = click.option("--timestamp", help="Timestamp as sent and signed. Default: now.")
_NONCE: Final = click.option("--nonce", help="Nonce as sent and signed. Default: a new one.")
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")


@click.group()
def command() -> None:
    """Sign a request with the credentials of the configuration. The secret key is never printed."""


@command.command(short_help="Sign a REST request.")
@click.argument("verb", type=click.Choice(VERBS, case_sensitive=False), metavar="VERB")
@click.argument("uri")
@_TIMESTAMP
@_NONCE
@_JSON
def rest(verb: str, uri: str, timestamp: str | None, nonce: str | None, as_json: bool) -> None:
    """Sign a REST request. VERB is the HTTP method, and URI the path that is sent.

    The query is not signed, nor are the format and the version at the start of a complete path.
    """
    from soapclient.auth.signing import rest_string_to_sign

    config = load_config()
    path = _signed_part(uri, lowercase=config.lowercase_path)
    timestamp, nonce, generated = _rest_stamp(timestamp, nonce)
    _show(config, rest_string_to_sign(verb, path, timestamp, nonce), generated, as_json)


@command.command(short_help="Sign a SOAP request.")
@click.argument("service", type=ServiceName(WITH_SOAP))
@click.argument("operation", shell_complete=completion.soap_operation)
@_TIMESTAMP
@_NONCE
@_JSON
def soap(service: str, operation: str, timestamp: str | None, nonce: str | None, as_json: bool) -> None:
    """Sign a SOAP request of SERVICE. OPERATION is the name of the operation in the contract."""
    from soapclient.auth.signing import soap_string_to_sign

    config, signing = load_config(), package_named(service).settings.signing
    name = config.signing_name(service, "" if signing is None else signing.service_name)
    timestamp, nonce, generated = _soap_stamp(timestamp, nonce)
    wire_name = operation_named(service, operation).name
    _show(config, soap_string_to_sign(name, wire_name, timestamp, nonce), generated, as_json)


def _signed_part(uri: str, *, lowercase: bool) -> str:
    """Return the part of a REST path that is signed: without query, format and version segment.

    The version segment may be the version of any service, because the service to which the path belongs is
    unknown. If `lowercase` is True, the part is returned in lower case.
    """
    from soapclient.auth.signing import signed_uri

    whole = signed_uri(uri, "", lowercase=lowercase)
    cut = (
        signed_uri(uri, package_named(service).settings.version, lowercase=lowercase) for service in SERVICES
    )
    return next((path for path in cut if path != whole), whole)


def _show(config: CommonSettings, text: str, fresh: dict[str, str], as_json: bool) -> None:
    from soapclient.auth.credentials import CREDENTIALS_ARE_SET
    from soapclient.auth.signing import sign
    from soapclient.errors import ConfigError

    if config.secret_key is None:
        raise ConfigError("secret_key", "is not set, but required for a signature", CREDENTIALS_ARE_SET)
    result = {"string_to_sign": text, "signature": sign(config.secret_key, text), **fresh}
    if as_json:
        click.echo(json.dumps(result))
        return
    for name, value in result.items():
        click.echo(f"{name.replace('_', ' '):<15} {value}")
