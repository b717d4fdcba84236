"""Errors of reading and writing by a contract, and the path of a node."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets
from soapclient.runtime.protocols import Node

INVALID = "it does not fit"
REQUIRED = "the contract requires it"
AS_TEXT = "it does not fit as a text"  # the reason where the text of a value was given in its place
_SHOWN = 120
_PLAIN = (str, int, float, Decimal, dt.date)  # what an error may hold as it is: small, and picklable


class DecodeError(ValueError):
    """A response cannot be read as the contract says.

    `path` is where (`GetThingsResponse/things/thing[3]/price`), `value` the text that stood there (None:
    nothing did), `expected` what the contract asks for. `skippable`: it is an invalid value of an optional
    field, which the setting `on_invalid_value` can skip.
    """

    def __init__(self, path: str, value: str | None, expected: str, *, skippable: bool = False) -> None:
        super().__init__(path, value, expected)
        self.skippable = skippable
        self.path = path
        self.value = value
        self.expected = expected

    def __str__(self) -> str:
        found = "nothing" if self.value is None else shown(self.value)
        if self.value is not None and is_secret(self.path):
            found = NOT_SHOWN
        return f"{self.path}: found {found}, expected {self.expected}"


class EncodeError(ValueError):
    """A value does not fit the field of a request that it was given for.

    `path` is the field (`GetThingsRequest/date`), `value` what was given (anything but a plain value: its
    repr; of a field that is called as secrets are: that it is not shown), `allowed` what fits ("" where
    the reason says it), `reason` what is wrong.
    """

    def __init__(self, path: str, value: object, allowed: str, reason: str = INVALID) -> None:
        if value is not None and is_secret(path):
            value = NOT_SHOWN
        elif value is not None and not isinstance(value, _PLAIN):
            value = shown(value)
        super().__init__(path, value, allowed, reason)
        self.path = path
        self.value = value
        self.allowed = allowed
        self.reason = reason

    def __str__(self) -> str:
        if self.reason == REQUIRED:
            return f"{self.path} is required" + ("" if self.allowed == "a value" else f": {self.allowed}")
        given = self.value if self.value == NOT_SHOWN else shown(self.value)
        if not self.allowed:
            return f"{self.path}: {self.reason} (got {given})"
        if self.reason in (INVALID, AS_TEXT):
            kind = "the text " if self.reason == AS_TEXT else ""
            return f"{self.path} must be {self.allowed}, got {kind}{given}"
        return f"{self.path}: {self.reason} (got {given}; allowed: {self.allowed})"


def shown(value: object) -> str:
    """`value` as an error may quote it: its repr, shortened."""
    text = repr(value) if isinstance(value, _PLAIN) else without_secrets(repr(value))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def local_name(tag: object) -> str:
    """`{namespace}name` → `name`."""
    return str(tag).rpartition("}")[2]


def path_of(node: Node, *, index: bool = True) -> str:
    """The path of a node from the top of its message, local names only.

    A SOAP envelope and its body are left out. With `index`, an element that stands among others of its name
    carries its place, counted from 1.
    """
    steps: list[str] = []
    current: Node | None = node
    while current is not None:
        parent = current.getparent()
        name = local_name(current.tag)
        if name == "Body" and parent is not None and local_name(parent.tag) == "Envelope":
            break
        if index and parent is not None:
            twins = [twin for twin in parent if twin.tag == current.tag]
            if len(twins) > 1:
                name = f"{name}[{next(at for at, twin in enumerate(twins, 1) if twin is current)}]"
        steps.append(name)
        current = parent
    return "/".join(reversed(steps))


def repeated(node: Node) -> DecodeError:
    """The error for an element that may stand once and came twice: taking either would lose the other."""
    return DecodeError(path_of(node), node.text, f"{local_name(node.tag)} at most once")


def absent(node: Node, name: str) -> DecodeError:
    """The error for a required element or attribute that is not there."""
    return DecodeError(f"{path_of(node)}/{name}", None, "a value, which the contract requires")
