"""Write service.py: the operations, and a class for each port type with a method for each operation."""

from __future__ import annotations

from bindgen.emit import hints, rows
from bindgen.emit.module import RuntimeImports, head, standard
from bindgen.emit.text import Lines, imported, literal
from bindgen.emit.types import called
from bindgen.model import Contract, Enum, Field, ListOf, Operation, Struct

_MOST_TYPES = 12  # in a docstring
# The classes of list operations → the property of a service that returns them, and their description.
_VIEWS = {
    "Streams": ("stream", "as methods that yield the items as they arrive"),
    "Pages": ("iterate", "as methods that iterate over the items of all pages"),
}


def emit(contract: Contract) -> str:
    """Return the module with the operations and the service classes."""
    types = [*(type_.python for type_ in contract.structs), *(type_.python for type_ in contract.enums)]
    services = [*contract.service_classes.values(), *contract.further_classes.values()]
    return _Module(contract, RuntimeImports(frozenset((*types, *services)))).text()


class _Module:
    """Writes the module service.py of a package, and collects the names that the module must import."""

    def __init__(self, contract: Contract, uses: RuntimeImports) -> None:
        self._contract = contract
        self._uses = uses
        self._types: set[str] = set()
        self._hints: set[str] = set()
        self._lines = Lines()

    def text(self) -> str:
        """Return the source text of the module."""
        lines, uses = self._lines, self._uses
        lines("", f"PACKAGE = {uses('package')}(__name__.rpartition('.')[0])".replace("'", '"'), "")
        for key, operation in rows.keys(self._contract).items():
            self._write_constant(key, operation)
        for port_type, name in self._contract.service_classes.items():
            own = [operation for operation in self._contract.operations if operation.port_type == port_type]
            self._write_service(port_type, name, own)
        everything = " ".join(self._hints)
        for name in ("AnyElement", "AnyValue", "FileOrStream"):
            if name in everything:
                uses(name)
        if "Nil " in everything:
            uses("Nil")
        abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in everything]
        typing = ["TYPE_CHECKING", "ClassVar"]
        module = head(self._contract, f"The operations of {called(self._contract)}.")
        module("", *standard(everything, abstract=abstract, typing=typing), *uses.imports())
        if self._types:
            module("")
            with module.block("if TYPE_CHECKING:"):
                module(*imported(".types", self._types))
        module.extend(lines)
        return module.text()

    def _use_type(self, struct: Struct) -> str:
        self._types |= hints.names(struct)
        return hints.value(struct)

    def _write_constant(self, key: str, operation: Operation) -> None:
        """Write the constant of an operation, which its method passes to the runtime.

        `key` is the key of the operation in schema.json.
        """
        request, response = self._use_type(operation.request), self._use_type(operation.response)
        item, make = _item(operation), "operation"
        kind = f"{self._uses('Operation')}[{request}, {response}]"
        if item is not None:
            make = "list_operation"
            kind = f"{self._uses('ListOperation')}[{request}, {response}, {self._use_type(item)}]"
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

    def _write_service(self, port_type: str, name: str, operations: list[Operation]) -> None:
        """Write the class of a service, and its classes for streams, pages and asyncio.

        `port_type` is the qualified name of the port type, `name` the name of the class, and `operations` are
        the operations of the port type.
        """
        lines, uses = self._lines, self._uses
        lines("", "")
        base = "HeaderService" if any(operation.sent_headers() for operation in operations) else "Service"
        with lines.block(f"class {name}({uses(base)}):"):
            title = port_type.rpartition("}")[2] or self._contract.service or self._contract.name
            lines.doc(f"The operations of {title}, as methods. They raise the errors in `soapclient.errors`.")
            lines(
                "",
                f"PACKAGE: ClassVar[{uses('Package')}] = PACKAGE",
                f"PORT_TYPE: ClassVar[str] = {literal(rows.clark(port_type))}",
            )
            for operation in operations:
                lines("")
                self._write_method(operation, request_object=operation.request.abstract)
                if operation.whole_method:
                    lines("")
                    self._write_method(operation, request_object=True)
        listed = [operation for operation in operations if operation.list_field]
        groups = [("Streams", "StreamCaller", "streamed", listed)]
        groups.append(
            ("Pages", "PageCaller", "paged", [operation for operation in listed if operation.pages])
        )
        marks = [mark for mark, _, _, selected in groups if selected]
        for mark in marks:
            self._write_view_property(name, mark, "self._engine")
        for mark, made_of, wrap, selected in groups:
            self._write_view_class(name, mark, made_of, wrap, selected)
        self._write_async_class(name, "", "awaited", operations)
        for mark in marks:
            self._write_view_property(f"{name}Async", mark, f"self._caller.{mark.lower()}")
        self._write_async_class(name, "Streams", "streamed_async", listed)
        self._write_async_class(name, "Pages", "paged_async", groups[1][3])

    def _write_view_property(self, service: str, mark: str, caller: str) -> None:
        """Write the property of the class `service` that returns the object for its streams or pages.

        `mark` is "Streams" or "Pages". `caller` is the Python expression for the constructor argument of this
        object.
        """
        lines, class_name = self._lines, self._contract.further_classes[service + mark]
        name, summary = _VIEWS[mark]
        lines("")
        with lines.inside():
            lines("@property")
            with lines.block(f"def {name}(self) -> {class_name}:"):
                lines.doc(f"The operations that return lists, {summary}.")
                lines(f"return {class_name}({caller})")

    def _write_view_class(
        self, service: str, mark: str, caller: str, wrap: str, operations: list[Operation]
    ) -> None:
        """Write the class whose methods call the list operations of a service, and return streams or pages.

        - `mark`: "Streams" or "Pages".
        - `caller`: the name of the runtime class that makes the calls.
        - `wrap`: the name of the runtime descriptor that wraps each method of the service.
        """
        if not operations:
            return
        summary = {
            "Streams": "methods return context managers that yield the items as they arrive",
            "Pages": "methods return iterators over the items of all pages",
        }[mark]
        self._write_head(service + mark, f"The list operations of {service}: {summary}.", caller)
        with self._lines.inside():
            for operation in operations:
                call = f"{self._uses(wrap)}({service}.{operation.method}, {operation.constant})"
                self._lines(f"{operation.method} = {call}")

    def _write_async_class(self, service: str, mark: str, wrap: str, operations: list[Operation]) -> None:
        """Write the asyncio class for a service (`mark` ""), its streams ("Streams") or its pages ("Pages").

        `wrap` is the descriptor of the runtime that wraps each method, such as `awaited`.
        """
        if not operations:
            return
        wrapped = self._contract.further_classes[service + mark] if mark else service
        caller = "AsyncCaller" if mark else ""
        self._write_head(f"{service}Async{mark}", f"The methods of {wrapped}, for asyncio.", caller, wrapped)
        with self._lines.inside():
            for operation in operations:
                methods = [
                    operation.method,
                    *[operation.whole_method] * bool(operation.whole_method and not mark),
                ]
                self._lines(*(f"{method} = {self._uses(wrap)}({wrapped}.{method})" for method in methods))

    def _write_head(self, name: str, doc: str, caller: str, service: str = "") -> None:
        """Write the head of a class for streams, pages or asyncio.

        If `caller` is the name of a runtime class, `__init__` takes an object of this class. If it is "", the
        class derives from AsyncService instead. `service` is the class that an asyncio class wraps.
        """
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

    def _write_method(self, operation: Operation, *, request_object: bool) -> None:
        """Write the method that calls an operation.

        The fields of the request are its parameters. If `request_object` is True, its parameter is a request
        object instead.
        """
        lines = self._lines
        fields = [] if request_object else operation.request.all_fields()
        parameters = [(field.python, *self._parameter(field)) for field in fields]
        for header in operation.sent_headers():
            optional = ("", "") if header.required else (" | None", "None")
            parameters.append((header.python, f"{self._use_type(header.type)}{optional[0]}", optional[1]))
        self._hints |= {f"{hint} {default}" for _, hint, default in parameters}
        response = "None" if operation.one_way else self._use_type(operation.response)
        name = operation.whole_method if request_object and operation.whole_method else operation.method
        # Required parameters come first. All are keyword-only, so a new field in the contract does not change
        # positions.
        ordered = [parameter for parameter in parameters if not parameter[2]] + [
            parameter for parameter in parameters if parameter[2]
        ]
        signature = [
            "self",
            *[f"request: {self._use_type(operation.request)}", "/"] * request_object,
            *["*"] * bool(ordered),
        ]
        signature += [
            f"{name}: {hint}{f' = {default}' if default else ''}" for name, hint, default in ordered
        ]
        if ordered:
            with lines.block(f"def {name}(", f") -> {response}:"):
                lines(*(f"{parameter}," for parameter in signature))
        else:
            lines(f"def {name}({', '.join(signature)}) -> {response}:")
        with lines.inside():
            self._write_doc(operation, request_object=request_object)
            self._write_call(operation, [] if request_object else fields, request_object=request_object)

    def _write_call(self, operation: Operation, fields: list[Field], *, request_object: bool) -> None:
        """Write the statement of a method that makes the call.

        `fields` are the request fields that are parameters of the method. If `request_object` is True, the
        parameter `request` is passed instead.
        """
        lines, constant = self._lines, operation.constant
        return_ = "" if operation.one_way else "return "
        request = "request" if request_object else f"{constant}.request_type("
        arguments = [f"{field.python}={self._argument(field)}" for field in fields]
        headers = ", ".join(f"{literal(header.name)}: {header.python}" for header in operation.sent_headers())
        last = f", {constant}.headers({{{headers}}})" if headers else ""
        if request_object:
            lines(f"{return_}self._caller.call({constant}, {request}{last})")
        elif lines.fits(
            line := f"{return_}self._caller.call({constant}, {request}{', '.join(arguments)}){last})"
        ):
            lines(line)
        else:
            with lines.block(f"{return_}self._caller.call(", ")"):
                lines(f"{constant},")
                with lines.block(request, "),"):
                    lines(*(f"{argument}," for argument in arguments))
                if last:
                    lines(f"{last.removeprefix(', ')},")

    def _parameter(self, field: Field) -> tuple[str, str]:
        """Return the annotation and the default of a parameter."""
        kind = field.item.type if field.item else field.type
        if not field.refused:
            self._types |= hints.names(kind)
            if field.partial and isinstance(kind, Struct):
                self._types.add(kind.python_changes)
        hint, default = hints.parameter(field)
        if isinstance(field.type, Enum) and default.startswith(f"{field.type.python}."):
            # A string is enough, and does not load the enumeration class at import.
            default = literal(field.type.members[default.rpartition(".")[2]])
        return hint, default

    def _argument(self, field: Field) -> str:
        """Return the Python expression for the value of a request's field, from the parameter of the method.

        It copies lists, so that later changes by the caller do not affect the request.
        """
        name = field.python
        if field.kind == "any_attributes":
            return f"{{}} if {name} is None else dict({name})"
        if field.refused or not hints.copies(field):
            return name
        copied = f"{self._uses(_copy_function(field))}({name})"
        if field.repeats or not hints.parameter(field)[1]:
            nil = field.nillable and not field.repeats
            return f"None if {name} is None else {copied}" if nil else copied
        if field.nillable and not field.item:
            return f"{name} if {name} is None or {name} is {self._uses('NIL')} else {copied}"
        return f"None if {name} is None else {copied}"

    def _write_doc(self, operation: Operation, *, request_object: bool) -> None:
        """Write the docstring of a method. `request_object` is True if the method takes a request object."""
        paragraphs = [operation.doc or f"Call {operation.name}.", _call_facts(self._contract, operation)]
        if request_object:
            types = [struct.python for struct in operation.request.self_and_derived() if not struct.abstract]
            others = f" and {len(types) - _MOST_TYPES} more" * (len(types) > _MOST_TYPES)
            paragraphs.append(f"The request is one of: {', '.join(types[:_MOST_TYPES])}{others}.")
        paragraphs.append("One-way: there is no response." if operation.one_way else _response(operation))
        for title, attachments in (
            ("Attachments to send", operation.request_attachments),
            ("Attachments received", operation.response_attachments),
        ):
            if attachments:
                names = ", ".join(
                    f"{attachment.name} ({' or '.join(attachment.media_types)})" for attachment in attachments
                )
                paragraphs.append(f"{title}, with `service.soap.attachments(...)`: {names}.")
        if operation.faults:
            faults = dict.fromkeys(f"{fault.name} ({fault.type.python})" for fault in operation.faults)
            paragraphs.append(f"Faults: {', '.join(faults)}.")
        if operation.header_faults:
            headers = dict.fromkeys(
                f"{header.name} ({header.type.python})" for header in operation.header_faults
            )
            paragraphs.append(f"Header faults: {', '.join(headers)}.")
        fields = [] if request_object else operation.request.all_fields()
        paragraphs += [f"{field.python}: {field.refused}." for field in fields if field.refused]
        self._lines.doc(*paragraphs)


