"""Presentation of requests and responses: a request as code, a response as a tree."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, NamedTuple

import msgspec
from lxml import etree

from soapclient._support.redaction import redact
from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient.console.code import curl_of, envelope_of
from soapclient.console.forms import Form
from soapclient.console.targets import Target
from soapclient.runtime.any_element import AnyElement, append_any
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.record import Record

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
    envelope, curl = envelope_of(target, form, port), curl_of(target, form, port)
    return [*result, Text("XML", "XML", envelope), Text("curl", "shell", curl)]


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
