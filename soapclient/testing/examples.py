"""Create example XML for the types of a generated package, with or without optional fields.

By default, the examples are always the same. They satisfy the rules of the schema that the generated package
contains. Only one alternative of each choice is used. In a recursive type, the recursion ends as soon as the
schema allows it.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Collection, Container, Mapping
from xml.sax.saxutils import escape

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.codec import Codec
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.visitor import Choice, Level, Place, Visitor, put
from soapclient.testing.samples import WHOLE, sample

ZONE = dt.timezone(dt.timedelta(hours=1))  # time zone of days in examples
_LARGE = 300  # number of fields, above which optional fields are omitted
_DEEP = 12  # number of levels, below which optional fields are omitted
_DEEPEST = 60  # number of levels, below which all fields are omitted
_MOST_TIMES = 20  # occurrences of a required repeated field
_USUAL_TIMES = 3  # occurrences of a repeated field with `chance`


class Examples:
    """Creates example elements for the types of a package.

    Reuse an instance, because it caches which types have finite examples.
    """

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self._ending: dict[str, bool] = {}

    def element(
        self,
        name: str,
        tag: str = "",
        *,
        complete: bool = False,
        branches: bool = True,
        given: Collection[str] = (),
        texts: Mapping[str, str] | None = None,
        nsmap: Mapping[str | None, str] | None = None,
        chance: random.Random | None = None,
    ) -> etree._Element:
        """Return an example element of the type `name`. By default, its tag is the type's name.

        - `complete`: include optional fields.
        - `branches`: if False, optional elements with children are included only at the top level and in
          choices.
        - `given`: Python names of top-level fields to include. In a choice, the alternative that has one
          of these fields is used.
        - `texts`: values of top-level fields as XML text, by Python names.
        - `nsmap`: the namespaces that the element declares, by prefix.
        - `chance`: a random generator that varies enumeration values, plain numbers and numbers of
          repetitions. Without it, the example is always the same.
        """
        root = etree.Element(tag or self.codec.xml_name(name), nsmap=dict(nsmap or self.codec.prefixes))
        example = _Example(
            self, complete=complete, branches=branches, given=given, texts=texts or {}, chance=chance
        )
        example.fill(root, name)
        return root

    def text(self, field: Field) -> str:
        """Return an example value for a field of a simple type, as XML text."""
        return _Example(self, complete=False, branches=False).text(field)

    def concrete(self, name: str) -> str:
        """Return the type itself or, if it is abstract, its first concrete derived type."""
        return next(iter(self.codec.concrete(name)), name) if self.codec.row(name).abstract else name

    def ends(self, field: Field) -> bool:
        """Return True if a finite example of the field exists.

        There is none if each instance of the field's type must contain another instance, without end.
        """
        if not field.holds or field.is_nillable:
            return True
        kind = self.concrete(field.holds)
        if kind not in self._ending:
            self._analyse(kind)
        return self._ending[kind]

    def _analyse(self, start: str) -> None:
        """Determine which types have finite examples: `start` and all types inside it.

        Stores the results in `_ending`. Checks inner types before outer types, and repeats this until nothing
        changes.
        """
        kinds = {start: None}
        todo = [start]
        while todo:
            held = [self.concrete(field.holds) for field in self.codec.fields(todo.pop()) if field.holds]
            todo += [kind for kind in held if kind not in kinds]
            kinds |= dict.fromkeys(held)
        ending = {kind for kind in kinds if self._ending.get(kind)}
        previous = -1
        while previous < len(ending):
            previous = len(ending)
            ending.update(kind for kind in reversed(kinds) if kind in ending or self._ends(kind, ending))
        self._ending |= {kind: kind in ending for kind in kinds}

    def _ends(self, name: str, ending: Container[str]) -> bool:
        """Return True if the type `name` has a finite example.

        That is the case if all required fields and at least one branch of each choice have finite examples.
        `ending` are the names of the types that are already known to have one.
        """
        choices: dict[str, dict[int, bool]] = {}
        takes_one = self.codec.takes_one(name)
        for number, field in enumerate(self.codec.fields(name)):
            ends = not field.holds or field.is_nillable or self.concrete(field.holds) in ending
            if field.arms or takes_one:
                path, branch = field.arms[0] if field.arms else ("", number)
                branches = choices.setdefault(path, {})
                branches[branch] = branches.get(branch, True) and ends
            elif field.least and not ends:
                return False
        return all(any(branches.values()) for branches in choices.values())


def first_page(operation: AnyOperation) -> dict[str, str]:
    """Return the paging fields of a request for the first page: a dict from Python name to XML text.

    The page has the default size. The dict is empty if the operation has no pages.
    """
    pages, paging = operation.row.pages, operation.package.settings.paging
    return {pages.page: str(paging.first), pages.items: str(paging.default)} if pages and paging else {}


class _Example(Visitor[etree._Element]):
    """Creates one example element, field by field, with the options of `Examples.element`.

    In the methods, `at` is the element to which a field is added. `place` is the field and its position in
    the message.
    """

    def __init__(
        self,
        examples: Examples,
        *,
        complete: bool,
        branches: bool,
        given: Collection[str] = (),
        texts: Mapping[str, str] | None = None,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(examples.codec)
        self._examples = examples
        self._branches = branches
        self._complete = complete
        self._chance = chance
        self._given = given  # like `texts`, fields of the outermost element
        self._texts = texts or {}
        self._count = 0  # fields so far
        self._ids: dict[str, int] = {}

    def fill(self, node: etree._Element, declared: str, inside: Level | None = None) -> None:
        """Add example fields of the type `declared` to an element.

        If `declared` is abstract, its first concrete derived type is used. `inside` is the position of the
        element in the message, or None for the outermost element.
        """
        name = self._examples.concrete(declared)
        if name != declared:
            derived = etree.QName(self.types.xml_name(name))
            prefix = next((key for key, space in node.nsmap.items() if space == derived.namespace), None)
            node.set(XSI_TYPE, f"{prefix}:{derived.localname}" if prefix else derived.localname)
        self.visit(name, node, inside)

    def includes(self, field: Field, above: tuple[str, ...]) -> bool:
        """Return True if the example may contain a field.

        A field that exists only in REST is included only if the caller asked for it with `given`. `above` are
        the names of the types around the field, from the outermost type to the innermost.
        """
        return field.is_asked and (field.row.protocol != "rest" or self._is_given(field, above))

    def choose(self, choice: Choice, at: etree._Element) -> tuple[int, etree._Element]:
        """Select a branch of a choice. Return the number of the branch, and the element for its fields.

        Prefers a branch with a field that the caller asked for with `given`, then a branch with a finite
        example, then the first branch. The element is always `at`.
        """

        def rank(arm: int) -> tuple[bool, bool, int]:
            fields = choice.arms[arm]
            not_given = not any(self._is_given(field, choice.level.above) for field in fields)
            return not_given, not all(map(self._examples.ends, fields)), arm

        return min(choice.arms, key=rank), at

    def occurrences(self, place: Place, at: etree._Element) -> list[etree._Element]:
        """Return a list that contains the element `at` once for each time the field must be added to it.

        `place` is the position of the field. If the list is empty, the field is omitted.
        """
        field, above = place.field, place.above
        if len(above) > _DEEPEST or (field.kind == "any" and not field.least):
            return []
        if field.kind == "attribute" and not field.least and self._has_default(above[-1], field):
            return []  # the default applies
        sparse = not self._complete or above[-1] in above[:-1] or len(above) - 1 > _DEEP
        closed = self._recurs(field, above) or (bool(field.holds) and not self._branches and len(above) > 1)
        required = place.must or bool(field.arms) or self._is_given(field, above)
        if not required and (sparse or closed or self._count > _LARGE):
            return []
        return [at] * self._times(field)

    def leaf(self, place: Place, at: etree._Element) -> None:
        """Add the example of the field at `place` to the element `at`. The field has no inner fields.

        The example is a value, or an element for a wildcard.
        """
        field = place.field
        self._count += 1
        if field.kind == "any":
            etree.SubElement(at, self._wildcard_tag(field, at))
            return
        text = self._texts.get(field.python) if len(place.above) == 1 and field.kind != "text" else None
        text = self.text(field) if text is None else text
        put(self._wrapper(field, at), field, escape(text) if field.leaf is None else text)

    def branch(self, place: Place, at: etree._Element) -> None:
        """Add the example of the field at `place` to the element `at`. The field has inner fields.

        The field is an element or a model group.
        """
        self._count += 1
        inner = self._wrapper(place.field, at)
        if place.field.kind != "group":
            inner = etree.SubElement(inner, place.tag)
        if place.field.is_nillable and self._recurs(place.field, place.above):
            inner.set(NIL_ATTRIBUTE, "true")
        else:
            self.fill(inner, place.field.holds, place)

    def _wrapper(self, field: Field, at: etree._Element) -> etree._Element:
        return etree.SubElement(at, field.tag) if field.item else at

    def _is_given(self, field: Field, above: tuple[str, ...]) -> bool:
        return len(above) == 1 and field.python in self._given

    def _recurs(self, field: Field, above: tuple[str, ...]) -> bool:
        """Return True if a field is recursive: its type is also one of the types around it.

        `above` are the names of the types around the field. If the field's type is abstract, also returns
        True if `above` contains the first concrete derived type.
        """
        return bool(field.holds) and (field.holds in above or self._examples.concrete(field.holds) in above)

    def _times(self, field: Field) -> int:
        """Return the number of times that an included field is repeated."""
        least = min(field.row.least, _MOST_TIMES)
        if self._chance is None or not field.repeats or self._count > _LARGE:
            return least
        return max(least, self._chance.randint(1, _USUAL_TIMES))

    def _has_default(self, name: str, field: Field) -> bool:
        return self.types.defaults(name).get(field.python) not in (None, [], {})

    def text(self, field: Field) -> str:
        """Return an example value for a field of a simple type, as XML text."""
        row = field.row
        if (constant := row.fixed if row.fixed is not None else row.default) is not None:
            return constant
        if field.leaf is None:
            return "anything"
        text, kind = sample(row.type, row.python, row.facets, self._values)
        if kind == "id":  # ids are unique
            self._ids[text] = self._ids.get(text, 0) + 1
            return text if self._ids[text] == 1 else f"{text}-{self._ids[text]}"
        if self._chance is not None and row.facets is None and kind in WHOLE and text.isdigit():
            return str(self._chance.randint(1, 100))
        return text

    def _values(self, name: str) -> list[str]:
        kind = self.types.kind(name)
        values = [member.value for member in getattr(kind, "__members__", {}).values()]
        if self._chance is not None:
            self._chance.shuffle(values)
        return values

    def _wildcard_tag(self, field: Field, node: etree._Element) -> str:
        """Return a tag that a wildcard field allows in the element `node`, as `{namespace}name`."""
        own = etree.QName(node).namespace or ""
        spaces = ["urn:example", own, ""]
        for place in field.row.wildcards:
            spaces += self.types.schema.wildcards[place].namespaces.split()
        tags = [f"{{{space}}}anything" if space else "anything" for space in spaces]
        return next((tag for tag in tags if any(wild.takes(tag) for wild in field.wilds)), tags[0])
