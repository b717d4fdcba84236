"""A request that was filled in as a form, in the words of `soapclient call`."""

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
    """Return the command that sends a valid form; `of` names the service."""
    operation = form.operation
    codec, inner = operation.codec, [each for each in form.items if not each.path.startswith("header-")]
    said = _Words(codec)
    words = [f"{name or '$'}={value}" for name, value in said.all(inner, operation.row.request, "")]
    headers = {f"header-{part.name}": part for part in operation.request_headers.values()}
    for group in form.items:
        if group.form == "group" and group.on is not False and group.path in headers:
            part = headers[group.path]
            found = [*said.all(group.items, part.kind.__name__, part.name)] or [(part.name, "")]
            words += [f"--header={name}={value}" for name, value in found]
    return f"{shlex.join(['soapclient', 'call', *of, operation.key, *words])}\n"


class _Words:
    """Names and values of what a form holds."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def all(self, items: Sequence[Part], kind: str, path: str) -> Iterator[tuple[str, str]]:
        """Those of the parts of a type, below a name."""
        parts = parts_of(self._codec, kind)
        fields = {each.python: each for each in parts}
        for part in items:
            if part.form == "choice":
                yield from self.all(part.items, kind, path)
                continue
            field = fields[_last(part.path)]
            here = path if shown(field) == "$" else f"{path}.{step(field, parts)}".lstrip(".")
            if part.form == "several":
                numbered = len(part.items) > 1
                if field.item:
                    inner = within(field)
                    here = f"{here}.{step(inner, [inner])}"
                for at, each in enumerate(part.items, 1):
                    yield from self._one(each, field, f"{here}[{at}]" if numbered else here)
            else:
                yield from self._one(part, field, here)

    def _one(self, part: Part, field: Field, name: str) -> Iterator[tuple[str, str]]:
        """One value, or group of values."""
        if part.form == "group":
            yield from self._group(part, field, name)
        elif part.form == "input" and part.nil:
            yield f"{name}.@xsi:nil", "true"
        elif part.form == "input" and part.there:
            yield name, part.value

    def _group(self, group: Group, field: Field, name: str) -> Iterator[tuple[str, str]]:
        if group.on is False:
            return
        found = []
        if group.nil:
            found.append((f"{name}.@xsi:nil", "true"))
        if group.kind and group.kind != field.holds:
            found.append((f"{name}.@xsi:type", local_name(self._codec.xml_name(group.kind))))
        if not group.nil:
            found += self.all(group.items, group.kind or field.holds, name)
        if not found and field.kind != "group":
            found.append((name, ""))  # there, with nothing in it
        yield from found


def _last(path: str) -> str:
    """The name that a path ends with; what stands after it is a number."""
    return next(step for step in reversed(path.split(".")) if not step.isdigit())
