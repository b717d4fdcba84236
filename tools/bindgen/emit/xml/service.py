"""service.py of a package in XML: each operation as a value, and a class for each port type."""

from __future__ import annotations

from collections.abc import Iterable

from bindgen import naming
from bindgen.emit import hints
from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.constants import Constants, clark
from bindgen.emit.xml.families import family
from bindgen.emit.xml.module import Uses, class_names, head, standard
from bindgen.model import Contract, Fault, Field, Header, ListOf, Operation, Struct
from bindgen.naming import Space

_MOST_SAID = 12  # types in a docstring


class _Forms:
    """How the types of messages are read and written: by the functions of the codec, and what it has beside
    these for a type that others may stand for."""

    def __init__(self, contract: Contract, uses: Uses) -> None:
        # The names of its constants are those that `codec` gives.
        self._constants = Constants(contract, Uses(""))
        self._uses = uses

    def hint(self, struct: Struct) -> str:
        """The type of a value."""
        self._uses.own("types", *hints.names(struct))
        return hints.value(struct)

    def write(self, struct: Struct) -> str:
        """What fills an element with a value."""
        return self._of_codec(struct, "write")

    def read(self, struct: Struct, *, nillable: bool) -> str:
        """What reads an element, be it nil where it may be."""
        read = self._of_codec(struct, "read")
        if not nillable or any(field.kind == "text" and field.nillable for field in struct.fields):
            return read
        fields = [hints.attribute(field, nil=True) for field in struct.all_fields()]
        if struct.abstract or any(not default for _, default in fields):
            return f"{self._uses('nil_or_empty')}({read})"
        self._uses.own("types", struct.python)
        return f"{self._uses('nil_or_empty')}({read}, {struct.python})"

    def _of_codec(self, struct: Struct, what: str) -> str:
        if family(struct):
            name = self._constants.family(struct)
            self._uses.own("codec", name)
            return f"{name}.{what}"
        self._uses.own("codec", f"{what}_{struct.function}")
        return f"{what}_{struct.function}"


class _Parts:
    """Headers and the details of faults, each a constant; the same one in several operations is one."""

    def __init__(self, contract: Contract, uses: Uses, forms: _Forms) -> None:
        taken = [operation.constant for operation in contract.operations]
        taken += [struct.python for struct in contract.structs]
        self._space = Space([*taken, "OPERATIONS", "TABLES"])
        self._uses = uses
        self._forms = forms
        self._names: dict[tuple[str, str, str, bool], str] = {}
        self.lines = Lines()

    def name(self, part: Header | Fault, mark: str) -> str:
        """The constant of a header ("HEADER") or of a fault's detail ("FAULT")."""
        required = isinstance(part, Header) and part.required
        key = (mark + part.name, part.tag, part.type.function, required)
        if key not in self._names:
            own = naming.constant(part.name).removesuffix(f"_{mark}")
            self._names[key] = self._space.claim(f"{own}_{mark}")
            self._write(self._names[key], part, required)
        return self._names[key]

    def _write(self, constant: str, part: Header | Fault, required: bool) -> None:
        struct = part.type
        self._uses.own("types", struct.python)
        self.lines("")
        kind = self._uses("Part")
        with self.lines.block(f"{constant}: {kind}[{self._forms.hint(struct)}] = {kind}(", ")"):
            self.lines(
                f"name={literal(part.name)},",
                f"tag={literal(clark(part.tag))},",
                f"kind={struct.python},",
                f"write={self._forms.write(struct)},",
                f"read={self._forms.read(struct, nillable=part.nillable)},",
                *["required=True,"] * required,
            )


def emit(contract: Contract, runtime: str) -> str:
    """The operations and the service classes."""
    uses = Uses(runtime, class_names(contract))
    uses.own("tables", "TABLES")
    forms = _Forms(contract, uses)
    parts = _Parts(contract, uses, forms)
    body = Lines()
    said: dict[str, None] = {}
    for operation in contract.operations:
        body("")
        _constant(body, contract, operation, parts, forms, uses)
    for port_type, name in contract.service_classes.items():
        own = [operation for operation in contract.operations if operation.port_type == port_type]
        body("", "")
        _service(body, port_type, name, own, parts, uses, said)
    everything = " ".join(said)
    abstract = ["Mapping", *(["Sequence"] if "Sequence[" in everything else [])]
    if "AnyElement" in everything:
        uses("AnyElement")
    if "Nil " in everything:
        uses("Nil")
    known = standard(everything, abstract=abstract, typing=["ClassVar"])
    lines = head(contract, f"The operations of {contract.name}.", known, uses)
    lines.extend(parts.lines)
    lines.extend(body)
    return lines.text()


