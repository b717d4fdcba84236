"""Fast readers for responses that follow the contract.

Over SOAP, the reader is compiled. For JSON over REST, it is compiled or, if that is not available, in pure
Python. If a response needs a slower reader, which also reports drift and errors, `read` returns None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from soapclient._support.speedups import in_use
from soapclient.runtime.errors import local_name

if TYPE_CHECKING:
    from _soapclient_xmlread import Field, Plan, Reader

    from soapclient.runtime.json_structs import UsualJsonReader
    from soapclient.runtime.operations import AnyOperation

_PIECE: Final = 1 << 18  # check the deadline after this number of bytes


class ResponseReader:
    """The compiled reader for the responses to one operation over SOAP.

    `listed` is the field with the list whose items a stream returns. It is None if there is no such list, or
    if other elements can be repeated between the items. The compiled reader would keep such elements in
    memory without a limit, while the Python reader limits them.
    """

    def __init__(self, plan: Plan, tag: str, namespaces: frozenset[str], list_tag: str | None) -> None:
        self._plan = plan
        self._tag = tag.removeprefix("{").encode()
        self._namespaces = namespaces
        name = None if list_tag is None else list_tag.removeprefix("{").encode()
        listed = next((field for field in plan.elements if field.tag == name), None)
        if listed is not None and listed.repeats and sum(field.repeats for field in plan.elements) > 1:
            listed = None
        self.listed: Field | None = listed

    def read(self, document: bytes, check_deadline: Callable[[], None] = lambda: None) -> object | None:
        """Decode a complete envelope and return the response. Return None if the Python reader must read it.

        `check_deadline` is called repeatedly while reading. It can raise an error to stop the reading.
        """
        from _soapclient_xmlread import Reader, Slow

        reader = Reader(self._plan, self._tag, self._namespaces)
        try:
            for start in range(0, len(document), _PIECE):
                check_deadline()
                end = start + _PIECE
                reader.feed(document[start:end], end >= len(document))
        except Slow:
            return None
        return reader.result

    def stream_reader(self) -> Reader:
        """Return a new reader for one response. It appends the items of the list to its attribute `items`."""
        from _soapclient_xmlread import Reader

        return Reader(self._plan, self._tag, self._namespaces, self.listed)


def response_reader(operation: AnyOperation) -> ResponseReader | None:
    """Return the compiled reader for the responses to an operation.

    Return None in these cases:

    - The compiled reader is not in use, or it does not support the type of the response.
    - The operation is one-way.
    - The response must be read as a tree of elements, because it has attachments, is in SOAP encoding, or has
      fields that are direct children of the body.
    """
    if not in_use() or operation.encoded or operation.one_way or not operation.response_tag:
        return None
    if operation.response_attachments:
        return None
    plans = operation.codec.plans
    plan = plans.plan(operation.row.response)
    plan.complete()
    if plan.unsupported:
        return None
    return ResponseReader(
        plan, operation.response_tag, plans.namespaces, getattr(operation, "list_tag", None)
    )


class JsonResponseReader:
    """The compiled reader for the JSON responses to one operation over REST."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def read(self, document: bytes, check_deadline: Callable[[], None] = lambda: None) -> object | None:
        """Decode a complete document and return the response. Return None if the Python reader must read it.

        `check_deadline` is called repeatedly while reading. It can raise an error to stop the reading.
        """
        from _soapclient_xmlread import Slow, read_json

        try:
            value: object = read_json(self._plan, document, check_deadline)
        except Slow:
            return None
        return value


def json_response_reader(operation: AnyOperation) -> JsonResponseReader | UsualJsonReader | None:
    """Return the fast reader for the JSON responses to an operation over REST.

    It is the compiled reader if compiled readers are in use, otherwise a reader in pure Python. Return None
    if the reader does not support the responses of this operation.
    """
    if operation.rest is None or operation.rest.loose is not None:
        return None
    if not in_use():
        return usual_json_reader(operation)
    plan = json_plan(operation)
    return None if plan is None else JsonResponseReader(plan)


def usual_json_reader(operation: AnyOperation) -> UsualJsonReader | None:
    """Return the fast reader in pure Python for the JSON responses to an operation.

    Return None if a field has the same name as the response. The document `{"name": …}` would then be
    ambiguous: `name` may be the root, which some documents omit, or the field.
    """
    from soapclient.runtime.json_structs import UsualJsonReader

    codec, name = operation.codec, operation.row.response
    if any(field.name == local_name(operation.response_tag) for field in codec.fields(name)):
        return None
    return UsualJsonReader(codec, name)


def json_plan(operation: AnyOperation) -> Plan | None:
    """Return the plan for an operation: a table that says how the compiled reader decodes JSON responses.

    Return None if the compiled reader does not support the type. Also return None if a field has the same
    name as the response. The document `{"name": …}` would then be ambiguous: `name` may be the root, which
    some documents omit, or the field.
    """
    codec, name = operation.codec, operation.row.response
    plan = codec.plans.plan(name)
    plan.complete()
    root = local_name(operation.response_tag)
    if plan.unsupported or any(field.name == root for field in codec.fields(name)):
        return None
    return plan
