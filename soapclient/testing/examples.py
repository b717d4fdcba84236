"""Examples of a package's types as XML: minimal, or complete with each optional part once.

They are valid as far as the rows describe it, and deterministic. They have one branch of each choice.
Recursive types end.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Collection, Container, Mapping

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.codec import Codec
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.operations import AnyOperation
from soapclient.testing.samples import WHOLE, sample

ZONE = dt.timezone(dt.timedelta(hours=1))  # time zone of days in examples
_LARGE = 300  # fields; beyond it, optional fields are omitted
_DEEP = 12  # levels; beyond it, optional fields are omitted
_DEEPEST = 60  # levels; beyond it, all fields are omitted
_MOST_TIMES = 20  # occurrences of a required repeated field
_USUAL_TIMES = 3  # occurrences of a repeated field with `chance`


class Examples:
    """Creates examples for a package. Reuse an instance, because it caches an analysis of the types."""

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
        """Return an element of a type, by default named like the type.

        `complete`: include optional fields. `branches`: False includes optional elements with children only
        at the top level. `given`: Python names of fields to include in any case, with the branches of choices
        they are in. `texts`: texts for fields by their Python names. `nsmap`: prefixes of all namespaces.
        `chance`: vary enumeration values, plain numbers and numbers of repetitions.
        """
        root = etree.Element(tag or self.codec.xml_name(name), nsmap=dict(nsmap or self.codec.prefixes))
        example = _Example(self, complete=complete, branches=branches, texts=texts or {}, chance=chance)
        example.fill(root, name, (), given)
        return root

    def text(self, field: Field) -> str:
        """Return a text for a field of a simple type."""
        return _Example(self, complete=False, branches=False, texts={}, chance=None).text(field)

    def concrete(self, name: str) -> str:
        """Return the type itself or, if it is abstract, its first concrete derived type."""
        return next(iter(self.codec.concrete(name)), name) if self.codec.row(name).abstract else name

    def takes_one(self, name: str) -> bool:
        """Return True if a value has exactly one of the type's fields."""
        holder = self.codec.row(name).holder
        arms = any(field.arms for field in self.codec.fields(name))
        return holder == "substitution" or (holder == "choice" and not arms)

    def ends(self, field: Field) -> bool:
        """Return True if an example of the field's type ends."""
        if not field.holds or is_nillable(field):
            return True
        kind = self.concrete(field.holds)
        if kind not in self._ending:
            self._analyse(kind)
        return self._ending[kind]

    def arms(self, name: str, given: Collection[str]) -> dict[str, int]:
        """Return the branch of each choice: with a given field, else the first that ends, else the first."""

        def rank(fields: list[Field]) -> tuple[bool, bool]:
            not_given = all(field.python not in given for field in fields)
            return not_given, not all(self.ends(field) for field in fields)

        choices = self.codec.arms(name).items()
        return {choice: min(arms, key=lambda arm: (rank(arms[arm]), arm)) for choice, arms in choices}

    def _analyse(self, start: str) -> None:
        """Find which of the types that `start` reaches end.

        Repeats from inner to outer types until nothing changes.
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
        """Return True if a minimal example ends, provided that the types in `ending` do.

        Minimal: all required fields, and one branch of each choice.
        """
        choices: dict[str, dict[int, bool]] = {}
        takes_one = self.takes_one(name)
        for number, field in enumerate(self.codec.fields(name)):
            ends = not field.holds or is_nillable(field) or self.concrete(field.holds) in ending
            if field.arms or takes_one:
                path, branch = field.arms[0] if field.arms else ("", number)
                branches = choices.setdefault(path, {})
                branches[branch] = branches.get(branch, True) and ends
            elif field.least and not ends:
                return False
        return all(any(branches.values()) for branches in choices.values())


def first_page(operation: AnyOperation) -> dict[str, str]:
    """Return the texts of the fields that ask for the first page, of the usual size."""
    pages, paging = operation.row.pages, operation.package.settings.paging
    return {pages.page: str(paging.first), pages.items: str(paging.default)} if pages and paging else {}


def is_nillable(field: Field) -> bool:
    """Return True if an element of a field, or an item of a list, may be nil."""
    return field.row.nil_item if field.item else field.row.nil


class _Example:
    """State of an example under construction."""

    def __init__(
        self,
        examples: Examples,
        *,
        complete: bool,
        branches: bool,
        texts: Mapping[str, str],
        chance: random.Random | None,
    ) -> None:
        self._examples = examples
        self._branches = branches
        self._types = examples.codec
        self._complete = complete
        self._chance = chance
        self._texts = texts  # for fields of the outermost element
        self._count = 0  # fields so far
        self._ids: dict[str, int] = {}

    def fill(
        self, node: etree._Element, declared: str, above: tuple[str, ...], given: Collection[str] = ()
    ) -> None:
        """Add the fields of a type to an element."""
        name = self._examples.concrete(declared)
        if name != declared:
            derived = etree.QName(self._types.xml_name(name))
            prefix = next((key for key, space in node.nsmap.items() if space == derived.namespace), None)
            node.set(XSI_TYPE, f"{prefix}:{derived.localname}" if prefix else derived.localname)
        sparse = not self._complete or name in above or len(above) > _DEEP
        fields: Collection[Field] = self._types.fields(name)
        takes_one = self._examples.takes_one(name)
        if takes_one:
            fields = sorted(
                fields, key=lambda field: (field.python not in given, not self._examples.ends(field))
            )
        branches = self._examples.arms(name, given)
        for field in fields:
            if any(branches[path] != branch for path, branch in field.arms) or field.row.refused:
                continue
            required = field.least or bool(field.arms) or takes_one or field.python in given
            if field.row.protocol == "rest" and field.python not in given:
                continue  # it is not in the contract's schema
            closed = self._recurs(field, (*above, name))
            closed = closed or (bool(field.holds) and not self._branches and bool(above))
            if required or not (sparse or closed or self._count > _LARGE):
                self._add(node, field, (*above, name))
            if takes_one:
                break

    def _add(self, node: etree._Element, field: Field, above: tuple[str, ...]) -> None:
        if field.kind in ("any_attributes", "nil") or len(above) > _DEEPEST:
            return
        if field.kind == "any" and not field.least:
            return
        if field.kind == "attribute" and not field.least and self._has_default(above[-1], field):
            return  # the default applies
        for _ in range(self._times(field)):
            self._count += 1
            text = self._texts.get(field.python) if len(above) == 1 else None
            if field.kind == "attribute":
                node.set(field.tag, text or self.text(field))
            elif field.kind == "text":
                node.text = self.text(field)
            elif field.kind == "content":
                node.text = "anything"
            elif field.kind == "group":
                self.fill(node, field.holds, above)
            elif field.kind == "any":
                etree.SubElement(node, self._wildcard_tag(field, node))
            else:
                child = etree.SubElement(node, field.tag)
                inner = etree.SubElement(child, field.item) if field.item else child
                if is_nillable(field) and self._recurs(field, above):
                    inner.set(NIL_ATTRIBUTE, "true")
                    continue
                self._value(inner, field, above)
                child.text = child.text if text is None else text

    def _recurs(self, field: Field, above: tuple[str, ...]) -> bool:
        """Return True if a field holds a type that it is inside of, or a type derived from it."""
        return bool(field.holds) and (field.holds in above or self._examples.concrete(field.holds) in above)

    def _times(self, field: Field) -> int:
        """Return the number of occurrences of a field."""
        least = min(field.row.least, _MOST_TIMES)
        if self._chance is None or not field.repeats or self._count > _LARGE:
            return least
        return max(least, self._chance.randint(1, _USUAL_TIMES))

    def _has_default(self, name: str, field: Field) -> bool:
        return self._types.defaults(name).get(field.python) not in (None, [], {})

    def _value(self, node: etree._Element, field: Field, above: tuple[str, ...]) -> None:
        if field.holds:
            self.fill(node, field.holds, above)
        else:
            node.text = self.text(field)

    def text(self, field: Field) -> str:
        """Return a text for a field of a simple type."""
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
        kind = self._types.kind(name)
        values = [member.value for member in getattr(kind, "__members__", {}).values()]
        if self._chance is not None:
            self._chance.shuffle(values)
        return values

    def _wildcard_tag(self, field: Field, node: etree._Element) -> str:
        """Return a tag that a wildcard allows."""
        own = etree.QName(node).namespace or ""
        spaces = ["urn:example", own, ""]
        for place in field.row.wildcards:
            spaces += self._types.schema.wildcards[place].namespaces.split()
        tags = [f"{{{space}}}anything" if space else "anything" for space in spaces]
        return next((tag for tag in tags if any(wild.takes(tag) for wild in field.wilds)), tags[0])
