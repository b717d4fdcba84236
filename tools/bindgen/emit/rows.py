"""Write schema.json, which tells the runtime how to read and write messages.

It consists of rows: JSON objects for the types, fields, operations and ports (`soapclient.runtime.schema`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from bindgen import forms
from bindgen.emit import hints
from bindgen.emit.module import made_by, source
from bindgen.model import (
    ANY_ELEMENT,
    Anything,
    AuthenticationElement,
    Contract,
    Enum,
    Facets,
    Fault,
    Field,
    Header,
    ListOf,
    Operation,
    Port,
    PortForm,
    Simple,
    Struct,
    Type,
    UnionOf,
    Wildcard,
)
from bindgen.passes import orders
from bindgen.passes.walk import field_at, steps_at
from bindgen.simple_types import XSD
from soapclient.runtime import schema as rows
from soapclient.runtime.policies import PolicyRow

T = TypeVar("T")

# Sections of the settings that the runtime uses.
_SECTIONS = ("fault", "paging", "waiter", "download", "batch", "window")
_XML = "http://www.w3.org/XML/1998/namespace"  # always has the prefix xml
_BUILT_IN = f"{{{XSD}}}"
_NOT_SIMPLE = (Struct, Anything)
_OWN = "own"  # the prefix of the package's namespace, for names that need a prefix


def emit(contract: Contract) -> bytes:
    """Return schema.json, with a line for each field, operation, port and wildcard."""
    emitter = _RowEmitter(contract)
    types = {struct.python: emitter.type(struct) for struct in contract.structs}
    operations = {name: emitter.operation(operation) for name, operation in keys(contract).items()}
    policies = list(
        dict.fromkeys(row for port in contract.ports for rows_ in port.policies.values() for row in rows_)
    )
    ports = [
        msgspec.structs.replace(emitter.port(port), **_port_policies(contract, port, policies))
        for port in contract.ports
    ] or list(_only_port(contract))
    simple_types = list(emitter.simple_types(contract))
    schema = rows.Schema(
        made_by=made_by(contract),
        source=source(contract),
        format=rows.FORMAT,
        name=contract.name,
        namespace=contract.namespace,
        sha256=contract.sha256,
        settings_sha256=contract.settings.sha256,
        version=contract.settings.version,
        messages=bool(contract.messages),
        compiles=contract.compiles,
    )
    lines = [f"{_text(key)}:{_text(value)}" for key, value in json.loads(_json(schema)).items()]
    lines += [
        f'"namespaces":{_text(emitter.namespaces)}',
        _listed("wildcards", map(_json, emitter.wildcards)),
        _listed("ports", map(_json, ports)),
        *([_listed("security", map(_json, policies))] if policies else []),
        _object("settings", _settings(contract)),
        *simple_types,
        _named("types", {name: _lines_of(row) for name, row in types.items()}),
        _named("operations", {name: _json(row) for name, row in operations.items()}),
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def keys(contract: Contract) -> dict[str, Operation]:
    """Return the operations by their keys in `schema.json`. The key of an operation is usually its name.

    If several operations have the same name, the port type or a number is added to make the keys unique.
    """
    operations: dict[str, Operation] = {}
    for operation in contract.operations:
        name = operation.name
        if name in operations:
            name = f"{operation.port_type.rpartition('}')[2]}.{name}"
        number, key = 2, name
        while key in operations:
            key, number = f"{name}.{number}", number + 1
        operations[key] = operation
    return operations


class _RowEmitter:
    """Converts the types and operations of a contract to rows, the JSON objects in schema.json.

    Also collects the namespaces and wildcards that the rows use.
    """

    def __init__(self, contract: Contract) -> None:
        self._prefixes: dict[str, str] = {_XML: "xml", contract.namespace: ""}
        self._own = contract.namespace
        self._needs_own = False
        self._wild: dict[tuple[str, str], int] = {}

    @property
    def namespaces(self) -> dict[str, str]:
        """The namespaces of the names in schema.json, by prefix."""
        namespaces = {prefix: space for space, prefix in self._prefixes.items() if space and space != _XML}
        return namespaces | ({_OWN: self._own} if self._needs_own else {})

    @property
    def wildcards(self) -> list[rows.WildcardRow]:
        """The list of wildcards in schema.json. Types and fields refer to its items by index."""
        return [rows.WildcardRow(namespaces=namespaces, target=target) for namespaces, target in self._wild]

    def type(self, struct: Struct) -> rows.TypeRow:
        """Return the JSON object for a complex type in schema.json.

        The type may represent a group of elements, such as an xs:choice. In this case, `holder` of the result
        is the kind of the group (see `Struct`), otherwise "".
        """
        family = bool(struct.derived or struct.abstract) and not struct.holder
        base = struct.base or (struct.restricts if struct.restricts and struct.restricts.python else None)
        return rows.TypeRow(
            xml=struct.name if struct.holder else self._name(struct.qname),
            fields=tuple(self._field(field) for field in struct.fields),
            base=base.python if base else "",
            derivation="" if base is None else "extension" if struct.base else "restriction",
            holder=struct.holder,
            abstract=struct.abstract,
            anonymous=struct.anonymous,
            open=family and not struct.abstract,
            unknown=struct.unknown,
            wider=self._wildcard_rows(struct.wider) if struct.base else (),
        )

    def simple_types(self, contract: Contract) -> Iterator[str]:
        """Yield the line of schema.json with the named simple types. Yields nothing if there are none."""
        types = {self._name(name): self._type(kind) for name, kind in contract.simple_types.items()}
        if types:
            yield f'"simple_types":{_text(types)}'

    def operation(self, operation: Operation) -> rows.OperationRow:
        """Return the JSON object for an operation in schema.json."""
        # Members of a substitution group must have types that derive from the response's; others are invalid.
        derived = {id(struct) for struct in operation.response.self_and_derived()}
        row = rows.OperationRow(
            name=operation.name,
            method=operation.method,
            request=operation.request.python,
            response=operation.response.python,
            request_xml=self._name(operation.request_tag) if operation.request_tag else "",
            response_xml=self._name(operation.response_tag) if operation.response_tag else "",
            port_type=clark(operation.port_type),
            soap_action=operation.soap_action,
            style=operation.style,
            encoded=operation.encoded,
            one_way=operation.one_way,
            request_nil=operation.request_nillable,
            response_nil=operation.response_nillable,
            members={
                self._name(tag): member.python
                for tag, member in operation.response_members.items()
                if id(member) in derived
            },
            request_headers=self._parts(operation.request_headers),
            response_headers=self._parts(operation.response_headers),
            faults=self._parts(operation.faults),
            header_faults=self._parts(operation.header_faults),
            action=operation.action,
            request_attachments=tuple(attachment.name for attachment in operation.request_attachments),
            response_attachments=tuple(attachment.name for attachment in operation.response_attachments),
            ports={name: self._port_form(form, operation) for name, form in operation.ports.items()},
            soap=operation.soap,
            signed=operation.signed,
            authentication=self._filled_rows(operation.authentication),
            authentication_headers=self._filled_rows(operation.authentication_headers),
            list=operation.list_field.python if operation.list_field else "",
            pages=operation.pages,
            echoes=operation.echoes,
            rest=None if operation.rest is None else self._rest(operation.rest),
        )
        return msgspec.structs.replace(row, **dict.fromkeys(operation.flags, True))

    def port(self, port: Port) -> rows.PortRow:
        """Return the JSON object for a port in schema.json."""
        return rows.PortRow(
            name=port.name,
            service=port.service,
            binding=clark(port.binding),
            port_type=clark(port.port_type),
            soap="1.2" if port.soap == "1.2" else "1.1",
            address=port.address,
            mtom=port.mtom,
        )

    def _port_form(self, form: PortForm, operation: Operation) -> rows.PortFormRow:
        """Return the JSON object in schema.json for an operation at another port than its first one.

        `form` has the SOAPAction and headers at this port. The result has only the values that differ from
        the first port.
        """
        requests, responses = self._parts(form.request_headers), self._parts(form.response_headers)
        return rows.PortFormRow(
            soap_action=_unless(form.soap_action, operation.soap_action),
            action=_unless(form.action, operation.action),
            request_headers=_unless(requests, self._parts(operation.request_headers)),
            response_headers=_unless(responses, self._parts(operation.response_headers)),
            authentication_headers=_unless(
                self._filled_rows(form.authentication_headers),
                self._filled_rows(operation.authentication_headers),
            ),
        )

    def _filled_rows(self, places: Iterable[AuthenticationElement]) -> tuple[rows.FilledRow, ...]:
        """Return the JSON objects in schema.json for `places`.

        `places` are the elements and attributes that the client fills in to authenticate a request.
        """
        return tuple(
            rows.FilledRow(
                xml=f"@{self._key(place.tag)}" if place.attribute else self._name(place.tag),
                role=place.role,
                before=tuple(map(self._name, place.before)),
                content=self._filled_rows(place.content),
            )
            for place in places
        )

    def _parts(self, parts: Iterable[Header | Fault]) -> tuple[rows.PartRow, ...]:
        """Return the JSON objects for headers or faults in schema.json."""
        return tuple(
            rows.PartRow(
                name=part.name,
                xml=self._name(part.tag),
                type=part.type.python,
                required=isinstance(part, Header) and part.required,
                nil=part.nillable,
            )
            for part in parts
        )

    def _rest(self, rest: rows.RestRow) -> rows.RestRow:
        """Return the REST form of an operation, with the names of elements as schema.json writes them."""
        replace, name = msgspec.structs.replace, self._name
        wrapped, loose = rest.wrapped, rest.loose
        return replace(
            rest,
            root=rest.root and name(rest.root),
            roots=tuple(map(name, rest.roots)),
            wrapped=wrapped and replace(wrapped, root=name(wrapped.root), list=name(wrapped.list)),
            loose=loose
            and replace(
                loose,
                list=name(loose.list),
                item=name(loose.item),
                errors=loose.errors and name(loose.errors),
                error=loose.error and name(loose.error),
            ),
        )

    def _field(self, field: Field) -> rows.FieldRow:
        """Return the JSON object for a field in schema.json."""
        wildcards = [field.wildcard or Wildcard()] if field.kind in ("any", "any_attributes") else []
        has_default = field.default is not None or field.fixed is not None
        default, fixed = _default_and_fixed(field) if has_default else (None, None)
        mixed = field.kind == "content" and field.type is ANY_ELEMENT
        item, least = field.item, field.least
        inner = item or field
        return rows.FieldRow(
            python=field.python,
            xml=self._xml(field),
            kind=field.kind,
            type="any" if wildcards else rows.MIXED if mixed else self._in_form(inner.type, inner.facets),
            declared=self._declared(inner) if inner.type_name else "",
            item=self._name(item.tag) if item else "",
            least=least or 1,
            facets=_facets(inner) if inner.facets else None,
            occurs=("+" if least else "*") if field.most != 1 else "1" if least else "?",
            nil=field.nillable,
            nil_item=item is not None and item.nillable,
            default=default,
            fixed=fixed,
            arms=field.choices,
            wildcards=self._wildcard_rows(wildcards) if wildcards else (),
            may_be_missing=field.may_be_missing,
            elsewhere=self._elsewhere(field) if field.elsewhere else (),
            partial=field.partial and isinstance(field.type, Struct),
            protocol=field.protocol,
            rest_optional=field.rest_optional,
            refused=field.refused,
            refused_values=field.refused_values,
            content_types=inner.content_types,
        )

    def _elsewhere(self, field: Field) -> tuple[str, ...]:
        """Return the names of other elements and attributes in responses that may contain a field's value.

        Names of attributes begin with `@`.
        """
        return tuple(
            f"@{self._key(tag)}" if kind == "attribute" else self._name(tag) for kind, tag in field.elsewhere
        )

    def _xml(self, field: Field) -> str:
        """Return the XML name of a field as schema.json writes it; "" if this kind of field has no name."""
        if field.kind == "attribute":
            return self._key(field.tag)
        if field.kind == "element":
            # a refused field of an earlier version
            return self._name(field.tag) if field.tag else f":{field.wire}"
        return field.wire if field.kind in ("any", "any_attributes", "group") else ""

    def _in_form(self, kind: Type, facets: Facets | None) -> str:
        form = forms.form(kind, facets) if facets else ""
        return f"{self._type(kind)}:{form}" if form else self._type(kind)

    def _declared(self, field: Field) -> str:
        """Return the name of a field's type if it is a simple type of the contract, otherwise ""."""
        if field.type_name.startswith(_BUILT_IN):
            return ""
        simple = not isinstance(field.type, _NOT_SIMPLE) and field.kind in ("element", "text")
        return self._name(field.type_name) if simple else ""

    def _type(self, kind: Type) -> str:
        """Return a type as schema.json writes it, such as `int`, `[int]` for a list, or a class name."""
        if isinstance(kind, Simple):  # most fields
            return kind.scalar.lower()
        if isinstance(kind, (Struct, Enum)):  # a union is slower
            return kind.python
        if isinstance(kind, ListOf):
            return f"[{self._in_form(kind.item, kind.facets)}]"
        if isinstance(kind, UnionOf):
            return f"({'|'.join(map(self._type, kind.members))})"
        return "any"

    def _wildcard_rows(self, wildcards: Iterable[Wildcard]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(map(self._wildcard, wildcards)))

    def _wildcard(self, wildcard: Wildcard) -> int:
        namespaces = wildcard.namespaces.split()
        relative = "##other" in namespaces or "##targetNamespace" in namespaces
        key = (" ".join(namespaces), wildcard.target if relative else "")
        return self._wild.setdefault(key, len(self._wild))

    def _name(self, qname: str) -> str:
        """Return the name of an element or a type in the notation of `schema.json`.

        It is `name` in the package's namespace, `:name` without a namespace, and otherwise `prefix:name`.
        """
        space, _, local = qname.removeprefix("{").rpartition("}")
        if not space:
            return f":{local}"
        prefix = self._prefixes.get(space)
        if prefix is None:
            prefix = self._prefixes[space] = f"n{len(self._prefixes)}"
        if not prefix and ":" in local:
            self._needs_own, prefix = True, _OWN
        return f"{prefix}:{local}" if prefix else local

    def _key(self, tag: str) -> str:
        """Return the name of an attribute: `name` without a namespace, otherwise `prefix:name`."""
        name = self._name(tag)
        if name.startswith(":"):
            return name if ":" in name[1:] else name[1:]
        if ":" in name:
            return name
        self._needs_own = True
        return f"{_OWN}:{name}"


