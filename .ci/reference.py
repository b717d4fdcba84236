"""Write the generated parts of docs/reference/: settings, commands, public names, errors, mistakes.

    .venv/bin/python .ci/reference.py            write it
    .venv/bin/python .ci/reference.py --check    exit with 1 if a page is not up to date

A generated part is between `<!-- generated: WHAT -->` and `<!-- end -->`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from pathlib import Path

import click
import mistakes as made
from received import RECEIVED

import bindgen.cli
import soapclient
import soapclient.tracking
from bindgen.emit.module import FROM_RUNTIME
from soapclient import Settings
from soapclient.cli.application import cli
from soapclient.cli.failures import EXIT_CODES
from soapclient.errors import SoapClientError
from soapclient.settings.kinds import OptionalSecondsField, SecondsField, ZoneField
from soapclient.settings.settings import SecretField

_QUOTES = "\"'"  # annotations are strings
REFERENCE = Path(__file__).parents[1] / "docs/reference"
# The types that users pass for fields whose classes are only for type checkers.
_PASSED = {
    kind.__name__: str(kind.__set__.__annotations__["value"])
    for kind in (SecondsField, OptionalSecondsField, ZoneField, SecretField)
}
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table(*rows: tuple[str, ...]) -> str:
    head, *body = rows
    lines = [head, ("---",) * len(head), *body]
    bar = r"\|"
    return "".join(f"| {' | '.join(cell.replace('|', bar) for cell in line)} |\n" for line in lines)


def first_line(documented: object) -> str:
    """Return the first sentence of a docstring."""
    text = " ".join((inspect.getdoc(documented) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0]


def settings() -> str:
    rows = [("Setting", "Environment variable", "Default", "Allowed", "What it is")]
    for each in Settings.settings():
        default = "" if each.default in (None, "", (), {}, frozenset()) else f"`{each.default}`"
        rows.append((f"`{each.name}`", f"`{each.env}`", default, each.kind.allowed, each.about))
    return table(*rows)


def _commands(
    command: click.Command, name: str, above: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    given = {**command.context_settings, "terminal_width": 80, "max_content_width": 80}
    with click.Context(command, parent=above, info_name=name, **given) as context:
        yield context.command_path, command.get_help(context)
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                inner = command.get_command(context, below)
                assert inner is not None
                yield from _commands(inner, below, context)


def exit_codes() -> str:
    rows = [("Exit code", "What went wrong", "Errors")]
    for code, said, kinds in EXIT_CODES:
        rows.append((f"{code:d}", said, ", ".join(f"`{kind.__name__}`" for kind in kinds)))
    return table(*rows)


def commands() -> str:
    found = [*_commands(cli, "soapclient"), *_commands(bindgen.cli.main, "bindgen")]
    return "".join(f"## {name}\n\n```text\n{said.rstrip()}\n```\n\n" for name, said in found)


def public_modules() -> Iterator[str]:
    """Return the modules with `__all__` directly below the package and below the tracking service."""
    yield "soapclient"
    for package in (soapclient, soapclient.tracking):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name != "cli" and not module.name.startswith("_"):
                name = f"{package.__name__}.{module.name}"
                if getattr(importlib.import_module(name), "__all__", None):
                    yield name


def _argument(parameter: inspect.Parameter) -> str:
    star = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    text = "*" * star + "*" * (parameter.kind is parameter.VAR_KEYWORD) + parameter.name
    if parameter.annotation is not parameter.empty:
        annotation = inspect.formatannotation(parameter.annotation).strip(_QUOTES)
        text += f": {_PASSED.get(annotation, annotation)}"
    if parameter.default is not parameter.empty:  # a hook or a random source prints as an address of this run
        text += f" = {re.sub(r'<.*>', '…', repr(parameter.default))}"
    return text


def signature(name: str, value: object) -> str:
    """Return `name(argument: kind = default) -> kind`, or "" if there is no signature."""
    no_class = not inspect.isclass(value) or issubclass(value, Enum) or getattr(value, "_is_protocol", False)
    if not inspect.isroutine(value) and no_class:
        return ""
    assert callable(value)
    try:
        found = inspect.signature(value)
    except ValueError:  # an exception without an __init__
        return ""
    arguments: list[str] = []
    last = None
    for each in found.parameters.values():
        if each.kind is each.KEYWORD_ONLY and last not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL):
            arguments.append("*")
        if last is each.POSITIONAL_ONLY is not each.kind:
            arguments.append("/")
        arguments.append(_argument(each))
        last = each.kind
    returned = ""
    if not inspect.isclass(value) and found.return_annotation is not found.empty:
        returned = f" -> {inspect.formatannotation(found.return_annotation).strip(_QUOTES)}"
    line = f"{name}({', '.join(arguments)}){returned}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in arguments), f"){returned}"])


def _listed(
    offered: Iterable[tuple[str, object]], shown: set[int], received: Collection[str] = frozenset()
) -> str:
    """Return a table of names with descriptions, and the signatures that are not in `shown` yet, without
    constructors of `received` classes."""
    rows, signatures = [("Name", "What it is")], []
    for name, value in sorted(offered, key=lambda pair: pair[0]):
        documented = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
        other = "a constant" if isinstance(value, str | Enum) else "a type, for hints"
        rows.append((f"`{name}`", first_line(value) if documented else other))
        if id(value) not in shown:
            shown.add(id(value))
            signatures.append("" if name in received else signature(name, value))
    with_arguments = "\n".join(filter(None, signatures))
    return table(*rows) + (f"\n```text\n{with_arguments}\n```\n" if with_arguments else "")


def names() -> str:
    """Return the names that users import, by module."""
    parts, shown = [], set[int]()
    for name in public_modules():
        module = importlib.import_module(name)
        offered = [(each, getattr(module, each)) for each in module.__all__]
        parts.append(
            f"## {name}\n\n{first_line(module)}\n\n{_listed(offered, shown, RECEIVED.get(name, ()))}\n"
        )
    return "".join(parts)


def generated_names() -> str:
    """Return the names that generated code imports, by module."""
    modules: dict[str, list[tuple[str, object]]] = {}
    for name, module in FROM_RUNTIME.items():
        home = f"soapclient.runtime.{module}"
        modules.setdefault(home, []).append((name, getattr(importlib.import_module(home), name)))
    shown = set[int]()
    return "".join(f"### {home}\n\n{_listed(names, shown)}\n" for home, names in sorted(modules.items()))


def _errors(kind: type[SoapClientError], depth: int) -> Iterator[tuple[str, str]]:
    yield f"{'&nbsp;' * 4 * depth}`{kind.__name__}`", first_line(kind)
    for below in sorted(kind.__subclasses__(), key=lambda each: each.__name__):
        if not below.__name__.startswith("_"):
            yield from _errors(below, depth + 1)


def errors() -> str:
    return table(("Error", "What it is"), *_errors(SoapClientError, 0))


def mistakes() -> str:
    head = ("What is done", "What is said", "Exit code, or error")
    return "".join(f"## {kind}\n\n{table(head, *made.rows(kind))}\n" for kind in made.MISTAKES)


WRITERS = {
    "settings": settings,
    "exit_codes": exit_codes,
    "commands": commands,
    "names": names,
    "generated_names": generated_names,
    "errors": errors,
    "mistakes": mistakes,
}


def main(check: bool) -> int:
    differing = []
    for page in sorted(REFERENCE.glob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = _BLOCK.sub(lambda found: f"{found[1]}\n{WRITERS[found[2]]().rstrip()}\n\n", before)
        if after != before:
            differing.append(page.name)
            if not check:
                page.write_text(after, encoding="utf-8")
    for name in differing:
        print(f"docs/reference/{name}: {'differs; run .ci/reference.py' if check else 'written'}")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
