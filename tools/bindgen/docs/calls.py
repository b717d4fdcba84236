"""An example request as a call of the generated method."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from lxml import etree

from bindgen.docs.instances import Free, Part, Tree
from bindgen.emit.text import fold, literal
from bindgen.model import Enum, Field, Header, ListOf, Operation, SimpleType, UnionOf
from bindgen.simple_types import DAY, TEXTS
from soapclient.runtime import scalars, texts
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.simple_types import refusals

_WIDTH = 88  # of code on a page
ProtocolName = Literal["soap", "rest"]


@dataclass(frozen=True, slots=True)
class Bindings:
    """How code comes to the generated package: the package of the bindings, what it imports besides its
    types, the line that opens the block of the call, and what has the methods there."""

    package: str
    imports: tuple[str, ...]
    opening: str
    receiver: str


Bound = Callable[[Operation], Bindings]  # an operation's


def client_of(package: str, name: str) -> Bindings:
    """A contract that the run time's own client has."""
    return Bindings(package, ("from soapclient import Client",), "with Client() as client:", f"client.{name}")


def service_of(package: str, service_class: str) -> Bindings:
    """A package of its own, whose service class the run time connects."""
    imports = ("from soapclient import connect", f"from {package}.service import {service_class}")
    return Bindings(package, imports, f"with connect({service_class}) as service:", "service")


def call(
    operation: Operation,
    tree: Tree,
    bindings: Bindings,
    *,
    headers: Sequence[tuple[Header, Tree]] = (),
    protocol: ProtocolName | None = None,
) -> str:
    """Python that calls the operation with the example. A field that the protocol lacks is a comment."""
    protocol = protocol or ("soap" if operation.soap else "rest")
    arguments = [
        (one, f"{one.python}={value},") for one, value in _values(tree) if one.python and not one.refused
    ]
    ordered = sorted(arguments, key=lambda pair: pair[0].least == 0)  # what must be given comes first
    lines: list[str] = []
    for one, argument in ordered:
        if one.protocol in ("", protocol):
            lines += fold(f"    {argument}", _WIDTH - 4)
        else:
            lines.append(f"    # {one.python}: {one.protocol.upper()} only")
    if operation.request.abstract:  # the method takes the request whole, of a type that derives
        lines = fold(f"    {_tree(tree)},", _WIDTH - 4)
    for header, value in headers:
        if header.python:
            lines += fold(f"    {header.python}={_tree(value)},", _WIDTH - 4)
    head = f"response = {bindings.receiver}.{operation.method}("
    if operation.one_way:
        head = head.removeprefix("response = ")
    made = [head, *lines, ")"] if lines else [f"{head})"]
    written = [f"    {line}" for line in made]
    trees = [tree, *(value for _, value in headers)]
    imports = _imports(trees, "\n".join(written), bindings)
    return "\n".join([*imports, "", bindings.opening, *written]) + "\n"


def _imports(trees: Sequence[Tree], made: str, bindings: Bindings) -> list[str]:
    """What the call uses. A text that looks like a call makes an import too much, and no harm."""
    lines = [
        *(["import datetime as dt"] if "dt." in made else []),
        *(["from decimal import Decimal"] if "Decimal(" in made else []),
    ]
    lines += ["", *bindings.imports] if lines else bindings.imports
    lines += ["from soapclient.runtime.any_element import AnyElement"] if "AnyElement(" in made else []
    called = set(re.findall(r"\b(\w+)\(", made))
    types = sorted(called & {name for tree in trees for name in _classes(tree)})
    if types:
        whole = f"from {bindings.package}.types import {', '.join(types)}"
        listed = [f"from {bindings.package}.types import (", *(f"    {name}," for name in types), ")"]
        lines += [whole] if len(whole) <= _WIDTH else listed
    return lines


def _classes(tree: Tree) -> Iterator[str]:
    yield tree.struct.python
    for part in tree.parts:
        if isinstance(part.value, Tree):
            yield from _classes(part.value)


def _values(tree: Tree) -> Iterator[tuple[Field, str]]:
    """Each field that has a value, and this as an expression."""
    found: dict[int, list[Part]] = {}
    for part in tree.parts:
        found.setdefault(id(part.field), []).append(part)
    for parts in found.values():
        one = parts[0].field
        inner = parts[0].value
        if one.item is not None and isinstance(inner, Tree):
            yield one, f"[{', '.join(_value(part) for part in inner.parts)}]"
        elif one.repeats:
            yield one, f"[{', '.join(map(_value, parts))}]"
        else:
            yield one, _value(parts[0])


def _value(part: Part) -> str:
    value = part.value
    if isinstance(value, Tree):
        return _tree(value)
    if isinstance(value, Free):
        # Of a wildcard without a namespace of its own one cannot say more here than that it is let in.
        named = 'name="{urn:example}anything"' if part.field.kind == "any" else 'text="anything"'
        return f"AnyElement({named})"
    return expression(value.text, value.kind)


def _tree(value: Tree) -> str:
    inner = ", ".join(f"{one.python}={text}" for one, text in _values(value) if one.python)
    return f"{value.struct.python}({inner})"


def expression(text: str, kind: SimpleType) -> str:
    """A simple value as Python has it; a text, where it is no value of the type."""
    if isinstance(kind, ListOf):
        return f"[{', '.join(expression(item, kind.item) for item in text.split())}]"
    if isinstance(kind, UnionOf):
        return expression(text, kind.members[0]) if kind.members else literal(text)
    if isinstance(kind, Enum):
        return literal(text)
    scalar = getattr(texts if kind.scalar in TEXTS else scalars, kind.scalar)
    # A day is that of the midnight in its own zone, as the text has it.
    plain = text[:10] if kind.scalar == DAY.scalar else text
    try:
        value = scalar.parse(plain, CountingReader(), etree.Element("value"))
    except refusals:
        return literal(text)
    if isinstance(value, list):  # of names, as NMTOKENS
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Decimal):
        return f"Decimal({literal(text.strip())})"
    if isinstance(value, dt.datetime) and value.tzinfo not in (None, dt.UTC):
        return f"dt.datetime.fromisoformat({literal(text)})"
    if isinstance(value, str):
        return literal(text)
    return repr(value).replace("datetime.timezone.utc", "dt.UTC").replace("datetime.", "dt.")
