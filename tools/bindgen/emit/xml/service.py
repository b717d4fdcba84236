"""service.py of a package in XML: each operation as a value, and a class for each port type."""

from __future__ import annotations

from collections.abc import Iterable

from bindgen import naming
from bindgen.emit import hints
from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.constants import clark
from bindgen.emit.xml.module import Uses, class_names, head, standard
from bindgen.model import Contract, Fault, Field, Header, Operation, Struct
from bindgen.naming import Space


class _Parts:
    """Headers and the details of faults, each a constant; the same one in several operations is one."""

    def __init__(self, contract: Contract, uses: Uses) -> None:
        taken = [operation.constant for operation in contract.operations]
        taken += [struct.python for struct in contract.structs]
        self._space = Space([*taken, "OPERATIONS", "TABLES"])
        self._uses = uses
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
        self._uses.own("codec", f"read_{struct.function}", f"write_{struct.function}")
        self.lines("")
        kind = self._uses("Part")
        with self.lines.block(f"{constant}: {kind}[{struct.python}] = {kind}(", ")"):
            self.lines(
                f"name={literal(part.name)},",
                f"tag={literal(clark(part.tag))},",
                f"kind={struct.python},",
                f"write=write_{struct.function},",
                f"read=read_{struct.function},",
                *["required=True,"] * required,
            )


def emit(contract: Contract, runtime: str) -> str:
    """The operations and the service classes."""
    uses = Uses(runtime, class_names(contract))
    uses.own("tables", "TABLES")
    parts = _Parts(contract, uses)
    body = Lines()
    said: dict[str, None] = {}
    for operation in contract.operations:
        body("")
        _constant(body, contract, operation, parts, uses)
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


def _constant(lines: Lines, contract: Contract, operation: Operation, parts: _Parts, uses: Uses) -> None:
    request, reply = operation.request, operation.reply
    for struct in (request, reply):
        uses.own("types", struct.python)
        uses.own("codec", f"read_{struct.function}", f"write_{struct.function}")
    kind = uses("SoapOperation")
    whole = f"{operation.constant}: {kind}[{request.python}, {reply.python}] = {kind}("
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
            f"write_request=write_{request.function},",
            f"read_request=read_{request.function},",
            f"read_reply=read_{reply.function},",
            f"write_reply=write_{reply.function},",
        )
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
            _method(lines, operation, parts, uses, said)


def _method(lines: Lines, operation: Operation, parts: _Parts, uses: Uses, said: dict[str, None]) -> None:
    fields = operation.request.all_fields()
    parameters = [(field.python, *hints.parameter(field, nil=True)) for field in fields]
    for field in fields:
        for kind in (field.type, *([field.item.type] if field.item else [])):
            if kind is not field.type or not field.item:
                uses.own("types", *hints.names(kind))
    for header in operation.request_headers:
        uses.own("types", header.type.python)
        optional = ("", "") if header.required else (" | None", "None")
        parameters.append((header.python, f"{header.type.python}{optional[0]}", optional[1]))
    said |= {f"{hint} {default}": None for _, hint, default in parameters}
    answer = "None" if operation.one_way else operation.reply.python
    # What must be given first; all by keyword, so a new field in the contract moves nothing.
    ordered = [one for one in parameters if not one[2]] + [one for one in parameters if one[2]]
    with lines.block(f"def {operation.method}(", f") -> {answer}:"):
        lines("self,", *["*,"] * bool(ordered))
        for name, hint, default in ordered:
            lines(f"{name}: {hint}{f' = {default}' if default else ''},")
    with lines.inside():
        _doc(lines, operation)
        with lines.block(f"{'' if operation.one_way else 'return '}self._caller.call(", ")"):
            lines(f"{operation.constant},")
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
    copied = f"{uses('copied')}({name})"
    if field.repeats or not hints.parameter(field, nil=True)[1]:
        nil = field.nillable and not field.repeats
        return f"None if {name} is None else {copied}" if nil else copied
    if field.nillable and not field.item:
        return f"{name} if {name} is None or {name} is {uses('NIL')} else {copied}"
    return f"None if {name} is None else {copied}"


def _doc(lines: Lines, operation: Operation) -> None:
    said = []
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
