"""Plans for the compiled reader: tables that say how to decode the types of a package.

A plan covers the usual form of an element. Types that the compiled reader does not support, such as types
with wildcards, are marked in their plans. A response is left to the Python reader if the two readers might
treat it differently. Requires the module `_soapclient_xmlread` (see `_support.speedups`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn

import msgspec
from _soapclient_xmlread import (
    BOOLEAN,
    DATE,
    DATE_TIME,
    DECIMAL,
    ENUMERATION,
    FACTORY,
    FLOAT,
    INTEGER,
    LIST,
    PARSED,
    REQUIRED,
    STRING,
    STRUCT,
    UNSUPPORTED,
    VALUE,
    Plan,
    Slow,
)
from _soapclient_xmlread import Field as PlannedField

from soapclient.runtime import scalars
from soapclient.runtime.fields import Field, Leaf, Types
from soapclient.runtime.integer_bounds import INTEGER_BOUNDS
from soapclient.runtime.nil import INSTANCE
from soapclient.runtime.plain_values import factory_of
from soapclient.runtime.simple_types import Choice, refusals

# The other types that are decoded without a call of Python, also by their `parse`.
_KINDS: Final[dict[object, int]] = {
    scalars.plain: STRING,
    scalars.DECIMAL.parse: DECIMAL,
    scalars.EXACT_DOUBLE.parse: DECIMAL,
    scalars.DOUBLE.parse: FLOAT,
    scalars.DATE_TIME.parse: DATE_TIME,
    scalars.DATE.parse: DATE,
    scalars.DAY.parse: DATE,
    scalars.BOOLEAN.parse: BOOLEAN,
}


class _Unused:
    """An object in place of a reader and of a node, which raises Slow when it is used.

    The `parse` functions of simple types get it as their arguments `reader` and `node`. Most of them use
    neither. If a function does, for example to report a finding or to resolve the prefix of a qualified name,
    the compiled reader stops with Slow, and the Python reader reads the response instead.
    """

    def __getattr__(self, name: str) -> NoReturn:
        raise Slow


_UNUSED: Final[Any] = _Unused()  # Any, because it implements no interface


class Plans:
    """The plans for the types of a package: tables that say how the compiled reader decodes them.

    Thread-safe. Each plan is completed when it is first needed.
    """

    def __init__(self, types: Types) -> None:
        self._types = types
        self._plans: dict[str, Plan] = {}
        self.namespaces: Final = frozenset([types.schema.namespace, *types.schema.namespaces.values()])

    def plan(self, name: str) -> Plan:
        """Return the plan for a type, which says how the compiled reader decodes elements of this type."""
        plan = self._plans.get(name)
        if plan is None:
            plan = self._plans.setdefault(name, Plan(self._types.kind(name), partial(self._define, name)))
        return plan

    def _define(self, name: str, plan: Plan) -> None:
        types = self._types
        fields = [field for field in types.fields(name) if not field.row.refused]
        unsupported = self._unsupported(name, fields)
        if unsupported:
            plan.define([], [], [], [], unsupported)
            return
        elements = [(field.python, self._element(field)) for field in fields if field.kind == "element"]
        attributes = [
            (field.python, self._simple(field, field.tag)) for field in fields if field.kind == "attribute"
        ]
        texts = [(field.python, self._simple(field, "")) for field in fields if field.kind == "text"]
        try:
            defaults = self._defaults(name, fields)
        except Slow:
            plan.define([], [], [], [], "a default that depends on the reader")
            return
        plan.define(elements, attributes, texts, defaults, "")

    def _unsupported(self, name: str, fields: list[Field]) -> str:
        """Return why the compiled reader does not support a type. Return "" if it does."""
        row = self._types.row(name)
        if row.abstract or row.unknown or row.holder:
            return "abstract, a holder, or with a field for unknown elements"
        if hasattr(self._types.kind(name), "__post_init__"):
            return "a class with __post_init__"
        places = {(field.kind, field.tag) for field in fields}
        for field in fields:
            if field.kind not in ("element", "attribute", "text"):
                return f"a field of the kind {field.kind}"
            if field.elsewhere and (field.repeats or places.intersection(field.elsewhere)):
                return "a field that can be at the place of another field, or is a list at several places"
            if field.kind == "text" and field.row.nil:
                return "a text that can be nil"
            if field.kind == "attribute" and field.tag.startswith(INSTANCE):
                return "an attribute of xsi"
        return ""

    def _defaults(self, name: str, fields: list[Field]) -> list[tuple[str, int, object]]:
        """Return a tuple for each field, which says how the compiled reader treats the field if it is absent.

        A tuple is (name, REQUIRED, None), (name, VALUE, default value), or (name, FACTORY, function that
        creates the default value). Raises Slow if the contract's default of an attribute is a list or
        depends on the settings of the reader.
        """
        defaults = dict(self._types.defaults(name))
        # A field with several possible places is only read at its usual place. Python reads the others.
        required = {field.python for field in fields if _is_required(field) or field.elsewhere}
        for field in fields:
            if field.kind == "attribute" and field.row.default is not None:
                _set_attribute_default(field, defaults)
        kind: Any = self._types.kind(name)  # Any: the fields of structs are known only at run time
        result: list[tuple[str, int, object]] = []
        for python in kind.__struct_fields__:
            default = defaults.get(python, msgspec.NODEFAULT)
            if python in required or default is msgspec.NODEFAULT:
                result.append((python, REQUIRED, None))
            elif (factory := factory_of(default)) is not None:
                result.append((python, FACTORY, factory))
            else:
                result.append((python, VALUE, default))
        return result

    def _element(self, field: Field) -> PlannedField:
        if not field.item:
            return self._value(field, field.tag, repeats=field.repeats)
        if field.repeats:
            return PlannedField(_name(field.tag), UNSUPPORTED, repeats=True)
        item = self._value(field, field.item)
        return PlannedField(_name(field.tag), LIST, item=item)

    def _value(self, field: Field, tag: str, *, repeats: bool = False) -> PlannedField:
        if field.holds:
            return PlannedField(_name(tag), STRUCT, repeats=repeats, plan=self.plan(field.holds))
        return self._simple(field, tag, repeats=repeats)

    def _simple(self, field: Field, tag: str, *, repeats: bool = False) -> PlannedField:
        """Return a description of `field`, which has a simple type, for the compiled reader.

        `tag` is the name of its element or attribute; "" for the text of an element. `repeats` is True if the
        field can have several values.
        """
        leaf, has_default = field.leaf, field.default_text is not None
        if leaf is None:
            return PlannedField(_name(tag), UNSUPPORTED, repeats=repeats)
        low, high = INTEGER_BOUNDS.get(leaf.parse, (0, 0))
        if isinstance(leaf, Choice):
            kind = ENUMERATION
        else:
            kind = INTEGER if leaf.parse in INTEGER_BOUNDS else _KINDS.get(leaf.parse, PARSED)
        return PlannedField(
            _name(tag),
            kind,
            repeats=repeats,
            has_default=has_default,
            low=low,
            high=high,
            members={text.encode(): member for text, member in leaf.members.items()}
            if isinstance(leaf, Choice)
            else None,
            parse=_parser(leaf) if kind == PARSED else None,
        )


def _name(tag: str) -> bytes:
    """Convert a name in Clark notation to the form of expat, which has no opening brace."""
    return tag.removeprefix("{").encode()


def _parser(leaf: Leaf) -> Callable[[str], object]:
    """Return a function that converts text to a value of a simple type.

    If it cannot convert a text, it may raise any exception.
    """
    parse = leaf.parse
    return lambda text: parse(text, _UNUSED, _UNUSED)


def _set_attribute_default(field: Field, defaults: dict[str, object]) -> None:
    """Store the contract's default of an attribute in `defaults`, by the field's Python name.

    A default that is not valid for its type is ignored. Raises Slow if the default is a list or depends on
    the settings of the reader.
    """
    if field.leaf is None or field.default_text is None:
        return
    try:
        value = field.leaf.parse(field.default_text, _UNUSED, _UNUSED)
    except refusals:
        return  # the contract's default is not valid for its type; Python's default is kept
    if isinstance(value, list):
        raise Slow
    defaults[field.python] = value


def _is_required(field: Field) -> bool:
    """Return True if the absence of a field is an error or a finding."""
    row = field.row
    if field.kind == "text" or row.may_be_missing:
        return True
    if not field.least or row.rest_optional:
        return False
    return field.kind != "attribute" or row.fixed is None
