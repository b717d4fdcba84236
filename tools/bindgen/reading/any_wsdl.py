"""Any WSDL 1.1 contract → the model: what can be read is read, the rest is left out and said.

The order is that of the documents; nothing is ever fetched here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

from bindgen.model import Contract, Operation, Struct
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled, effort, inline, one_file, policy, ports
from bindgen.reading.bodies import Bodies
from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Document, Documents
from bindgen.reading.extensions import WSDL
from bindgen.reading.findings import Findings
from bindgen.reading.message_schema import MessageSchema
from bindgen.reading.messages import Messages
from bindgen.reading.operations import Operations
from bindgen.reading.schemas import Schemas
from bindgen.reading.types import TypeReader
from bindgen.settings import ContractSettings


def read_any(
    settings: ContractSettings, documents: Documents, *, only: Collection[str] | None = None
) -> Contract:
    """Read a contract's documents; of its operations those named in `only`, or all.

    What cannot be read stands in the contract's `problems`, and the operations that need it are missing; what
    is read more weakly than it is meant stands in its `notes`. Raises ContractRefused where the root is no
    WSDL 1.1 document at all.
    """
    root = documents.root
    if root.root.tag != f"{{{WSDL}}}definitions":
        raise ContractRefused(
            [Problem("no WSDL 1.1: the root is not wsdl:definitions", root.place(root.root))]
        )
    problems: list[Problem] = []
    notes: list[Problem] = []
    findings = Findings(problems, notes)
    schemas = Schemas(documents, findings)
    definitions = Definitions(root, documents, schemas, findings)
    ports.note_unknown(root, root.root, findings)
    policy.note(definitions, findings)
    types = TypeReader(schemas, findings)
    declared = MessageSchema(schemas)
    messages = Messages(definitions, schemas, types, findings)
    bodies = Bodies(messages, types, declared, findings)
    reader = Operations(messages, bodies, findings, policy.addressed(definitions))
    bounds = ports.read(definitions, findings)
    operations = reader.read(bounds, only)
    _unknown(operations, only, definitions, root, findings)
    types.finish(struct for operation in operations for struct in _roots(operation))
    kept = list(_readable(operations, types, findings))
    if not bounds:
        findings.refuse(root, root.root, "no binding over SOAP 1.1 or 1.2, so there is nothing to call")
    elif not kept:
        bound = bounds[0].binding
        findings.refuse(bound.document, bound.node, "no operation is left that could be generated")
    inlined = inline.every(schemas)
    bounded = _bounded(schemas, findings)
    invalid = compiled.of_all(schemas) if bounded else []
    findings.notes += invalid
    text = one_file.join_documents(root, definitions, inlined)
    first = bounds[0].port if bounds else None
    return Contract(
        name=settings.name,
        settings=settings,
        url=root.url,
        sha256=hashlib.sha256(text).hexdigest(),
        namespace=root.root.get("targetNamespace", "").strip(),
        service=first.service if first else "",
        port=first.name if first else "",
        binding=first.binding if first else "",
        address=first.address if first else "",
        operations=kept,
        one_file=text,
        faults={fault.tag.rpartition("}")[2]: fault.type for one in kept for fault in one.faults},
        problems=problems,
        ports=[bound.port for bound in bounds],
        notes=notes,
        remarks=findings.remarks,
        messages=declared.text(),
        compiles=bounded and not invalid,
        invalid=invalid,
    )


def _roots(operation: Operation) -> Iterator[Struct]:
    yield operation.request
    yield operation.response
    for header in (*operation.request_headers, *operation.response_headers):
        yield header.type
    for fault in operation.faults:
        yield fault.type


def _readable(operations: list[Operation], types: TypeReader, findings: Findings) -> Iterator[Operation]:
    """The operations that reach nothing that could not be read."""
    broken = types.broken(struct for operation in operations for struct in _roots(operation))
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


def _bounded(schemas: Schemas, findings: Findings) -> bool:
    """Whether libxml2 can be asked about the schemas; where not, that is worth a note."""
    if schemas.all and effort.too_much(schemas):
        first = schemas.all[0]
        why = "the schemas are too large for libxml2 to check messages against them within bounds"
        findings.note(first.document, first.node, why)
        return False
    return True