def _unless(value: T, same: T) -> T | None:
    return None if value == same else value


def clark(name: str) -> str:
    """Return a qualified name as lxml writes it: without the braces if it does not have a namespace."""
    return name.removeprefix("{}")


def _facets(field: Field) -> rows.Facets | None:
    """Return the facets of a field; None if it has none.

    The values of an enumeration are left out, because its generated class has them.
    """
    if field.facets is None or not isinstance(field.type, Enum):
        return field.facets
    facets = msgspec.structs.replace(field.facets, enumeration=())
    return None if facets == rows.Facets() else facets


def _default_and_fixed(field: Field) -> tuple[str | None, str | None]:
    """Return a pair: the default (for a missing attribute or an empty element), and the fixed value.

    A value is None if the contract does not define it. If the generated class already has this value as the
    default of its attribute, the value is None, too: the runtime does not need it.
    """
    required_value = field.fixed if field.least else None
    if field.kind == "attribute":
        absent = hints.when_absent(field)
        return (None, required_value) if required_value is not None else (absent, None)
    if field.kind == "text":
        return field.default, field.fixed
    if field.kind != "element":
        return None, None
    if isinstance(field.type, _NOT_SIMPLE):
        return None, required_value
    return (field.default, None) if field.default is not None else (None, field.fixed)


