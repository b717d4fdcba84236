"""Presentation of requests: a request as code, and marks of operations."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from lxml import etree

from soapclient.console.forms import Form
from soapclient.console.targets import Target
from soapclient.runtime.authentication import fill_envelope, message_of, remove
from soapclient.runtime.operations import AnyOperation

_SPACES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}


@dataclass(frozen=True)
class Text:
    """A text to show on a page, such as code, with its title. `kind` is the language of the text."""

    title: str
    kind: str
    text: str


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
