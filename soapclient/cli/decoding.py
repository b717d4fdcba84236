"""A recorded reply → the typed answer: SOAP, REST over XML or over JSON, told apart by itself."""

from __future__ import annotations

from soapclient.cli.failures import Failure
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.drift import Drift
from soapclient.errors import AuthenticationError, ReplyError, ServiceFault
from soapclient.http import Reply
from soapclient.reader import ReplyReader
from soapclient.redaction import clean, redact
from soapclient.rest import json_tree, reshape
from soapclient.rest.kinds import kind_of, xml_tree
from soapclient.rest.problem import Problem, problem_of
from soapclient.rest.tolerant import read_tolerantly
from soapclient.soap import envelope
from zxws._runtime import AnyOperation, DecodeError, FaultShape, Node, Operation, RestForm
from zxws._runtime.errors import local_name

_ERROR_FIELDS = {"code", "message", "reason", "errorid"}


def decode(
    operation: AnyOperation, data: bytes, *, contract: Contract, config: Config, drift: Drift
) -> object:
    """The typed answer to an operation; what it holds beyond the contract is added to `drift`.

    Of `config`, only the zones count. Raises UnreadableDocument or BrokenJson for bytes that are no such
    document, ReplyError for an answer that does not fit, ServiceFault for a recorded fault or error, Failure
    for an error that has no code.
    """
    assert isinstance(operation, Operation)  # every operation of a contract is one, with its types
    shape = contract.tables.fault
    kind = kind_of(data)
    value: object
    try:
        if kind == "soap":
            node: Node = _in_envelope(operation, data, shape)
        else:
            node = _document(operation, data, shape, json=kind == "json")
        value, reader = read_tolerantly(operation.read_reply, node, lambda: ReplyReader(config))
    except DecodeError as error:
        raise ReplyError(error.path, error.value, error.expected, operation=operation.name) from None
    drift.add(operation.name, reader)
    return value


def _in_envelope(operation: AnyOperation, data: bytes, shape: FaultShape | None) -> Node:
    root = xml_tree(data)
    failed = any(local_name(child.tag) == "Fault" for part in root for child in part)
    reply = _Recorded(500 if failed else 200)  # what SOAP 1.1 says for each
    return envelope.message(root, reply, operation.reply_tag, shape, operation.name)


def _document(operation: AnyOperation, data: bytes, shape: FaultShape | None, *, json: bool) -> Node:
    form = operation.rest or RestForm(method="", path="")  # SOAP alone has it: the root is the reply's
    root: Node
    root = json_tree.parse(data, operation.reply_tag, roots=form.roots) if json else xml_tree(data)
    problem = problem_of(root)
    if problem is not None and _says_no_more(root):
        raise _fault(operation, problem, shape)
    node = reshape.message(root, operation.reply_tag, form)
    if node is None and problem is not None:
        raise _fault(operation, problem, shape)
    if node is None:
        raise DecodeError(local_name(root.tag), str(root.tag), f"the element {operation.reply_tag}")
    return node


def _says_no_more(root: Node) -> bool:
    """Whether a document, or the one element in it, holds an error's fields alone: there is no status that
    would tell it from an answer."""
    fields = list(root)
    if len(fields) == 1 and len(fields[0]):
        fields = list(fields[0])
    return {local_name(field.tag).casefold() for field in fields} <= _ERROR_FIELDS


def _fault(operation: AnyOperation, problem: Problem, shape: FaultShape | None) -> Exception:
    """A REST error as what it means; the status that it came with is not known."""
    if problem.code is None:
        said = clean(redact("; ".join(text for text in (problem.message, problem.reason) if text)), 500)
        return Failure(f"{operation.name}: the service answered with an error without a code: {said}")
    refused = shape is not None and problem.code in shape.authentication
    kind = AuthenticationError if refused else ServiceFault
    return kind(problem.code, problem.reason, problem.error_id, operation.name, message=problem.message)


class _Recorded(Reply):
    """A reply that comes from no wire."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.headers = {}
