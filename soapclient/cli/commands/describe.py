"""`soapclient describe`: show an operation with all its fields, and a command that calls it."""

from __future__ import annotations

import dataclasses
import json
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli import completion, options, param_types
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
The first column has the names for `soapclient call`, the second column the names in Python.
"""
_WIDTH: Final = 100  # characters per line of documentation or values


@click.command(epilog=_EPILOG)
@click.argument(
    "words", metavar="[SERVICE|WSDL] [OPERATION]", nargs=-1, shell_complete=completion.describe_words
)
@options.package
@options.file
@options.wsdl_port
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    package: str | None,
    file: Path | None,
    port: str | None,
    as_json: bool,
) -> None:
    """Describe OPERATION of SERVICE (see `soapclient operations`), or of any service by its WSDL (a file or
    an address) or its --package: what it does, each field of request and response, and a command line that
    calls it.

    Without OPERATION, list the operations of the service. Nothing is sent, and no configuration is needed.
    """
    service, wsdl, package, words = subject = param_types.subject(ctx, words, file, package)
    if subject.own and port is not None:
        raise click.UsageError("--port can be used only with --package or --file")
    if len(words) > 1:
        raise click.UsageError(f"Got unexpected extra argument ({words[1]})")
    name = words[0] if words else ""
    with importable(wsdl, package) as imported:
        operations = (
            _registered_operations(service, name)
            if subject.own
            else _package_operations(imported, name, port)
        )
        if not name:
            print_operations(operations, as_json=as_json)
            return
        from soapclient.cli.description import describe

        called = [service] if subject.own else words_of(wsdl, imported)
        called += [] if port is None else ["--port", port]
        description = describe(operations[0], service or (label_of(wsdl) if wsdl else imported), called)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(description), indent=2))
    else:
        click.echo("\n".join(_lines(description)))


def _registered_operations(service: str, name: str) -> list[AnyOperation]:
    """Return the operation `name` of a registered service, or all its operations if `name` is ""."""
    from soapclient.cli.contracts import operation_named, package_named

    return [operation_named(service, name)] if name else list(package_named(service).operations.values())


def _package_operations(package: str, name: str, port: str | None) -> list[AnyOperation]:
    """Return the operation `name` of a generated package, or all its operations if `name` is "".

    `port` selects the WSDL port if several ports have an operation with this name.
    """
    from soapclient.cli.packages import operation_of, package_named

    imported = package_named(package)
    return [operation_of(imported, name, port)[0]] if name else list(imported.operations.values())


def print_operations(operations: Iterable[AnyOperation], *, as_json: bool = False) -> None:
    """Print the name of each operation, and the first paragraph of its documentation, as text or JSON."""
    rows = [
        {"operation": operation.key, "method": operation.method, "documentation": documentation(operation)}
        for operation in operations
    ]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for line in _aligned([(row["operation"], row["documentation"]) for row in rows]):
        click.echo(line)


# ---- a description as text


def _lines(description: Description) -> Iterator[str]:
    """Yield the lines of text that describe an operation."""
    heading = click.style(f"{description.service} {description.operation}", bold=True)
    yield f"{heading}: {description.documentation}"
    yield f"  {'; '.join(_facts(description))}"
    yield from _fields("Request", description.request)
    for header in description.headers:
        occurrence = "required" if header.required else "optional"
        yield from _fields(f"Header {header.name} ({occurrence}), set with --header", header.fields)
    if not description.one_way:
        yield from _fields("Response", description.response)
        for header in description.response_headers:
            yield from _fields(f"Header {header.name} of the response", header.fields)
    for fault in description.faults:
        yield from _fields(f"Fault {fault.name}", fault.fields)
    yield from ("", click.style("Example", bold=True), f"  {description.example}")


def _facts(description: Description) -> Iterator[str]:
    """Yield short phrases about an operation, such as `signed`, `safe to retry` and its Python method."""
    if description.signed is not None:
        yield "signed" if description.signed else "public"
        yield "safe to retry" if description.safe else "never retried"
    if description.one_way:
        yield "one-way"
    yield f"Python: {description.method}"
    if "soap" in description.protocols:
        yield "SOAP"
    if description.rest is not None:
        yield f"REST: {description.rest['method']} {description.rest['path']}"


def _fields(title: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the title of a message, then a line for each of its fields and lines with details."""
    yield ""
    yield click.style(title, bold=True)
    if not entries:
        yield "  no fields"
    rows = [
        (entry.name, entry.python, entry.type + " …" * entry.cut, _occurrence(entry), _example(entry))
        for entry in entries
    ]
    for entry, line in zip(entries, _aligned(rows), strict=True):
        yield f"  {line}"
        for detail in _details(entry):
            yield f"      {detail}"


def _example(entry: Entry) -> str:
    """Return the example value of a field, quoted for a shell."""
    return "" if entry.example is None else shlex.quote(entry.example)


def _occurrence(entry: Entry) -> str:
    """Describe how often a field occurs, such as `required` or `optional, repeated`."""
    if entry.choice:
        text = "one of a choice"
    elif entry.may_be_missing:
        text = "required by the contract, but sometimes missing"
    else:
        text = "required" if entry.required else "optional"
    if entry.rest_optional:
        text += " over SOAP"
    if entry.repeated:
        text += ", repeated" if entry.least < 2 else f", {entry.least} times or more"
    return text + (f", {entry.protocol.upper()} only" if entry.protocol else "")


def _details(entry: Entry) -> Iterator[str]:
    """Yield lines with details of a field, such as its documentation and its allowed values."""
    yield from textwrap.wrap(entry.documentation, _WIDTH)
    if entry.values:
        yield from _folded("one of: ", entry.values)
    if entry.known:
        yield from _folded("known: ", entry.known)
    if entry.hint:
        yield entry.hint
    if entry.nil:
        yield f"can be nil: {entry.name}.@xsi:nil=true"
    if len(entry.types) > 1:
        yield from _folded(f"{entry.name}.@xsi:type can be one of: ", entry.types)
    for value, reason in entry.refused_values.items():
        yield f"not {value}: {reason}"


def _folded(head: str, values: Sequence[str]) -> Iterator[str]:
    """Yield a text as wrapped lines. The text is `head`, then the values, separated by commas."""
    line = head
    for number, value in enumerate(values):
        piece = shlex.quote(value) + "," * (number < len(values) - 1)
        if len(line) + len(piece) > _WIDTH and line.strip():
            yield line.rstrip()
            line = " " * len(head)
        line += f"{piece} "
    yield line.rstrip()


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
