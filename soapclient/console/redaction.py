"""Hide secrets that were typed into a form or received in a response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from lxml import etree

from soapclient._support.redaction import HIDDEN
from soapclient._support.secret_names import NOT_SHOWN, is_secret, json_without_secrets, xml_without_secrets
from soapclient.console.forms import Form
from soapclient.console.inputs import Input, Part, inputs_of
from soapclient.runtime.errors import local_name

_MIN_LENGTH: Final = 4  # of a typed secret; replacing shorter values would make pages unreadable
_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]*\?>")
_PARAMETER: Final = re.compile(r"([?&])([^=&\s]+)=([^&\s]*)")


def typed_secrets(form: Form) -> set[str]:
    """Return the values that the user typed into fields named like secrets, such as `password`.

    Secrets in typed XML are included. Values shorter than `_MIN_LENGTH` are left out.
    """
    values = {form.values.get(key, "") for key in _secret_keys(form.items)}
    for value_input in inputs_of(form.items):
        if value_input.multiline:
            values |= secrets_in_xml(value_input.value)
    return {value for value in values if len(value) >= _MIN_LENGTH}


def secrets_in_xml(text: str) -> set[str]:
    """Return the secrets in `text`, which is XML and may be invalid.

    Secrets are all texts and attributes inside elements named like secrets, such as `password`, and
    attributes named like secrets. Values shorter than `_MIN_LENGTH` are left out.
    """
    try:
        root = etree.fromstring(f"<x>{_DECLARATION.sub('', text)}</x>".encode(errors="replace"), _parser())
    except etree.XMLSyntaxError:
        return set()
    found: set[str] = set()
    for node in root.iter("*"):
        is_inside = node.getparent() is not None and is_secret(local_name(node.tag))
        holders = node.iter("*") if is_inside else (node,)
        for inner in holders:
            found |= {inner.text or ""} if is_inside else set()
            found |= {str(value) for name, value in inner.items() if is_inside or is_secret(local_name(name))}
    return {value for value in found if len(value) >= _MIN_LENGTH}


def _parser() -> etree.XMLParser[etree._Element]:
    return etree.XMLParser(resolve_entities=False, no_network=True, recover=True)


def without_secrets(form: Form) -> dict[str, str]:
    """Return the values of a form with placeholders for secrets.

    The placeholder of a number has only zeros, so that the form can still be decoded. Values that have no
    input in the form, such as the values of a group that is not included, may be secrets, so they are left
    out.
    """
    secret = set(_secret_keys(form.items))
    inputs = {f"v:{value_input.path}": value_input for value_input in inputs_of(form.items)}
    result = {key: text for key, text in form.values.items() if not key.startswith("v:") or key in inputs}
    for key in result.keys() & inputs.keys():
        text = result[key]
        result[key] = _masked(text) if key in secret else _masked_xml(inputs[key], text)
    return result


def public_values(form: Form) -> dict[str, str]:
    """Return the values of a form, but leave out secrets. The user must type these again."""
    masked = without_secrets(form)
    return {key: text for key, text in form.values.items() if masked.get(key) == text}


def restored(values: Mapping[str, str], stored: Form) -> dict[str, str]:
    """Return the posted `values`, in which placeholders are replaced by the secrets of the form `stored`."""
    masked = without_secrets(stored)
    result = dict(values)
    for key, text in masked.items():
        if key.startswith("v:") and result.get(key) == text:
            result[key] = stored.values[key]
    return result


def hide_restored(form: Form, stored: Form) -> None:
    """In the inputs of `form`, replace secrets that are the same as in `stored` by placeholders."""
    masked = without_secrets(stored)
    for value_input in inputs_of(form.items):
        key = f"v:{value_input.path}"
        if key in masked and value_input.value == stored.values[key]:
            value_input.value = masked[key]


def body_without_secrets(text: str) -> str:
    """Return a body in which the values of fields named like secrets, such as `password`, are hidden.

    The body may be truncated.
    """
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return json_without_secrets(text)
    return xml_without_secrets(text)


def query_without_secrets(line: str) -> str:
    """Return a request line in which the values of query parameters named like secrets are hidden."""
    return _PARAMETER.sub(
        lambda pair: f"{pair[1]}{pair[2]}={HIDDEN}" if is_secret(pair[2]) else pair[0], line
    )


def _masked(value: str) -> str:
    if not value or value in ("true", "false"):
        return value
    return "0" * len(value) if value.isdecimal() else NOT_SHOWN


def _masked_xml(value_input: Input, text: str) -> str:
    """Return `text`, the value of an input. Secrets in it are hidden if the input is for XML."""
    return xml_without_secrets(text) if value_input.multiline else text


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
