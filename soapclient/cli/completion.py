"""Completion in shells, by click: operations, fields and their values, report types, packages.

What it knows comes from the rows of packages, as everything does that knows a type; no client and no library
of XML is loaded for it, but for a WSDL on disk. Whatever goes wrong, nothing is offered and nothing said.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

from soapclient.cli.contracts import SERVICES, documentation

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.package import Package

Items = list["CompletionItem[str]"]
Complete = Callable[[click.Context, click.Parameter, str], Items]

_NIL, _TYPE = "@xsi:nil", "@xsi:type"
_LISTS: Final = ("columns", "group_by")  # of an order: texts that are lists with commas


# ---- what commands complete


def call_words(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """[SERVICE] OPERATION [NAME=VALUE]... of `soapclient call`."""
    return _words(ctx, typed, fields=True)


def describe_words(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """[SERVICE] [OPERATION] of `soapclient describe`."""
    return _words(ctx, typed, fields=False)


def operation(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """An operation of the service before it."""
    return _operations(_package(ctx.params["service"]).operations.values(), typed)


def soap_operation(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """The same of those that SOAP has."""
    found = _package(ctx.params["service"]).operations.values()
    return _operations((each for each in found if each.row.soap), typed)


def list_operation(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """The same of those that give a list."""
    found = _package(ctx.params["service"]).operations.values()
    return _operations((each for each in found if each.row.list), typed)


def assignments(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """NAME=VALUE of the operation before it."""
    package = _package(ctx.params["service"])
    return _fields(package, ctx.params["operation"], ctx.params["assignments"] or (), typed)


def report_type(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """The type of an export, or the command to go on with one."""
    return [*_of_order("report_type", typed), *_starting(["resume"], typed)]


def of_order(ctx: click.Context, option: click.Parameter, typed: str) -> Items:
    """An option of `soapclient export` that is a field of the order."""
    return _of_order(option.name or "", typed)


def packages(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Generated packages in this folder, or installed; after a dot those within another."""
    above, _dot, _last = typed.rpartition(".")
    found = set()
    for place in dict.fromkeys([os.getcwd(), *sys.path]):
        for row in Path(place or ".", *above.split(".")).glob("*/schema.json"):
            if (row.parent / "service.py").is_file():
                found.add(f"{above}.{row.parent.name}".lstrip("."))
    return _starting(sorted(found), typed)


# ---- operations


def _words(ctx: click.Context, typed: str, *, fields: bool) -> Items:
    before: Sequence[str] = ctx.params["words"] or ()
    file, package = ctx.params["file"], ctx.params["package"]
    if file is None and package is None:
        if not before:
            return _starting(SERVICES, typed)
        package, before = f"zxws.{before[0]}", before[1:]
    from soapclient.cli.packages import importable

    with importable(file, package) as name:
        found = _named(name)
        if not before:
            return _operations(found.operations.values(), typed)
        return _fields(found, before[0], before[1:], typed) if fields else []


def _package(service: str) -> Package:
    return _named(f"zxws.{service}")


def _named(name: str) -> Package:
    from soapclient.runtime.package import package

    return package(name)


def _operations(found: Iterable[AnyOperation], typed: str) -> Items:
    return [
        CompletionItem(each.key, help=documentation(each) or None)
        for each in found
        if each.key.startswith(typed)
    ]


# ---- fields and values


def _fields(package: Package, called: str, before: Sequence[str], typed: str) -> Items:
    from soapclient.cli.names import asked_of
    from soapclient.runtime.fields import Types

    types = Types(package.schema, import_module(f"{package.name}.types"))
    known = package.operations
    chosen = next(each for each in known.values() if called in (each.key, each.name, each.row.method))
    asked = asked_of(types, chosen)
    name, equals, value = typed.partition("=")
    if not equals:
        return _Names(types, asked, {word.partition("=")[0] for word in before}).of(typed)
    texts = _values(types, chosen, asked, name)
    if name.split("[")[0] in {each for part in asked if part.python in _LISTS for each in _both(part)}:
        return [CompletionItem(f"{name}={text}") for text in _of_list(texts, value)]
    return [CompletionItem(f"{name}={text}") for text in texts if text.startswith(value)]


