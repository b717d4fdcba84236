"""What a REST document says: the typed reply, or an error, whatever status it came with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from soapclient.reader import ReplyReader
from soapclient.rest import reshape
from soapclient.rest.json_tree import JsonNode
from soapclient.rest.problem import Problem, problem_of
from soapclient.rest.tolerant import read_tolerantly
from zxws._runtime import DecodeError, Finding, Node, Operation, RestForm, path_of
from zxws._runtime.errors import local_name
from zxws._runtime.operation import ReplyT, RequestT


class ErrorTold(Exception):
    """The document is an error of the service (record.md 5)."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def interpret(
    operation: Operation[RequestT, ReplyT],
    form: RestForm,
    root: Node,
    new_reader: Callable[[], ReplyReader],
) -> tuple[ReplyT, ReplyReader]:
    """The reply, and the reader that heard what it holds beyond the contract. `root` is used up.

    Raises ErrorTold for a document that has an error's fields and is no reply: its root is another, it cannot
    be read, or nothing in it is known to the contract. Raises DecodeError for any other that is no reply.
    """
    problem = problem_of(root)
    names = [path_of(child, index=False) for child in root if isinstance(child.tag, str)]
    names += root.empty_arrays if isinstance(root, JsonNode) else ()  # of no element: never unknown
    try:
        node = reshape.message(root, operation.reply_tag, form)
        if node is None:
            raise DecodeError(local_name(root.tag), str(root.tag), f"the element {operation.reply_tag}")
        value, reader = read_tolerantly(operation.read_reply, node, new_reader)
    except DecodeError:
        if problem is not None:
            raise ErrorTold(problem) from None
        raise
    if problem is not None and _nothing_known(names, reader.findings):
        raise ErrorTold(problem)
    return value, reader


def _nothing_known(names: list[str], findings: Counter[Finding]) -> bool:
    unknown = {finding.path for finding in findings if finding.kind == "element"}
    return bool(names) and unknown.issuperset(names)
