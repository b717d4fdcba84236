"""Read REST responses in XML or JSON. Return the typed response, or raise the error in the response.

The root element of a response may have another name than in the contract.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from lxml import etree

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.calling.outcome import code_refuses
from soapclient.calling.reader import ResponseReader
from soapclient.contract import package_documents
from soapclient.errors import AuthenticationError, BrokenResponse, ResponseError, ServiceFault
from soapclient.rest import json_tree
from soapclient.rest.json_tree import ITEM, JsonNode
from soapclient.rest.shapes import contract_shape, is_in_array, read_shaped
from soapclient.runtime import (
    AnyOperation,
    DecodeError,
    FaultShape,
    Finding,
    ListOperation,
    Node,
    Operation,
    Package,
    RestRow,
    path_of,
)
from soapclient.runtime.compiled import JsonResponseReader, json_response_reader
from soapclient.runtime.errors import local_name
from soapclient.runtime.json_decoding import JsonReader, NeedsTree, name_by_rows
from soapclient.runtime.operations import RequestT, ResponseT
from soapclient.settings import CommonSettings
from soapclient.transport import bodies
from soapclient.transport.bodies import unexpected
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Response

if TYPE_CHECKING:
    from soapclient.runtime.json_structs import UsualJsonReader

_AUTHENTICATION = frozenset({401, 403})
_QUOTED = 2048  # number of bytes of a response that an error may quote
_CODE = LazyPattern(r"[+-]?[0-9]{1,11}")
_WRAPPER_ENDINGS = (
    "error",
    "fault",
    "exception",
    "response",
)  # endings of the name of an element around the fields
# Fields of the service's own error body (docs/explanation/service.md#fault-codes). Gateways use other names.
_DOCUMENTED: Final = frozenset({"code", "message", "reason"})
_ERROR_ID: Final = "errorId"
_FIRST_GATEWAY_CODE: Final = 300  # codes from this number on may be the HTTP status of a gateway
_PROBLEMS: Final = frozenset({"application/problem+json", "application/problem+xml"})  # RFC 9457
_MAX_SHOWN: Final = 5
_MAX_FIELDS: Final = 1000  # maximum fields of an error body, to limit memory
_OTHER: Final = "another document"


def read(
    operation: Operation[RequestT, ResponseT],
    form: RestRow,
    response: Response,
    reader: ResponseReader,
    package: Package,
    settings: CommonSettings,
) -> ResponseT:
    """Read a complete response and return it as the typed response. `reader` counts its drift findings.

    With the setting `validate="all"`, an XML document is validated against the schema if its root has the
    name that the contract declares. JSON is not validated, because it has no schema. Raises ServiceFault,
    ResponseError, UnexpectedResponse, and the errors of the transport.
    """
    bodies.refuse_partial(response, operation.name)
    data = _json(operation, response) if _is_json(response) else None
    if data is not None and response.status < 300:
        quick = _read_by_rows(operation, data, reader)
        if quick is not None:
            _refuse_other_list(operation, package, quick, reader.findings)
            return quick
    root, beginning = _document(operation, form, response, data)
    if response.status >= 400:
        if (problem := problem_of(root)) is not None:
            raise fault(problem, response, package.settings.fault, operation.name)
        raise unexpected(
            response,
            beginning,
            "the response is an error in a format that the service does not use",
            operation.name,
        )
    return read_document(operation, form, root, response, reader, package, settings)


def read_document(
    operation: Operation[RequestT, ResponseT],
    form: RestRow,
    root: Node,
    response: Response,
    reader: ResponseReader,
    package: Package,
    settings: CommonSettings,
    *,
    items_read: bool = False,
) -> ResponseT:
    """Return the typed response from the root of its document. The document may be modified.

    `items_read` is True if a stream has already read items of the list and removed them from the document.
    Raises ServiceFault and ResponseError.
    """
    if settings.validate == "all" and isinstance(root, etree._Element) and root.tag == operation.response_tag:
        package_documents.checks(package, soap=operation.soap).check_response([root], operation.name)
    try:
        value = interpret(operation, form, root, reader)
    except RecursionError:
        path = local_name(operation.response_tag)
        raise ResponseError(path, "…", bodies.LESS_NESTED, operation=operation.name) from None
    except ErrorResponse as error:
        raise fault(error.problem, response, package.settings.fault, operation.name) from None
    except DecodeError as error:
        other = isinstance(error, UnknownDocument) or (
            error.path == local_name(root.tag) and error.value == root.tag
        )
        kind = BrokenResponse if other else ResponseError
        failed = kind(
            error.path, error.value, error.expected, operation=operation.name, skippable=error.skippable
        )
        if root.tag != operation.response_tag and local_name(root.tag) == local_name(operation.response_tag):
            failed.damaged = False  # only the namespace differs: a retry would get the same response
        raise failed from None
    if not items_read:
        _refuse_other_list(operation, package, value, reader.findings)
    return value


def is_xml(response: Response) -> bool:
    """Return True if the media type of a response is an XML type or missing."""
    kind = response.content_type
    return kind in {"", "text/xml", "application/xml"} or kind.endswith("+xml")


def _refuse_other_list(
    operation: Operation[RequestT, ResponseT],
    package: Package,
    value: ResponseT,
    findings: Counter[Finding],
) -> None:
    """Raise BrokenResponse if a page belongs to another list operation.

    JSON has no root name, and the pages of all list operations start with the same fields. Therefore a page
    without items is refused if one of these is true:

    - It contains the list of another operation.
    - It is the first page and states that it has items.
    """
    if not isinstance(operation, ListOperation) or getattr(value, operation.list_field):
        return
    name, listed = local_name(operation.response_tag), local_name(operation.list_tag)
    unknown = {finding.path for finding in findings if finding.kind == "element"}
    for other in package.operations.values():
        if isinstance(other, ListOperation) and f"{name}/{local_name(other.list_tag)}" in unknown:
            other_list = local_name(other.list_tag)
            raise BrokenResponse(
                f"{name}/{other_list}", other_list, f"the element {listed}", operation=operation.name
            )
    paging, pages = package.settings.paging, operation.pages
    if paging is None or pages is None:
        return
    names = (pages.response_page, pages.response_items, pages.response_total)
    if not all(names):
        return
    page, items, total = (getattr(value, name) for name in names)
    # Not on other pages: pages after the last one have no items, even if the total is positive.
    if page == paging.first and (items or 0) > 0 and (total or 0) > 0:
        empty = None if getattr(value, operation.list_field) is None else "empty"
        expected = f"{items} items, the number that the page states"
        raise BrokenResponse(f"{name}/{listed}", empty, expected, operation=operation.name)


def fault(problem: Problem, response: Response, shape: FaultShape | None, operation: str) -> ServiceFault:
    """Convert an error body to an exception (docs/explanation/service.md#fault-codes).

    `problem` has the fields of the error body. If it has no code, the HTTP status is the code. `shape` has
    the codes that mean an authentication error. The HTTP statuses 401 and 403 always mean such an error.
    """
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
        not_processed=problem.documented and code_refuses(code) and response.content_type not in _PROBLEMS,
    )


def _is_json(response: Response) -> bool:
    kind = response.content_type
    return kind in {"application/json", "text/json"} or kind.endswith("+json")


def _json(operation: AnyOperation, response: Response) -> bytes:
    if 300 <= response.status < 400:
        return b""  # redirects are not followed, and their bodies are not read
    data = b"".join(response.chunks())
    if not data:
        raise unexpected(response, b"", "the response has an empty body", operation.name, damaged=True)
    return data


def _document(
    operation: AnyOperation, form: RestRow, response: Response, data: bytes | None
) -> tuple[Node, bytes]:
    """Return the root of a response's document, and its first bytes for use in an error.

    `data` is the body if it is JSON, otherwise None. Raises UnexpectedResponse if the response is neither XML
    nor JSON, and ResponseError if the document is not well-formed.
    """
    name = operation.name
    if 300 <= response.status < 400:
        problem = "a redirect, which is not followed"
        raise unexpected(response, bodies.beginning(response), problem, name)
    if data is not None:
        try:
            document = json_tree.parse(
                data,
                operation.response_tag,
                roots=form.roots,
                check_deadline=response.check_deadline,
            )
            return document, data
        except json_tree.BrokenJson as error:
            if response.status >= 400:
                problem = "the response is an error in a format that the service does not use"
                raise unexpected(response, data, problem, name) from None
            expected = "a complete, valid JSON document"
            raise BrokenResponse(
                local_name(operation.response_tag), str(error), expected, operation=name
            ) from None
    if is_xml(response):
        root = bodies.parse(response.chunks(), response, name, local_name(operation.response_tag))
        return root, etree.tostring(root)[:_QUOTED] if response.status >= 400 else b""
    problem = "a response that is neither XML nor JSON"
    raise unexpected(response, bodies.beginning(response), problem, name, damaged=True)


def _read_by_rows(
    operation: Operation[RequestT, ResponseT], data: bytes, reader: ResponseReader
) -> ResponseT | None:
    """Decode a JSON response directly to its type, without building a tree of nodes.

    Return None if the caller must read the response as a tree. For error bodies, and for documents that may
    belong to another operation, this function always returns None.
    """
    if operation.rest is None or operation.rest.loose is not None:
        return None
    usual = _usual_reader(operation)
    if usual is not None and (value := usual.read(data, reader.check_deadline)) is not None:
        return cast("ResponseT", value)
    try:
        document = json_tree.load_quickly(data, reader.check_deadline)
        _, content = json_tree.without_root(document, (operation.response_tag,))
        # With an unknown name at the top level, the document may belong to another operation.
        if not isinstance(content, tuple) or not _reader(operation).knows(content):
            return None
        return cast("ResponseT", _reader(operation).read(content, reader))
    except (NeedsTree, ValueError, RecursionError):
        reader.findings.clear()
        return None


@cache
def _reader(operation: AnyOperation) -> JsonReader:
    return JsonReader(operation.codec, operation.row.response, operation.response_tag, json_tree.element)


@cache
def _usual_reader(operation: AnyOperation) -> JsonResponseReader | UsualJsonReader | None:
    return json_response_reader(operation)


# ---- from a document to the typed response


class UnknownDocument(DecodeError):
    """Raised if the root of a document is unknown, or if the document has no element of the contract."""


class ErrorResponse(Exception):
    """Raised if a document is an error body of the service (docs/explanation/service.md#fault-codes)."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def interpret(
    operation: Operation[RequestT, ResponseT],
    form: RestRow,
    root: Node,
    reader: ResponseReader,
) -> ResponseT:
    """Read the typed response from the root of a document. `reader` counts its drift findings.

    `root` is modified. An error is raised if the document has another root, cannot be decoded, or has
    content but no element that the contract declares. Without the last rule, a document of another kind could
    be mistaken for an empty response.

    The error is ErrorResponse if the document has the fields of an error body, otherwise UnknownDocument or
    another DecodeError.
    """
    problem = problem_of(root)
    names = _DocumentNames.of(root)
    if is_in_array(root, form):
        reader.unknown_value(root, "[…]")
    try:
        bare = isinstance(root, etree._Element) and not str(root.tag).startswith("{")
        node = contract_shape(root, operation.response_tag, form)
        if node is None:
            came_of = f"{_OTHER}: {root.tag}"
            expected = f"the element {operation.response_tag}"
            raise UnknownDocument(local_name(operation.response_tag), came_of, expected)
        if bare:
            name_by_rows(operation.codec, node, operation.row.response)
        value = read_shaped(operation, node, reader)
    except DecodeError as error:
        if problem is not None:
            raise ErrorResponse(problem) from None
        if error.value is None and (names.nothing or names.all_unknown(reader.findings)):
            raise UnknownDocument(
                local_name(operation.response_tag), f"{_OTHER}: {names.shown}", error.expected
            ) from None
        raise
    if names.unknown_to(operation, form, reader.findings):
        if problem is not None:
            raise ErrorResponse(problem)
        expected = f"an element with any of: {', '.join(_fields(operation))}"
        raise UnknownDocument(local_name(operation.response_tag), f"{_OTHER}: {names.shown}", expected)
    return value


def _is_array_of_one(root: Node) -> bool:
    """Return True if a JSON document is an array with one member."""
    return len(root) == 1 and next(iter(root)).tag == ITEM


def _is_object(node: Node) -> bool:
    return isinstance(node, JsonNode) and node.is_object


@dataclass(frozen=True, slots=True)
class _DocumentNames:
    """The names in a document, recorded before reading modifies it.

    `paths` are the distinct paths of the root's child elements. In JSON, `empty` has the tags of the names
    whose value is null or an empty array. These names have no child element, so they are not in `paths`.
    `is_array` is True if the document is a JSON array, but not an empty one or an array of one object.
    """

    paths: tuple[str, ...]
    empty: frozenset[str]
    is_array: bool
    is_json: bool

    @classmethod
    def of(cls, root: Node) -> _DocumentNames:
        top = next(iter(root)) if _is_array_of_one(root) else root
        above = path_of(root)
        paths = {f"{above}/{local_name(child.tag)}": None for child in top if isinstance(child.tag, str)}
        empty = frozenset(top.childless) | top.empty_arrays if isinstance(top, JsonNode) else frozenset()
        is_array = any(item.tag == ITEM and not (len(root) == 1 and _is_object(item)) for item in root)
        return cls(tuple(paths), empty, is_array, isinstance(root, JsonNode))

    @property
    def nothing(self) -> bool:
        """True if a JSON document has no names. It then does not show to which operation it belongs."""
        return self.is_json and not self.paths and not self.empty - {ITEM}

    @property
    def shown(self) -> str:
        if self.is_array or self.nothing:
            return "an array" if self.is_array else "no names"
        names = [path.rpartition("/")[2] for path in self.paths] + sorted(map(local_name, self.empty))
        return ", ".join(names[:_MAX_SHOWN]) + ", …" * (len(names) > _MAX_SHOWN)

    def all_unknown(self, findings: Counter[Finding]) -> bool:
        """Return True if the root has child elements, and the findings report all of them as unknown."""
        unknown = {finding.path for finding in findings if finding.kind == "element"}
        return bool(self.paths) and unknown.issuperset(self.paths)

    def unknown_to(self, operation: AnyOperation, form: RestRow, findings: Counter[Finding]) -> bool:
        """Return True if the document has names, but the contract of the response declares none of them."""
        fields = _fields(operation)
        if self.is_array and form.loose is None:
            return True
        if not (self.paths or self.empty) or not fields:
            return False
        unknown = {finding.path for finding in findings if finding.kind == "element"}
        if form.loose is not None:  # the document can be one item: its names then have the path of an item
            inside = f"/{local_name(form.loose.list)}/{local_name(form.loose.item)}/"
            unknown |= {path.replace(inside, "/", 1) for path in unknown}
        lists = [operation.response_tag, ITEM]
        lists += [] if form.loose is None else [form.loose.list, form.loose.item]
        lists += [] if form.wrapped is None else [form.wrapped.root, form.wrapped.list]
        known = {*fields, *map(local_name, lists)}
        return unknown.issuperset(self.paths) and known.isdisjoint(map(local_name, self.empty))


def _fields(operation: AnyOperation) -> list[str]:
    """Return the names of the fields of the operation's response, as in the contract."""
    return [field.name for field in operation.codec.fields(operation.row.response)]


# ---- errors of the service


@dataclass(frozen=True)
class Problem:
    """The fields of an error body. `code` is None if it is not a number; missing texts are empty.

    The code determines if `message` or `reason` states the cause (docs/explanation/service.md#fault-codes).
    `documented` is True if the body has the structure that the service documents: it then comes from the
    service, not from a gateway.
    """

    code: int | None
    message: str
    reason: str
    error_id: str | None
    documented: bool = False


def problem_of(node: Node) -> Problem | None:
    """Return the fields of the error in a document. `node` is the root of the document.

    Returns None if the document does not have a code, a message or a reason.

    The fields are children of the root. If the root has only one child, with a name such as `error` or
    `…Fault`, the fields can also be children of this child. The names of the fields can be in any case and in
    any namespace. A code that is not a number is added at the start of the message.
    """
    inside = _fields_of(node)
    problem = _problem(inside)
    if problem is not None:
        return replace(problem, documented=_is_documented(problem.code, node, inside))
    if len(inside) == 1:
        name = local_name(inside[0].tag).casefold()
        if inside[0].tag == ITEM or name.endswith(_WRAPPER_ENDINGS):
            return _problem(_fields_of(inside[0]))
    return None


def _fields_of(node: Node) -> list[Node]:
    """Return the children of an element that are elements; [] if there are too many for an error body."""
    return [] if len(node) > _MAX_FIELDS else [child for child in node if isinstance(child.tag, str)]


def _is_documented(code: int | None, node: Node, fields: list[Node]) -> bool:
    """Return True if the fields are exactly those that the service documents for its error bodies.

    These are the code, the message and the reason, and optionally an error id. Each occurs at most once.
    Either the message or the reason may be missing if `code` is less than 300, because gateways do not send
    such codes.
    """
    names = [local_name(field.tag) for field in fields]
    if isinstance(node, JsonNode):  # there is no field for null
        names += map(local_name, node.childless)
    own = set(names) - {_ERROR_ID}
    if code is None or any(map(len, fields)) or len(set(names)) < len(names):
        return False
    return own == _DOCUMENTED or (own < _DOCUMENTED and len(own) > 1 and code < _FIRST_GATEWAY_CODE)


def _problem(fields: list[Node]) -> Problem | None:
    texts: dict[str, str] = {}
    for field in fields:
        text = "" if len(field) else " ".join((field.text or "").split())
        if text:
            texts.setdefault(local_name(field.tag).casefold().replace("_", ""), text)
    code, message, reason = (texts.get(name, "") for name in ("code", "message", "reason"))
    if not (code or message or reason):
        return None
    number = int(code) if _CODE.fullmatch(code) else None
    if number is None and code:
        message = f"{code}: {message}" if message else code
    return Problem(number, message, reason, texts.get("errorid"))