def _constant(
    lines: Lines, contract: Contract, operation: Operation, parts: _Parts, forms: _Forms, uses: Uses
) -> None:
    request, reply = operation.request, operation.reply
    kind = uses("SoapOperation")
    whole = f"{operation.constant}: {kind}[{forms.hint(request)}, {forms.hint(reply)}] = {kind}("
    with lines.block(whole, ")"):
        lines(
            f"contract={literal(contract.name)},",
            f"name={literal(operation.name)},",
            f"method={literal(operation.method)},",
            f"port_type={literal(clark(operation.port_type))},",
            f"soap_action={literal(operation.soap_action)},",
            f"request_tag={literal(clark(operation.request_tag))},",
            f"reply_tag={literal(clark(operation.reply_tag))},",
        )
        if operation.style == "rpc":
            lines('style="rpc",')
        if operation.encoded:
            lines("encoded=True,")
        if operation.one_way:
            lines("one_way=True,")
        lines(
            f"write_request={forms.write(request)},",
            f"read_request={forms.read(request, nillable=operation.request_nillable)},",
            f"read_reply={forms.read(reply, nillable=operation.reply_nillable)},",
            f"write_reply={forms.write(reply)},",
        )
        # Types that derive from the reply's are all known to it; of others an element may not be.
        known = {id(struct) for struct in reply.standing_for()}
        members = {tag: each for tag, each in operation.reply_members.items() if id(each) in known}
        if members:
            with lines.block("reply_members={", "},"):
                for tag, struct in members.items():
                    lines(f"{literal(clark(tag))}: {forms.read(struct, nillable=False)},")
        _listed(lines, "request_headers", operation.request_headers, parts, "HEADER")
        _listed(lines, "reply_headers", operation.reply_headers, parts, "HEADER")
        _listed(lines, "faults", operation.faults, parts, "FAULT")


def _listed(lines: Lines, name: str, found: Iterable[Header | Fault], parts: _Parts, mark: str) -> None:
    by_tag = {clark(part.tag): parts.name(part, mark) for part in found}
    if by_tag:
        with lines.block(f"{name}={{", "},"):
            for tag, constant in by_tag.items():
                lines(f"{literal(tag)}: {constant},")


def _service(
    lines: Lines,
    port_type: str,
    name: str,
    operations: list[Operation],
    parts: _Parts,
    uses: Uses,
    said: dict[str, None],
) -> None:
    with lines.block(f"class {name}:"):
        lines.doc(
            f"The operations of {port_type.rpartition('}')[2] or name}. "
            "Each call raises what the caller it goes through raises."
        )
        lines(
            "",
            f"CONTRACT: ClassVar[{uses('SoapTables')}] = TABLES",
            f"PORT_TYPE: ClassVar[str] = {literal(clark(port_type))}",
        )
        with lines.block(f"OPERATIONS: ClassVar[Mapping[str, {uses('AnySoapOperation')}]] = {{", "}"):
            for operation in operations:
                lines(f"{literal(operation.method)}: {operation.constant},")
        lines("")
        with lines.block(f"def __init__(self, caller: {uses('SoapCaller')}) -> None:"):
            lines("self._caller = caller")
        for operation in operations:
            lines("")
            _method(lines, operation, parts, uses, said, whole=operation.request.abstract)
            if operation.whole_method:
                lines("")
                _method(lines, operation, parts, uses, said, whole=True)


