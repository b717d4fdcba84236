"""The REST error body: code, message, reason (`record.md 5`), and an id. The root in XML is assumed."""

from __future__ import annotations

from uuid import uuid4

from lxml import etree
from werkzeug.wrappers import Response

from ..faults import Busy, Refusal, http_status, printable, title
from .json_form import plain
from .target import Form

MEDIA_TYPES: dict[Form, str] = {
    "xml": "application/xml; charset=utf-8",
    "json": "application/json; charset=utf-8",
}


def rest_error(refusal: Refusal, namespace: str, form: Form) -> Response:
    """At the top level of a JSON object; in XML, children of the root `response` in `namespace`."""
    error: dict[str, str | int] = {
        "code": int(refusal.code),
        "message": title(refusal.code),
        "reason": printable(refusal.reason),
        "errorId": uuid4().hex,
    }
    if form == "json":
        body = plain(error).encode("utf-8")
    else:
        root = etree.Element(f"{{{namespace}}}response", nsmap={None: namespace})
        for name, value in error.items():
            etree.SubElement(root, f"{{{namespace}}}{name}").text = str(value)
        body = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    headers = refusal.headers if isinstance(refusal, Busy) else {}
    return Response(body, http_status(refusal.code), headers, content_type=MEDIA_TYPES[form])
