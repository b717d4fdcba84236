"""Shell completion with click: operations, fields and their values, report types, packages.

The completions come from the schema data of the generated packages, so no client and no XML library is
loaded. For a WSDL file, a package is generated first and kept in the user's cache folder. If an error occurs,
no completions are offered and nothing is printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.cli.contracts import PACKAGES, documentation
from soapclient.cli.field_names import DOT, asked_of, is_comma_list, known_values

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.package import Package
    from soapclient.services import Command

Items = list["CompletionItem[str]"]
Complete = Callable[[click.Context, click.Parameter, str], Items]

_NIL, _TYPE = "@xsi:nil", "@xsi:type"


def commands(all_commands: Mapping[str, Command], typed: str) -> Items:
    """Complete the name of a command."""
    return [
        CompletionItem(name, help=command.summary)
        for name, command in all_commands.items()
        if name.startswith(typed)
    ]


# ---- callbacks of the commands


def call_words(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete [SERVICE] OPERATION [NAME=VALUE]... of `soapclient call`."""
    return _words(ctx, typed, fields=True)


def describe_words(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete [SERVICE] [OPERATION] of `soapclient describe`."""
    return _words(ctx, typed, fields=False)


def operation(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete the name of an operation. Its service is the argument before it."""
    return _operations(_package(ctx.params["service"]).operations.values(), typed)


def soap_operation(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete the name of an operation that is available over SOAP."""
    operations = _package(ctx.params["service"]).operations.values()
    return _operations((item for item in operations if item.row.soap), typed)


def list_operation(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete the name of an operation that returns a list."""
    operations = _package(ctx.params["service"]).operations.values()
    return _operations((item for item in operations if item.row.list), typed)


def assignments(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete NAME=VALUE for a field of the operation that an earlier argument names."""
    package = _package(ctx.params["service"])
    return _fields(package, ctx.params["operation"], ctx.params["assignments"] or (), typed)


def header(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete NAME=VALUE of `--header`, for a field of a SOAP header of the operation."""
    from soapclient.runtime.names import asked_fields

    name, dot, inner = typed.partition(".")
    with _loaded(ctx) as (package, words):
        types, chosen = _types(package), _called(package, words[0])
        rows = {row.name: row for row in chosen.row.request_headers}
        if not dot:
            return starting([f"{row_name}." for row_name in rows], typed)
        items = _assigned(types, chosen, asked_fields(types, rows[name].type), set(), inner)
    return [CompletionItem(f"{name}.{item.value}", help=item.help) for item in items]


def port(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete the name of a WSDL port of the package."""
    with _loaded(ctx) as (package, _words):
        from soapclient.soap.packages import port_names

        return starting(port_names(package.settings.ports), typed)


def packages(ctx: click.Context, _: click.Parameter, typed: str) -> Items:
    """Complete a generated package in the current folder or on `sys.path`.

    After a dot, complete a subpackage.
    """
    above, _dot, _last = typed.rpartition(".")
    names = set()
    for folder in dict.fromkeys([os.getcwd(), *sys.path]):
        for row in Path(folder or ".", *above.split(".")).glob("*/schema.json"):
            if (row.parent / "service.py").is_file():
                names.add(f"{above}.{row.parent.name}".lstrip("."))
    return starting(sorted(names), typed)


# ---- operations


def _words(ctx: click.Context, typed: str, *, fields: bool) -> Items:
    """Complete the next argument: the service, the operation or, if `fields` is True, one of its fields."""
    own = ctx.params["file"] is None and ctx.params["package"] is None
    if own and not ctx.params["words"]:
        return starting(PACKAGES, typed)
    with _loaded(ctx) as (loaded_package, words):
        if not words:
            return _operations(loaded_package.operations.values(), typed)
        return _fields(loaded_package, words[0], words[1:], typed) if fields else []


@contextmanager
def _loaded(ctx: click.Context) -> Iterator[tuple[Package, Sequence[str]]]:
    """Context manager that loads the generated package that the command line selects.

    Yields the package and the arguments that follow the service: the operation and its fields.
    """
    from soapclient.cli.package_cache import cached
    from soapclient.cli.packages import importable

    # If the value of an option is completed, click leaves the arguments in `args`.
    words: Sequence[str] = ctx.params["words"] or ctx.args
    file, package = ctx.params["file"], ctx.params["package"]
    if file is None and package is None:
        if words[0].lower().endswith((".wsdl", ".xml")) and "://" not in words[0]:
            file = Path(words[0])
        else:  # an address is not downloaded for each key press
            package = PACKAGES[words[0]]
        words = words[1:]
    with importable(None, package) if file is None else cached(Path(file)) as name:
        yield _named(name), words


def _package(service: str) -> Package:
    return _named(PACKAGES[service])


def _named(name: str) -> Package:
    from soapclient.runtime.package import package

    return package(name)


def _operations(operations: Iterable[AnyOperation], typed: str) -> Items:
    """Return the names of those `operations` that start with `typed`, each with its documentation."""
    return [
        CompletionItem(item.key, help=documentation(item) or None)
        for item in operations
        if item.key.startswith(typed)
    ]


# ---- fields and values


def _fields(package: Package, called: str, before: Sequence[str], typed: str) -> Items:
    """Complete NAME=VALUE for a field of the operation with the name `called`.

    `before` are the NAME=VALUE arguments before the cursor. A field that already has a value there is offered
    again only if it can be repeated.
    """
    types, chosen = _types(package), _called(package, called)
    names = {word.partition("=")[0] for word in before}
    return _assigned(types, chosen, asked_of(types, chosen), names, typed)


def _types(package: Package) -> Types:
    from soapclient.runtime.fields import Types

    return Types(package.schema, import_module(f"{package.name}.types"))


def _called(package: Package, name: str) -> AnyOperation:
    """Return the operation that has `name` as its name in the contract or in Python."""
    operations = package.operations.values()
    return next(item for item in operations if name in (item.key, item.name, item.row.method))


def _assigned(
    types: Types, called: AnyOperation, asked: Sequence[Field], names: set[str], typed: str
) -> Items:
    """Complete `typed`: the name in NAME=VALUE or, after `=`, the value.

    `called` is the operation and `asked` the fields of its request or header. `names` are the names that
    already have a value on the command line.
    """
    name, equals, value = typed.partition("=")
    if not equals:
        return _Names(types, asked, names).matching(typed)
    texts = _values(types, called, asked, name)
    lists = [part for part in asked if name in (part.name, part.python) and is_comma_list(called, part)]
    if lists:
        return [CompletionItem(f"{name}={text}") for text in _of_list(texts, value)]
    return [CompletionItem(f"{name}={text}") for text in texts if text.startswith(value)]


class _Names:
    """Completes the path of a field, such as `outer.inner`, one name at a time.

    `asked` are the fields at the beginning of a path. `names` are the paths that already have a value.
    """

    def __init__(self, types: Types, asked: Sequence[Field], names: set[str]) -> None:
        self._types = types
        self._asked = asked
        self._names = names

    def matching(self, typed: str) -> Items:
        """Return the completions of the path `typed`.

        They have the names of the contract or, if none of these matches, the names in Python.
        """
        from soapclient.runtime.names import step

        *above, _ = DOT.split(typed)
        prefix = "".join(f"{item}." for item in above)
        part, parts = _at(self._types, self._asked, above)
        items = [*self._steps(prefix, parts, lambda item: step(item, parts)), *self._xsi_names(prefix, part)]
        matches = [item for item in items if item.value.startswith(typed)]
        if not matches:
            items = list(self._steps(prefix, parts, lambda item: item.python))
            matches = [item for item in items if item.value.startswith(typed)]
        return matches

    def _steps(
        self, prefix: str, parts: Sequence[Field], name_of: Callable[[Field], str]
    ) -> Iterator[CompletionItem[str]]:
        """Yield the completions for the fields `parts`, such as `outer.name=` and `outer.name.`.

        A completion ends with `=` if a value follows, and with `.` if an inner field follows. `prefix` is
        the path of the outer fields, such as `outer.`. `name_of` is a function that returns a field's name.
        """
        from soapclient.console.field_hints import hint, type_of
        from soapclient.runtime.names import contents, shown

        for part in parts:
            if prefix and shown(part) == "$":
                continue  # the text of the element itself, which is the name before the dot
            name = f"{prefix}{name_of(part)}"
            inner = contents(self._types, part)
            has_text = not part.holds or (not part.item and any(shown(item) == "$" for item in inner))
            is_given = not self._names.isdisjoint({name, f"{prefix}{part.python}"})
            text = ", ".join(filter(None, [type_of(self._types, part), "required" * part.least, hint(part)]))
            if has_text and (part.repeats or part.item or not is_given):
                yield CompletionItem(f"{name}=", help=text)
            if part.holds:
                yield CompletionItem(f"{name}.", help=text)

    def _xsi_names(self, prefix: str, part: Field | None) -> Iterator[CompletionItem[str]]:
        """Yield `@xsi:type=` if `part` can have another type, and `@xsi:nil=` if it can be nil.

        `prefix` is the path of `part` with a dot at the end. Both completions begin with it.
        """
        if part is None or part.item:
            return
        if part.holds and self._types.is_open(part.holds):
            yield CompletionItem(f"{prefix}{_TYPE}=", help="the type of the value")
        if part.row.nil or part.row.nil_item:
            yield CompletionItem(f"{prefix}{_NIL}=", help="true: the value is nil")


def _at(types: Types, asked: Sequence[Field], steps: Sequence[str]) -> tuple[Field | None, Sequence[Field]]:
    """Return the field at a path, and its inner fields.

    `steps` are the names on the path. The path begins at `asked`, the fields of the request or header. If
    `steps` is empty, returns None and `asked`. If the path does not exist, returns None and no fields.
    """
    from soapclient.runtime.names import STEP, by_name, contents

    part, parts = None, asked
    for name in steps:
        match = STEP.fullmatch(name)
        part = by_name(parts)[match[1].replace("\\.", ".")] if match else None
        parts = contents(types, part) if part else ()
    return part, parts


def _values(types: Types, called: AnyOperation, asked: Sequence[Field], name: str) -> list[str]:
    """Return the allowed values of the field with the path `name`; empty if they cannot be listed.

    The path begins at `asked`, the fields of the request or header. `called` is the operation.
    """
    from soapclient.console.field_hints import values_of
    from soapclient.runtime.names import items_of, shown

    *above, last = DOT.split(name)
    if last == _NIL:
        return ["true"]
    if last == _TYPE:
        part, _ = _at(types, asked, above)
        return list(types.by_xsi_type(part.holds)) if part and part.holds else []
    part, parts = _at(types, asked, [*above, last])
    if part is not None and part.holds:
        part = next((inner for inner in parts if shown(inner) == "$"), None)
    if part is None:
        return []
    extra = () if above else known_values(called, part)
    if part.item:
        part = items_of(part)
    row = part.row
    texts = values_of(part) or extra
    if row.type.partition(":")[0] == "boolean":
        texts = ("true", "false")
    if row.fixed is not None:
        texts = (row.fixed,)
    return [text for text in texts if text not in row.refused_values]


def order_values(service: str, option: str, typed: str) -> Items:
    """Complete the value of a command-line option for a field of an export order.

    An export order is a stored request for an export job. If the value is a comma-separated list, its last
    item is completed.
    """
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
    """Return completions of the comma-separated list `typed`, each with one of `texts` as its last item.

    Texts that are already in the list before its last item are not offered again.
    """
    before, comma, last = typed.rpartition(",")
    taken = before.split(",")
    return [f"{before}{comma}{text}" for text in texts if text.startswith(last) and text not in taken]


def starting(texts: Iterable[str], typed: str) -> Items:
    """Return a completion for each text that starts with `typed`."""
    return [CompletionItem(text) for text in texts if text.startswith(typed)]


# ---- shells


class _CompletionItems(ShellComplete):
    """Base class of the completion in each shell.

    Offers nothing if an error occurs, because a traceback would disturb the command line.
    """

    def complete(self) -> str:
        """Return the completions as text for the shell; "" if an error occurs."""
        # Output of packages during import or generation must not reach the prompt.
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            try:
                return super().complete()
            except Exception:  # every error, for the same reason
                return ""

    def get_completions(self, args: list[str], incomplete: str) -> Items:
        """Return the completions of the word `incomplete`.

        For `--option=VALUE`, each completion begins with `--option=`, because shells replace the complete
        word.
        """
        items = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if option.startswith("-") and equals:  # click returns the values, but shells replace the whole word
            for item in items:
                item.value = f"{option}={item.value}" if item.type == "plain" else item.value
        return items


@add_completion_class
class Bash(_CompletionItems, BashComplete):
    """Completion in bash.

    bash also splits words at `=` and `:`. It replaces only the part after them: `VAL` of `NAME=VAL`.
    Therefore this class splits the command line itself, only at blanks outside quotes. It returns
    completions for the part that bash replaces: `VALUE`, not `NAME=VALUE`.
    """

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
        """Split the command line up to the cursor. Return the complete words, and the word to complete."""
        line = os.environ["COMP_LINE"]
        # The additional character makes a trailing blank start a new word.
        _, *words, last = split_arg_string(f"{line}\0")
        return words, last.rstrip("\0")

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Format a completion for bash.

        If bash replaces only `VAL` of `NAME=VAL`, the completion `NAME=VALUE` is formatted as `VALUE`.
        """
        if item.type != "plain":
            return super().format_completion(item)
        _, typed = self.get_completion_args()
        rest = item.value.removeprefix(typed)
        is_quoted = split_arg_string(f"{os.environ['COMP_LINE']} \0")[-1] != "\0"
        rest = rest if is_quoted else _UNSAFE.sub(r"\\\g<0>", rest)
        return f"plain,{os.environ['COMP_WORD']}{rest}"


_UNSAFE: Final = LazyPattern(r"[^\w@%+=:,./-]")


@add_completion_class
class Zsh(_CompletionItems, ZshComplete):
    """Completion in zsh. Adds no blank after a name that ends with `=` or `.`."""

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
class Fish(_CompletionItems, FishComplete):
    """Completion in fish. Unlike in click's own script, a completion may contain commas."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')