def _both(part: Field) -> tuple[str, str]:
    return part.name, part.python


class _Names:
    """The names that go on where one was begun, a step at a time, as folders do."""

    def __init__(self, types: Types, asked: Sequence[Field], given: set[str]) -> None:
        self._types = types
        self._asked = asked
        self._given = given

    def of(self, typed: str) -> Items:
        """Those in the contract's words, or where it has none, in Python's."""
        from soapclient.cli.names import DOT, step

        *above, _ = DOT.split(typed)
        prefix = "".join(f"{each}." for each in above)
        part, parts = _at(self._types, self._asked, above)
        found = [*self._steps(prefix, parts, lambda each: step(each, parts)), *self._said(prefix, part)]
        chosen = [each for each in found if each.value.startswith(typed)]
        if not chosen:
            found = list(self._steps(prefix, parts, lambda each: each.python))
            chosen = [each for each in found if each.value.startswith(typed)]
        return chosen

    def _steps(
        self, prefix: str, parts: Sequence[Field], name_of: Callable[[Field], str]
    ) -> Iterator[CompletionItem[str]]:
        from soapclient.cli.names import contents, shown
        from soapclient.console.described import hint, type_of

        for part in parts:
            if prefix and shown(part) == "$":
                continue  # what the name before the dot stands for
            name = f"{prefix}{name_of(part)}"
            inner = contents(self._types, part)
            has_text = not part.holds or (not part.item and any(shown(each) == "$" for each in inner))
            is_given = not self._given.isdisjoint({name, f"{prefix}{part.python}"})
            said = ", ".join(filter(None, [type_of(self._types, part), "required" * part.least, hint(part)]))
            if has_text and (part.repeats or part.item or not is_given):
                yield CompletionItem(f"{name}=", help=said)
            if part.holds:
                yield CompletionItem(f"{name}.", help=said)

    def _said(self, prefix: str, part: Field | None) -> Iterator[CompletionItem[str]]:
        """What an element says of itself."""
        if part is None or part.item:
            return
        if part.holds and self._types.is_open(part.holds):
            yield CompletionItem(f"{prefix}{_TYPE}=", help="which of several types it has")
        if part.row.nil or part.row.nil_item:
            yield CompletionItem(f"{prefix}{_NIL}=", help="that it is nil")


def _at(types: Types, asked: Sequence[Field], steps: Sequence[str]) -> tuple[Field | None, Sequence[Field]]:
    """The field that steps lead to, and what it consists of."""
    from soapclient.cli.names import STEP, by_name, contents

    part, parts = None, asked
    for each in steps:
        step = STEP.fullmatch(each)
        part = by_name(parts)[step[1].replace("\\.", ".")] if step else None
        parts = contents(types, part) if part else ()
    return part, parts


def _values(types: Types, called: AnyOperation, asked: Sequence[Field], name: str) -> list[str]:
    """What a field may be, as far as that can be listed."""
    from soapclient.cli.names import DOT, known_values, shown, within
    from soapclient.console.described import values_of
    from soapclient.runtime.errors import local_name

    *above, last = DOT.split(name)
    if last == _NIL:
        return ["true"]
    if last == _TYPE:
        part, _ = _at(types, asked, above)
        standing = types.standing_for(part.holds) if part else []
        return [local_name(types.xml_name(each)) for each in standing if not types.row(each).abstract]
    part, parts = _at(types, asked, [*above, last])
    if part is not None and part.holds:
        part = next((each for each in parts if shown(each) == "$"), None)
    if part is None:
        return []
    if part.item:
        part = within(part)
    row = part.row
    texts = values_of(types, part) or (known_values(called, part) if not above else ())
    if row.type == "boolean":
        texts = ("true", "false")
    if row.fixed is not None:
        texts = (row.fixed,)
    return [text for text in texts if text not in row.refused_values]


