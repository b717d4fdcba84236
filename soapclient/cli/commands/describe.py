"""`soapclient describe`: an operation with all its fields, and a command that calls it."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli import completion, kinds, options
from soapclient.cli.contracts import documentation
from soapclient.cli.packages import importable, label_of, words_of

if TYPE_CHECKING:
    from soapclient.cli.description import Description, Entry
    from soapclient.runtime.operations import AnyOperation

_EPILOG: Final = """\b
Example: soapclient describe publisher GetSales
         soapclient describe --package weather GetWeather
         soapclient describe weather.wsdl GetWeather
         soapclient describe publisher

\b
Names are those of NAME=VALUE in `soapclient call`; the second column has them as Python does.
"""
_WIDTH: Final = 100  # of a line of values


@click.command(epilog=_EPILOG, short_help="Show an operation's fields, values, and a call of it.")
@click.argument(
    "words", metavar="[SERVICE|WSDL] [OPERATION]", nargs=-1, shell_complete=completion.describe_words
)
@options.package
@options.file
@options.wsdl_port
@click.option("--json", "as_json", is_flag=True, help="As a JSON document.")
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    package: str | None,
    file: Path | None,
    port: str | None,
    as_json: bool,
) -> None:
    """Describe OPERATION of SERVICE (publisher, data or advertiser), or of any service by its WSDL (a file or
    an address) or its --package: what it does, each field of request and response, and a command line that
    calls it.

    Without OPERATION, list the operations of the service. Nothing is sent, and nothing need be configured.
    """
    service, wsdl, package, words = subject = kinds.subject(ctx, words, file, package)
    if subject.own and port is not None:
        raise click.UsageError("--port goes with --package or --file")
    if len(words) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({words[1]})")
    name = words[0] if words else ""
    with importable(wsdl, package) as imported:
        found = _of_ours(service, name) if subject.own else _of_package(imported, name, port)
        if not name:
            print_operations(found, as_json=as_json)
            return
        from soapclient.cli.description import describe

        called = [service] if subject.own else words_of(wsdl, imported)
        called += [] if port is None else ["--port", port]
        said = describe(found[0], service or (label_of(wsdl) if wsdl else imported), called)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(said), indent=2))
    else:
        click.echo("\n".join(_lines(said)))


def _of_ours(service: str, name: str) -> list[AnyOperation]:
    """Return one operation of a registered service, or all."""
    from soapclient.cli.contracts import operation_named, package_named

    return [operation_named(service, name)] if name else list(package_named(service).operations.values())


def _of_package(package: str, name: str, port: str | None) -> list[AnyOperation]:
    """One operation of any package, or all."""
    from soapclient.cli.packages import operation_of, package_named

    found = package_named(package)
    return [operation_of(found, name, port)[0]] if name else list(found.operations.values())


def print_operations(operations: Iterable[AnyOperation], *, as_json: bool = False) -> None:
    """Print the operations with what they do."""
    rows = [
        {"operation": each.key, "method": each.method, "documentation": documentation(each)}
        for each in operations
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for line in _aligned([(row["operation"], row["documentation"]) for row in rows]):
        click.echo(line)


# ---- a description as text


def _lines(said: Description) -> Iterator[str]:
    yield f"{said.service} {said.operation}: {said.documentation}"
    yield f"  {'; '.join(_facts(said))}"
    yield from _fields("Request", said.request)
    for header in said.headers:
        often = "required" if header.required else "optional"
        yield from _fields(f"Header {header.name} ({often}), given with --header", header.fields)
    if not said.one_way:
        yield from _fields("Response", said.response)
        for header in said.response_headers:
            yield from _fields(f"Header {header.name} of the response", header.fields)
    for fault in said.faults:
        yield from _fields(f"Fault {fault.name}", fault.fields)
    yield from ("", "Example", f"  {said.example}")


def _facts(said: Description) -> Iterator[str]:
    if said.signed is not None:
        yield "signed" if said.signed else "public"
        yield "safe to retry" if said.safe else "never retried"
    if said.one_way:
        yield "one-way"
    yield f"Python: {said.method}"
    if "soap" in said.protocols:
        yield "SOAP"
    if said.rest is not None:
        yield f"REST: {said.rest['method']} {said.rest['path']}"


def _fields(title: str, entries: Sequence[Entry]) -> Iterator[str]:
    yield ""
    yield title
    if not entries:
        yield "  no fields"
    rows = [
        (each.name, each.python, each.type + " …" * each.cut, _occurrence(each), _example(each))
        for each in entries
    ]
    for each, line in zip(entries, _aligned(rows), strict=True):
        yield f"  {line}"
        for detail in _details(each):
            yield f"      {detail}"


def _example(each: Entry) -> str:
    return "" if each.example is None else shlex.quote(each.example)


def _occurrence(each: Entry) -> str:
    if each.choice:
        often = "one of a choice"
    elif each.may_be_missing:
        often = "required, may be missing"
    else:
        often = "required" if each.required else "optional"
    if each.rest_optional:
        often += " over SOAP"
    if each.repeated:
        often += ", repeated" if each.least < 2 else f", {each.least} times or more"
    return often + (f", {each.protocol.upper()} only" if each.protocol else "")


def _details(each: Entry) -> Iterator[str]:
    if each.values:
        yield from _folded("one of: ", each.values)
    if each.known:
        yield from _folded("known: ", each.known)
    if each.hint:
        yield each.hint
    if each.nil:
        yield f"may be nil: {each.name}.@xsi:nil=true"
    if len(each.types) > 1:
        yield from _folded(f"by {each.name}.@xsi:type one of: ", each.types)
    for value, reason in each.refused_values.items():
        yield f"not {value}: {reason}"


def _folded(head: str, values: Sequence[str]) -> Iterator[str]:
    """Values with commas between them, in lines that are not too long."""
    line = head
    for at, value in enumerate(values):
        piece = shlex.quote(value) + "," * (at < len(values) - 1)
        if len(line) + len(piece) > _WIDTH and line.strip():
            yield line.rstrip()
            line = " " * len(head)
        line += f"{piece} "
    yield line.rstrip()


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
