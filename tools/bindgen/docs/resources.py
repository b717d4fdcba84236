"""An example request as REST asks for it: the request line and the body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote

from lxml import etree

from bindgen.docs import envelopes
from bindgen.docs.instances import Free, Part, Text, Tree
from bindgen.model import Operation, Rest
from bindgen.rest_table import WHOLE


@dataclass(frozen=True, slots=True)
class Resource:
    """The example: `target` is path and query below the base address, `body` an element or nothing."""

    method: str
    target: str
    body: etree._Element | None


def resource(operation: Operation, form: Rest, tree: Tree) -> Resource:
    """The example of an operation that REST has; `tree` is its request, of which REST takes its part."""
    parts = [part for part in tree.parts if part.field.carrier != "soap" and not part.field.refused]
    given: dict[str, list[str]] = {}
    for part in parts:
        given.setdefault(part.field.wire, []).extend(_texts(part))
    path, *pieces = form.path.split("{")
    for name, piece in zip(form.in_path, pieces, strict=True):
        path += quote((given.get(name) or ["…"])[0], safe="") + piece.partition("}")[2]
    query = []
    for parameter in form.query:
        texts = [parameter.spelling.get(text, text) for text in given.get(parameter.field, [])]
        texts = [parameter.separator.join(texts)] if texts and parameter.separator else texts
        query += [f"{quote(parameter.name, safe='')}={quote(text, safe='')}" for text in texts]
    target = f"{path}{'?' if query else ''}{'&'.join(query)}"
    return Resource(form.method, target, _body(operation, form, parts, tree))


def document(tag: str, tree: Tree) -> str:
    """An example reply in the service's JSON form: `@` before attributes, `$` for the text beside them, every
    value a text, the root left out."""
    del tag  # the form has no root
    return json.dumps(_plain(tree), indent=2, ensure_ascii=False)


def _body(operation: Operation, form: Rest, parts: list[Part], tree: Tree) -> etree._Element | None:
    if form.body == WHOLE:
        elsewhere = {*form.in_path, *(parameter.field for parameter in form.query)}
        rest = [part for part in parts if part.field.wire not in elsewhere]
        return envelopes.element(
            form.body_tag or operation.request_tag, Tree(tree.struct, tree.declared, rest)
        )
    for part in parts:
        if form.body and part.field.wire == form.body and isinstance(part.value, Tree):
            return envelopes.element(form.body_tag, part.value)
    return None


def _texts(part: Part) -> list[str]:
    value = part.value
    if isinstance(value, Text):
        # A day is a day in an address; the midnight it begins with is how a document says it.
        day = getattr(value.kind, "annotation", "") == "dt.date"
        return [value.text[:10] if day else value.text]
    return []


def _plain(tree: Tree) -> dict[str, object]:
    found: dict[str, object] = {}
    for part in tree.parts:
        field = part.field
        key = f"@{field.wire}" if field.kind == "attribute" else "$" if field.kind == "text" else field.wire
        value = _value(part)
        if field.repeats:
            listed = found.setdefault(key, [])
            assert isinstance(listed, list)  # a field's key is its own
            listed.append(value)
        else:
            found[key] = value
    return found


def _value(part: Part) -> object:
    if isinstance(part.value, Tree):
        return _plain(part.value)
    return "anything" if isinstance(part.value, Free) else part.value.text
