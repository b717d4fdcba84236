"""Read the operations and elements that exist only over REST.

They are declared in a schema of the project, in addition to the WSDL, and in the tables of `contracts.toml`.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from bindgen import rest_table
from bindgen.model import Contract, Field, Operation, Struct
from bindgen.problems import ContractRefused, Place, Problem
from bindgen.reading import compiled
from bindgen.reading.documents import Document, Documents
from bindgen.reading.findings import Findings
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.types import TypeReader
from bindgen.settings import ContractSettings
from bindgen.simple_types import SIMPLE, XSD

_MANY = "*"  # the suffix of a type whose element may repeat


def contract(settings: ContractSettings, document: Document, documents: Documents) -> Contract:
    """Read a contract that has a schema and a REST table, but no WSDL.

    `document` is the schema. Raises ContractRefused with all problems.
    """
    findings = Findings(strict=True)
    problems = findings.problems
    schemas = Schemas(documents, findings)
    add(document, schemas, problems)
    types = TypeReader(schemas, findings)
    result = Contract(
        name=settings.name,
        settings=settings,
        url=document.url,
        sha256=hashlib.sha256(document.raw).hexdigest(),
        namespace=document.root.get("targetNamespace", ""),
        service="",
        port="",
        binding="",
        address="",
        operations=list(operations(settings, document, types, problems, findings.notes, known=[])),
        one_file=b"",
        schema=document.raw,
        schema_sha256=hashlib.sha256(document.raw).hexdigest(),
    )
    extend(result, types, schemas, problems)
    problems += [] if problems else compiled.of_all(schemas) or []
    if problems:
        raise ContractRefused(problems)
    return result


def add(document: Document, schemas: Schemas, problems: list[Problem], namespace: str | None = None) -> None:
    """Add the project's own schema, which declares elements that exist over REST only, to `schemas`.

    If `document` is not a schema or has another target namespace than `namespace`, adds a problem instead.
    `namespace` is the target namespace of the WSDL; None if the contract does not have a WSDL.
    """
    own = document.root.get("targetNamespace", "")
    if document.root.tag != f"{{{XSD}}}schema":
        problems.append(Problem("not a schema: the root is not xs:schema", document.place(document.root)))
    elif namespace is not None and own != namespace:
        reason = (
            f"this schema is for the namespace {own}, but the WSDL has {namespace}. Remove targetNamespace "
            "here, and the prefix of the types: then the schema uses the namespace of the WSDL"
        )
        problems.append(Problem(reason, document.place(document.root)))
    else:
        schemas.add(document, document.root)


_ROOT_START = re.compile(rb"\A(?:\s|<\?.*?\?>|<!--.*?-->)*<[\w.:-]+", re.DOTALL)
_REFERENCE = re.compile(rb"""(?<=[\s])(type|base|ref|itemType)=(["'])([\w.-]+)\2""")


def move_to_namespace(document: Document, namespace: str, schemas: Schemas) -> Document:
    """Return a copy of a schema that has the WSDL's target namespace and elementFormDefault.

    `document` is the project's own schema for REST, and `namespace` the target namespace. A schema that
    already has a target namespace is returned unchanged. A type name without a prefix means a type in the
    first of these places that has it:

    - this schema
    - the WSDL's target namespace
    - the other namespaces of the WSDL, if only one of them has a type of this name
    """
    start = _ROOT_START.match(document.raw)
    if document.root.get("targetNamespace") is not None or None in document.root.nsmap or start is None:
        return document
    own = {node.get("name") for node in document.root}
    prefixes: dict[str, str] = {}

    def with_prefix(match: re.Match[bytes]) -> bytes:
        name = match[3].decode()
        same_name = [qname for qname in schemas.types if qname.rpartition("}")[2] == name]
        if name in own or f"{{{namespace}}}{name}" in same_name or len(same_name) != 1:
            return match[0]
        prefix = prefixes.setdefault(same_name[0][1:].rpartition("}")[0], f"t{len(prefixes) + 1}")
        return b"%s=%s%s:%s%s" % (match[1], match[2], prefix.encode(), match[3], match[2])

    rest = _REFERENCE.sub(with_prefix, document.raw[start.end() :])
    form = next(
        (
            schema.node.get("elementFormDefault", "")
            for schema in schemas.all
            if schema.namespace == namespace
        ),
        "",
    )
    declarations = {"xmlns": namespace, "targetNamespace": namespace}
    declarations |= {"elementFormDefault": form} if form else {}
    declarations |= {f"xmlns:{prefix}": space for space, prefix in prefixes.items()}
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in declarations.items())
    return parse(document.file, start[0] + attributes.encode() + rest)


