"""JSON as a tree of nodes that decoders read like XML (the JSON form of docs/explanation/service.md#json).

- In an object, `"@name"` is an attribute, `"$"` is the text of an element that also has attributes, and any
  other name is a child element.
- An array becomes one element per member. `""` becomes an empty element. There is no element for null.
- Numbers stay text, so that no digit is lost in a float.
- A name that occurs twice in one object becomes two elements, so that the decoder can refuse it.

If a decoder keeps unknown content, it keeps the original JSON value: numbers have all their digits, and an
array of one member is a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NoReturn

from soapclient._support.forks import lazy
from soapclient._support.lazy_pattern import LazyPattern
from soapclient.runtime import Kept, KeptValue, Node, path_of
from soapclient.runtime.any_element import joined
from soapclient.runtime.errors import local_name
from soapclient.runtime.protocols import DataNode

ITEM = ""  # the tag for members of a top-level array, which have no name
DEEPEST = 100

_SCHEMA_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
_STRING = r'"(?:[^"\\]++|\\.)*+"'
_CONSTANT = re.compile(rf"{_STRING}|NaN|-?Infinity", re.DOTALL)
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SURROGATES = re.compile("[\ud800-\udfff]")  # lone surrogates
# Escapes of unpaired surrogates. Escaped backslashes, too, because pairs are hard to recognize after them.
_MAY_BE_LONE = LazyPattern(
    r"\\\\u|\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]"
)
_LONG = 1 << 23  # number of characters that the standard library parses in about 0.1 s
_NOTHING: Mapping[str, object] = MappingProxyType({})


class BrokenJson(ValueError):
    """A document that is not JSON, or that cannot be a response.

    `line` and `column` are counted from 1. They are None if `problem` contains a path.
    """

    def __init__(self, problem: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(problem, line, column)
        self.problem = problem
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return (
            self.problem if self.line is None else f"{self.problem} (line {self.line}, column {self.column})"
        )


class JsonNode(DataNode):
    """A JSON value as an element with the interface that decoders use.

    Unlike an lxml element, it can hold characters that XML does not allow.

    - `childless`: the members of a JSON object that are null or an empty array, as a dict from tag to value.
      The node has no children for these members.
    - `empty_arrays`: the tags in `childless` whose value is an empty array.
    """

    __slots__ = ("_own", "_source", "childless", "empty_arrays")

    _children: Sequence[JsonNode]

    def __init__(
        self,
        tag: str,
        text: str | None = None,
        attributes: Iterable[tuple[str, str]] = (),
        children: Sequence[JsonNode] = (),
        parent: Node | None = None,
        *,
        adopt: bool = True,
    ) -> None:
        """Create a node. By default, it becomes the parent of `children`.

        If `adopt` is False, the children keep their former parent, so their paths in errors do not change.
        """
        super().__init__(tag, parent, attributes, children)
        self.text = text
        self.empty_arrays: frozenset[str] = frozenset()
        self.childless: Mapping[str, object] = _NOTHING
        self._own: object = text
        self._source: _Source | None = None
        for child in children if adopt else ():
            child._parent = self

    def as_written(self) -> KeptValue:
        """Return the JSON value from which this node was created.

        If that value is a member of an array, returns the complete array.
        """
        if self._source is None:
            self._source = _Source(self._own)
        return self._source.value

    def left_empty(self) -> Kept:
        """Return the members of this object that are null or an empty array, by tag."""
        return {tag: _plain(value) for tag, value in self.childless.items()}

    @property
    def is_object(self) -> bool:
        """True if this node was a JSON object."""
        return isinstance(self._own, tuple)

    def alone(self, tag: str) -> JsonNode:
        """Return a copy of this text node with another tag and without a parent."""
        copy = JsonNode(tag, self.text)
        copy._own = self._own
        return copy

    def __iter__(self) -> Iterator[JsonNode]:
        return iter(self._children)

    def rename_empty(self, tags: Mapping[str, str]) -> None:
        """Change the tags of nulls and empty arrays. `tags` maps local names to tags."""

        def renamed(tag: str) -> str:
            return tags.get(local_name(tag), tag)

        self.childless = {renamed(tag): value for tag, value in self.childless.items()}
        self.empty_arrays = frozenset(map(renamed, self.empty_arrays))

    @property
    def structured(self) -> bool:
        """True if the node has children or attributes."""
        return bool(self._children or self._attributes)

    @property
    def empty(self) -> bool:
        """True if the node has no content at all."""
        return not (self.text or self._children or self._attributes or self.empty_arrays)

    def remove(self, children: Collection[JsonNode]) -> None:
        """Remove some children from this node. The paths of these children in errors do not change."""
        gone = set(map(id, children))
        self._children = [child for child in self._children if id(child) not in gone]


def parse(
    data: bytes,
    tag: str,
    *,
    roots: Collection[str] = (),
    check_deadline: Callable[[], None] = lambda: None,
) -> JsonNode:
    """Parse a JSON document. Return it as a node with the tag `tag` (Clark notation).

    - An object: its names become children and attributes, in the namespace of `tag`.
    - An object whose only name is the name of the root, {"Root": content}: only the content is used. `Root`
      must be the local name of `tag` or of a tag in `roots`, and the returned node has that tag. Most JSON
      documents consist of the content only.
    - An array: its members become children with the tag `ITEM`.
    - `""` and null become an empty node. Lone surrogates become U+FFFD.

    `check_deadline` is called for numbers and objects during parsing, and for each value afterwards. It can
    raise an error to stop.

    Raises BrokenJson with line and column if the bytes are not UTF-8, the text is not JSON or has NaN or
    Infinity, nesting is deeper than 100, an attribute occurs twice, or the document is neither an object nor
    an array.
    """
    text = _decode(data)
    _check_depth(text)
    try:
        value = load(text, _Number, _no_constant, check_deadline)
    except json.JSONDecodeError as error:
        raise BrokenJson(f"invalid JSON: {error.msg}", *_place_of(text, error.pos)) from None
    except _ConstantFound:
        found = next(match for match in _CONSTANT.finditer(text) if match[0][0] != '"')
        raise BrokenJson("NaN and Infinity are not JSON numbers", *_place_of(text, found.start())) from None
    tag, value = without_root(value, (tag, *roots))
    builder = _Builder(tag[: tag.rfind("}") + 1], check_deadline)
    root = JsonNode(tag)
    if isinstance(value, tuple):
        builder.fill(root, value)
    elif isinstance(value, list):
        root._children = builder.nodes(root, ITEM, value)
        root.empty_arrays = frozenset(() if root._children else (ITEM,))
    elif value not in (None, ""):
        raise BrokenJson("the document must be an object or an array", 1, 1)
    return root


def load(
    text: str,
    number: Callable[[str], str],
    constant: Callable[[str], NoReturn],
    check_deadline: Callable[[], None],
) -> object:
    """Parse JSON and return its value. Objects become tuples of (name, value) pairs.

    `number` converts the text of each number. `constant` is called for NaN and Infinity, and raises an error.
    `check_deadline` is called for each number and object, because the standard library has callbacks only for
    numbers and objects. Raises JSONDecodeError, RecursionError, and the errors of the callbacks.
    """

    def checked_number(digits: str) -> str:
        check_deadline()
        return number(digits)

    def checked_object(pairs: list[tuple[str, object]]) -> tuple[tuple[str, object], ...]:
        check_deadline()
        return tuple(pairs)

    value: object = json.loads(
        text,
        object_pairs_hook=checked_object,
        parse_int=checked_number,
        parse_float=checked_number,
        parse_constant=constant,
    )
    return value


def load_quickly(data: bytes, check_deadline: Callable[[], None]) -> object:
    """Parse JSON faster than `load`. The numbers are strings.

    In short documents, the deadline is checked only before and after parsing. Raises ValueError if the bytes
    are not UTF-8, if the text is not JSON, or if it may contain lone surrogates. Raises RecursionError if the
    nesting is too deep.
    """
    text = data.decode("utf-8-sig")
    if "\\u" in text and _MAY_BE_LONE.search(text):
        raise ValueError("the document may contain a lone surrogate, such as \\ud800")
    check_deadline()
    if len(text) > _LONG:
        return load(text, str, _refuse_constant, check_deadline)
    value: object = json.loads(
        text, object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=_refuse_constant
    )
    check_deadline()
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def element(parent: Node, tag: str, value: object) -> JsonNode:
    """Return a new element for one parsed value, which is neither null nor an array.

    Its parent is `parent`, but it is not added to the parent's children.
    """
    (node,) = _Builder(tag[: tag.rfind("}") + 1]).nodes(parent, tag, value)
    return node


class _ConstantFound(Exception):
    pass


def _no_constant(_: str) -> NoReturn:
    raise _ConstantFound


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8", "replace")
        raise BrokenJson("the document is not UTF-8", *_place_of(before, len(before))) from None


def without_root(value: object, tags: Collection[str]) -> tuple[str, object]:
    """Return the tag of a JSON document's root, and the content of the root.

    The parsed document `value` has one of two forms:

    - {"Root": content}, if `Root` is the local name of one of `tags`, and the content is an object, null, an
      empty string, or an array with one of these. This tag and the content, without the array, are returned.
    - Only the content, in all other cases. The first of `tags` and `value` are returned.
    """
    tag = next(iter(tags))
    if not isinstance(value, tuple) or len(value) != 1:
        return tag, value
    ((name, inner),) = value
    root_tag = next((candidate for candidate in tags if local_name(candidate) == name), None)
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    if root_tag is not None and (isinstance(inner, tuple) or inner in (None, "")):
        return root_tag, inner
    return tag, value


class _Builder:
    """Converts parsed JSON to nodes.

    In parsed JSON, objects are tuples of (name, value) pairs, arrays are lists, and numbers are strings.
    """

    def __init__(self, space: str, check_deadline: Callable[[], None] = lambda: None) -> None:
        self._space = space
        self._check_deadline = check_deadline
        self._tags: dict[str, str] = {}

    def fill(self, node: JsonNode, pairs: Iterable[tuple[str, object]]) -> None:
        children: list[JsonNode] = []
        childless: dict[str, object] = {}
        attributes: dict[str, str] = {}
        for name, value in pairs:
            simple = not isinstance(value, tuple | list)
            if name == "$" and simple:
                self._set_text(node, value)
            elif len(name) > 1 and name[0] == "@" and simple:
                self._set_attribute(node, attributes, name[1:], value)
            else:
                tag = self._tags.get(name) or self._tags.setdefault(name, self._space + _name(name))
                nodes = self.nodes(node, tag, value)
                children += nodes
                if not nodes:
                    childless[tag] = value
                elif isinstance(value, list):
                    source = _Source(value)
                    for child in nodes:
                        child._source = source
        node._children, node._attributes = children, attributes
        if childless:
            node.childless = childless
            node.empty_arrays = frozenset(tag for tag, value in childless.items() if isinstance(value, list))

    def nodes(self, parent: Node, tag: str, value: object) -> list[JsonNode]:
        """Return the elements for a value: none for null, one per member of an array, otherwise one."""
        self._check_deadline()
        if value is None:
            return []
        if isinstance(value, list):
            return [node for item in value for node in self.nodes(parent, tag, item)]
        child = JsonNode(tag, None if isinstance(value, tuple) else _text(value), parent=parent)
        child._own = value
        if isinstance(value, tuple):
            self.fill(child, value)
        return [child]

    def _set_text(self, node: JsonNode, value: object) -> None:
        if value is None:
            return
        if node.text is not None:
            raise BrokenJson(f"the text of {_shown(node)} occurs twice")
        node.text = _text(value)

    def _set_attribute(self, node: JsonNode, attributes: dict[str, str], name: str, value: object) -> None:
        if value is None:
            return
        prefix, _, local = name.partition(":")
        attribute = f"{_SCHEMA_INSTANCE}{_name(local)}" if prefix == "xsi" and local else _name(name)
        if attribute in attributes:
            raise BrokenJson(f"the attribute {name[:60]!r} of {_shown(node)} occurs twice")
        attributes[attribute] = _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    assert isinstance(value, str)  # numbers keep their text
    return _without_surrogates(value)


def _name(name: str) -> str:
    """Return a JSON name in a form that can be the local name of a tag.

    A name that contains `}` or an unprintable character is escaped and quoted. The result cannot be equal to
    the name of an XML element, because these names never contain quotes.
    """
    if name.isprintable() and "}" not in name:
        return name
    return json.dumps(name).replace("}", "\\u007d")


def _shown(node: JsonNode) -> str:
    path = path_of(node, index=False)  # the node is not yet among the children of its parent
    return path if len(path) <= 200 else f"{path[:200]}…"


def _place_of(text: str, at: int) -> tuple[int, int]:
    """Return the line and the column of an index `at` in a text. Both are counted from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _check_depth(text: str) -> None:
    """Raise BrokenJson if objects and arrays are nested more than `DEEPEST` deep.

    The standard library's parser is recursive. Without this check, the limit would depend on how deep the
    caller's stack is.
    """
    depth = 0
    for match in _BRACKET.finditer(text) if text.count("[") + text.count("{") > DEEPEST else ():
        depth += _STEP.get(match[0], 0)
        if depth > DEEPEST:
            raise BrokenJson(
                f"objects and arrays are nested more than {DEEPEST} levels deep",
                *_place_of(text, match.start()),
            )


