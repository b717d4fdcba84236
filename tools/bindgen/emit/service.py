"""service.py: each operation as a value, and for each port type a class with a method per operation."""

from __future__ import annotations

from bindgen.emit import hints, rows
from bindgen.emit.module import Uses, head, standard
from bindgen.emit.text import Lines, imported, literal
from bindgen.emit.types import called
from bindgen.model import Contract, Enum, Field, ListOf, Operation, Struct

_MOST_SAID = 12  # types in a docstring
# The classes of list operations → how a service calls them, and what they do.
_FACES = {
    "Streams": ("stream", "each a context manager that gives the items as they arrive"),
    "Pages": ("iterate", "each giving the items of all pages, one by one"),
}


def emit(contract: Contract) -> str:
    """The operations and the service classes."""
    types = [*(each.python for each in contract.structs), *(each.python for each in contract.enums)]
    services = [*contract.service_classes.values(), *contract.further_classes.values()]
    return _Module(contract, Uses(frozenset((*types, *services)))).text()


class _Module:
    """Writes the module, and notes what it uses."""

    def __init__(self, contract: Contract, uses: Uses) -> None:
        self._contract = contract
        self._uses = uses
        self._types: set[str] = set()
        self._said: set[str] = set()
        self._lines = Lines()

    def text(self) -> str:
        lines, uses = self._lines, self._uses
        lines("", f"PACKAGE = {uses('package')}(__name__.rpartition('.')[0])".replace("'", '"'), "")
        for key, operation in rows.keys(self._contract).items():
            self._constant(key, operation)
        for port_type, name in self._contract.service_classes.items():
            own = [one for one in self._contract.operations if one.port_type == port_type]
            self._service(port_type, name, own)
        everything = " ".join(self._said)
        for name in ("AnyElement", "AnyValue"):
            if name in everything:
                uses(name)
        if "Nil " in everything:
            uses("Nil")
        abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in everything]
        typing = ["TYPE_CHECKING", "ClassVar"]
        whole = head(self._contract, f"The operations of {called(self._contract)}.")
        whole("", *standard(everything, abstract=abstract, typing=typing), *uses.imports())
        if self._types:
            whole("")
            with whole.block("if TYPE_CHECKING:"):
                whole(*imported(".types", self._types))
        whole.extend(lines)
        return whole.text()

    def _value(self, struct: Struct) -> str:
        self._types |= hints.names(struct)
        return hints.value(struct)

    def _constant(self, key: str, operation: Operation) -> None:
        request, response = self._value(operation.request), self._value(operation.response)
        item, make = _item(operation), "operation"
        kind = f"{self._uses('Operation')}[{request}, {response}]"
        if item is not None:
            make = "list_operation"
            kind = f"{self._uses('ListOperation')}[{request}, {response}, {self._value(item)}]"
        lines, head, value = self._lines, f"{operation.constant}: {kind} =", f"PACKAGE.{make}({literal(key)})"
        if lines.fits(f"{head} PACKAGE.{make}("):
            lines(f"{head} {value}")
        elif lines.fits(f"{head} ("):
            with lines.block(f"{head} (", ")"):
                lines(value)
        else:
            generic, _, arguments = kind.removesuffix("]").partition("[")
            with lines.block(f"{operation.constant}: {generic}[", f"] = {value}"):
                lines(arguments)

    def _service(self, port_type: str, name: str, operations: list[Operation]) -> None:
        lines, uses = self._lines, self._uses
        lines("", "")
        base = "HeaderService" if any(one.sent_headers() for one in operations) else "Service"
        with lines.block(f"class {name}({uses(base)}):"):
            said = port_type.rpartition("}")[2] or self._contract.service or self._contract.name
            lines.doc(f"The operations of {said}. Each call raises what the caller it goes through raises.")
            lines(
                "",
                f"PACKAGE: ClassVar[{uses('Package')}] = PACKAGE",
                f"PORT_TYPE: ClassVar[str] = {literal(rows.clark(port_type))}",
            )
            for operation in operations:
                lines("")
                self._method(operation, whole=operation.request.abstract)
                if operation.whole_method:
                    lines("")
                    self._method(operation, whole=True)
        listed = [operation for operation in operations if operation.list_field]
        faces = [("Streams", "StreamCaller", "streamed", listed)]
        faces.append(("Pages", "PageCaller", "paged", [operation for operation in listed if operation.pages]))
        marks = [mark for mark, _, _, those in faces if those]
        for mark in marks:
            self._face(name, mark, "self._engine")
        for mark, made_of, wrap, those in faces:
            self._wrapped(name, mark, made_of, wrap, those)
        self._asynchronous(name, "", "awaited", operations)
        for mark in marks:
            self._face(f"{name}Async", mark, f"self._caller.{mark.lower()}")
        self._asynchronous(name, "Streams", "streamed_async", listed)
        self._asynchronous(name, "Pages", "paged_async", faces[1][3])

    def _face(self, service: str, mark: str, caller: str) -> None:
        """How a service gives its streams or its pages."""
        lines, face = self._lines, self._contract.further_classes[service + mark]
        name, what = _FACES[mark]
        lines("")
        with lines.inside():
            lines("@property")
            with lines.block(f"def {name}(self) -> {face}:"):
                lines.doc(f"The list operations again, {what}.")
                lines(f"return {face}({caller})")

    def _wrapped(self, service: str, mark: str, caller: str, wrap: str, operations: list[Operation]) -> None:
        """The class that has methods of the service again, as streams or pages."""
        if not operations:
            return
        what = {
            "Streams": "item by item in constant memory",
            "Pages": "all items over all pages",
        }[mark]
        self._head(service + mark, f"The list operations of {service}: {what}.", caller)
        with self._lines.inside():
            for operation in operations:
                call = f"{self._uses(wrap)}({service}.{operation.method}, {operation.constant})"
                self._lines(f"{operation.method} = {call}")

    def _asynchronous(self, service: str, mark: str, wrap: str, operations: list[Operation]) -> None:
        """The class that has methods of the service, of its streams or of its pages again, for asyncio."""
        if not operations:
            return
        of = self._contract.further_classes[service + mark] if mark else service
        caller = "AsyncCaller" if mark else ""
        self._head(f"{service}Async{mark}", f"{of} for asyncio.", caller, of)
        with self._lines.inside():
            for operation in operations:
                methods = [
                    operation.method,
                    *[operation.whole_method] * bool(operation.whole_method and not mark),
                ]
                self._lines(*(f"{method} = {self._uses(wrap)}({of}.{method})" for method in methods))

    def _head(self, name: str, doc: str, caller: str, service: str = "") -> None:
        """The head of a further class; `service` is the class that one for asyncio stands for. Without a
        `caller` it is a service."""
        lines = self._lines
        lines("", "")
        base = "" if caller else f"({self._uses('AsyncService')})"
        with lines.block(f"class {self._contract.further_classes[name]}{base}:"):
            lines.doc(doc)
            if service:
                lines("", f"SERVICE: ClassVar[type[{service}]] = {service}")
            lines("")
            if caller:
                with lines.block(f"def __init__(self, caller: {self._uses(caller)}) -> None:"):
                    lines("self._caller = caller")
                lines("")

    def _method(self, operation: Operation, *, whole: bool) -> None:
        """A method that takes the fields of a request, or the `whole` request, of whatever type it may be."""
        lines = self._lines
        fields = [] if whole else operation.request.all_fields()
        parameters = [(field.python, *self._parameter(field)) for field in fields]
        for header in operation.sent_headers():
            optional = ("", "") if header.required else (" | None", "None")
            parameters.append((header.python, f"{self._value(header.type)}{optional[0]}", optional[1]))
        self._said |= {f"{hint} {default}" for _, hint, default in parameters}
        response = "None" if operation.one_way else self._value(operation.response)
        name = operation.whole_method if whole and operation.whole_method else operation.method
        # What must be given first; all by keyword, so a new field in the contract moves nothing.
        ordered = [one for one in parameters if not one[2]] + [one for one in parameters if one[2]]
        given = ["self", *[f"request: {self._value(operation.request)}", "/"] * whole, *["*"] * bool(ordered)]
        given += [f"{name}: {hint}{f' = {default}' if default else ''}" for name, hint, default in ordered]
        if ordered:
            with lines.block(f"def {name}(", f") -> {response}:"):
                lines(*(f"{one}," for one in given))
        else:
            lines(f"def {name}({', '.join(given)}) -> {response}:")
        with lines.inside():
            self._doc(operation, whole=whole)
            self._call(operation, [] if whole else fields, whole=whole)

    def _call(self, operation: Operation, fields: list[Field], *, whole: bool) -> None:
        lines, constant = self._lines, operation.constant
        back = "" if operation.one_way else "return "
        request = "request" if whole else f"{constant}.request_type("
        arguments = [f"{field.python}={self._argument(field)}" for field in fields]
        headers = ", ".join(f"{literal(header.name)}: {header.python}" for header in operation.sent_headers())
        last = f", {constant}.headers({{{headers}}})" if headers else ""
        if whole:
            lines(f"{back}self._caller.call({constant}, {request}{last})")
        elif lines.fits(
            one := f"{back}self._caller.call({constant}, {request}{', '.join(arguments)}){last})"
        ):
            lines(one)
        else:
            with lines.block(f"{back}self._caller.call(", ")"):
                lines(f"{constant},")
                with lines.block(request, "),"):
                    lines(*(f"{one}," for one in arguments))
                if last:
                    lines(f"{last.removeprefix(', ')},")

    def _parameter(self, field: Field) -> tuple[str, str]:
        kind = field.item.type if field.item else field.type
        if not field.refused:
            self._types |= hints.names(kind)
            if field.partial and isinstance(kind, Struct):
                self._types.add(kind.python_changes)
        hint, default = hints.parameter(field)
        if isinstance(field.type, Enum) and default.startswith(f"{field.type.python}."):
            # The classes are loaded when they are needed, and the text of a value will do as well.
            default = literal(field.type.members[default.rpartition(".")[2]])
        return hint, default

    def _argument(self, field: Field) -> str:
        """Lists are copied, so that a later change of the caller's list changes no request."""
        name = field.python
        if field.kind == "any_attributes":
            return f"{{}} if {name} is None else dict({name})"
        if field.refused or not hints.copies(field):
            return name
        copied = f"{self._uses(_copies_with(field))}({name})"
        if field.repeats or not hints.parameter(field)[1]:
            nil = field.nillable and not field.repeats
            return f"None if {name} is None else {copied}" if nil else copied
        if field.nillable and not field.item:
            return f"{name} if {name} is None or {name} is {self._uses('NIL')} else {copied}"
        return f"None if {name} is None else {copied}"

    def _doc(self, operation: Operation, *, whole: bool) -> None:
        said = [operation.doc or f"Call {operation.name}.", _ways(self._contract, operation)]
        if whole:
            known = [struct.python for struct in operation.request.standing_for() if not struct.abstract]
            others = f" and {len(known) - _MOST_SAID} more" * (len(known) > _MOST_SAID)
            said.append(f"The request is one of: {', '.join(known[:_MOST_SAID])}{others}.")
        said.append("One-way: there is no response." if operation.one_way else _response(operation))
        for sent, attachments in (
            ("Attachments to send", operation.request_attachments),
            ("Attachments received", operation.response_attachments),
        ):
            if attachments:
                names = ", ".join(f"{one.name} ({' or '.join(one.media_types)})" for one in attachments)
                said.append(f"{sent}, with `service.soap.attachments(...)`: {names}.")
        if operation.faults:
            named = dict.fromkeys(f"{fault.name} ({fault.type.python})" for fault in operation.faults)
            said.append(f"Faults: {', '.join(named)}.")
        if operation.header_faults:
            named = dict.fromkeys(
                f"{header.name} ({header.type.python})" for header in operation.header_faults
            )
            said.append(f"Header faults: {', '.join(named)}.")
        fields = [] if whole else operation.request.all_fields()
        said += [f"{field.python}: {field.refused}." for field in fields if field.refused]
        self._lines.doc(*said)