def _port_policies(
    contract: Contract, port: Port, policies: Sequence[PolicyRow]
) -> dict[str, tuple[int, ...] | dict[str, tuple[int, ...]]]:
    """Return the entries for WS-SecurityPolicy in the JSON object of a port.

    A policy is a tuple of its alternatives. Each alternative is written as its index in the argument
    `policies`, the list of the alternatives of all ports. The entries are:

    - `policies`: the policy of the first operation that has one.
    - `operation_policies`: maps the name of each operation with another policy to this policy; () if the
      operation has no policy.

    The result is empty if the port does not have a policy.
    """
    if not port.policies:
        return {}
    indexes = {name: tuple(map(policies.index, rows_)) for name, rows_ in port.policies.items()}
    default = next(iter(indexes.values()))
    names = [item.name for item in contract.operations if item.port_type == port.port_type]
    others = {name: indexes.get(name, ()) for name in names if indexes.get(name, ()) != default}
    return {"policies": default, "operation_policies": others}


def _only_port(contract: Contract) -> Iterator[rows.PortRow]:
    """Yield the JSON object for the contract's first port, for a model that does not have a list of ports."""
    if contract.port:
        yield rows.PortRow(
            name=contract.port,
            service=contract.service,
            binding=clark(contract.binding),
            port_type="",
            soap="1.2" if contract.soap == "1.2" else "1.1",
            address=contract.address,
        )


