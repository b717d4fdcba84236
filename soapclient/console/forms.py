"""A request as a form. The type of the request defines the inputs; their values are stored by path.

The form is built again from the posted values each time, so fields can be added without a script. Each value
has a key: a prefix, then the field's path (Python names and the indexes of repeated elements).

- `v:` the text. `nil:` present if the element is nil (`xsi:nil`).
- `on:` present if an optional group is present. `n:` the number of items of a repeated element.
- `arm:` the number of the chosen arm (branch) of a choice. `was:arm:` the number of the arm that the page
  displayed.
- `type:` the chosen derived type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from lxml import etree

from soapclient.console.form_values import FormValues, FormVisitor, arm_key
from soapclient.console.inputs import Choice, Group, Input, InputFactory, Part, Values
from soapclient.contract.validation import Checks
from soapclient.errors import ContractError
from soapclient.runtime import CountingReader, visitor
from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.elements import qname_text
from soapclient.runtime.errors import DecodeError, local_name, path_of
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.operations import Part as HeaderPart
from soapclient.runtime.simple_types import refusals
from soapclient.runtime.visitor import Level, Place, put
from soapclient.testing.examples import Examples, first_page

_MAX_ITEMS: Final = 50  # of one repeated field
_MAX_DEPTH: Final = 12  # levels of nested groups
_OPENED: Final = 3  # levels whose choices are expanded in a new form
_MAX_ERRORS: Final = 20  # errors of the schema validator


@dataclass
class Form:
    """The form of a request, and the request `element` that is built from it.

    `items` are the inputs, in groups. `errors` is the number of inputs with an error. `problem` is an error
    that belongs to no single input; "" if there is none. If the form is valid, `element` can be sent.
    """

    operation: AnyOperation
    items: list[Part]
    values: dict[str, str]
    element: etree._Element
    headers: list[tuple[HeaderPart, etree._Element]]  # the SOAP headers that are present
    blame: Callable[[str, str], bool]  # adds an error to the input of a path; False if there is no such input
    problem: str = ""
    errors: int = 0

    @property
    def is_valid(self) -> bool:
        """True if the request can be sent."""
        return not (self.problem or self.errors)

    def refuse(self, error: ContractError) -> None:
        """Show a validation error at the input that has the error's path.

        If there is no such input, the error is shown as the problem of the form.
        """
        if self.blame(error.path, reason_of(error)):
            self.errors += 1
        else:
            self.problem = str(error).removesuffix(" Nothing was sent.")


class Forms:
    """Builds the forms for the operations of a package, with the fields that the protocol supports."""

    def __init__(
        self, examples: Examples, checks: Checks, protocol: Literal["soap", "rest"] = "soap"
    ) -> None:
        self._examples = examples
        self._checks = checks
        self._protocol = protocol

    def form(self, operation: AnyOperation, values: Values, *, check: bool) -> Form:
        """Build the form with these values.

        If `check` is True, inputs with a missing or invalid value are marked as errors.
        """
        filling = _FormBuilder(
            self._examples, self._checks, operation, values, check=check, protocol=self._protocol
        )
        return filling.form()

    def example(self, operation: AnyOperation, *, complete: bool = True) -> dict[str, str]:
        """Return the form values of an example request that can be sent.

        A `complete` example includes optional values, but no optional groups below the top level, because
        these can nest without end. If the complete example is invalid, returns only the required values.
        """
        values = self._example(operation, complete=complete)
        if complete and not self.form(operation, values, check=True).is_valid:
            return self._example(operation, complete=False)
        return values

    def _example(self, operation: AnyOperation, *, complete: bool) -> dict[str, str]:
        """Build values for `example`, with SOAP headers, without checking that the request is valid."""
        node = self._examples.element(
            operation.row.request,
            operation.request_tag or "request",
            complete=complete,
            branches=False,
            texts=first_page(operation),
        )
        return self.values_of(operation, node) | self._header_values(operation)

    def values_of(self, operation: AnyOperation, node: etree._Element) -> dict[str, str]:
        """Convert the XML element of a request to form values."""
        values: dict[str, str] = {}
        FormValues(self._examples.codec, values, protocol=self._protocol).take(node, operation.row.request)
        return values

    def _header_values(self, operation: AnyOperation) -> dict[str, str]:
        """Return the form values of example SOAP headers."""
        values: dict[str, str] = {}
        form_values = FormValues(self._examples.codec, values, protocol=self._protocol)
        for tag, part in operation.request_headers.items():
            path = f"header-{part.name}"
            values[f"on:{path}"] = "1"
            node = self._examples.element(part.kind.__name__, tag)
            form_values.take(node, part.kind.__name__, Level(path))
        return values


def reason_of(error: ContractError) -> str:
    """Return the reason why the contract rejects a value. The text does not contain the value."""
    return f"must be {error.allowed}" if error.allowed else error.reason


# ---- from values to a form and an element


class _At(NamedTuple):
    """Where the builder adds the next inputs.

    - `items`: the list for the inputs. `node`: the element of the request for their values.
    - `includes`: True within an arm (branch of a choice) that the user has just chosen; its optional groups
      are then present.
    """

    node: etree._Element
    items: list[Part]
    depth: int
    includes: bool = False


class _FormBuilder(FormVisitor[_At]):
    """Builds one form and its request element from posted values."""

    def __init__(
        self,
        examples: Examples,
        checks: Checks,
        operation: AnyOperation,
        values: Values,
        *,
        check: bool,
        protocol: str,
    ) -> None:
        super().__init__(examples.codec, protocol)
        self._examples = examples
        self._checks = checks
        self._operation = operation
        self._values = values
        self._check = check
        self._errors = 0
        self._of: dict[etree._Element, Input | Group] = {}
        self._attributes: dict[tuple[etree._Element, str], Input] = {}
        self._fields: dict[str, Field] = {}  # of inputs, by their paths
        self._inputs = InputFactory(examples.codec, values, operation.package.documentation)

    def form(self) -> Form:
        """Build and return the form.

        If `check` was passed as True, inputs with a missing or invalid value are marked as errors.
        """
        operation, prefixes = self._operation, self.types.prefixes
        root = etree.Element(operation.request_tag or "request", nsmap=prefixes)
        items: list[Part] = []
        self.visit(operation.row.request, _At(root, items, 0))
        headers: list[tuple[HeaderPart, etree._Element]] = []
        for tag, part in operation.request_headers.items():
            kind = part.kind.__name__
            group = self._inputs.header(part.name, kind)
            group.on = None if part.required else f"on:{group.path}" in self._values
            if group.on is not False:
                node = etree.Element(tag, nsmap=prefixes)
                self.visit(kind, _At(node, group.items, 1), Level(group.path, part.name))
                headers.append((part, node))
            items.append(group)
        form = Form(operation, items, dict(self._values), root, headers, self._blame)
        if self._check and not self._errors:
            self._read(form)
        form.errors = self._errors
        return form

    def _blame(self, path: str, reason: str) -> bool:
        """Mark the input at `path` as invalid, and show `reason` there.

        Return False if the form has no input at this path.
        """
        return self._add_error(path, reason) is not None

    def _add_error(self, path: str, reason: str) -> tuple[etree._Element, Input | Group] | None:
        """Mark the input at a path as invalid. `reason` is the message for the user.

        Returns the element and its input, or None if there is no input at the path.
        """
        plain, _, attribute = path.partition("/@")
        for node, part in self._of.items():
            if plain in (path_of(node), path_of(node, index=False)):
                target = self._attributes.get((node, local_name(attribute)), part)
                self._errors += not target.error
                target.error = target.error or reason
                return node, target
        return None

    def _read(self, form: Form) -> None:
        """Decode the built request, validate it against the schema, and mark the inputs with errors."""
        try:
            self._operation.read_request(form.element, CountingReader(naive_zone=None))
            for part, node in form.headers:
                part.read(node, CountingReader(naive_zone=None))
        except DecodeError as error:
            if not self._blame(error.path, f"must be {error.expected}"):
                form.problem = str(error)
            return
        if self._operation.encoded or self._operation.filled_names:
            return  # the complete message is validated when it is sent, with its signature
        messages = [form.element] if self._operation.request_tag else list(form.element)
        messages += [node for _, node in form.headers]
        seen: set[str] = set()
        while len(seen) < _MAX_ERRORS:
            try:
                rpc = self._operation.style == "rpc"
                self._checks.check_request(messages, self._operation.name, rpc=rpc)
                return
            except ContractError as error:
                match = self._add_error(error.path, reason_of(error))
                if match is None and not seen:
                    form.refuse(error)
                if match is None or match[1].path in seen or not self._replace_invalid(*match):
                    return
                seen.add(match[1].path)

    def _replace_invalid(self, node: etree._Element, part: Input | Group) -> bool:
        """Replace the invalid value of `node` with an example, so that the validator reports the next error.

        `part` is the input of that value. Return True if the value is replaced, False if it does not have a
        simple type. The form already has an error, so the request with the example is never sent.
        """
        field = self._fields.get(part.path)
        if field is None or field.leaf is None:
            return False
        text = self._examples.text(field)
        if field.kind == "attribute":
            node.set(field.tag, text)
        else:
            node.text = text
        return True

    # ---- the inputs of each field

    def choose(self, choice: visitor.Choice, at: _At) -> tuple[int, _At]:
        """Add a choice to the inputs at `at`.

        Returns the number of the chosen arm (branch), and where the inputs of that arm must be added.
        """
        key = arm_key(choice)
        usual = 0
        if not choice.key:
            usual = next((arm for arm, (field,) in choice.arms.items() if self._examples.ends(field)), 0)
        numbers = list(choice.arms)
        index = self._number(key, usual, len(numbers) - 1)
        includes = False
        if choice.key:
            # A new form includes the only field of an arm. Limited in depth: types can be recursive.
            is_only_field = not self._values and at.depth < _OPENED and len(choice.arms[numbers[index]]) == 1
            shown = self._values.get(f"was:{key}", str(index) if key not in self._values else "")
            includes = at.includes or is_only_field or shown != str(index)
        labels = tuple(", ".join(field.name for field in fields) for fields in choice.arms.values())
        part = Choice(key, labels, index, includes=includes)
        at.items.append(part)
        return numbers[index], _At(at.node, part.items, at.depth, includes)

    def occurrences(self, place: Place, at: _At) -> list[_At]:
        """Return the positions for the inputs of the field `place`: one position for each value.

        - For a field that is not repeated, returns [`at`].
        - For a repeated field, adds an empty list of inputs at `at`, and returns the end of this list once
          for each item of the field. The inputs of all items are added there, in order.
        """
        field = place.field
        if not field.is_list:
            return [at]
        repeated = self._inputs.repeated(place, _MAX_ITEMS)
        at.items.append(repeated)
        number = self._number(f"n:{place.path}", repeated.least, _MAX_ITEMS, least=repeated.least)
        node = at.node
        if field.item and (number or field.least):
            node = etree.SubElement(node, field.tag)
        return [_At(node, repeated.items, at.depth)] * number

    def leaf(self, place: Place, at: _At) -> None:
        """Add the input for a field without inner fields, and write its value to the request element.

        `place` is the field's position in the message; `at` says where to add the input and the value.
        """
        field, node = place.field, at.node
        is_content = field.kind in ("text", "content")
        required = place.must and field.default_text is None and not is_content
        value_input = self._inputs.input(place, required=required)
        self._fields[place.path] = field
        at.items.append(value_input)
        if field.is_nillable:
            value_input.nil = f"nil:{place.path}" in self._values
        if field.kind == "attribute":
            self._attributes[node, local_name(field.tag)] = value_input
        if value_input.nil:
            self._of[etree.SubElement(node, place.tag, {NIL_ATTRIBUTE: "true"})] = value_input
        else:
            self._put(value_input, place, node)
        self._check_value(value_input, field)

    def _put(self, value_input: Input, place: Place, node: etree._Element) -> None:
        """Write the value of `value_input` to the request, at its element `node`. Omits an empty value.

        `place` is the field with its position. If XML does not allow the value, the input gets an error.
        """
        field, value = place.field, value_input.value
        if field.leaf is None:
            is_left_out = not value.strip()
        elif field.kind == "element":  # a required element with a default may be empty
            is_left_out = not value and (value_input.required or not place.must)
        else:
            is_left_out = not value
        if is_left_out:
            return
        value_input.there = True
        try:
            holder = put(node, field, value)
        except etree.XMLSyntaxError:
            value_input.error = "not well-formed XML"
        except ValueError:
            value_input.error = "the text has characters that XML does not allow"
        else:
            if field.kind == "element":
                self._of[holder] = value_input
        self._errors += bool(value_input.error)

    def branch(self, place: Place, at: _At) -> None:
        """Add the group of inputs for a field with inner fields.

        `place` is the field's position in the message; `at` says where to add the group and its element. The
        inner fields are added only if the group is present and not nil.
        """
        field, path = place.field, place.path
        group = self._inputs.group(place)
        kind = group.kind
        at.items.append(group)
        if not place.must:
            group.on = at.includes or f"on:{path}" in self._values
            if not group.on:
                return
        if field.is_nillable:
            group.nil = f"nil:{path}" in self._values
        if at.depth >= _MAX_DEPTH:
            group.error = "nested too deeply for a form"
            self._errors += 1
            return
        inner = at.node
        if field.kind != "group":
            inner = etree.SubElement(at.node, place.tag)
            self._of[inner] = group
            if kind != field.holds:
                inner.set(XSI_TYPE, qname_text(inner, self.types.xml_name(kind)))
        if group.nil:
            inner.set(NIL_ATTRIBUTE, "true")
        else:
            self.visit(kind, _At(inner, group.items, at.depth + 1), place)

    # ---- values

    def _check_value(self, value_input: Input, field: Field) -> None:
        """Mark an input as invalid if it has an invalid value, or no value although the value is required.

        Does nothing if the form was built with `check=False`.
        """
        if not self._check or value_input.nil or value_input.error:
            return
        if not value_input.value:
            if value_input.required:
                value_input.error = "this is required"
        elif value_input.choices and field.leaf is not None and value_input.value not in value_input.choices:
            value_input.error = f"must be one of: {', '.join(value_input.choices)}"
        elif field.leaf is not None:
            try:
                field.leaf.parse(value_input.value, CountingReader(), etree.Element("value"))
            except refusals:
                value_input.error = f"must be {field.leaf.expected}"
        self._errors += bool(value_input.error)

    def _number(self, key: str, usual: int, maximum: int, *, least: int = 0) -> int:
        """Return the posted number with this key, but not less than `least` and not more than `maximum`.

        `usual` is the default if no valid number is posted.
        """
        return max(least, min(number_of(self._values.get(key, ""), usual), maximum))


def number_of(text: str, usual: int) -> int:
    """Parse a posted number of at most five digits. Returns `usual` if the text is not such a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else usual


def counted(values: Mapping[str, str], path: str, by: int) -> dict[str, str]:
    """Return a copy of form values in which the repeated field at `path` has one item more or less.

    `by` is 1 to add an item, or -1 to remove the last item and its values.
    """
    result = dict(values)
    key = f"n:{path}"
    number = max(0, number_of(result.get(key, ""), 0) + by)
    result[key] = str(number)
    if by < 0:
        removed = f":{path}.{number}"
        result = {
            name: text
            for name, text in result.items()
            if removed not in (f":{name.partition(':')[2]}", "")
            and not f":{name.partition(':')[2]}".startswith(f"{removed}.")
        }
    return result
