"""A response over REST → the typed response: XML or JSON, under whichever root, by the generated readers."""

from __future__ import annotations

from collections import Counter

from lxml import etree

from soapclient.calling.reader import ResponseReader
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.errors import AuthenticationError, ResponseError, ServiceFault
from soapclient.rest import json_quick, json_tree
from soapclient.rest.interpreting import ErrorResponse, NothingKnown, interpret
from soapclient.rest.problem import Problem, problem_of
from soapclient.runtime import (
    AnyOperation,
    DecodeError,
    FaultShape,
    Finding,
    ListOperation,
    Node,
    Operation,
    RestRow,
)
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import RequestT, ResponseT
from soapclient.transport import bodies
from soapclient.transport.bodies import BrokenResponse, unexpected
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Response

_AUTHENTICATION = frozenset({401, 403})
_QUOTED = 2048  # bytes of a response that an error may quote from


def read(
    operation: Operation[RequestT, ResponseT],
    form: RestRow,
    response: Response,
    reader: ResponseReader,
    contract: Contract,
    config: Config,
) -> ResponseT:
    """The whole response; what it holds beyond the contract is counted by `reader`.

    With validate="all", XML under the contract's own root is checked against the schema; JSON has none.

    Raises ServiceFault, ResponseError, UnexpectedResponse, and what reading from the wire raises.
    """
    data = _json(operation, response) if _is_json(response) else None
    if data is not None and response.status < 300:
        quick = json_quick.read(operation, data, lambda: ResponseReader(config))
        if quick is not None:
            value, used = quick
            _refuse_other_list(operation, contract, value, used.findings)
            reader.findings.update(used.findings)
            return value
    root, beginning = _document(operation, form, response, data)
    if response.status >= 400:
        if (problem := problem_of(root)) is not None:
            raise fault(problem, response, contract.tables.fault, operation.name)
        raise unexpected(response, beginning, "an error in a form that is not the service's", operation.name)
    if config.validate == "all" and isinstance(root, etree._Element) and root.tag == operation.response_tag:
        contract.schema_of(operation).check_response(root, operation.name)
    try:
        value, used = interpret(operation, form, root, lambda: ResponseReader(config))
    except ErrorResponse as told:
        raise fault(told.problem, response, contract.tables.fault, operation.name) from None
    except DecodeError as error:
        other = isinstance(error, NothingKnown) or (
            error.path == local_name(root.tag) and error.value == root.tag
        )
        kind = BrokenResponse if other else ResponseError
        raise kind(error.path, error.value, error.expected, operation=operation.name) from None
    _refuse_other_list(operation, contract, value, used.findings)
    reader.findings.update(used.findings)
    return value


def _refuse_other_list(
    operation: Operation[RequestT, ResponseT],
    contract: Contract,
    value: ResponseT,
    findings: Counter[Finding],
) -> None:
    """Refuse a page of another list: JSON names no root, and the pages of all lists begin alike.

    Raises BrokenResponse where the first of some pages counts items and has none, or has another operation's.
    """
    if not isinstance(operation, ListOperation) or getattr(value, operation.list_field):
        return
    name, listed = local_name(operation.response_tag), local_name(operation.list_tag)
    came = {finding.path for finding in findings if finding.kind == "element"}
    for other in contract.operations.values():
        if isinstance(other, ListOperation) and f"{name}/{local_name(other.list_tag)}" in came:
            found = local_name(other.list_tag)
            raise BrokenResponse(f"{name}/{found}", found, f"the element {listed}", operation=operation.name)
    paging, pages = contract.tables.paging, operation.pages
    if paging is None or pages is None:
        return
    names = (pages.response_page, pages.response_items, pages.response_total)
    if not all(names):
        return
    page, items, total = (getattr(value, name) for name in names)
    # Beyond the last page there are none, whatever is counted.
    if page == paging.first and (items or 0) > 0 and (total or 0) > 0:
        empty = None if getattr(value, operation.list_field) is None else "empty"
        expected = f"the {items} items that the page says it has"
        raise BrokenResponse(f"{name}/{listed}", empty, expected, operation=operation.name)


def fault(problem: Problem, response: Response, shape: FaultShape | None, operation: str) -> ServiceFault:
    """The body of an error as the error it means (docs/explanation/service.md#fault-codes). Without a code it
    is the HTTP status."""
    code = response.status if problem.code is None else problem.code
    authentication = shape.authentication if shape is not None else _AUTHENTICATION
    refused = code in authentication or response.status in _AUTHENTICATION
    kind = AuthenticationError if refused else ServiceFault
    return kind(
        code,
        problem.reason,
        problem.error_id,
        operation,
        message=problem.message,
        retry_after=retry_after(response.headers),
        status=response.status,
    )


def _is_json(response: Response) -> bool:
    kind = response.content_type
    return kind in {"application/json", "text/json"} or kind.endswith("+json")


def _json(operation: AnyOperation, response: Response) -> bytes:
    if 300 <= response.status < 400:
        return b""  # never followed, nor read
    data = b"".join(response.chunks())
    if not data:
        raise unexpected(response, b"", "an empty body", operation.name, damaged=True)
    return data


def _document(
    operation: AnyOperation, form: RestRow, response: Response, data: bytes | None
) -> tuple[Node, bytes]:
    """The response's tree, and how the response begins.

    Raises UnexpectedResponse for neither XML nor JSON, ResponseError where it is broken.
    """
    kind, name = response.content_type, operation.name
    if 300 <= response.status < 400:
        problem = "a redirect, which is never followed"
        raise unexpected(response, bodies.beginning(response), problem, name)
    if data is not None:
        try:
            return json_tree.parse(data, operation.response_tag, roots=form.roots), data[:_QUOTED]
        except json_tree.BrokenJson as error:
            if response.status >= 400:
                problem = "an error in a form that is not the service's"
                raise unexpected(response, data, problem, name) from None
            expected = "a whole, well-formed JSON document"
            raise BrokenResponse(
                local_name(operation.response_tag), str(error), expected, operation=name
            ) from None
    if kind in {"", "text/xml", "application/xml"} or kind.endswith("+xml"):
        root = bodies.parse(response.chunks(), response, name, local_name(operation.response_tag))
        return root, etree.tostring(root)[:_QUOTED] if response.status >= 400 else b""
    problem = "a response that is neither XML nor JSON"
    raise unexpected(response, bodies.beginning(response), problem, name, damaged=True)
