"""What a REST document says: the typed response, or an error, whatever status it came with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from soapclient.calling.reader import ResponseReader
from soapclient.rest import reshape
from soapclient.rest.json_tree import ITEM, JsonNode
from soapclient.rest.problem import Problem, problem_of
from soapclient.rest.tolerant import read_tolerantly
from soapclient.runtime import AnyOperation, DecodeError, Finding, Node, Operation, RestRow, path_of
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import RequestT, ResponseT

_MOST_SHOWN: Final = 5
_OTHER: Final = "another document"


class NothingKnown(DecodeError):
    """A document of which the contract of this operation knows nothing, or whose root is another."""


class ErrorResponse(Exception):
    """The document is an error of the service (docs/explanation/service.md#fault-codes)."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def interpret(
    operation: Operation[RequestT, ResponseT],
    form: RestRow,
    root: Node,
    new_reader: Callable[[], ResponseReader],
) -> tuple[ResponseT, ResponseReader]:
    """The response, and the reader that heard what it holds beyond the contract. `root` is used up.

    Raises ErrorResponse for a document that has an error's fields and is no response: its root is another, it
    cannot be read, or nothing in it is known to the contract. Raises NothingKnown, or another DecodeError,
    for any other that is no response of this operation: that of another would say that there is nothing.
    """
    problem = problem_of(root)
    came = _Came.of(root)
    readers: list[ResponseReader] = []

    def made() -> ResponseReader:
        readers.append(new_reader())
        return readers[-1]

    try:
        node = reshape.message(root, operation.response_tag, form)
        if node is None:
            came_of = f"{_OTHER}: {root.tag}"
            expected = f"the element {operation.response_tag}"
            raise NothingKnown(local_name(operation.response_tag), came_of, expected)
        value, reader = read_tolerantly(operation.read_response, node, made)
    except DecodeError as error:
        if problem is not None:
            raise ErrorResponse(problem) from None
        if error.value is None and readers and came.all_unknown(readers[-1].findings):
            raise NothingKnown(
                local_name(operation.response_tag), f"{_OTHER}: {came.shown}", error.expected
            ) from None
        raise
    if came.unknown_to(operation, form, value, reader.findings):
        if problem is not None:
            raise ErrorResponse(problem)
        expected = f"one that holds any of: {', '.join(_fields(value))}; it holds none of them"
        raise NothingKnown(local_name(operation.response_tag), f"{_OTHER}: {came.shown}", expected)
    return value, reader


@dataclass(frozen=True, slots=True)
class _Came:
    """What stood in a document, noted before it is used up: the paths of elements, and the names that JSON
    has without a value, which leave no element."""

    paths: tuple[str, ...]
    empty: frozenset[str]

    @classmethod
    def of(cls, root: Node) -> _Came:
        inside = [child for child in root if isinstance(child.tag, str)]
        paths = [path_of(child, index=False) for child in inside]
        top = root
        if len(inside) == 1 and inside[0].tag == ITEM:  # an array around the whole document
            (top,) = inside
            paths = [f"{path_of(root)}/{local_name(child.tag)}" for child in top]
        empty = frozenset(top.childless) | top.empty_arrays if isinstance(top, JsonNode) else frozenset()
        return cls(tuple(paths), empty)

    @property
    def shown(self) -> str:
        names = [path.rpartition("/")[2] for path in self.paths] + sorted(map(local_name, self.empty))
        return ", ".join(names[:_MOST_SHOWN]) + ", …" * (len(names) > _MOST_SHOWN)

    def all_unknown(self, findings: Counter[Finding]) -> bool:
        """Whether something came, and none of it is known."""
        unknown = {finding.path for finding in findings if finding.kind == "element"}
        return bool(self.paths) and unknown.issuperset(self.paths)

    def unknown_to(
        self, operation: AnyOperation, form: RestRow, value: object, findings: Counter[Finding]
    ) -> bool:
        """Whether something came, and the contract knows nothing of it. `value` is what was read."""
        fields = _fields(value)
        if not (self.paths or self.empty) or not fields:
            return False
        unknown = {finding.path for finding in findings if finding.kind == "element"}
        lists = [operation.response_tag, ITEM]
        lists += [] if form.loose is None else [form.loose.list, form.loose.item]
        lists += [] if form.wrapped is None else [form.wrapped.root, form.wrapped.list]
        known = {*fields, *map(local_name, lists)}
        return unknown.issuperset(self.paths) and known.isdisjoint(map(local_name, self.empty))


def _fields(value: object) -> tuple[str, ...]:
    """What a response's type knows, by the names on the wire; not the field that keeps what it does not."""
    if not isinstance(value, msgspec.Struct):
        return ()
    names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
    return tuple(wire for wire, name in names if not isinstance(getattr(value, name), dict))
