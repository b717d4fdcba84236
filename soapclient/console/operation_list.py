"""The list of operations: groups by subject, and the properties of each operation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from soapclient.console.targets import Target
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.schema import PortRow

_READING: Final = frozenset(
    [
        "get",
        "list",
        "search",
        "find",
        "read",
        "retrieve",
        "query",
        "describe",
        "fetch",
        "export",
        "validate",
        "check",
        "verify",
    ]
)
_REMOVING: Final = frozenset(("delete", "remove", "cancel"))
_WRITING: Final = frozenset(
    [
        "create",
        "add",
        "insert",
        "new",
        "register",
        "update",
        "set",
        "put",
        "edit",
        "change",
        "modify",
        "save",
        "import",
        "submit",
        "queue",
        "send",
    ]
)
_VERBS: Final = _READING | _REMOVING | _WRITING
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_EFFECTS: Final = {"read": "reads", "write": "writes", "remove": "deletes"}


@dataclass(frozen=True)
class Entry:
    """An operation in the list.

    - `effect`: whether the operation reads, writes or removes data. If `is_guess` is True, this is concluded
      from the operation's name, because the contract does not say it.
    - `summary`: a description of `effect` in words.
    """

    key: str
    name: str
    service: str
    effect: Literal["read", "write", "remove"]
    is_guess: bool
    summary: str
    is_signed: bool
    is_paged: bool
    is_one_way: bool
    doc: str
    route: str
    soap: str


class EntryGroup(NamedTuple):
    """A group of the list: the operations on one subject, such as `Adspace`. `name` is the subject."""

    name: str
    entries: Sequence[Entry]


class ServiceEntries(NamedTuple):
    """The operations of a service: all of them by their keys, and the same operations in groups."""

    entries: Mapping[str, Entry]
    groups: Sequence[EntryGroup]


def entries_of(target: Target) -> ServiceEntries:
    """Return the operations of a service for the list."""
    ports = {port.port_type: port for port in reversed(target.package.settings.ports)}
    documentation = target.package.documentation.operations
    entries = {
        key: _entry(target, operation, ports, documentation.get(key, ""))
        for key, operation in target.operations.items()
    }
    return ServiceEntries(entries, grouped(entries.values()))


def _entry(target: Target, operation: AnyOperation, ports: Mapping[str, PortRow], doc: str) -> Entry:
    safe = target.is_safe(operation)
    verb = _verb(operation.name)
    effect: Literal["read", "write", "remove"]
    if safe or (safe is None and verb in _READING):
        effect = "read"
    else:
        effect = "remove" if verb in _REMOVING else "write"
    rest, port = operation.rest, ports.get(operation.port_type)
    return Entry(
        key=operation.key,
        name=operation.name,
        service=target.name,
        effect=effect,
        is_guess=safe is None,
        summary=_EFFECTS[effect] + (", by its name" if safe is None else ""),
        is_signed=bool(operation.signed),
        is_paged=operation.row.pages is not None,
        is_one_way=operation.one_way,
        doc=doc,
        route="" if rest is None else f"{rest.method} {rest.path}",
        soap=port.soap if operation.soap and port is not None and not target.by_rest else "",
    )


def grouped(entries: Iterable[Entry]) -> list[EntryGroup]:
    """Group operations by their subject, such as `Adspace` for `GetAdspaces`. Sorts the groups by name.

    A subject with only one operation joins a subject with which its name begins: `Program Category` joins
    `Program`. If several groups then still have only one operation, and other groups have more, these single
    operations form a last group, `Others`.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(subject(entry.name), []).append(entry)
    for name in [name for name, members in groups.items() if len(members) == 1]:
        words = name.split()
        wider = (" ".join(words[:count]) for count in range(len(words) - 1, 0, -1))
        home = next((other for other in wider if other in groups), None)
        if home is not None:
            groups[home] += groups.pop(name)
    single = [name for name, members in groups.items() if len(members) == 1]
    others: list[Entry] = []
    if len(single) > 1 and len(groups) > len(single):
        others = [groups.pop(name)[0] for name in single]
    result = [EntryGroup(name, members) for name, members in sorted(groups.items())]
    return [*result, EntryGroup("Others", others)] if others else result


def subject(name: str) -> str:
    """Return the subject of an operation: `Adspace` for `GetAdspaces`, `Order` for `Order_GetAll`."""
    head, mark, rest = name.partition("_") if "_" in name else name.partition(".")
    if mark and head.lower() not in _VERBS:
        return " ".join(_WORD.findall(head)) or head
    name = rest if mark else name
    words = _WORD.findall(name)
    if len(words) > 1 and words[0].lower() in _VERBS:
        words = words[1:]
    if not words:
        return name
    last = words[-1]
    if last.endswith("ies"):
        words[-1] = f"{last[:-3]}y"
    elif last.endswith("s") and not last.endswith(("ss", "us")):
        words[-1] = last[:-1]
    return " ".join(words)


def _verb(name: str) -> str:
    """Return the verb in an operation's name, in lower case; "" if it has no known verb.

    For `GetSales`, `get_sales` and `Sales_Get`, the verb is `get`.
    """
    for part in re.split(r"[_.]", name):
        words = _WORD.findall(part)
        if words and words[0].lower() in _VERBS:
            return str(words[0].lower())
    return ""
