"""Presentation of requests: a request as code, and marks of operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from soapclient.console.code import curl_of, envelope_of
from soapclient.console.forms import Form
from soapclient.console.targets import Target
from soapclient.runtime.operations import AnyOperation


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

    `in_words` is a function that returns the request as code.
    """
    result = in_words(target, form)
    ports = target.package.settings.ports
    port = next((item for item in ports if item.port_type == operation.port_type), None)
    if port is None or not operation.soap or target.by_rest:
        return result
    envelope, curl = envelope_of(target, form, port), curl_of(target, form, port)
    return [*result, Text("XML", "XML", envelope), Text("curl", "shell", curl)]
