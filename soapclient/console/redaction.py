"""Hide secrets that were typed into a form or received in a response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from soapclient._support.redaction import HIDDEN
from soapclient._support.secret_names import NOT_SHOWN, is_secret, json_without_secrets, xml_without_secrets
from soapclient.console.forms import Form
from soapclient.console.inputs import Input, Part, inputs_of

_MIN_LENGTH: Final = 4  # of a typed secret; replacing shorter values would make pages unreadable
_PARAMETER: Final = re.compile(r"([?&])([^=&\s]+)=([^&\s]*)")


def typed_secrets(form: Form) -> set[str]:
    """Return the typed values of fields that are named like secrets, such as `password`."""
    values = (form.values.get(key, "") for key in _secret_keys(form.items))
    return {value for value in values if len(value) >= _MIN_LENGTH}


def without_secrets(form: Form) -> dict[str, str]:
    """Return the values of a form with placeholders for secrets.

    Each digit of a number becomes a zero, so that the form can still be decoded.
    """
    secret = set(_secret_keys(form.items))
    return {key: _masked(value) if key in secret else value for key, value in form.values.items()}


def restored(values: Mapping[str, str], stored: Form) -> dict[str, str]:
    """Return posted values with the secrets of a stored form where they have its placeholders."""
    result = dict(values)
    for key in _secret_keys(stored.items):
        secret = stored.values.get(key, "")
        if secret and result.get(key) == _masked(secret):
            result[key] = secret
    return result


def hide_restored(form: Form, stored: Form) -> None:
    """Show placeholders in the inputs of a form that have the secrets of a stored form."""
    secrets = {key: stored.values.get(key, "") for key in _secret_keys(stored.items)}
    for value_input in inputs_of(form.items):
        secret = secrets.get(f"v:{value_input.path}")
        if secret and value_input.value == secret:
            value_input.value = _masked(secret)


def body_without_secrets(text: str) -> str:
    """Hide the values of fields named like secrets in a body. The body may be truncated."""
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return json_without_secrets(text)
    return xml_without_secrets(text)


def query_without_secrets(line: str) -> str:
    """Hide the values of query parameters named like secrets in a request line."""
    return _PARAMETER.sub(
        lambda pair: f"{pair[1]}{pair[2]}={HIDDEN}" if is_secret(pair[2]) else pair[0], line
    )


def _masked(value: str) -> str:
    if not value or value in ("true", "false"):
        return value
    return "0" * len(value) if value.isdecimal() else NOT_SHOWN


def _secret_keys(parts: Iterable[Part], *, inside: bool = False) -> Iterator[str]:
    """Yield the form keys of the secrets in `parts`, which are inputs and groups of a form.

    A value is a secret if its field, or a group around the field, has the name of a secret, such as
    `password`. `inside`: True if `parts` are in a group with the name of a secret.
    """
    for part in parts:
        if isinstance(part, Input):
            if inside or is_secret(part.label):
                yield f"v:{part.path}"
        else:
            label = getattr(part, "label", "")
            yield from _secret_keys(part.items, inside=inside or is_secret(label))
