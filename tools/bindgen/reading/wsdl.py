"""Read a WSDL 1.1 contract into the model. Parts that cannot be read are left out and reported.

Operations are in the order of the documents. Nothing is fetched here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import replace

from bindgen import versions
from bindgen.model import Contract, Operation, Struct
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled, facets, mtom, one_file, policy, rest_only
from bindgen.reading.definitions import Definitions, note_unknown, read_ports
from bindgen.reading.documents import Document, Documents
from bindgen.reading.findings import Findings
from bindgen.reading.messages import Messages
from bindgen.reading.nodes import WSDL
from bindgen.reading.operations import Operations
from bindgen.reading.schemas import Schemas
from bindgen.reading.security_policy import SecurityPolicies
from bindgen.reading.types import TypeReader
from bindgen.settings import ContractSettings


def read(
    settings: ContractSettings,
    documents: Documents,
    *,
    only: Collection[str] | None = None,
    beside: Document | None = None,
) -> Contract:
    """Read the documents of a contract. If `only` is passed, read only the operations with these names.

    - Parts that cannot be read are reported in the contract's `problems`. Operations that need them are left
      out.
    - Parts that are read less strictly than they are declared are reported in `notes`.
    - A contract in contracts.toml is read strictly: such parts are reported in `problems` instead, and the
      contract must have exactly one SOAP service.

    `beside` is the project's additional schema, for elements and operations that exist over REST only. Raises
    ContractRefused if the root is not a WSDL 1.1 document.
    """
    root = documents.root
    if root.root.tag != f"{{{WSDL}}}definitions":
        raise ContractRefused(
            [Problem("not a WSDL 1.1 document: the root is not wsdl:definitions", root.place(root.root))]
        )
    findings = Findings(strict=not settings.own)
    schemas = Schemas(documents, findings)
    definitions = Definitions(root, documents, schemas, findings)
    removed = facets.remove_inapplicable(schemas, findings)
    note_unknown(root, root.root, findings)
    policy.note(definitions, findings)
    types = TypeReader(schemas, findings)
    messages = Messages(definitions, schemas, types, findings)
    policies = SecurityPolicies(definitions, findings)
    reader = Operations(messages, findings, policy.find_addressed(definitions), policies)
    bounds = mtom.with_mtom(read_ports(definitions, findings), definitions)
    operations = reader.read(bounds, only)
    policies.note()
    _report_unknown(operations, only, definitions, root, findings)
    if not bounds:
        findings.refuse(root, root.root, "no binding over SOAP 1.1 or 1.2, so there is nothing to call")
    texts: compiled.SchemaTexts | None = None
    if findings.strict and one_file.is_single(root, definitions, schemas):
        text = root.raw
    else:
        texts = compiled.schema_texts(schemas)
        text = one_file.join_documents(root, definitions, texts)
    namespace = root.root.get("targetNamespace", "").strip()
    file_sha256 = "" if beside is None else hashlib.sha256(beside.raw).hexdigest()
    if beside is not None:
        texts = None  # it adds schemas
        beside = rest_only.move_to_namespace(beside, namespace, schemas)
        rest_only.add(beside, schemas, findings.problems, namespace)
    operations += rest_only.operations(
        settings, beside or root, types, findings.problems, findings.notes, known=operations
    )
    all_types = settings.section("types").get("all") is True
    declared = types.all_complex() if all_types else []
    types.finish([*(struct for operation in operations for struct in _roots(operation)), *declared])
    invalid = compiled.add_findings(schemas, findings, texts)
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
        faults={
            fault.tag.rpartition("}")[2]: fault.type for operation in operations for fault in operation.faults
        },
        problems=findings.problems,
        ports=[bound.port for bound in bounds],
        notes=findings.notes,
        remarks=findings.remarks,
        messages=messages.undeclared.text(),
        all_types=all_types,
        simple_types=types.simple_types(every=all_types),
        compiles=invalid == [],
        invalid=[*removed, *(invalid or [])],
    )
    rest_only.extend(contract, types, schemas, findings.problems)
    broken = types.broken([*(struct for operation in operations for struct in _roots(operation)), *declared])
    contract.operations = list(_readable(operations, broken, findings))
    contract.declared = [struct for struct in declared if struct not in broken]
    if bounds and not contract.operations:
        binding = bounds[0].binding
        findings.refuse(binding.document, binding.node, "no operation can be generated")
    if findings.strict:  # one port, and one fault, which the settings describe
        contract.ports = []
        for operation in contract.operations:
            operation.port_type, operation.faults, operation.header_faults = "", [], []
    return contract


def _with_version(
    settings: ContractSettings, address: str, namespace: str, findings: Findings, root: Document
) -> ContractSettings:
    """Return the settings with the version of the service.

    - For a package of `bindgen init`, this is the version in the contract. If requests are not signed, the
      settings are returned unchanged.
    - For a contract in contracts.toml, it is the version in the settings, or else the version in the
      contract. Adds a problem if neither has a version, and a note if the two versions differ.

    The version is part of addresses, and the signature depends on it.
    """
    contract_version = versions.of_contract(address, namespace)
    if settings.own:
        return replace(settings, version=contract_version) if settings.section("signing") else settings
    if not settings.version and not contract_version:
        reason = (
            f"neither the address {address!r} nor the namespace {namespace!r} has a version; set it once: "
            f"bindgen fetch {settings.name} --version VERSION"
        )
        findings.problems.append(Problem(reason, root.place(root.root)))
    elif settings.version and contract_version and settings.version != contract_version:
        reason = (
            f"the contract has the version {contract_version}, but {settings.where('version')} is "
            f"{settings.version!r}, which is used in addresses; remove the line to follow the contract"
        )
        findings.notes.append(Problem(reason, root.place(root.root)))
    return replace(settings, version=settings.version or contract_version)


def _roots(operation: Operation) -> Iterator[Struct]:
    """Yield the types of the messages, headers and faults of an operation."""
    yield operation.request
    yield operation.response
    for header in (*operation.headers(), *operation.header_faults):
        yield header.type
    for fault in operation.faults:
        yield fault.type


def _readable(operations: list[Operation], broken: set[Struct], findings: Findings) -> Iterator[Operation]:
    """Yield the operations that do not use any of the types `broken`, which cannot be read.

    All other operations are reported.
    """
    for operation in operations:
        if broken.isdisjoint(_roots(operation)):
            yield operation
        else:
            reason = f"the operation {operation.name!r} is omitted: a type that it requires cannot be read"
            findings.problems.append(Problem(reason, operation.place))


def _report_unknown(
    operations: list[Operation],
    only: Collection[str] | None,
    definitions: Definitions,
    root: Document,
    findings: Findings,
) -> None:
    """Add a problem for each name in `only` that is not an operation of the contract."""
    names_in_contract = {operation.name for operation in operations}
    for part in definitions.components("portType"):
        names_in_contract |= {
            node.get("name", "").strip() for node in part.node.iterfind(f"{{{WSDL}}}operation")
        }
    for name in sorted(set(only or ()) - names_in_contract):
        names = ", ".join(sorted(names_in_contract)) or "none"
        findings.problems.append(
            Problem(f"no operation {name!r} in the contract; it has: {names}", root.place(root.root))
        )
