"""`soapclient doctor`: check that the configured services can be used, and report what is wrong."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from soapclient._support.speedups import reader_name
from soapclient.cli import options
from soapclient.cli.contracts import SERVICES
from soapclient.cli.packages import importable
from soapclient.cli.param_types import ServiceName
from soapclient.cli.session import load_config, opened

if TYPE_CHECKING:
    from datetime import datetime

    from soapclient.console.targets import Exchange, Target
    from soapclient.runtime.operations import AnyOperation
    from soapclient.tracking.client import Client

Verdict = Literal["ok", "warning", "wrong", "skipped"]
_SLOW_CLOCK: Final = 60.0  # seconds
_VALIDITY: Final = 30 * 60.0  # seconds that a signature is valid
_CODE: Final = "partnerCode"


@dataclass(frozen=True)
class Check:
    """One check of a service and its result.

    `what` is the subject of the check, such as "clock". `verdict` is the result, and `text` explains it.
    """

    service: str
    what: str
    verdict: Verdict
    text: str


@click.command()
@click.argument("services", nargs=-1, type=ServiceName(command="soapclient describe"))
@options.package
@options.address
@options.security
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.pass_context
def command(
    ctx: click.Context,
    services: tuple[str, ...],
    package: str | None,
    address: str | None,
    security: Path | None,
    as_json: bool,
) -> None:
    """Check the configured SERVICES (default: all): address, connection, clock, a public and a signed call.

    With --package, check the ports of a package instead: the address, the policies (MTOM, WS-SecurityPolicy),
    and the keys for them. Nothing is sent then.

    The calls are reads, so nothing is changed at the service. Exits with 1 if anything is wrong.
    """
    if package is None and (address is not None or security is not None):
        raise click.UsageError("--address and --security can be used only with --package")
    if package is not None and services:
        raise click.UsageError("give SERVICES or --package, not both")
    reader = Check("soapclient", "reader", "ok", reader_name())
    with ExitStack() as ends:
        if package is not None:
            ends.enter_context(importable(None, package))
            results = _of_package(package, address, security)
        else:
            from soapclient.tracking.client import Client
            from soapclient.tracking.settings import own

            client = ends.enter_context(opened(Client(own(load_config()))))
            results = checks(client, services or SERVICES)
        wrong = False
        for check in itertools.chain([reader], results):
            wrong = wrong or check.verdict == "wrong"
            if as_json:
                click.echo(json.dumps(asdict(check)))
            else:
                click.echo(f"{check.service:<11}{check.what:<12}{check.verdict:<9}{check.text}")
    ctx.exit(1 if wrong else 0)


def _of_package(name: str, address: str | None, security: Path | None) -> Iterator[Check]:
    """Yield the results of the checks for each port of the package `name`.

    Checks the address, the policies (WS-SecurityPolicy), and the keys that the policies need. `address` and
    `security` are the command's options.
    """
    from soapclient.cli.packages import connected_to, package_named
    from soapclient.errors import ConfigError
    from soapclient.runtime.policies import policy_lines

    package = package_named(name)
    for port in package.settings.ports:
        lines = policy_lines(package, port)
        for line in lines:
            is_bad = line.startswith(("weak algorithms", "not supported"))
            yield Check(port.name, "policy", "warning" if is_bad else "ok", line)
        if not port.policies:
            yield Check(port.name, "policy", "ok", "the WSDL has no WS-SecurityPolicy for this port")
        try:
            service = connected_to(package, port, address, security=security)
        except ConfigError as error:
            what = "address" if error.setting == "address" else "keys"
            yield Check(port.name, what, "wrong", str(error))
            continue
        service.close()
        configured = security or load_config().for_service(package.settings.name).security
        if port.policies and configured is False:
            yield Check(
                port.name, "keys", "warning", "requests are sent without WS-Security (security = false)"
            )
        elif port.policies and configured is not None:
            yield Check(port.name, "keys", "ok", "the keys meet the policy")
        elif port.policies:
            yield Check(port.name, "keys", "skipped", "no keys are configured: pass --security FILE")


def checks(client: Client, services: tuple[str, ...]) -> Iterator[Check]:
    """Yield the results of the checks of all `services`. Each result is yielded when its check is done."""
    from soapclient.tracking.console import targets_of

    for target in targets_of(client):
        if target.name in services:
            yield from _of_service(client, target)


def _of_service(client: Client, target: Target) -> Iterator[Check]:
    """Yield the results for one service: address, connection, clock, a public and a signed call."""
    from soapclient._support.redaction import safe_url
    from soapclient.settings.addresses import is_placeholder

    name = target.name
    host = target.address.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
    if not target.address or is_placeholder(host):
        problem = (
            f"{safe_url(target.address)} is a placeholder" if target.address else "no address is configured"
        )
        yield Check(name, "address", "wrong", f"{problem}: set SOAPCLIENT_{name.upper()}_URL")
        return
    yield Check(name, "address", "ok", safe_url(target.address))
    codes = client.settings.advertiser_partner_codes[:1]
    public, signed = (_first(target, codes, signed=signed) for signed in (False, True))
    reached = False
    for what, operation in (("public call", public), ("signed call", signed)):
        if operation is None:
            no_code = "a partner code is required: set SOAPCLIENT_ADVERTISER_PARTNER_CODES"
            no_operation = "the contract does not have such an operation without required fields"
            yield Check(name, what, "skipped", no_code if name == "advertiser" else no_operation)
            continue
        if operation.signed and client.settings.secret_key is None:
            yield Check(name, what, "skipped", "no secret key is configured: set SOAPCLIENT_SECRET_KEY")
            continue
        exchange = _call(target, operation, codes)
        if exchange.response.line and not reached:
            reached = True
            yield Check(name, "connection", "ok", _connection(target.address))
            yield _clock(name, exchange)
        if exchange.error:
            yield Check(name, what, "wrong", _why(operation, exchange))
            if not exchange.response.line:
                return  # the next call would fail in the same way
        else:
            yield Check(name, what, "ok", f"{operation.name}, {exchange.milliseconds:.0f} ms")


def _first(target: Target, codes: Sequence[str], *, signed: bool) -> AnyOperation | None:
    """Return the first read operation that can be called without arguments, or None.

    The operation requires no arguments, or only a partner code if `codes` has one. If `signed` is True, only
    signed operations are considered, otherwise only public ones.
    """
    available = {_CODE} if codes else set()
    for operation in target.operations.values():
        fields = operation.codec.fields(operation.row.request)
        required = {field.name for field in fields if field.least}
        is_suitable = operation.safe and operation.signed == signed and (operation.soap or target.by_rest)
        if is_suitable and required <= available:
            return operation
    return None


def _call(target: Target, operation: AnyOperation, codes: Sequence[str]) -> Exchange:
    """Call an operation. If it takes partner codes, pass the first of `codes`.

    Return the request and response as an exchange. If the call failed, its `error` is the error message.
    """
    from soapclient.console.forms import Forms
    from soapclient.console.targets import Exchange, now
    from soapclient.testing.examples import Examples

    values = {}
    for field in operation.codec.fields(operation.row.request):
        if field.name == _CODE:
            values = {f"n:{field.python}": "1", f"v:{field.python}.0": codes[0]}
    form = Forms(Examples(operation.codec), target.checks()).form(operation, values, check=False)
    exchange = Exchange(0, now(), target.name, operation.key, values)
    error = target.send(exchange, form)
    if error is not None:
        exchange.error = str(error)
    return exchange


def _connection(address: str) -> str:
    if address.startswith("https:"):
        return "reached; the certificate is trusted"
    return "reached, but not encrypted: other machines on the network can read the messages"


def _clock(name: str, exchange: Exchange) -> Check:
    """Compare this machine's clock with the Date header of a response. Return the result."""
    from soapclient.console.signatures import parsed_date

    date_header = next((text for key, text in exchange.response.headers.items() if key.lower() == "date"), "")
    service_time: datetime | None = parsed_date(date_header)
    if service_time is None:
        return Check(name, "clock", "warning", "the response has no valid Date header")
    seconds = (exchange.moment - service_time).total_seconds()
    if abs(seconds) <= _SLOW_CLOCK:
        return Check(name, "clock", "ok", f"{abs(seconds):.0f} s from the service's clock")
    which = "ahead of" if seconds > 0 else "behind"
    verdict: Verdict = "wrong" if abs(seconds) > _VALIDITY else "warning"
    text = f"this machine's clock is {abs(seconds):.0f} s {which} the service's clock: correct it"
    return Check(name, "clock", verdict, text)


def _why(operation: AnyOperation, exchange: Exchange) -> str:
    """Return the error of a call, with the likely reasons if its signature was refused."""
    from soapclient.console.signatures import parsed_date, reasons

    text = exchange.error
    if exchange.kind == "AuthenticationError":
        headers = exchange.response.headers.items()
        date_header = next((text for key, text in headers if key.lower() == "date"), "")
        likely = reasons(exchange.signed, exchange.error, (), parsed_date(date_header) or exchange.moment)
        text = " ".join([text, *likely])
    return text if text.startswith(f"{operation.name}:") else f"{operation.name}: {text}"
