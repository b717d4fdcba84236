"""What an error body says (docs/explanation/service.md#fault-codes): top level in JSON, children of the root
in XML."""

from __future__ import annotations

import re
from dataclasses import dataclass

from soapclient.rest.json_tree import ITEM
from soapclient.runtime import Node
from soapclient.runtime.errors import local_name

_CODE = re.compile(r"[+-]?[0-9]{1,11}")
_AROUND = ("error", "fault", "exception", "response")  # how an element around the fields may be called


@dataclass(frozen=True)
class Problem:
    """The fields of an error body: `code` is None where there is none that is a number, a text that is not
    there is empty. Which of the texts says why depends on the code
    (docs/explanation/service.md#fault-codes)."""

    code: int | None
    message: str
    reason: str
    error_id: str | None


def problem_of(node: Node) -> Problem | None:
    """The error that a document's root says, or the one element in it that is called as an error or a
    response is; None where there is neither code nor message nor reason. Names may be in any case and in any
    namespace. Of a code that is no number the text goes before the message."""
    inside = [child for child in node if isinstance(child.tag, str)]
    found = _problem(inside)
    if found is None and len(inside) == 1:
        name = local_name(inside[0].tag).casefold()
        if inside[0].tag == ITEM or name.endswith(_AROUND):
            return _problem(list(inside[0]))
    return found


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
