"""The writers of a codec in XML: attributes, then elements in the schema's order."""

from __future__ import annotations

from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.constants import Constants, clark
from bindgen.emit.xml.families import family
from bindgen.model import Anything, Field, Struct, Type

_MANY = 20  # arms of a choice: of more, only those that are given are looked at


class Writers:
    """Writes writers."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._uses = constants.uses

    def write(self, lines: Lines, struct: Struct) -> None:
        """The writer of a type; that of a group writes into the element that the group stands in."""
        element = self._uses("Element")
        with lines.block(
            f"def write_{struct.function}(value: {struct.python}, node: {element}, path: str) -> None:"
        ):
            lines(f"{self._uses('expect')}(value, {struct.python}, path)")
            fields = struct.all_fields()
            if struct.holder == "substitution":
                given = ", ".join(f"value.{field.python}" for field in fields)
                lines(f"{self._uses('exactly_one')}(value, path, {given})")
            # Wildcard attributes last: they must not stand for those that are declared.
            last = [field for field in fields if field.kind == "any_attributes"]
            ahead = [field for field in fields if field.kind == "attribute"]
            rest = [field for field in fields if field.kind not in ("attribute", "any_attributes")]
            if struct.holder == "choice" and len(rest) > _MANY:
                for field in rest:
                    self._where_given(lines, field)
                return
            lines(*map(self._call, [*ahead, *last, *rest]))

    def _where_given(self, lines: Lines, field: Field) -> None:
        if field.least or field.repeats:
            lines(self._call(field))
            return
        with lines.block(f"if value.{field.python} is not None:"):
            lines(self._call(field))

    def _call(self, field: Field) -> str:
        value, name = f"value.{field.python}", literal(field.wire)
        if field.kind == "element":
            return self._element(field, value, name)
        if field.kind == "any_attributes":
            return f"{self._uses('put_attributes')}(node, {value}, path, {name})"
        if field.kind == "attribute":
            return self._attribute(field, value, name)
        if field.kind == "text":
            which = self._uses("put_nillable_text" if field.nillable else "put_text")
            return f"{which}(node, {value}, path, {self._constants.leaf(field.type)})"
        if field.kind == "any":
            if field.repeats:
                return f"{self._uses('put_anys')}(node, {value}, path, {name}{_least(field)})"
            return (
                f"{self._uses('put_any' if field.least else 'put_optional_any')}(node, {value}, path, {name})"
            )
        write = self._function(field.type)
        if field.repeats:
            return f"{self._uses('put_groups')}(node, {value}, path, {name}, {write}{_least(field)})"
        which = "put_group" if field.least else "put_optional_group"
        return f"{self._uses(which)}(node, {value}, path, {name}, {write})"

    def _attribute(self, field: Field, value: str, name: str) -> str:
        which, further = "put_required_attribute" if field.least else "put_attribute", ""
        if field.least and field.fixed is not None:
            which, further = "put_fixed_attribute", f", {literal(field.fixed)}"
        leaf, key = self._constants.leaf(field.type), literal(clark(field.tag))
        return f"{self._uses(which)}(node, {key}, {value}, path, {name}, {leaf}{further})"

    def _element(self, field: Field, value: str, name: str) -> str:
        tag = self._constants.tag(field.tag)
        if field.item:
            item = field.item
            which = self._uses("put_wrapped_nillable" if item.nillable else "put_wrapped")
            inner = f"{self._constants.tag(item.tag)}, {literal(item.wire)}, {self._function(item.type)}"
            further = f"{_least(field)}{_needs(item)}"
            return f"{which}(node, {tag}, {value}, path, {name}, {inner}{further})"
        nil = "_nillable" if field.nillable else ""
        further = ""
        if field.repeats:
            which, further = f"put_many{nil}", _least(field)
        elif field.nillable:
            which = "put_nillable" if field.least else "put_optional_nillable"
        elif field.least and field.fixed is not None:
            which, further = "put_fixed", f", {literal(field.fixed)}"
        else:
            which = "put_one" if field.least else "put_optional"
        arguments = (
            f"node, {tag}, {value}, path, {name}, {self._function(field.type)}{further}{_needs(field)}"
        )
        return f"{self._uses(which)}({arguments})"

    def _function(self, kind: Type) -> str:
        if isinstance(kind, Struct):
            return f"{self._constants.family(kind)}.write" if family(kind) else f"write_{kind.function}"
        if isinstance(kind, Anything):
            return self._uses("write_anything")
        return f"{self._constants.leaf(kind)}.write"


def _needs(field: Field) -> str:
    """An attribute that an element must have even where it is nil."""
    if not field.nillable or not isinstance(field.type, Struct):
        return ""
    needed = [one for one in field.type.all_fields() if one.kind == "attribute" and one.least]
    return f", needs={literal(needed[0].wire)}" if needed else ""


def _least(field: Field) -> str:
    return ", 1" if field.least else ""