class _Number(str):
    """The text of a JSON number. The class makes it different from a JSON string."""

    __slots__ = ()


class _Source:
    """The JSON value of a node. It is converted to Python's types when first needed.

    Created from the parsed JSON that `_Builder` reads.
    """

    def __init__(self, given: object) -> None:
        self._given = given

    @lazy
    def value(self) -> KeptValue:
        """The value in Python's types.

        If the node is a member of an array, this is the complete array, not the member. All members of the
        array share one list object.
        """
        return _plain(self._given)


def _plain(given: object) -> KeptValue:
    """Convert a parsed JSON value to Python's types.

    A number becomes an int, or a Decimal with the same digits if it has a fraction or an exponent. If the
    exponent is too large for a Decimal, the number stays text. If a name occurs twice in an object, its value
    is a list.
    """
    if isinstance(given, _Number):
        return _exact(str(given))
    if isinstance(given, str):
        return _without_surrogates(given)
    if isinstance(given, list):
        return [_plain(item) for item in given]
    if isinstance(given, tuple):
        return _object(given)
    return given if isinstance(given, bool) else None


def _without_surrogates(text: str) -> str:
    """Return a text as a plain str. Lone surrogates are replaced by U+FFFD."""
    return str(text) if text.isascii() else _SURROGATES.sub("\ufffd", text)


def _exact(text: str) -> KeptValue:
    try:
        return int(text) if text.lstrip("-").isdigit() else Decimal(text)
    except ValueError:  # too many digits for int()
        return Decimal(text)
    except ArithmeticError:  # the exponent is too large for a Decimal
        return text


def _object(pairs: tuple[tuple[str, object], ...]) -> Kept:
    by_name: dict[str, list[KeptValue]] = {}
    for name, value in pairs:
        by_name.setdefault(name, []).append(_plain(value))
    return {name: joined(values) for name, values in by_name.items()}