def operations(
    settings: ContractSettings,
    document: Document,
    types: TypeReader,
    problems: list[Problem],
    notes: list[Problem],
    *,
    known: Sequence[Operation],
) -> Iterator[Operation]:
    """Yield the operations of the REST table that the WSDL does not have.

    `known` are the operations of the WSDL. Adds problems and notes about rows of the table that cannot
    be used.
    """
    space = document.root.get("targetNamespace", "")
    schema = Schema(document, document.root, space)
    names = {operation.name for operation in known}
    rows = rest_table.rows(settings)
    for name, row in rows.items():
        if name in names:
            continue
        if not (row.request and row.response and row.auth):
            prefix = f"{settings.where(f'rest.{name}')} is not an operation of the WSDL"
            alike = difflib.get_close_matches(name, names - rows.keys())
            if settings.own:
                reason = f"it has: {', '.join(sorted(names))}. Rename the row, or remove it"
                problems.append(Problem(f"{prefix}; {reason}", None, f"rest.{name}"))
            elif row.request or row.response or row.auth or alike:
                reason = "and a row without an operation requires request, response and auth"
                problems.append(Problem(f"{prefix}, {reason}", None, f"rest.{name}"))
            else:
                notes.append(Problem(f"{prefix}; the row has no effect, and can be removed"))
            continue
        tags = [f"{{{space}}}{element}" for element in (row.request, row.response)]
        request, response = (types.of_element(tag, schema, document.root) for tag in tags)
        if request is not None and response is not None:
            yield Operation(
                name=name,
                soap_action="",
                request_tag=tags[0],
                response_tag=tags[1],
                request=request,
                response=response,
                place=request.place,
                doc=row.doc,
                soap=False,
            )


def extend(contract: Contract, types: TypeReader, schemas: Schemas, problems: list[Problem]) -> None:
    """Add the elements that exist over REST only to the requests of a contract.

    They are listed in the section `rest_only` of contracts.toml. Adds a problem or note about each entry that
    cannot be used.
    """
    requests = {operation.request.name: operation.request for operation in contract.operations}
    for path, xsd_type in contract.settings.section("rest_only").items():
        owner, _, name = path.partition("/")
        prefix = f"{contract.settings.where('rest_only')}: {path!r}"
        struct, type_name = requests.get(owner), str(xsd_type)
        declared = struct is not None and any(field.wire == name for field in struct.fields)
        if struct is None or declared:
            reason = "is in the contract already" if declared else "does not name a request"
            if not declared and difflib.get_close_matches(owner, requests, 1, 0.9):
                problems.append(Problem(f"{prefix} {reason}", None, f"rest_only.{path}"))
            else:
                contract.notes.append(
                    Problem(f"{prefix} {reason}; the line has no effect, and can be removed")
                )
            continue
        component = _find_simple_type(type_name.removesuffix(_MANY), contract.namespace, schemas)
        qname = f"{{{XSD}}}{type_name.removesuffix(_MANY).removeprefix('xsd:')}"
        if component is None and qname not in SIMPLE:
            problems.append(
                Problem(f"{prefix}: unknown simple type {type_name!r}", None, f"rest_only.{path}")
            )
            continue
        struct.fields.append(
            Field(
                wire=name,
                kind="element",
                tag=_tag_like(struct, name, contract.namespace),
                type=SIMPLE[qname] if component is None else types.of_component(component),
                least=0,
                most=None if type_name.endswith(_MANY) else 1,
                place=_place(struct.place, component),
                protocol="rest",
            )
        )


def _tag_like(struct: Struct, name: str, namespace: str) -> str:
    """Return the tag for an element with the name `name` that is added to a type.

    The tag has the namespace of the type's other elements, or `namespace` if there are none.
    """
    sibling_tag = next(
        (field.tag for field in struct.all_fields() if field.kind == "element" and field.tag), ""
    )
    return f"{sibling_tag.rpartition('}')[0]}}}{name}" if sibling_tag else f"{{{namespace}}}{name}"


def _find_simple_type(local_name: str, namespace: str, schemas: Schemas) -> Component | None:
    """Return the simple type with a local name, in `namespace` or else in any namespace.

    Returns None if there is no such type, or if several other namespaces have it.
    """
    component = schemas.types.get(f"{{{namespace}}}{local_name}")
    if component is None:
        same_name = [
            candidate for name, candidate in schemas.types.items() if name.rpartition("}")[2] == local_name
        ]
        component = same_name[0] if len(same_name) == 1 else None
    return component if component is not None and component.node.tag == f"{{{XSD}}}simpleType" else None


def _place(owner: Place, component: Component | None) -> Place:
    return owner if component is None else component.schema.document.place(component.node)


def parse(file: str, raw: bytes) -> Document:
    """Parse `raw`, the content of a document that the project adds to the contract, such as a REST schema.

    `file` is its path below the folder of `contracts.toml`.
    """
    return Documents.parse(file, file, raw)
