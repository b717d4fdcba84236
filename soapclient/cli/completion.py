"""Completion in shells, by click: operations, fields and their values, report types, packages.

What it knows comes from the rows of packages, as everything does that knows a type; no client and no library
of XML is loaded for it, but for a WSDL on disk. Whatever goes wrong, nothing is offered and nothing said.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
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

from soapclient.cli.contracts import PACKAGES, documentation
from soapclient.cli.names import (
    DOT,
    STEP,
    asked_of,
    by_name,
    contents,
    is_comma_list,
    known_values,
    parts_of,
    shown,
    step,
    within,
)

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.package import Package

Items = list["CompletionItem[str]"]
Complete = Callable[[click.Context, click.Parameter, str], Items]

_NIL, _TYPE = "@xsi:nil", "@xsi:type"


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


def header(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """NAME=VALUE of a header of the operation."""
    name, dot, inner = typed.partition(".")
    with _of(ctx) as (package, words):
        types, chosen = _types(package), _called(package, words[0])
        rows = {row.name: row for row in chosen.row.request_headers}
        if not dot:
            return starting([f"{each}." for each in rows], typed)
        found = _assigned(types, chosen, parts_of(types, rows[name].type), set(), inner)
    return [CompletionItem(f"{name}.{item.value}", help=item.help) for item in found]


def port(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """The ports of a package."""
    with _of(ctx) as (package, _words):
        from soapclient.soap.packages import port_names

        return starting(port_names(package.settings.ports), typed)


def packages(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Generated packages in this folder, or installed; after a dot those within another."""
    above, _dot, _last = typed.rpartition(".")
    found = set()
    for place in dict.fromkeys([os.getcwd(), *sys.path]):
        for row in Path(place or ".", *above.split(".")).glob("*/schema.json"):
            if (row.parent / "service.py").is_file():
                found.add(f"{above}.{row.parent.name}".lstrip("."))
    return starting(sorted(found), typed)


# ---- operations


def _words(ctx: click.Context, typed: str, *, fields: bool) -> Items:
    own = ctx.params["file"] is None and ctx.params["package"] is None
    if own and not ctx.params["words"]:
        return starting(PACKAGES, typed)
    with _of(ctx) as (found, words):
        if not words:
            return _operations(found.operations.values(), typed)
        return _fields(found, words[0], words[1:], typed) if fields else []


@contextmanager
def _of(ctx: click.Context) -> Iterator[tuple[Package, Sequence[str]]]:
    """The package that a command is about, and the words that follow the service."""
    from soapclient.cli.packages import importable

    # Before the value of an option, what is no option is left over.
    words: Sequence[str] = ctx.params["words"] or ctx.args
    file, package = ctx.params["file"], ctx.params["package"]
    if file is None and package is None:
        if words[0].lower().endswith((".wsdl", ".xml")) and "://" not in words[0]:
            file = Path(words[0])
        else:  # an address is not read at each press of a key
            package = PACKAGES[words[0]]
        words = words[1:]
    with importable(file, package) as name:
        yield _named(name), words


def _package(service: str) -> Package:
    return _named(PACKAGES[service])


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
    types, chosen = _types(package), _called(package, called)
    given = {word.partition("=")[0] for word in before}
    return _assigned(types, chosen, asked_of(types, chosen), given, typed)


def _types(package: Package) -> Types:
    from soapclient.runtime.fields import Types

    return Types(package.schema, import_module(f"{package.name}.types"))


def _called(package: Package, name: str) -> AnyOperation:
    known = package.operations.values()
    return next(each for each in known if name in (each.key, each.name, each.row.method))


def _assigned(
    types: Types, called: AnyOperation, asked: Sequence[Field], given: set[str], typed: str
) -> Items:
    """NAME=VALUE: names, or after one the values."""
    name, equals, value = typed.partition("=")
    if not equals:
        return _Names(types, asked, given).of(typed)
    texts = _values(types, called, asked, name)
    lists = [part for part in asked if name in (part.name, part.python) and is_comma_list(called, part)]
    if lists:
        return [CompletionItem(f"{name}={text}") for text in _of_list(texts, value)]
    return [CompletionItem(f"{name}={text}") for text in texts if text.startswith(value)]


class _Names:
    """The names that go on where one was begun, a step at a time, as folders do."""

    def __init__(self, types: Types, asked: Sequence[Field], given: set[str]) -> None:
        self._types = types
        self._asked = asked
        self._given = given

    def of(self, typed: str) -> Items:
        """Those in the contract's words, or where it has none, in Python's."""
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
    part, parts = None, asked
    for each in steps:
        found = STEP.fullmatch(each)
        part = by_name(parts)[found[1].replace("\\.", ".")] if found else None
        parts = contents(types, part) if part else ()
    return part, parts


def _values(types: Types, called: AnyOperation, asked: Sequence[Field], name: str) -> list[str]:
    """What a field may be, as far as that can be listed."""
    from soapclient.console.described import values_of

    *above, last = DOT.split(name)
    if last == _NIL:
        return ["true"]
    if last == _TYPE:
        part, _ = _at(types, asked, above)
        return list(types.said_by_xsi_type(part.holds)) if part else []
    part, parts = _at(types, asked, [*above, last])
    if part is not None and part.holds:
        part = next((each for each in parts if shown(each) == "$"), None)
    if part is None:
        return []
    known = () if above else known_values(called, part)
    if part.item:
        part = within(part)
    row = part.row
    texts = values_of(part) or known
    if row.type.partition(":")[0] == "boolean":
        texts = ("true", "false")
    if row.fixed is not None:
        texts = (row.fixed,)
    return [text for text in texts if text not in row.refused_values]


def order_values(service: str, option: str, typed: str) -> Items:
    """Return values of a field of an order, by its keyword; of a list with commas the next one."""
    package = _package(service)
    types, order = _types(package), package.settings.order
    if order is None or option not in order.fields:
        return []
    called, field = _called(package, order.operation), order.fields[option]
    texts = _values(types, called, asked_of(types, called), field.field)
    if field.several or field in (order.columns, order.group_by):
        return [CompletionItem(text) for text in _of_list(texts, typed)]
    return starting(texts, typed)


def _of_list(texts: Iterable[str], typed: str) -> list[str]:
    """A list with commas, and each text that may be the next in it."""
    before, comma, last = typed.rpartition(",")
    taken = before.split(",")
    return [f"{before}{comma}{text}" for text in texts if text.startswith(last) and text not in taken]


def starting(texts: Iterable[str], typed: str) -> Items:
    """Return the texts that start with what is typed."""
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
