"""The signer as a zeep plugin: the one place of a call that knows the secret."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from lxml import etree
from zeep import Plugin

from soapclient.auth.placement import Placement
from soapclient.auth.signing import Signer
from soapclient.runtime import AnyOperation
from soapclient.runtime.filled import fill_envelope


class ZeepOperation(Protocol):
    """What the plugin needs of zeep's operation."""

    name: str


class ZxwsPlugin(Plugin):
    """Signs the envelope of one attempt, once it is created: its elements, HTTP headers, or both.

    One instant and one nonce serve both, each with its own timestamp format and its own text to sign
    (docs/explanation/service.md#signing). The operation's row says where the elements are, in the message or
    in SOAP headers. zeep checks that required elements are there before any plugin runs, so the writer of the
    envelope adds empty ones; they are filled here. A public operation gets the connect ID alone. An operation
    that declares no elements is always signed by HTTP headers: no request is sent without authentication.
    """

    def __init__(
        self,
        signer: Signer,
        operations: Mapping[str, AnyOperation],
        *,
        placement: Placement,
        uri: str,
    ) -> None:
        """`uri` is what the headers sign. The binding option `offset` corrects this machine's clock."""
        self._signer = signer
        self._operations = operations
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
        called, signer = self._operations[operation.name], self._signer
        offset = binding_options.get("offset")
        corrected = offset if isinstance(offset, timedelta) else timedelta(0)
        stamp = signer.stamp(offset=corrected) if called.signed else None
        declared = bool(called.authentication or called.authentication_headers)
        if declared and self._placement != "headers":
            fill_envelope(envelope, called, signer.body_fields(stamp, called.name))
        if not declared or self._placement != "body":
            http_headers.update(signer.header_fields(stamp, "POST", self._uri))
        return envelope, http_headers
