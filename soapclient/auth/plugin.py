"""The zeep plugin that signs the requests of a package."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from lxml import etree
from zeep import Plugin

from soapclient.auth.signing import Signer
from soapclient.runtime import AnyOperation
from soapclient.runtime.authentication import fill_envelope


class ZeepOperation(Protocol):
    """The attributes of zeep's operation that the plugin uses."""

    name: str


class SigningPlugin(Plugin):
    """Signs the request of each attempt, after zeep has created its envelope.

    - If the contract declares authentication elements for the operation (in the message or in SOAP headers),
      this plugin fills them. zeep checks required elements before any plugin runs, so they already exist in
      the envelope, but are empty.
    - If the contract declares no such elements, or if `repeated` is set, HTTP headers contain the
      authentication.

    If the envelope and the HTTP headers both contain authentication, both have the same time and nonce. But
    the timestamp has different formats in them, and different texts are signed
    (docs/explanation/service.md#signing). For a public operation, the authentication is only the connect ID.
    """

    def __init__(
        self,
        signer: Signer,
        operations: Mapping[str, AnyOperation],
        *,
        repeated: bool,
        uri: str,
    ) -> None:
        """Create the plugin. `signer` creates the signatures.

        - `operations`: the operations of the WSDL port by name.
        - `repeated`: HTTP headers repeat the signature of the envelope (see `placement.is_repeated`).
        - `uri`: the path that the signature in HTTP headers covers (see `soap_uri`).
        """
        self._signer = signer
        self._operations = operations
        self._repeated = repeated
        self._uri = uri

    def egress(
        self,
        envelope: etree._Element,
        http_headers: dict[str, str],
        operation: ZeepOperation,
        binding_options: Mapping[str, object],
    ) -> tuple[etree._Element, dict[str, str]]:
        """Add the authentication to an envelope and HTTP headers. zeep calls this method for each envelope.

        The binding option `offset`, a timedelta, corrects the clock of this machine.
        """
        called, signer = self._operations[operation.name], self._signer
        offset = binding_options.get("offset")
        corrected = offset if isinstance(offset, timedelta) else timedelta(0)
        stamp = signer.stamp(offset=corrected) if called.signed else None
        declared = bool(called.authentication or called.authentication_headers)
        if declared:
            fill_envelope(envelope, called, signer.body_fields(stamp, called.name))
        if self._repeated or not declared:
            http_headers.update(signer.header_fields(stamp, "POST", self._uri))
        return envelope, http_headers
