"""A request as a form: what stands in it comes from the rows of its type, what is filled in is kept by path.

A form is made anew from the posted values each time, so that it can be added to without a script. Keys of
values are a mark and the path of a field: `v:` a text, `on:` an optional group that is there, `nil:` xsi:nil,
`n:` how many there are, `arm:` the arm of a choice, `was:` the one that was shown, `type:` which of several
types. A path has Python names, and numbers of what repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from lxml import etree

from soapclient.console.described import hint, type_name, type_of, values_of
from soapclient.console.taking import Taking
from soapclient.contract.validation import Checks
from soapclient.errors import ContractError
from soapclient.runtime import CountingReader
from soapclient.runtime.any_element import XSI_TYPE, fragment
from soapclient.runtime.elements import qname_text
from soapclient.runtime.errors import DecodeError, local_name, path_of
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.operations import Part as HeaderPart
from soapclient.runtime.simple_types import refusals
from soapclient.testing.examples import Examples, first_page

Values = Mapping[str, str]
_MOST: Final = 50  # of what repeats, in one form
_DEEPEST: Final = 12
_OPENED: Final = 3  # levels, at first
_MOST_ERRORS: Final = 20  # that a validator is asked for


@dataclass
class Input:
    """One value: a text, or one of `choices`. `nil` is None where it cannot be nil. `error` is what is wrong
    with the value, "" for nothing. `there` is whether the request has it."""

    path: str
    label: str
    python: str
    type: str
    required: bool
    value: str = ""
    choices: tuple[str, ...] = ()
    multiline: bool = False
    hint: str = ""
    nil: bool | None = None
    error: str = ""
    there: bool = False
    form: Literal["input"] = "input"


@dataclass
class Group:
    """Inputs that belong together. `on` is whether an optional one is there, None for a required one; `kinds`
    are the types that may stand for its own, with their names, `kind` the one chosen."""

    path: str
    label: str
    type: str
    items: list[Part] = field(default_factory=list)
    on: bool | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    nil: bool | None = None
    error: str = ""
    form: Literal["group"] = "group"


@dataclass
class Several:
    """What may be there several times: so many `items` now, at least `least`."""

    path: str
    label: str
    type: str
    least: int
    items: list[Part] = field(default_factory=list)
    error: str = ""
    form: Literal["several"] = "several"


@dataclass
class Choice:
    """One of several: the labels of the `arms`, the number of the one `chosen`, and what that holds.
    `includes` is whether groups of that arm are there without being asked for: it was chosen just now."""

    path: str
    arms: tuple[str, ...]
    chosen: int
    includes: bool = False
    items: list[Part] = field(default_factory=list)
    form: Literal["choice"] = "choice"


Part = Input | Group | Several | Choice


@dataclass
class Form:
    """A request while it is filled in: its parts, what is wrong as a whole, and, where nothing is, the
    element."""

    operation: AnyOperation
    items: list[Part]
    values: dict[str, str]
    element: etree._Element
    headers: list[tuple[HeaderPart, etree._Element]]  # those of the SOAP head that are there
    blame: Callable[[str, str], bool]  # puts an error at the path of an element, if it is in the form
    problem: str = ""
    errors: int = 0

    @property
    def is_valid(self) -> bool:
        """Whether the request can be sent."""
        return not (self.problem or self.errors)

    def refuse(self, error: ContractError) -> None:
        """Say what the contract has against the request, at its place if it has one."""
        if self.blame(error.path, reason_of(error)):
            self.errors += 1
        else:
            self.problem = str(error).removesuffix(" Nothing was sent.")


class Forms:
    """Makes the forms of a package's operations, with the fields that the protocol has."""

    def __init__(
        self, examples: Examples, checks: Checks, protocol: Literal["soap", "rest"] = "soap"
    ) -> None:
        self._examples = examples
        self._checks = checks
        self._protocol = protocol

    def form(self, operation: AnyOperation, values: Values, *, check: bool) -> Form:
        """The form with these values. With `check` what is lacking and wrong stands at its place."""
        filling = _Filling(
            self._examples, self._checks, operation, values, check=check, protocol=self._protocol
        )
        return filling.form()

    def example(self, operation: AnyOperation, *, complete: bool = True) -> dict[str, str]:
        """Return the values of an example that can be sent.

        If it is `complete`, it has optional values, but below the top level no optional groups: these can
        nest without an end. An example that is not valid with them has required values only.
        """
        values = self._example(operation, complete=complete)
        if complete and not self.form(operation, values, check=True).is_valid:
            return self._example(operation, complete=False)
        return values

    def _example(self, operation: AnyOperation, *, complete: bool) -> dict[str, str]:
        node = self._examples.element(
            operation.row.request,
            operation.request_tag or "request",
            complete=complete,
            branches=False,
            texts=first_page(operation),
        )
        return self.values_of(operation, node) | self._header_values(operation)

    def values_of(self, operation: AnyOperation, node: etree._Element) -> dict[str, str]:
        """The values of a request's element."""
        found: dict[str, str] = {}
        Taking(self._examples, found).take(node, operation.row.request, "")
        return found

    def _header_values(self, operation: AnyOperation) -> dict[str, str]:
        found: dict[str, str] = {}
        for tag, part in operation.request_headers.items():
            path = f"header-{part.name}"
            found[f"on:{path}"] = "1"
            node = self._examples.element(part.kind.__name__, tag)
            Taking(self._examples, found).take(node, part.kind.__name__, path)
        return found


