"""How an operation is asked for over REST: the row of a contract's REST table, as data."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

WHOLE = "*"  # as `RestForm.body`: the request itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A query parameter. `field` is the request's element; `separator` joins several values, without one
    the parameter is repeated; `spelling` maps the contract's values to REST's."""

    name: str
    field: str
    separator: str = ""
    spelling: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """Another root that an answer may have: that of a list reply, with the item in its list."""

    root: str
    list_tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """The list of an answer whose nesting over JSON is not known: a bare array, an array or an object under
    the list's name, or a single item, all are read. `errors_tag` is the list that takes what stands under any
    name with one of the `endings`, in any case, `error_tag` its item. Tags in Clark notation."""

    list_tag: str
    item_tag: str
    errors_tag: str = ""
    error_tag: str = ""
    endings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RestForm:
    """One resource.

    `path` follows the version segment; `in_path` are the request's elements that stand in its braces, in
    order, and `query` those in the query, in order. `body` is the element whose content is the body, `WHOLE`
    for all that stands in neither path nor query, "" for none; `body_tag` is its root over XML, and `partial`
    says that it holds changes alone. `roots` are further roots that the answer may have (Clark notation),
    `wrapped` is one with another content.
    """

    method: str
    path: str
    in_path: tuple[str, ...] = ()
    query: tuple[Parameter, ...] = ()
    body: str = ""
    body_tag: str = ""
    partial: bool = False
    roots: tuple[str, ...] = ()
    wrapped: Wrapped | None = None
    loose: Loose | None = None
