"""The envelope of a filled-in request, and the curl command that sends it."""

from __future__ import annotations

import re
import shlex
from typing import Final

from lxml import etree

from soapclient.console.forms import Form
from soapclient.console.targets import Target
from soapclient.runtime.authentication import fill_envelope, message_of, remove
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.schema import PortRow

__all__ = ["curl_of", "envelope_of"]

_SPACES: Final = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
_SIGNED_ROLES: Final = ("timestamp", "nonce", "signature")  # lines that `soapclient sign` prints
_SIGN: Final = """\
# Needs soapclient, and the secret key of this account in SOAPCLIENT_SECRET_KEY. The key is not printed.
signed=$({command})
of() {{ printf '%s\\n' "$signed" | sed -n "s/^$1  *//p"; }}
"""
_UNSIGNED: Final = "# Without a signature: add it as the service requires. Each signature is valid once.\n"


def envelope_of(target: Target, form: Form, port: PortRow) -> str:
    """Return the SOAP envelope of a valid request. It may contain a connect ID, but no signature."""
    return _text(_envelope(target, form, port, {}))


def curl_of(target: Target, form: Form, port: PortRow) -> str:
    """Return a shell command that sends a valid request with curl.

    If the operation must be signed, and `soapclient sign` knows the service, the command signs the request
    each time it runs. It then needs the secret key in the environment. If the service is unknown, a comment
    says that the signature is missing.
    """
    operation = form.operation
    kind = "text/xml" if port.soap == "1.1" else "application/soap+xml"
    content_type, action = f"Content-Type: {kind}; charset=utf-8", f'"{operation.soap_action}"'
    if port.soap == "1.1":
        headers = [content_type, f"SOAPAction: {action}"]
    else:
        headers = [f"{content_type}; action={action}" if operation.soap_action else content_type]
    options = " ".join(f"-H {shlex.quote(header)}" for header in headers)
    command = f"curl {options} --data-binary @- {shlex.quote(target.endpoint)}"
    if not (operation.signed and operation.filled_names):
        return f"{command} <<'EOF'\n{envelope_of(target, form, port)}EOF\n"
    if not (target.of_client and _places(operation) >= {*_SIGNED_ROLES}):
        return f"{_UNSIGNED}{command} <<'EOF'\n{envelope_of(target, form, port)}EOF\n"
    roles = {role: f"@@{role}@@" for role in _SIGNED_ROLES}
    # The shell expands the text: only the values of `soapclient sign` may be expanded.
    text = re.sub(r"([\\$`])", r"\\\1", _text(_envelope(target, form, port, roles)))
    for role, mark in roles.items():
        text = text.replace(mark, f"$(of {role})")
    sign = _SIGN.format(command=shlex.join(["soapclient", "sign", "soap", target.name, operation.key]))
    return f"{sign}{command} <<EOF\n{text}EOF\n"


def _places(operation: AnyOperation) -> set[str]:
    """Return the roles of an operation's authentication elements, such as connect ID, time and signature."""
    roles: set[str] = set()
    waiting = [*operation.authentication, *operation.authentication_headers]
    while waiting:
        place = waiting.pop()
        roles.add(place.role)
        waiting += place.content
    return roles


def _envelope(target: Target, form: Form, port: PortRow, roles: dict[str, str]) -> etree._Element:
    """Return the envelope of a request, with the connect ID.

    `roles` maps the roles of authentication elements to the values that these elements get in the envelope.
    Authentication elements that stay empty are removed.
    """
    space = _SPACES[port.soap]
    top = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    head = etree.SubElement(top, f"{{{space}}}Header")
    if form.headers:
        head.extend(etree.fromstring(etree.tostring(node, encoding="UTF-8")) for _, node in form.headers)
    body = etree.SubElement(top, f"{{{space}}}Body")
    copy = etree.fromstring(etree.tostring(form.element, encoding="UTF-8"))
    body.extend([copy] if form.operation.request_tag else list(copy))
    signing, connect_id = form.operation.package.settings.signing, target.settings.get("connect_id", "")
    if connect_id and signing is not None:
        identity = {signing.identity: connect_id} if signing.identity else {}
        fill_envelope(top, form.operation, identity | roles)
        remove(head, form.operation.authentication_headers, empty=True)
        remove(message_of(top, form.operation), form.operation.authentication, empty=True)
    if not len(head):
        top.remove(head)
    return top


def _text(envelope: etree._Element) -> str:
    etree.cleanup_namespaces(envelope)
    etree.indent(envelope)
    return etree.tostring(envelope, encoding="unicode") + "\n"
