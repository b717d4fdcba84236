"""What a contract has beside its WSDL: operations and elements that REST alone has, from a schema of the
project's own and the tables of `contracts.toml`."""

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

_MANY = "*"  # after a type: the element may repeat


def contract(settings: ContractSettings, document: Document, documents: Documents) -> Contract:
    """A contract that is a schema alone. Raises ContractRefused with every problem that was found."""
    findings = Findings(strict=True)
    problems = findings.problems
    schemas = Schemas(documents, findings)
    add(document, schemas, problems)
    types = TypeReader(schemas, findings)
    found = Contract(
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
    extend(found, types, schemas, problems)
    problems += [] if problems else compiled.of_all(schemas) or []
    if problems:
        raise ContractRefused(problems)
    return found


def add(document: Document, schemas: Schemas, problems: list[Problem], namespace: str | None = None) -> None:
    """Index the schema that stands beside a WSDL of that namespace, or alone."""
    own = document.root.get("targetNamespace", "")
    if document.root.tag != f"{{{XSD}}}schema":
        problems.append(Problem("no schema: the root is not xs:schema", document.place(document.root)))
    elif namespace is not None and own != namespace:
        why = (
            f"this schema is for the namespace {own}, the WSDL has {namespace}: remove targetNamespace here, "
            "and the prefix from the types, then it takes the namespace of the WSDL"
        )
        problems.append(Problem(why, document.place(document.root)))
    else:
        schemas.add(document, document.root)


_START = re.compile(rb"\A(?:\s|<\?.*?\?>|<!--.*?-->)*<[\w.:-]+", re.DOTALL)
_REFERENCE = re.compile(rb"""(?<=[\s])(type|base|ref|itemType)=(["'])([\w.-]+)\2""")


def bound(document: Document, namespace: str, schemas: Schemas) -> Document:
    """A schema without a namespace as one of the WSDL's: its namespace, its form of local names.

    What it names without a prefix is its own, or the WSDL's, in whatever namespace that has it.
    """
    start = _START.match(document.raw)
    if document.root.get("targetNamespace") is not None or None in document.root.nsmap or start is None:
        return document
    own = {node.get("name") for node in document.root}
    prefixes: dict[str, str] = {}

    def found(match: re.Match[bytes]) -> bytes:
        name = match[3].decode()
        elsewhere = [each for each in schemas.types if each.rpartition("}")[2] == name]
        if name in own or f"{{{namespace}}}{name}" in elsewhere or len(elsewhere) != 1:
            return match[0]
        prefix = prefixes.setdefault(elsewhere[0][1:].rpartition("}")[0], f"t{len(prefixes) + 1}")
        return b"%s=%s%s:%s%s" % (match[1], match[2], prefix.encode(), match[3], match[2])

    rest = _REFERENCE.sub(found, document.raw[start.end() :])
    form = next(
        (each.node.get("elementFormDefault", "") for each in schemas.all if each.namespace == namespace), ""
    )
    said = {"xmlns": namespace, "targetNamespace": namespace}
    said |= {"elementFormDefault": form} if form else {}
    said |= {f"xmlns:{prefix}": space for space, prefix in prefixes.items()}
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in said.items())
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
    """The operations of the REST table that the WSDL does not have."""
    space = document.root.get("targetNamespace", "")
    schema = Schema(document, document.root, space)
    names = {operation.name for operation in known}
    rows = rest_table.rows(settings)
    for name, row in rows.items():
        if name in names:
            continue
        if not (row.request and row.response and row.auth):
            where = f"{settings.where(f'rest.{name}')} is no operation of the WSDL"
            alike = difflib.get_close_matches(name, names - rows.keys())
            if settings.own:
                why = f"there are: {', '.join(sorted(names))}. Rename the row, or remove it"
                problems.append(Problem(f"{where}; {why}", None, f"rest.{name}"))
            elif row.request or row.response or row.auth or alike:
                why = "and without one a row needs request, response and auth"
                problems.append(Problem(f"{where}, {why}", None, f"rest.{name}"))
            else:
                notes.append(Problem(f"{where}; the row has no effect, and can be removed"))
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
    """Add to the requests what REST alone takes."""
    requests = {operation.request.name: operation.request for operation in contract.operations}
    for path, said in contract.settings.section("rest_only").items():
        owner, _, name = path.partition("/")
        where = f"{contract.settings.where('rest_only')}: {path!r}"
        struct, kind = requests.get(owner), str(said)
        declared = struct is not None and any(field.wire == name for field in struct.fields)
        if struct is None or declared:
            why = "is in the contract already" if declared else "is of no request"
            if not declared and difflib.get_close_matches(owner, requests, 1, 0.9):
                problems.append(Problem(f"{where} {why}", None, f"rest_only.{path}"))
            else:
                contract.notes.append(Problem(f"{where} {why}; the line has no effect, and can be removed"))
            continue
        component = _named(kind.removesuffix(_MANY), contract.namespace, schemas)
        qname = f"{{{XSD}}}{kind.removesuffix(_MANY).removeprefix('xsd:')}"
        if component is None and qname not in SIMPLE:
            problems.append(Problem(f"{where}: no simple type {kind!r} is known", None, f"rest_only.{path}"))
            continue
        struct.fields.append(
            Field(
                wire=name,
                kind="element",
                tag=_tag_like(struct, name, contract.namespace),
                type=SIMPLE[qname] if component is None else types.of_component(component),
                least=0,
                most=None if kind.endswith(_MANY) else 1,
                place=_place(struct.place, component),
                protocol="rest",
            )
        )


def _tag_like(struct: Struct, name: str, namespace: str) -> str:
    """The tag of one more element of a type: qualified as the others are."""
    like = next((field.tag for field in struct.all_fields() if field.kind == "element" and field.tag), "")
    return f"{like.rpartition('}')[0]}}}{name}" if like else f"{{{namespace}}}{name}"


def _named(kind: str, namespace: str, schemas: Schemas) -> Component | None:
    found = schemas.types.get(f"{{{namespace}}}{kind}")
    if found is None:  # in another namespace, if there is one of that name alone
        named = [each for name, each in schemas.types.items() if name.rpartition("}")[2] == kind]
        found = named[0] if len(named) == 1 else None
    return found if found is not None and found.node.tag == f"{{{XSD}}}simpleType" else None


def _place(owner: Place, component: Component | None) -> Place:
    return owner if component is None else component.schema.document.place(component.node)


def parse(file: str, raw: bytes) -> Document:
    """The document of the project's own. `file` is its name below the folder of `contracts.toml`."""
    return Documents.parse(file, file, raw)
