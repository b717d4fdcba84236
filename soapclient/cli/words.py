"""Filled-in forms as words of `soapclient call`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from soapclient.cli.names import parts_of, shown, step, within
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Field

if TYPE_CHECKING:
    from soapclient.console.forms import Form, Group, Part


def command(of: Sequence[str], form: Form) -> str:
    """Return the command that sends a valid form; `of` are the words for the service."""
    operation = form.operation
    codec, inner = operation.codec, [item for item in form.items if not item.path.startswith("header-")]
    words_of_form = _Words(codec)
    words = [f"{name or '$'}={value}" for name, value in words_of_form.all(inner, operation.row.request, "")]
    headers = {f"header-{part.name}": part for part in operation.request_headers.values()}
    for group in form.items:
        if group.form == "group" and group.on is not False and group.path in headers:
            part = headers[group.path]
            pairs = [*words_of_form.all(group.items, part.kind.__name__, part.name)] or [(part.name, "")]
            words += [f"--header={name}={value}" for name, value in pairs]
    return f"{shlex.join(['soapclient', 'call', *of, operation.key, *words])}\n"


class _Words:
    """Yields the names and values in a form."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def all(self, items: Sequence[Part], kind: str, path: str) -> Iterator[tuple[str, str]]:
        """Yield the names and values of a type's parts, below a name."""
        parts = parts_of(self._codec, kind)
        fields = {item.python: item for item in parts}
        for part in items:
            if part.form == "choice":
                yield from self.all(part.items, kind, path)
                continue
            field = fields[_last(part.path)]
            name = path if shown(field) == "$" else f"{path}.{step(field, parts)}".lstrip(".")
            if part.form == "several":
                numbered = len(part.items) > 1
                if field.item:
                    inner = within(field)
                    name = f"{name}.{step(inner, [inner])}"
                for number, item in enumerate(part.items, 1):
                    yield from self._one(item, field, f"{name}[{number}]" if numbered else name)
            else:
                yield from self._one(part, field, name)

    def _one(self, part: Part, field: Field, name: str) -> Iterator[tuple[str, str]]:
        """Yield the names and values of one value or group."""
        if part.form == "group":
            yield from self._group(part, field, name)
        elif part.form == "input" and part.nil:
            yield f"{name}.@xsi:nil", "true"
        elif part.form == "input" and part.there:
            yield name, part.value

    def _group(self, group: Group, field: Field, name: str) -> Iterator[tuple[str, str]]:
        """Yield the names and values of a group."""
        if group.on is False:
            return
        pairs = []
        if group.nil:
            pairs.append((f"{name}.@xsi:nil", "true"))
        if group.kind and group.kind != field.holds:
            pairs.append((f"{name}.@xsi:type", local_name(self._codec.xml_name(group.kind))))
        if not group.nil:
            pairs += self.all(group.items, group.kind or field.holds, name)
        if not pairs and field.kind != "group":
            pairs.append((name, ""))  # the element is present, but empty
        yield from pairs


def _last(path: str) -> str:
    """Return the last name in a path; numbers follow it."""
    return next(step for step in reversed(path.split(".")) if not step.isdigit())