def _item(operation: Operation) -> Struct | None:
    """Return the type of the items in the response's list.

    Returns None if the operation does not return a list, or if the type is not complex.
    """
    list_field = operation.list_field
    kind = None if list_field is None else (list_field.item or list_field).type
    return kind if isinstance(kind, Struct) else None


def _copy_function(field: Field) -> str:
    """Return the name of the runtime function that copies the sequence in a field.

    If the items are lists themselves, the function copies them, too.
    """
    element = field.item or field
    if not (field.item or field.repeats) or not isinstance(element.type, ListOf):
        return "copied"
    return "copied_lists_or_nil" if element.nillable else "copied_lists"


def _call_facts(contract: Contract, operation: Operation) -> str:
    """Return sentences about authentication, retries and protocols, for the docstring of a method."""
    sentences = []
    if contract.settings.section("signing"):
        sentences.append("Signed." if operation.signed else "Public: the connect ID is enough.")
    if contract.settings.section("operations"):
        sentences.append("Retried on transient errors." if operation.safe else "Never retried.")
    if operation.rest:
        sentences += [] if operation.soap else ["REST only."]
        for field in operation.request.all_fields() if operation.soap else ():
            if field.protocol:
                sentences.append(f"{field.python}: {field.protocol.upper()} only.")
            if field.rest_optional:
                sentences.append(f"{field.python}: required over SOAP, optional over REST.")
    return " ".join(sentences)


def _response(operation: Operation) -> str:
    parts = []
    for field in operation.response.all_fields():
        hint = hints.attribute(field)[0].replace(" | ", " or ")
        parts.append(f"{field.python} ({hint})")
    return f"Response: {', '.join(parts)}." if parts else "Returns None." if operation.one_way else ""
