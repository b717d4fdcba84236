"""Presentation of requests and responses: a request as code, a response as a tree."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, NamedTuple

import msgspec
from lxml import etree

from soapclient._support.redaction import redact
from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient.console.forms import Form
from soapclient.console.targets import Target
from soapclient.runtime.any_element import AnyElement, append_any
from soapclient.runtime.authentication import fill_envelope, message_of, remove
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.record import Record

_SPACES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}

_MAX_BYTES = 96  # shown of binary content


@dataclass(frozen=True)
class Text:
    """A text to show on a page, such as code, with its title. `kind` is the language of the text."""

    title: str
    kind: str
    text: str


@dataclass(frozen=True)
class Leaf:
    """A node of the tree that shows a response. It has a value, or the child nodes `items`."""

    name: str
    value: str
    items: tuple[Leaf, ...] = ()


InWords = Callable[[Target, Form], list[Text]]  # returns calls with a valid request as code


class Mark(NamedTuple):
    """A short label of an operation. `kind` selects its style; `text` is its label, `title` explains it."""

    kind: Literal["safe", "write", "unknown", "signed"]
    text: str
    title: str


_SAFE: Final = Mark("safe", "safe", "Retried on transient errors, because repeating it does no harm.")
_WRITE: Final = Mark("write", "write", "Never retried, because repeating it can change data twice.")
_UNKNOWN: Final = Mark(
    "unknown", "not known if safe", "Never retried, because the WSDL does not say whether it only reads."
)
_SIGNED: Final = Mark("signed", "signed", "Requires a signature.")


def marks(target: Target, operation: AnyOperation) -> list[Mark]:
    """Return the labels of an operation: whether it is safe to repeat, and whether it is signed."""
    safe = target.is_safe(operation)
    result = [_UNKNOWN if safe is None else _SAFE if safe else _WRITE]
    return [*result, _SIGNED] if operation.signed else result


def texts(target: Target, operation: AnyOperation, form: Form, in_words: InWords) -> list[Text]:
    """Return a valid request as code and, if it is sent over SOAP, as XML and as a curl command.

    `in_words` is the function that creates the code.
    """
    result = in_words(target, form)
    ports = target.package.settings.ports
    port = next((item for item in ports if item.port_type == operation.port_type), None)
    if port is None or not operation.soap or target.by_rest:
        return result
    envelope = _envelope(form, _SPACES[port.soap], target.settings.get("connect_id", ""))
    kind = "text/xml" if port.soap == "1.1" else "application/soap+xml"
    content_type, action = f"Content-Type: {kind}; charset=utf-8", f'"{operation.soap_action}"'
    if port.soap == "1.1":
        headers = [content_type, f"SOAPAction: {action}"]
    else:
        headers = [f"{content_type}; action={action}" if operation.soap_action else content_type]
    options = " ".join(f"-H {shlex.quote(header)}" for header in headers)
    curl = f"curl {options} --data-binary @- {shlex.quote(target.endpoint)} <<'EOF'\n{envelope}EOF\n"
    if operation.signed and operation.filled_names:
        curl = "# Without a signature, because a signature is valid for one request only.\n" + curl
    return [*result, Text("XML", "XML", envelope), Text("curl", "shell", curl)]


def _envelope(form: Form, space: str, connect_id: str) -> str:
    """Return the SOAP envelope of a request. It has the connect ID if there is one, but no signature.

    `space` is the namespace of the envelope, which determines the SOAP version.
    """
    top = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    head = etree.SubElement(top, f"{{{space}}}Header")
    if form.headers:
        head.extend(etree.fromstring(etree.tostring(node, encoding="UTF-8")) for _, node in form.headers)
    body = etree.SubElement(top, f"{{{space}}}Body")
    copy = etree.fromstring(etree.tostring(form.element, encoding="UTF-8"))
    body.extend([copy] if form.operation.request_tag else list(copy))
    signing = form.operation.package.settings.signing
    if connect_id and signing is not None:
        fill_envelope(top, form.operation, {signing.identity: connect_id} if signing.identity else {})
        remove(head, form.operation.authentication_headers, empty=True)
        remove(message_of(top, form.operation), form.operation.authentication, empty=True)
    if not len(head):
        top.remove(head)
    etree.cleanup_namespaces(top)
    etree.indent(top)
    return etree.tostring(top, encoding="unicode") + "\n"


def redacted(leaf: Leaf, secrets: Iterable[str]) -> Leaf:
    """Return a tree with secrets removed from its values."""
    items = tuple(redacted(item, secrets) for item in leaf.items)
    return Leaf(leaf.name, redact(leaf.value, secrets), items)


def tree(value: object, name: str = "") -> Leaf:
    """Convert a response to a tree of nodes. Values of fields named like secrets are hidden."""
    if value is not None and not isinstance(value, bool) and is_secret(name):
        return Leaf(name, NOT_SHOWN)
    if isinstance(value, AnyElement):
        if not (value.children or value.attributes):
            return Leaf(name, value.text or "")
        holder = etree.Element("any")
        append_any(holder, value, name)
        return Leaf(name, etree.tostring(holder[0], encoding="unicode", with_tail=False))
    if isinstance(value, bytes):
        shown = base64.b64encode(value[:_MAX_BYTES]).decode()
        return Leaf(name, f"{len(value)} bytes, in base64: {shown}{'…' if len(value) > _MAX_BYTES else ''}")
    if isinstance(value, Record):
        fields = type(value).__struct_fields__
        inner = [(field, getattr(value, field)) for field in fields]
        items = tuple(tree(item, field) for field, item in inner if item is not None)
        return Leaf(name, type(value).__name__, items)
    if isinstance(value, list | tuple):
        return Leaf(name, f"{len(value)}", tuple(tree(item, str(at)) for at, item in enumerate(value)))
    if isinstance(value, dict):
        return Leaf(name, "", tuple(tree(item, str(key)) for key, item in value.items()))
    if isinstance(value, msgspec.Struct):
        return tree(msgspec.structs.asdict(value), name)
    if isinstance(value, Enum):
        return Leaf(name, str(value.value))
    if isinstance(value, str):
        return Leaf(name, value)
    return Leaf(name, json.dumps(value) if isinstance(value, bool | None) else str(value))