def _item(operation: Operation) -> Struct | None:
    """The items of the response's list."""
    listed = operation.list_field
    kind = None if listed is None else (listed.item or listed).type
    return kind if isinstance(kind, Struct) else None


def _copies_with(field: Field) -> str:
    """What copies a sequence: those of which each element is a list are copied element by element."""
    element = field.item or field
    if not (field.item or field.repeats) or not isinstance(element.type, ListOf):
        return "copied"
    return "copied_lists_or_nil" if element.nillable else "copied_lists"


def _ways(contract: Contract, operation: Operation) -> str:
    """How it is authenticated and retried, and which protocols have it."""
    said = []
    if contract.settings.section("signing"):
        said.append("Signed." if operation.signed else "Public: the connect ID is enough.")
    if contract.settings.section("operations"):
        said.append("Retried on transient errors." if operation.safe else "Never retried.")
    if operation.rest:
        said += [] if operation.soap else ["REST only."]
        for field in operation.request.all_fields() if operation.soap else ():
            if field.protocol:
                said.append(f"{field.python}: {field.protocol.upper()} only.")
            if field.rest_optional:
                said.append(f"{field.python}: required over SOAP, optional over REST.")
    return " ".join(said)


def _response(operation: Operation) -> str:
    parts = []
    for field in operation.response.all_fields():
        hint = hints.attribute(field)[0].replace(" | ", " or ")
        parts.append(f"{field.python} ({hint})")
    return f"Response: {', '.join(parts)}." if parts else "Returns None." if operation.one_way else ""
