"""Write what the pages of docs/reference/ hold of the code: settings, commands, public names, errors,
mistakes.

    .venv/bin/python .ci/reference.py            write it
    .venv/bin/python .ci/reference.py --check    exit 1 where a page is not what the code says

It stands between `<!-- generated: WHAT -->` and `<!-- end -->`; the rest of a page is written by hand.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import mistakes as made

import bindgen.cli
import soapclient
import soapclient.tracking
from soapclient import Config
from soapclient.cli.application import cli
from soapclient.cli.failures import EXIT_CODES
from soapclient.errors import SoapClientError

REFERENCE = Path(__file__).parents[1] / "docs/reference"
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table(*rows: tuple[str, ...]) -> str:
    head, *body = rows
    lines = [head, ("---",) * len(head), *body]
    bar = r"\|"
    return "".join(f"| {' | '.join(cell.replace('|', bar) for cell in line)} |\n" for line in lines)


def first_line(documented: object) -> str:
    """The first sentence of a docstring."""
    text = " ".join((inspect.getdoc(documented) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0]


def settings() -> str:
    rows = [("Setting", "Environment variable", "Default", "Allowed", "What it is")]
    for each in Config.settings():
        default = "" if each.default in (None, "", (), {}) else f"`{each.default}`"
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
    """Modules right below the package, and below the tracking service, that say what they offer."""
    yield "soapclient"
    for package in (soapclient, soapclient.tracking):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name != "cli" and not module.name.startswith("_"):
                name = f"{package.__name__}.{module.name}"
                if getattr(importlib.import_module(name), "__all__", None):
                    yield name


def names() -> str:
    parts = []
    for name in public_modules():
        module = importlib.import_module(name)
        rows = [("Name", "What it is")]
        for offered in sorted(module.__all__):
            value = getattr(module, offered)
            documented = inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)
            other = "a constant" if isinstance(value, str) else "a type, for hints"
            rows.append((f"`{offered}`", first_line(value) if documented else other))
        parts.append(f"## {name}\n\n{first_line(module)}\n\n{table(*rows)}\n")
    return "".join(parts)


def _errors(kind: type[SoapClientError], depth: int) -> Iterator[tuple[str, str, str]]:
    module = "" if kind.__module__ == "soapclient.errors" else f"`{kind.__module__}`"
    yield f"{'&nbsp;' * 4 * depth}`{kind.__name__}`", module, first_line(kind)
    for below in sorted(kind.__subclasses__(), key=lambda each: each.__name__):
        if not below.__name__.startswith("_"):
            yield from _errors(below, depth + 1)


def errors() -> str:
    for module in pkgutil.walk_packages(soapclient.__path__, "soapclient."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return table(("Error", "In, where not `soapclient.errors`", "What it is"), *_errors(SoapClientError, 0))


def mistakes() -> str:
    head = ("What is done", "What is said", "Exit code, or error")
    return "".join(f"## {kind}\n\n{table(head, *made.rows(kind))}\n" for kind in made.MISTAKES)


WRITERS = {
    "settings": settings,
    "exit_codes": exit_codes,
    "commands": commands,
    "names": names,
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
