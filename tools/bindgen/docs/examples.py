"""The examples of an operation, each as a block of text that scrolls in itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from bindgen.docs import calls, envelopes, resources
from bindgen.docs.calls import Bound
from bindgen.docs.checking import Checker
from bindgen.docs.html import Child, Element, el
from bindgen.docs.instances import Examples, Tree, fields_of
from bindgen.model import Contract, Field, Header, Operation, Simple

_ROLES = ("connect_id", "timestamp", "nonce", "signature")
_TAG = re.compile(r"(<[^>]*>)")


class OperationExamples:
    """Makes the examples of all operations of a contract."""

    def __init__(self, contract: Contract, bound: Bound) -> None:
        self._contract = contract
        self._bound = bound
        self._examples = Examples()
        self._checker = Checker(contract)
        signing = contract.settings.section("signing")
        self._roles = {str(signing.get(role, role)): role.upper().replace("_", "-") for role in _ROLES}
        self._versions = {port.port_type: port.soap for port in reversed(contract.ports)}

    def request(self, operation: Operation, *, signing: bool) -> Tree:
        """The example request: as a caller gives it or, with `signing`, as it is sent over SOAP, with a word
        in capitals for each element that a signer fills in."""
        shown = [field for field in fields_of(operation.request) if not field.refused]
        texts = self._paging(operation)
        if signing:
            own = [field for field in operation.request.fields if not field.refused]
            inherited = shown[: len(shown) - len(own)]
            for at, field in operation.authentication_fields:
                own.insert(at, field)
                if isinstance(field.type, Simple) and field.type.annotation == "str" and field.facets is None:
                    texts[id(field)] = self._roles.get(field.wire, field.wire.upper())
            shown = [field for field in (*inherited, *own) if field.carrier != "rest"]
        return self._examples.of(operation.request, fields=shown, texts=texts)

    def reply(self, operation: Operation) -> Tree:
        """The example reply."""
        return self._examples.of(operation.reply)

    def sent(self, operation: Operation) -> etree._Element:
        """The request in its envelope."""
        tree = self.request(operation, signing=True)
        return self._envelope(operation, operation.request_tag, tree, operation.request_headers)

    def answered(self, operation: Operation) -> etree._Element:
        """The reply in its envelope."""
        return self._envelope(operation, operation.reply_tag, self.reply(operation), operation.reply_headers)

    def _envelope(self, operation: Operation, tag: str, tree: Tree, headers: list[Header]) -> etree._Element:
        version = self._versions.get(operation.port_type, "1.1")
        parts = [(header.tag, self._examples.of(header.type)) for header in headers]
        return envelopes.envelope(tag, tree, parts, version if version in ("1.1", "1.2") else "1.1")

    def call(self, operation: Operation, carrier: calls.Carrier | None = None) -> str:
        """The call in Python."""
        tree = self.request(operation, signing=False)
        headers = [(each, self._examples.of(each.type)) for each in operation.request_headers]
        return calls.call(operation, tree, self._bound(operation), headers=headers, carrier=carrier)

    def resource(self, operation: Operation) -> resources.Resource | None:
        """What REST sends."""
        if operation.rest is None:
            return None
        return resources.resource(operation, operation.rest, self.request(operation, signing=False))

    def shown(self, operation: Operation) -> Iterator[Element]:
        """The messages, each behind its title."""
        if not operation.soap:
            yield self._alone(operation)
            return
        yield self._folded("Example request", self.sent(operation), operation)
        if not operation.one_way:
            yield self._folded("Example reply", self.answered(operation), operation)

    def _alone(self, operation: Operation) -> Element:
        """The reply of an operation that REST alone has: JSON where the contract has nothing but REST."""
        tree = self.reply(operation)
        if self._contract.one_file:
            return self._folded("Example reply", envelopes.element(operation.reply_tag, tree), operation)
        return el(
            "details",
            el("summary", "Example reply"),
            block(resources.document(operation.reply_tag, tree), "JSON"),
        )

    def body(self, node: etree._Element) -> Element:
        """The body of a REST request."""
        return el("details", el("summary", "Example body"), block(envelopes.text(node), "XML", markup=True))

    def _folded(self, title: str, message: etree._Element, operation: Operation) -> Element:
        misfit = ""
        if not operation.encoded:  # of what SOAP encodes in its own way the schemas say something else
            misfit = next(filter(None, map(self._checker.misfit, _content(message))), "")
        warning = None
        if misfit:
            warning = el("p", f"The schema does not take this example: {misfit}", class_="weak")
        written = envelopes.text(message)
        return el("details", el("summary", title), warning, block(written, "XML", markup=True))

    def _paging(self, operation: Operation) -> dict[int, str]:
        """The first page of the usual size, where the contract says what these are."""
        paging = self._contract.settings.section("paging")
        usual = {
            str(paging.get("page")): paging.get("first"),
            str(paging.get("items")): paging.get("default"),
        }
        return {
            id(field): str(usual[field.wire])
            for field in fields_of(operation.request)
            if operation.pages and usual.get(field.wire) is not None and _whole(field)
        }


def block(text: str, kind: str, *, markup: bool = False) -> Element:
    """A block of code. Of XML the texts stand out."""
    inner: list[Child] = [text]
    if markup:
        inner = [piece if at % 2 else _value(piece) for at, piece in enumerate(_TAG.split(text))]
    # It can be reached by keyboard, for it scrolls.
    shown = el("pre", el("code", inner), tabindex="0", role="group", aria_label=f"{kind} example")
    return el("div", shown, class_="block")


def _value(piece: str) -> Child:
    # The text is a document's: what it escapes is read back, for the page escapes it anew.
    plain = piece.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return el("b", plain) if plain.strip() else plain


def _whole(field: Field) -> bool:
    return isinstance(field.type, Simple) and field.type.annotation == "int"


def _content(message: etree._Element) -> list[etree._Element]:
    """What of a message the contract's schemas speak of."""
    if etree.QName(message).localname != "Envelope":
        return [message]
    return [child for part in message for child in part]
