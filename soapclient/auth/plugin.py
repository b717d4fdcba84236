"""The ZXWS signer as a zeep plugin: the one place of a call that knows the secret."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from lxml import etree
from zeep import Plugin

from soapclient.auth.placement import Placement
from soapclient.auth.signing import Signer, Stamp
from soapclient.runtime import AnyOperation, Signing
from soapclient.runtime.errors import local_name


class ZeepOperation(Protocol):
    """What the plugin needs of zeep's operation."""

    name: str


class ZxwsPlugin(Plugin):
    """Signs the envelope of one attempt, once it is created: body elements, HTTP headers, or both.

    One instant and one nonce serve both, each with its own timestamp format and its own text to sign
    (docs/explanation/service.md#signing). zeep checks that required elements are there before any plugin
    runs, so whoever creates the envelope puts empty ones in; they are filled here. A public operation gets
    the connect ID alone.
    """

    def __init__(
        self,
        signer: Signer,
        operations: Mapping[str, AnyOperation],
        signing: Signing,
        *,
        placement: Placement,
        uri: str,
    ) -> None:
        """`uri` is what the headers sign. The binding option `offset` corrects this machine's clock."""
        self._signer = signer
        self._operations = operations
        self._names = (signing.connect_id, signing.timestamp, signing.nonce, signing.signature)
        self._placement = placement
        self._uri = uri

    def egress(
        self,
        envelope: etree._Element,
        http_headers: dict[str, str],
        operation: ZeepOperation,
        binding_options: Mapping[str, object],
    ) -> tuple[etree._Element, dict[str, str]]:
        """Called by zeep with each envelope it created."""
        called = self._operations[operation.name]
        offset = binding_options.get("offset")
        corrected = offset if isinstance(offset, timedelta) else timedelta(0)
        stamp = self._signer.stamp(offset=corrected) if called.signed else None
        if self._placement != "headers":
            self._fill(body_child(envelope), called, stamp)
        if self._placement != "body":
            http_headers.update(
                self._signer.public_header_fields()
                if stamp is None
                else self._signer.header_fields(stamp, "POST", self._uri)
            )
        return envelope, http_headers

    def _fill(self, message: etree._Element, called: AnyOperation, stamp: Stamp | None) -> None:
        if not called.authentication:
            return
        fields = (
            self._signer.public_body_fields()
            if stamp is None
            else self._signer.body_fields(stamp, called.name)
        )
        values = dict(zip(self._names, fields.values(), strict=False))  # both in the order of the roles
        for element in message:
            name = local_name(element.tag)
            if name in called.authentication and name in values:
                element.text = values[name]


def body_child(envelope: etree._Element) -> etree._Element:
    """The message in an envelope's body."""
    for part in envelope:
        if local_name(part.tag) == "Body":
            return part[0]
    raise ValueError("an envelope without a body")  # zeep makes none