def _settings(contract: Contract) -> Iterator[str]:
    """Yield the settings that the runtime uses, as JSON. Python names replace names from the contract."""
    settings = contract.settings
    values: dict[str, object] = {}
    if signing := settings.section("signing"):
        plain = {key: signing[key] for key in ("scheme", "service_name", "also_in_headers") if key in signing}
        values["signing"] = plain | {"roles": settings.authentication}
    values |= {section: table for section in _SECTIONS if (table := settings.section(section))}
    if job := settings.section("job"):
        values["job"] = dict(_job(contract, job))
    if order := dict(_order(contract)):
        values["order"] = order
    if chosen := settings.section("chosen"):
        values["chosen"] = chosen
    if naive_zone := settings.section("types").get("naive_zone"):
        values["naive_zone"] = naive_zone
    for section, value in values.items():
        yield f"{_text(section)}:{_text(value)}"
    for section in ("columns", "sums"):
        if reports := settings.section(section):
            yield _object(
                section, (f"{_text(report)}:[\n{_columns(table)}]" for report, table in reports.items())
            )
    if groups := settings.section("groups"):
        yield f'"groups":[\n{_columns(groups)}]'


def _columns(table: object) -> str:
    assert isinstance(table, Mapping)  # checked by `settings`
    return ",\n".join(_text([name, str(kind)]) for name, kind in table.items())


