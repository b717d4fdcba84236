"""A JSON response that keeps the contract, read by rows at once; of any other the tree is made.

Whatever is an error, or says that the document may be another one, is left to the tree: there is one place
that decides what a document is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import NoReturn, cast

from soapclient.calling.reader import ResponseReader
from soapclient.rest import json_tree
from soapclient.runtime import AnyOperation, Operation
from soapclient.runtime.json_decoding import JsonReader, Unusual
from soapclient.runtime.operations import RequestT, ResponseT


def read(
    operation: Operation[RequestT, ResponseT], data: bytes, new_reader: Callable[[], ResponseReader]
) -> tuple[ResponseT, ResponseReader] | None:
    """The response, and the reader that heard what it holds beyond the contract; None for a document that
    asks for a closer look."""
    if operation.rest is None or operation.rest.loose is not None:
        return None
    try:
        document = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=tuple,
            parse_int=str,
            parse_float=str,
            parse_constant=_refuse,
        )
        _, content = json_tree.without_root(document, (operation.response_tag,))
        if not isinstance(content, tuple):
            return None
        reader = new_reader()
        value = cast("ResponseT", _reader(operation).read(content, reader))
    except (Unusual, ValueError, RecursionError):
        return None
    # An unknown name at the top may say that the document is another one.
    if any(found.kind == "element" and found.path.count("/") == 1 for found in reader.findings):
        return None
    return value, reader


@cache
def _reader(operation: AnyOperation) -> JsonReader:
    return JsonReader(operation.codec, operation.row.response, operation.response_tag, json_tree.element)


def _refuse(_: str) -> NoReturn:
    raise ValueError