def _of_order(option: str, typed: str) -> Items:
    """Values of a field of the order of an export, by its Python name."""
    from soapclient.cli.names import asked_of
    from soapclient.runtime.fields import Types

    package = _package("data")
    types = Types(package.schema, import_module(f"{package.name}.types"))
    job = package.settings.job
    called = next(each for each in package.operations.values() if job and each.row.method == job.order)
    texts = _values(types, called, asked_of(types, called), option)
    if option in _LISTS:
        return [CompletionItem(text) for text in _of_list(texts, typed)]
    return _starting(texts, typed)


def _of_list(texts: Iterable[str], typed: str) -> list[str]:
    """A list with commas, and each text that may be the next in it."""
    before, comma, last = typed.rpartition(",")
    taken = before.split(",")
    return [f"{before}{comma}{text}" for text in texts if text.startswith(last) and text not in taken]


def _starting(texts: Iterable[str], typed: str) -> Items:
    return [CompletionItem(text) for text in texts if text.startswith(typed)]


# ---- shells


class _Quiet(ShellComplete):
    """Offers nothing where anything goes wrong: a traceback in the line that somebody types helps nobody."""

    def complete(self) -> str:
        # What packages print while they are imported or made belongs in no prompt either.
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            try:
                return super().complete()
            except Exception:  # whatever it is
                return ""

    def get_completions(self, args: list[str], incomplete: str) -> Items:
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if option.startswith("-") and equals:  # click gives the values, but shells replace the word
            for item in found:
                item.value = f"{option}={item.value}" if item.type == "plain" else item.value
        return found


@add_completion_class
class Bash(_Quiet, BashComplete):
    """Completion in bash, which takes `=` and `:` for the ends of words: the line is split as the shell does
    when it runs it, and of what is offered only that goes back which stands for the word that bash sees."""

    source_template = r"""
%(complete_func)s() {
    local IFS=$'\n' response type value
    response=$(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORD="$2" %(complete_var)s=bash_complete "$1")
    COMPREPLY=()
    while IFS=',' read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done <<< "$response"
    case ${COMPREPLY[0]-} in
        *[=.]) compopt -o nospace ;;
    esac
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        # A character more, so that a blank at the end is the beginning of a word.
        _, *words, last = split_arg_string(f"{line}\0")
        return words, last.rstrip("\0")

    def format_completion(self, item: CompletionItem[str]) -> str:
        if item.type != "plain":
            return super().format_completion(item)
        _, typed = self.get_completion_args()
        rest = item.value.removeprefix(typed)
        is_quoted = split_arg_string(f"{os.environ['COMP_LINE']} \0")[-1] != "\0"
        rest = rest if is_quoted else _UNSAFE.sub(r"\\\g<0>", rest)
        return f"plain,{os.environ['COMP_WORD']}{rest}"


_UNSAFE: Final = re.compile(r"[^\w@%+=:,./-]")


@add_completion_class
class Zsh(_Quiet, ZshComplete):
    """Completion in zsh: without a blank after a name that goes on."""

    source_template = (
        ZshComplete.source_template.replace(
            '    if [ -n "$completions_with_descriptions" ]; then',
            "    local -a suffix\n    [[ ${response[2]} == *[=.] ]] && suffix=(-S '')\n\n"
            '    if [ -n "$completions_with_descriptions" ]; then',
        )
        .replace("completions_with_descriptions -U\n", 'completions_with_descriptions -U "${suffix[@]}"\n')
        .replace("compadd -U -V unsorted -a", 'compadd -U -V unsorted "${suffix[@]}" -a')
    )


@add_completion_class
class Fish(_Quiet, FishComplete):
    """Completion in fish: values may have commas in them."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')
