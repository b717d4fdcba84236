"""A recorded response → the typed response: SOAP, REST over XML or over JSON, told apart by itself."""

from __future__ import annotations

from soapclient.calling.reader import ResponseReader
from soapclient.cli.failures import Failure
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.drift import Drift
from soapclient.errors import AuthenticationError, ResponseError, ServiceFault
from soapclient.redaction import clean, redact
from soapclient.rest import json_tree
from soapclient.rest.interpreting import ErrorResponse, interpret
from soapclient.rest.kinds import kind_of, xml_tree
from soapclient.rest.problem import Problem
from soapclient.runtime import (
    AnyOperation,
    CountingReader,
    DecodeError,
    FaultShape,
    Node,
    Operation,
    RestRow,
)
from soapclient.runtime.errors import local_name
from soapclient.soap import envelope
from soapclient.soap.operations import TypedOperation
from soapclient.transport.http import Response


def decode(
    operation: AnyOperation, data: bytes, *, contract: Contract, config: Config, drift: Drift
) -> object:
    """The typed response to an operation; what it holds beyond the contract is added to `drift`.

    Of `config`, only the zones count. Raises UnreadableDocument or BrokenJson for bytes that are no such
    document, ResponseError for a response that does not fit, ServiceFault for a recorded fault or error,
    Failure for an error that has no code.
    """
    assert isinstance(operation, Operation)  # every operation of a contract is one, with its types
    shape, heard = contract.tables.fault, ResponseReader(config)

    def new_reader() -> ResponseReader:
        nonlocal heard
        heard = ResponseReader(config)
        return heard

    kind = kind_of(data)
    value: object
    try:
        if kind == "soap":
            value = operation.read_response(_in_envelope(operation, data, shape, new_reader()), heard)
        else:
            form = operation.rest or RestRow(method="", path="")  # SOAP alone has it
            root: Node
            if kind == "json":
                root = json_tree.parse(data, operation.response_tag, roots=form.roots)
            else:
                root = xml_tree(data)
            value, _ = interpret(operation, form, root, new_reader)
    except ErrorResponse as told:
        raise _fault(operation, told.problem, shape) from None
    except DecodeError as error:
        raise ResponseError(error.path, error.value, error.expected, operation=operation.name) from None
    finally:
        drift.add(operation.name, heard)  # also of what cannot be read: that is what one wants to know
    return value


def _in_envelope(
    operation: AnyOperation, data: bytes, shape: FaultShape | None, reader: CountingReader
) -> Node:
    root = xml_tree(data)
    failed = any(local_name(child.tag) == "Fault" for part in root for child in part)
    response = _Recorded(500 if failed else 200)  # what SOAP 1.1 says for each
    typed = TypedOperation(operation, fault_shape=shape)
    _, body = envelope.parts(root, response, operation.name)
    envelope.refuse_fault(body, response, typed, reader)
    return envelope.message(body, typed, reader)


def _fault(operation: AnyOperation, problem: Problem, shape: FaultShape | None) -> Exception:
    """A REST error as what it means; the status that it came with is not known."""
    if problem.code is None:
        said = clean(redact("; ".join(text for text in (problem.message, problem.reason) if text)), 500)
        return Failure(f"{operation.name}: the service answered with an error without a code: {said}")
    refused = shape is not None and problem.code in shape.authentication
    kind = AuthenticationError if refused else ServiceFault
    return kind(problem.code, problem.reason, problem.error_id, operation.name, message=problem.message)


class _Recorded(Response):
    """A response that comes from no wire."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.headers = {}