def _method(
    lines: Lines, operation: Operation, parts: _Parts, uses: Uses, said: dict[str, None], *, whole: bool
) -> None:
    """A method that takes the fields of a request, or the `whole` request, of whatever type it may be."""
    fields = [] if whole else operation.request.all_fields()
    parameters = [(field.python, *hints.parameter(field, nil=True)) for field in fields]
    for field in fields:
        for kind in (field.type, *([field.item.type] if field.item else [])):
            if kind is not field.type or not field.item:
                uses.own("types", *hints.names(kind))
    for header in operation.request_headers:
        uses.own("types", *hints.names(header.type))
        optional = ("", "") if header.required else (" | None", "None")
        parameters.append((header.python, f"{hints.value(header.type)}{optional[0]}", optional[1]))
    said |= {f"{hint} {default}": None for _, hint, default in parameters}
    answer = "None" if operation.one_way else hints.value(operation.reply)
    name = operation.whole_method if whole and operation.whole_method else operation.method
    # What must be given first; all by keyword, so a new field in the contract moves nothing.
    ordered = [one for one in parameters if not one[2]] + [one for one in parameters if one[2]]
    with lines.block(f"def {name}(", f") -> {answer}:"):
        lines("self,", *[f"request: {hints.value(operation.request)},", "/,"] * whole)
        lines(*["*,"] * bool(ordered))
        for parameter, hint, default in ordered:
            lines(f"{parameter}: {hint}{f' = {default}' if default else ''},")
    with lines.inside():
        _doc(lines, operation, whole=whole)
        with lines.block(f"{'' if operation.one_way else 'return '}self._caller.call(", ")"):
            lines(f"{operation.constant},")
            if whole:
                lines("request,")
            else:
                uses.own("types", operation.request.python)
                _request(lines, operation.request, fields, uses)
            if operation.request_headers:
                with lines.block("(", "),"):
                    for part in operation.request_headers:
                        lines(f"*{uses('header')}({parts.name(part, 'HEADER')}, {part.python}),")


def _request(lines: Lines, request: Struct, fields: list[Field], uses: Uses) -> None:
    if not fields:
        lines(f"{request.python}(),")
        return
    with lines.block(f"{request.python}(", "),"):
        for field in fields:
            lines(f"{field.python}={_argument(field, uses)},")


def _argument(field: Field, uses: Uses) -> str:
    """Lists are copied, so that a later change of the caller's list changes no request."""
    name = field.python
    if field.kind == "any_attributes":
        return f"{{}} if {name} is None else dict({name})"
    if not hints.copies(field):
        return name
    copied = f"{uses(_copies_with(field))}({name})"
    if field.repeats or not hints.parameter(field, nil=True)[1]:
        nil = field.nillable and not field.repeats
        return f"None if {name} is None else {copied}" if nil else copied
    if field.nillable and not field.item:
        return f"{name} if {name} is None or {name} is {uses('NIL')} else {copied}"
    return f"None if {name} is None else {copied}"


def _copies_with(field: Field) -> str:
    """What copies a sequence: those of which each element is a list are copied element by element."""
    element = field.item or field
    if not (field.item or field.repeats) or not isinstance(element.type, ListOf):
        return "copied"
    return "copied_lists_or_nil" if element.nillable else "copied_lists"


def _doc(lines: Lines, operation: Operation, *, whole: bool) -> None:
    said = []
    if whole:
        known = [struct.python for struct in operation.request.standing_for() if not struct.abstract]
        others = f" and {len(known) - _MOST_SAID} more" * (len(known) > _MOST_SAID)
        said.append(f"The request is one of: {', '.join(known[:_MOST_SAID])}{others}.")
    if operation.one_way:
        said.append("One-way: no answer comes.")
    else:
        said.append(_answer(operation))
    if operation.faults:
        named = dict.fromkeys(f"{fault.name} ({fault.type.python})" for fault in operation.faults)
        said.append(f"Faults: {', '.join(named)}.")
    lines.doc(operation.doc or f"Call {operation.name}.", *said)


def _answer(operation: Operation) -> str:
    parts = []
    for field in operation.reply.all_fields():
        hint = hints.attribute(field, nil=True)[0].replace(" | ", " or ")
        parts.append(f"{field.python} ({hint})")
    return f"Answer: {'; '.join(parts)}." if parts else "Answer: nothing beyond its coming."
