"""A resource as data, and how it is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..faults import Code, Refusal
from ..trees import Value
from .parameters import Parameter, read


@dataclass(frozen=True)
class Body:
    """What a request carries. `root` is its element; `field` is where the operation's request has it, None
    where the body is the request itself, without what the path says. `partial`: only what changes."""

    root: str
    field: str | None = None
    partial: bool = False


@dataclass(frozen=True)
class Route:
    """One resource and method.

    `path` has `{}` where `in_path` stand, in their order. `signed`: the connect id alone is not enough.
    `defaults` are fields that hold unless the query says otherwise. `old_root`: in older examples the root
    of the response is `response`. `may_lack` are elements that the contract wants and that a REST response
    may be without. `nonce_optional`: a signature may be without a nonce.
    """

    method: str
    path: str
    operation: str
    signed: bool = True
    in_path: tuple[Parameter, ...] = ()
    query: tuple[Parameter, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    body: Body | None = None
    old_root: bool = False
    may_lack: tuple[str, ...] = ()
    nonce_optional: bool = False

    def match(self, segments: tuple[str, ...]) -> tuple[str, ...] | None:
        """The texts in the path's places; None where this is another resource."""
        pattern = self.path.strip("/").split("/")
        if len(pattern) != len(segments):
            return None
        pairs = list(zip(pattern, segments, strict=True))
        if any(wanted not in ("{}", given) for wanted, given in pairs):
            return None
        return tuple(given for wanted, given in pairs if wanted == "{}")

    def path_fields(self, texts: tuple[str, ...]) -> dict[str, Value]:
        """What the path says. Raises `Refusal` 230 for a text of the wrong kind."""
        places = zip(self.in_path, texts, strict=True)
        return {**dict(self.defaults), **{one.field: read(one, text) for one, text in places}}


def find(routes: Sequence[Route], method: str, segments: tuple[str, ...]) -> tuple[Route, tuple[str, ...]]:
    """The resource, and the texts in its path's places. Raises `Refusal` 404 or 405."""
    there: list[str] = []
    for route in routes:
        texts = route.match(segments)
        if texts is not None and route.method == method:
            return route, texts
        if texts is not None:
            there.append(route.method)
    if there:
        raise Refusal(Code.METHOD, f"{method} is not allowed here, only {' and '.join(there)}")
    raise Refusal(Code.NOT_FOUND, f"there is no resource /{'/'.join(segments)[:200]}")