def _poll_type(contract: Contract, polled: Field, path: str) -> str:
    """Return the type to which the id of a job is converted before polling: "number", "text" or "" (none).

    `polled` is the field for the id in the polling request, `path` the path of the id in a job (`job.id`).
    """
    source = field_at(contract, path, "job.id")
    kinds = [hints.value(field.type) for field in (polled, source) if field is not None]
    if kinds[0] == "int":
        return "number"
    return "text" if kinds[0] == "str" != kinds[-1] else ""


def _job(contract: Contract, table: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield the settings of jobs, with Python names for operations and fields.

    `table` is the section [job] of the settings. Each setting is yielded as a pair of key and value.
    """
    methods = {operation.name: operation.method for operation in contract.operations}
    for key, value in table.items():
        if str(value) in methods:
            yield key, methods[str(value)]
        elif key == "item" and orders.is_job_itself(contract):
            yield key, ""
        elif steps := steps_at(contract, str(value), f"job.{key}", required=True):
            yield key, ".".join(step.python for step in steps)
            if key == "poll_id" and (kind := _poll_type(contract, steps[-1], str(table.get("id")))):
                yield "poll_type", kind


def _order(contract: Contract) -> Iterator[tuple[str, object]]:
    """Yield the settings of the operation that orders a report, as pairs of key and value.

    The keys are the roles of fields, such as `from`, and names of other settings. The value of `filters` maps
    the keyword parameters of the order methods to fields.
    """
    operation = orders.operation_of(contract)
    if operation is None:
        return
    table, roles = contract.settings.section("order"), orders.roles(contract)
    yield "operation", operation.name
    for role, located in roles.items():
        yield role, located.keyword if role == "date_type" else _order_field(located)
    for key in ("separator", "default_date"):
        if key in table:
            yield key, table[key]
    if removed := [field.python for field in operation.request.all_fields() if field.refused]:
        yield "removed", removed
    yield "filters", {located.keyword: _order_field(located) for located in orders.filters(contract)}


def _order_field(located: orders.Located) -> dict[str, object]:
    """Return a JSON object that describes a field of the order request, without empty values.

    The order request is the request with which a client orders a report. `located` is the field with its path
    in this request.
    """
    inner = [step.type.python for step in located.steps[:-1] if isinstance(step.type, Struct)]
    values = {
        "field": ".".join(step.python for step in located.steps),
        "wire": located.wire,
        "form": _unless(located.form, "text"),
        "several": located.several or None,
        "types": inner or None,
        "values": located.kind.values if isinstance(located.kind, Enum) else None,
    }
    return {key: value for key, value in values.items() if value is not None}


def _lines_of(row: rows.TypeRow) -> str:
    """Return the JSON of a type, with one line for each field."""
    if not row.fields:
        return _json(row)
    fields = _encoder.encode_lines(row.fields).rstrip(b"\n").replace(b"\n", b",\n").decode()
    head = _json(msgspec.structs.replace(row, fields=()))
    return f'{head[:-1]},"fields":[\n{fields}]}}'


def _named(key: str, entries: Mapping[str, str]) -> str:
    return _object(key, (f"{_text(name)}:{text}" for name, text in entries.items()))


def _object(key: str, entries: Iterable[str]) -> str:
    return f"{_text(key)}:{{\n" + ",\n".join(entries) + "\n}"


def _listed(key: str, entries: Iterable[str]) -> str:
    lines = list(entries)
    return f"{_text(key)}:[\n" + ",\n".join(lines) + "\n]" if lines else f"{_text(key)}:[]"


_encoder = msgspec.json.Encoder()


def _json(row: msgspec.Struct) -> str:
    return _encoder.encode(row).decode()


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
