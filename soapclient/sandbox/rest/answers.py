"""What a handler gave, as XML or JSON: checked against the contract before it is sent."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from lxml import etree

from .. import xml
from ..contracts import Contract
from ..faults import Code, Refusal
from ..trees import Tree, Value
from . import json_form
from .routes import Route
from .target import Form

log = logging.getLogger("soapclient.sandbox")


def render(contract: Contract, route: Route, answer: Tree, form: Form, *, old_roots: bool) -> bytes:
    """The body of a response of `route.operation`, whose element `contract` has. `old_roots`: with the root
    that older examples show, where the route has one.

    Raises `Refusal` 502, and logs, where the answer breaks the contract.
    """
    tag = f"{{{contract.namespace}}}{route.operation}Response"
    reply = xml.encode(contract, tag, answer)
    whole = reply
    if any(answer.get(name) is None for name in route.may_lack):
        whole = xml.encode(contract, tag, {**answer, **dict.fromkeys(route.may_lack, "")})
    if errors := contract.errors(whole):
        log.error(
            "%s: the sandbox's own reply breaks the contract: %s", route.operation, "; ".join(errors[:5])
        )
        raise Refusal(
            Code.OWN_REPLY,
            f"the sandbox's own reply to {route.operation} breaks the contract: {errors[0]}",
        )
    if form == "json":
        return json_form.from_element(contract, tag, reply).encode("utf-8")
    if old_roots and route.old_root:
        reply.tag = f"{{{contract.namespace}}}response"
    return etree.tostring(reply, xml_declaration=True, encoding="UTF-8")


def wrapped_sale(answer: Tree) -> Tree:
    """A GetSale answer as the one public example has it: as a page of GetSales (`record.md 3`, row 20)."""
    item = answer.get("saleItem")
    count = 0 if item is None else 1
    items: Value = {"saleItem": [item]} if isinstance(item, Mapping) else None
    return {"page": 0, "items": count, "total": count, "saleItems": items}