def reason_of(error: ContractError) -> str:
    """What the contract has against a value, beside that."""
    return f"must be {error.allowed}" if error.allowed else error.reason


# ---- from values to a form and an element


class _Filling:
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
        self._protocol = protocol
        self._examples = examples
        self._checks = checks
        self._codec = examples.codec
        self._operation = operation
        self._values = values
        self._check = check
        self._errors = 0
        self._of: dict[etree._Element, Input | Group] = {}
        self._attributes: dict[tuple[etree._Element, str], Input] = {}
        self._fields: dict[str, Field] = {}  # of inputs, by their paths

    def form(self) -> Form:
        operation, prefixes = self._operation, self._codec.prefixes
        root = etree.Element(operation.request_tag or "request", nsmap=prefixes)
        items = self._fill(root, operation.row.request, "", 0)
        headers: list[tuple[HeaderPart, etree._Element]] = []
        for tag, part in operation.request_headers.items():
            kind = part.kind.__name__
            group = Group(f"header-{part.name}", f"header {part.name}", type_name(self._codec, kind))
            group.on = None if part.required else f"on:{group.path}" in self._values
            if group.on is not False:
                node = etree.Element(tag, nsmap=prefixes)
                group.items = self._fill(node, kind, group.path, 1)
                headers.append((part, node))
            items.append(group)
        form = Form(operation, items, dict(self._values), root, headers, self._blame)
        if self._check and not self._errors:
            self._read(form)
        form.errors = self._errors
        return form

    def _blame(self, path: str, reason: str) -> bool:
        """Put an error at the input of an element's or an attribute's path; whether there is one."""
        return self._blamed(path, reason) is not None

    def _blamed(self, path: str, reason: str) -> tuple[etree._Element, Input | Group] | None:
        plain, _, attribute = path.partition("/@")
        for node, part in self._of.items():
            if plain in (path_of(node), path_of(node, index=False)):
                blamed = self._attributes.get((node, local_name(attribute)), part)
                self._errors += not blamed.error
                blamed.error = blamed.error or reason
                return node, blamed
        return None

    def _read(self, form: Form) -> None:
        """What only the whole request shows."""
        try:
            self._operation.read_request(form.element, CountingReader(naive_zone=None))
            for part, node in form.headers:
                part.read(node, CountingReader(naive_zone=None))
        except DecodeError as error:
            if not self._blame(error.path, f"must be {error.expected}"):
                form.problem = str(error)
            return
        if self._operation.encoded or self._operation.filled_names:
            return  # what is sent is checked as a whole, with what signs it
        messages = [form.element] if self._operation.request_tag else list(form.element)
        messages += [node for _, node in form.headers]
        seen: set[str] = set()
        while len(seen) < _MOST_ERRORS:
            try:
                rpc = self._operation.style == "rpc"
                self._checks.check_request(messages, self._operation.name, rpc=rpc)
                return
            except ContractError as error:
                found = self._blamed(error.path, reason_of(error))
                if found is None and not seen:
                    form.refuse(error)
                if found is None or found[1].path in seen or not self._corrected(*found):
                    return
                seen.add(found[1].path)

    def _corrected(self, node: etree._Element, part: Input | Group) -> bool:
        """Put a valid value in the place of one that is not, so that a validator goes on to the next. The
        request is not sent any more."""
        field = self._fields.get(part.path)
        if field is None or field.leaf is None:
            return False
        text = self._examples.text(field)
        if field.kind == "attribute":
            node.set(field.tag, text)
        else:
            node.text = text
        return True

    # ---- the rows

    def _fill(self, node: etree._Element, name: str, path: str, depth: int) -> list[Part]:
        """The parts of a type, put into an element."""
        fields = [
            each
            for each in self._codec.fields(name)
            if each.is_asked and each.row.protocol in ("", self._protocol)
        ]
        one = self._examples.takes_one(name)
        if one:
            return [self._choice_of(node, fields, path, depth)]
        found: list[Part] = []
        choices: dict[str, Choice] = {}
        arms = self._codec.arms(name)
        for each in fields:
            if not each.arms:
                found.append(self._field(node, each, path, depth))
                continue
            chosen = self._arms(arms, each, path, depth, choices, found)
            if chosen is not None:
                chosen.items.append(self._field(node, each, path, depth, include=chosen.includes))
        return found

    def _arms(
        self,
        arms: Mapping[str, Mapping[int, list[Field]]],
        field: Field,
        path: str,
        depth: int,
        choices: dict[str, Choice],
        found: list[Part],
    ) -> Choice | None:
        """The innermost choice that a field is an arm of, None where another arm is chosen."""
        here: Choice | None = None
        for choice, arm in field.arms:
            key = f"arm:{path}{choice}"
            numbers = list(arms[choice])
            if key not in choices:
                labels = tuple(", ".join(each.name for each in fields) for fields in arms[choice].values())
                at = self._number(key, 0, len(numbers) - 1)
                # At first, one that is all of an arm; not too deep, for types may hold themselves.
                alone = not self._values and depth < _OPENED and len(arms[choice][numbers[at]]) == 1
                shown = self._values.get(f"was:{key}", str(at) if key not in self._values else "")
                made = Choice(key, labels, at, includes=alone or shown != str(at))
                made.includes = made.includes or (here is not None and here.includes)
                choices[key] = made
                (found if here is None else here.items).append(made)
            here = choices[key]
            if numbers[here.chosen] != arm:
                return None
        return here

    def _choice_of(self, node: etree._Element, fields: list[Field], path: str, depth: int) -> Choice:
        """One of a type's fields."""
        key = f"arm:{path}"
        usual = next((at for at, each in enumerate(fields) if self._examples.ends(each)), 0)
        at = self._number(key, usual, len(fields) - 1)
        made = Choice(key, tuple(each.name for each in fields), at)
        if fields:
            made.items.append(self._field(node, fields[at], path, depth, must=True))
        return made

    def _field(
        self,
        node: etree._Element,
        field: Field,
        path: str,
        depth: int,
        *,
        must: bool = False,
        include: bool = False,
    ) -> Part:
        here = f"{path}.{field.python}" if path else field.python
        must = must or field.least
        if field.kind == "attribute":
            return self._text(node, field, here, must=must and self._has_no_default(field))
        if field.kind in ("text", "content"):
            return self._text(node, field, here, must=False)
        if field.repeats or field.item:
            return self._several(node, field, here, depth)
        return self._one(node, field, here, depth, must=must, include=include)

    def _has_no_default(self, field: Field) -> bool:
        return field.row.default is None and field.row.fixed is None

    def _several(self, node: etree._Element, field: Field, path: str, depth: int) -> Several:
        least = field.row.least if field.least and not field.item else 0
        made = Several(path, field.name, type_of(self._codec, field), min(least, _MOST))
        number = self._number(f"n:{path}", made.least, _MOST, least=made.least)
        holder = node
        if field.item and (number or field.least):
            holder = etree.SubElement(node, field.tag)
        for at in range(number):
            one = self._one(holder, field, f"{path}.{at}", depth, must=True, of_list=True)
            one.label = f"{field.name} {at + 1}"
            made.items.append(one)
        return made

    def _one(
        self,
        node: etree._Element,
        field: Field,
        path: str,
        depth: int,
        *,
        must: bool,
        include: bool = False,
        of_list: bool = False,
    ) -> Input | Group:
        """One element, group or whatever stands there."""
        nillable = field.row.nil_item if of_list and field.item else field.row.nil
        tag = field.item if field.item else field.tag
        if field.kind == "group":
            return self._group(node, None, field, path, depth, must=must, include=include)
        if field.holds:
            return self._group(node, tag, field, path, depth, must=must, include=include, nillable=nillable)
        made = self._input(field, path, must=must and field.default_text is None)
        if nillable:
            made.nil = f"nil:{path}" in self._values
        if made.nil:
            self._of[etree.SubElement(node, tag, {NIL_ATTRIBUTE: "true"})] = made
            made.error = ""
        elif field.kind == "any" or field.leaf is None:
            self._put_xml(node, tag, made)
        elif made.value or (must and not made.required):
            child = etree.SubElement(node, tag)
            self._put(made, child)
            self._of[child] = made
            made.there = True
        self._judge(made, field)
        return made

    def _put(self, made: Input, node: etree._Element, attribute: str = "") -> None:
        """Put a value in its place, where XML can say it."""
        try:
            if attribute:
                node.set(attribute, made.value)
            else:
                node.text = made.value
        except ValueError:
            made.error = "this has characters that XML does not have"
            self._errors += 1

    def _put_xml(self, node: etree._Element, tag: str, made: Input) -> None:
        """What may be anything: XML, or a text."""
        made.multiline, made.hint = True, "XML, or a text"
        if not made.value.strip():
            return
        made.there = True
        try:
            parsed = fragment(made.value)
        except etree.XMLSyntaxError:
            made.error = "this is not well-formed XML"
            self._errors += 1
            return
        if tag:
            child = etree.SubElement(node, tag)
            child.text = parsed.text
            child.extend(list(parsed))
            self._of[child] = made
        else:
            node.extend(list(parsed))

    def _group(
        self,
        node: etree._Element,
        tag: str | None,
        field: Field,
        path: str,
        depth: int,
        *,
        must: bool,
        include: bool,
        nillable: bool = False,
    ) -> Group:
        kinds = self._codec.concrete(field.holds)
        chosen = self._values.get(f"type:{path}", "")
        kind = chosen if chosen in kinds else kinds[0] if kinds else field.holds
        made = Group(
            path,
            field.name or field.holds,
            type_name(self._codec, field.holds),
            kinds={each: type_name(self._codec, each) for each in kinds} if len(kinds) > 1 else {},
            kind=kind,
        )
        if not must:
            made.on = include or f"on:{path}" in self._values
            if not made.on:
                return made
        if nillable:
            made.nil = f"nil:{path}" in self._values
        if depth >= _DEEPEST:
            made.error = "this nests too deep for a form"
            self._errors += 1
            return made
        inner = node if tag is None else etree.SubElement(node, tag)
        if tag is not None:
            self._of[inner] = made
            if kind != field.holds:
                inner.set(XSI_TYPE, qname_text(inner, self._codec.xml_name(kind)))
        if made.nil:
            inner.set(NIL_ATTRIBUTE, "true")
            return made
        made.items = self._fill(inner, kind, path, depth + 1)
        return made

    def _text(self, node: etree._Element, field: Field, path: str, *, must: bool) -> Input:
        """An attribute, or the text of the element itself."""
        made = self._input(field, path, must=must)
        if field.kind == "attribute":
            self._attributes[node, local_name(field.tag)] = made
        made.there = bool(made.value)
        if field.kind == "attribute" and made.value:
            self._put(made, node, field.tag)
        elif field.kind == "text":
            self._put(made, node)
        elif field.kind == "content":
            self._put_content(node, made)
        self._judge(made, field)
        return made

    def _put_content(self, node: etree._Element, made: Input) -> None:
        holder = etree.Element("any")
        self._put_xml(holder, "any", made)
        for inner in holder:
            node.text = inner.text
            node.extend(list(inner))

    # ---- inputs

    def _input(self, field: Field, path: str, *, must: bool) -> Input:
        row = field.row
        self._fields[path] = field
        choices = ("true", "false") if row.type.partition(":")[0] == "boolean" else values_of(field)
        label = f"@{field.name}" if field.kind == "attribute" else field.name
        if field.kind in ("text", "content"):
            label = "text"
        value = self._values.get(f"v:{path}", "")
        return Input(
            path=path,
            label=label,
            python=field.python,
            type=type_of(self._codec, field),
            required=must and "" not in choices,
            value=value,
            choices=choices,
            hint=hint(field),
        )

    def _judge(self, made: Input, field: Field) -> None:
        """Say what is wrong with a value by itself."""
        if not self._check or made.nil or made.error:
            return
        if not made.value:
            if made.required:
                made.error = "this is required"
        elif made.choices and field.leaf is not None and made.value not in made.choices:
            made.error = f"must be one of: {', '.join(made.choices)}"
        elif field.leaf is not None:
            try:
                field.leaf.parse(made.value, CountingReader(), etree.Element("value"))
            except refusals:
                made.error = f"must be {field.leaf.expected}"
        self._errors += bool(made.error)

    def _number(self, key: str, usual: int, most: int, *, least: int = 0) -> int:
        return max(least, min(number_of(self._values.get(key, ""), usual), most))


def number_of(text: str, usual: int) -> int:
    """A number as a form sends it: at most five digits, else what is `usual`."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else usual
