"""A WSDL 1.1 contract → the model: what can be read is read, the rest is left out and said.

The order is that of the documents; nothing is ever fetched here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import replace

from bindgen import versions
from bindgen.model import Contract, Operation, Struct
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled, facets, one_file, own_schema, policy
from bindgen.reading.definitions import Definitions, note_unknown, read_ports
from bindgen.reading.documents import Document, Documents
from bindgen.reading.findings import Findings
from bindgen.reading.messages import Messages
from bindgen.reading.nodes import WSDL
from bindgen.reading.operations import Operations
from bindgen.reading.schemas import Schemas
from bindgen.reading.types import TypeReader
from bindgen.settings import ContractSettings


def read(
    settings: ContractSettings,
    documents: Documents,
    *,
    only: Collection[str] | None = None,
    beside: Document | None = None,
) -> Contract:
    """Read a contract's documents; of its operations those named in `only`, or all.

    What cannot be read stands in the contract's `problems`, and the operations that need it are missing; what
    is read more weakly than it is meant stands in its `notes`. A contract of contracts.toml is read as
    strictly as can be: there that is a problem, too, and it is to have one SOAP 1.1 port. `beside` is the
    project's schema for what it has over REST alone. Raises ContractRefused where the root is no WSDL 1.1
    document at all.
    """
    root = documents.root
    if root.root.tag != f"{{{WSDL}}}definitions":
        raise ContractRefused(
            [Problem("no WSDL 1.1: the root is not wsdl:definitions", root.place(root.root))]
        )
    findings = Findings(strict=not settings.own)
    schemas = Schemas(documents, findings)
    definitions = Definitions(root, documents, schemas, findings)
    removed = facets.remove_inapplicable(schemas, findings)
    note_unknown(root, root.root, findings)
    policy.note(definitions, findings)
    types = TypeReader(schemas, findings)
    messages = Messages(definitions, schemas, types, findings)
    reader = Operations(messages, findings, policy.addressed(definitions))
    bounds = read_ports(definitions, findings)
    operations = reader.read(bounds, only)
    _unknown(operations, only, definitions, root, findings)
    if not bounds:
        findings.refuse(root, root.root, "no binding over SOAP 1.1 or 1.2, so there is nothing to call")
    text = one_file.join_documents(root, definitions, schemas, unchanged=findings.strict)
    namespace = root.root.get("targetNamespace", "").strip()
    file_sha256 = "" if beside is None else hashlib.sha256(beside.raw).hexdigest()
    if beside is not None:
        beside = own_schema.bound(beside, namespace, schemas)
        own_schema.add(beside, schemas, findings.problems, namespace)
    operations += own_schema.operations(
        settings, beside or root, types, findings.problems, findings.notes, known=operations
    )
    every = settings.section("types").get("all") is True
    declared = types.all_complex() if every else []
    types.finish([*(struct for operation in operations for struct in _roots(operation)), *declared])
    invalid = compiled.noted(schemas, findings)
    first = bounds[0].port if bounds else None
    settings = _with_version(settings, first.address if first else "", namespace, findings, root)
    contract = Contract(
        name=settings.name,
        settings=settings,
        url=root.url,
        sha256=hashlib.sha256(text).hexdigest(),
        namespace=namespace,
        service=first.service if first else "",
        port=first.name if first else "",
        binding=first.binding if first else "",
        address=first.address if first else "",
        soap=first.soap if first else "1.1",
        operations=operations,
        one_file=text,
        schema=b"" if beside is None else beside.raw,
        schema_sha256=file_sha256,
        faults={fault.tag.rpartition("}")[2]: fault.type for one in operations for fault in one.faults},
        problems=findings.problems,
        ports=[bound.port for bound in bounds],
        notes=findings.notes,
        remarks=findings.remarks,
        messages=messages.undeclared.text(),
        all_types=every,
        simple_types=types.simple_types(every=every),
        compiles=invalid == [],
        invalid=[*removed, *(invalid or [])],
    )
    own_schema.extend(contract, types, schemas, findings.problems)
    broken = types.broken([*(struct for operation in operations for struct in _roots(operation)), *declared])
    contract.operations = list(_readable(operations, broken, findings))
    contract.declared = [struct for struct in declared if struct not in broken]
    if bounds and not contract.operations:
        bound = bounds[0].binding
        findings.refuse(bound.document, bound.node, "no operation is left that could be generated")
    if findings.strict:  # of one port, and with one fault, of which the settings say how it is read
        contract.ports = []
        for operation in contract.operations:
            operation.port_type, operation.faults, operation.header_faults = "", [], []
    return contract


def _with_version(
    settings: ContractSettings, address: str, namespace: str, findings: Findings, root: Document
) -> ContractSettings:
    """The settings with the version of the service, if they do not set one.

    Addresses are made with it, and what is signed is cut by it. A package of a user's own needs it for the
    latter alone.
    """
    said = versions.of_contract(address, namespace)
    if settings.own:
        return replace(settings, version=said) if settings.section("signing") else settings
    if not settings.version and not said:
        why = (
            f"neither the address {address!r} nor the namespace {namespace!r} has a version; set it once: "
            f"bindgen fetch {settings.name} --version VERSION"
        )
        findings.problems.append(Problem(why, root.place(root.root)))
    elif settings.version and said and settings.version != said:
        why = (
            f"the contract has the version {said}, but {settings.where('version')} is {settings.version!r}, "
            "and addresses are made with that; remove the line to follow the contract"
        )
        findings.notes.append(Problem(why, root.place(root.root)))
    return replace(settings, version=settings.version or said)


def _roots(operation: Operation) -> Iterator[Struct]:
    yield operation.request
    yield operation.response
    for header in (*operation.headers(), *operation.header_faults):
        yield header.type
    for fault in operation.faults:
        yield fault.type


def _readable(operations: list[Operation], broken: set[Struct], findings: Findings) -> Iterator[Operation]:
    """The operations that reach nothing that could not be read."""
    for operation in operations:
        if broken.isdisjoint(_roots(operation)):
            yield operation
        else:
            why = f"the operation {operation.name!r} is left out, for a type that it needs cannot be read"
            findings.problems.append(Problem(why, operation.place))


def _unknown(
    operations: list[Operation],
    only: Collection[str] | None,
    definitions: Definitions,
    root: Document,
    findings: Findings,
) -> None:
    known = {operation.name for operation in operations}
    for part in definitions.each("portType"):
        known |= {node.get("name", "").strip() for node in part.node.iterfind(f"{{{WSDL}}}operation")}
    for name in sorted(set(only or ()) - known):
        said = ", ".join(sorted(known)) or "none"
        findings.problems.append(
            Problem(f"no operation {name!r} in the contract; there are: {said}", root.place(root.root))
        )
