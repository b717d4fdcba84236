"""JSON for the target `speedups`: the compiled reader, the fast Python readers and the tree must agree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import product
from random import Random
from typing import Final

from lxml import etree

from soapclient.rest import json_tree
from soapclient.rest.shapes import read_shaped
from soapclient.runtime import AnyOperation, CountingReader, DecodeError, Package
from soapclient.runtime.compiled import JsonResponseReader, json_plan
from soapclient.runtime.errors import local_name
from soapclient.runtime.json_decoding import JsonReader, NeedsTree
from soapclient.runtime.json_structs import UsualJsonReader
from soapclient.testing.examples import Examples

from . import json_mutation
from .target import Seed, Wrong

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_TOKENS: Final = (
    b'"', b'{', b'}', b'[', b']', b',', b':', b'null', b'true', b'1', b'-1', b'01', b'1.', b'.5',
    b'1e5', b'-0', b'-', b'\\u00e4', b'\\ud800', b'\\ud83d\\ude00', b'\\ud83d\\u0041', b'\\ude00',
    b'\\u0000', b'\\u001f', b'\\uffff', b'\\uFFFE', b'\\u20aC', b'\\n', b'\\b', b'\\/', b'\\\\', b'\\x',
    b'\\', b'\xc3\xa4', b'\xf0\x9f\x98\x80', b'\xed\xa0\x80', b'\xff', b'\xc3', b'\xef\xbf\xbf',
    b'\xef\xbb\xbf', b'\x00', b'\t', b' ', b'\n', b'\x7f', b'"$":"x",', b'"@id":"7",', b'"x":null,',
    b'"x":1,', b'"@xsi:nil":true,', b'NaN', b'Infinity', b'-Infinity', b'1_0', b'12345678901234567890',
    b'{}', b'[]', b'""', b'[[1]]', b'//', b'2026-11-01T10:11:12Z', b'2026-11-01', b'1.50',
)  # fmt: skip


class JsonCase:
    """One operation, with the readers of its JSON responses."""

    def __init__(self, operation: AnyOperation, compiled: JsonResponseReader) -> None:
        self.operation = operation
        self.compiled = compiled
        self.usual = UsualJsonReader(operation.codec, operation.row.response)

    @cached_property
    def _quick(self) -> JsonReader:
        operation = self.operation
        return JsonReader(operation.codec, operation.row.response, operation.response_tag, json_tree.element)

    def by_tree(self, content: bytes) -> tuple[object, CountingReader] | None:
        """Return the value and the findings of the tree. Return None if it raises an error."""
        operation, reader = self.operation, CountingReader()
        try:
            root = json_tree.parse(content, operation.response_tag)
            return read_shaped(operation, root, reader), reader
        except (json_tree.BrokenJson, DecodeError, RecursionError):
            return None

    def by_rows(self, content: bytes) -> object | None:
        """Return the value of the fast Python reader. Return None if it needs the tree, or has findings."""
        reader = CountingReader()
        try:
            pairs = json_tree.load_quickly(content, reader.check_deadline)
            if not isinstance(pairs, tuple) or (len(pairs) == 1 and pairs[0][0] == self._root):
                return None
            value: object = self._quick.read(pairs, reader)
        except (NeedsTree, ValueError, RecursionError):
            return None
        return None if reader.findings else value

    @property
    def _root(self) -> str:
        return local_name(self.operation.response_tag)

    def compare(self, content: bytes) -> bool:
        """Raise Wrong if the readers differ. Return True if the compiled reader accepts the response."""
        value, quick, usual = self.compiled.read(content), self.by_rows(content), self.usual.read(content)
        if value is None and quick is None and usual is None:
            return False
        expected = self.by_tree(content)
        for name, result in ("compiled", value), ("fast", quick), ("usual", usual):
            if result is None:
                continue
            if expected is None:
                raise Wrong(f"{name}: accepted, but an error to the tree")
            if repr(result) != repr(expected[0]):  # equal values can have different types
                raise Wrong(f"{name}: {result!r} instead of {expected[0]!r}")
            if expected[1].findings:
                raise Wrong(f"{name}: accepted, but the tree has findings: {dict(expected[1].findings)}")
        return value is not None


def json_cases(package: Package, name: str) -> Iterator[tuple[str, JsonCase]]:
    """Yield the operations of a package whose JSON the compiled reader can read, with unique names."""
    for operation in package.operations.values():
        if operation.one_way or not operation.response_tag or operation.encoded:
            continue
        plan = json_plan(operation)
        if plan is not None:
            yield f"{name} {operation.key} json", JsonCase(operation, JsonResponseReader(plan))


def examples_of(
    operation: AnyOperation, chances: Sequence[Random | None]
) -> Iterator[tuple[int, etree._Element]]:
    """Yield examples of responses, with and without optional fields, and the index of their chance."""
    examples = Examples(operation.codec)
    for (at, chance), complete in product(enumerate(chances), (True, False)):
        with suppress(ValueError):  # a type without a finite example
            response = operation.row.response
            yield at, examples.element(response, operation.response_tag, complete=complete, chance=chance)


def json_seeds(name: str, case: JsonCase) -> Iterator[Seed]:
    """Yield examples of JSON responses: with numbers or strings, and more or fewer arrays."""
    for _, node in examples_of(case.operation, (None, Random(7))):
        for typed, arrays in product((True, False), repeat=2):
            yield Seed(name, json.dumps(_form(node, typed, arrays), ensure_ascii=typed).encode())


def _form(node: etree._Element, typed: bool, arrays: bool) -> object:
    text = node.text or ""
    if not len(node) and not node.keys():
        return json.loads(text) if typed and (_NUMBER.fullmatch(text) or text in ("true", "false")) else text
    pairs: dict[str, object] = {f"@{local_name(str(name))}": str(value) for name, value in node.items()}
    if text.strip():
        pairs["$"] = text
    for child in node:
        name, value = local_name(str(child.tag)), _form(child, typed, arrays)
        if name in pairs:
            values = pairs[name]
            pairs[name] = [*values, value] if isinstance(values, list) else [values, value]
        else:
            pairs[name] = [value] if arrays and node.tag != child.tag and len(node) == 1 else value
    return pairs


def changed_json(content: bytes, random: Random) -> bytes:
    """Change a document: its bytes, or its values and names."""
    if random.random() < 0.4:
        return json_mutation.mutated(json_mutation.parsed(content), random)
    data = bytearray(content)
    for _ in range(random.choice((1, 1, 2))):
        _change(data, random)
    return bytes(data)


def _change(data: bytearray, random: Random) -> None:
    at, way = random.randrange(len(data) or 1), random.randrange(5)
    if way == 0:
        data[at:at] = random.choice(_TOKENS)
    elif way == 1:
        del data[at : at + random.randrange(1, 5)]
    elif way == 2 and data:
        data[at] = random.randrange(256)
    elif way == 3:  # text from another place
        other = random.randrange(len(data) or 1)
        data[at:at] = data[other : other + random.randrange(1, 30)]
    else:  # another value
        start = data.find(b":", at) + 1
        ends = [end for end in (data.find(b",", start), data.find(b"}", start)) if end > 0]
        data[start : min(ends, default=start)] = random.choice(_TOKENS)
