"""Convert the filled-in forms of the console to command lines of `soapclient call`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Types
from soapclient.runtime.names import shown

if TYPE_CHECKING:
    from soapclient.console.forms import Form
    from soapclient.console.inputs import Part


def command(of: Sequence[str], form: Form) -> str:
    """Return the `soapclient call` command line that sends the request of a valid form.

    `of` are the command-line arguments that select the service.
    """
    operation = form.operation
    inner = [item for item in form.items if not item.path.startswith("header-")]
    words = [f"{name or '$'}={value}" for name, value in _pairs(inner, operation.codec)]
    headers = {f"header-{part.name}": part for part in operation.request_headers.values()}
    for group in form.items:
        if group.form == "group" and group.on is not False and group.path in headers:
            pairs = [*_pairs(group.items, operation.codec)] or [(headers[group.path].name, "")]
            words += [f"--header={name}={value}" for name, value in pairs]
    return f"{shlex.join(['soapclient', 'call', *of, operation.key, *words])}\n"


def _pairs(parts: Iterable[Part], types: Types) -> Iterator[tuple[str, str]]:
    """Yield a pair (name, value) for each NAME=VALUE argument that corresponds to an input of a form.

    `parts` are inputs of the form and groups of inputs, which may be nested. Inputs that are not part of the
    request, such as empty inputs, are left out. `types` are the types of the package.
    """
    for part in parts:
        if part.form == "choice" or part.form == "repeated":
            yield from _pairs(part.items, types)
            continue
        place, pairs = part.place, []
        if place is None or (part.form == "group" and part.on is False):
            continue
        if part.nil:
            pairs.append((f"{place.name}.@xsi:nil", "true"))
        if part.form == "input":
            if part.there and not part.nil:
                pairs.append((place.inside.name if shown(place.field) == "$" else place.name, part.value))
        else:
            if part.kind != place.field.holds:
                pairs.append((f"{place.name}.@xsi:type", local_name(types.xml_name(part.kind))))
            if not part.nil:
                pairs += _pairs(part.items, types)
            if not pairs and place.field.kind != "group":
                pairs.append((place.name, ""))  # the element is present, but empty
        yield from pairs
