"""zeep's reading of a contract: made once per process, from the packaged document and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

import zeep
from zeep.transports import Transport

from soapclient.contract import Contract
from soapclient.errors import ConfigError
from soapclient.forks import Lock
from soapclient.soap import encoding_schema

_documents: dict[str, zeep.wsdl.Document] = {}
_lock = Lock()


def document(contract: Contract) -> zeep.wsdl.Document:
    """zeep's reading of a contract, which clients, threads and forks share."""
    return _document(contract.key, contract.wsdl)


def document_of(wsdl: bytes) -> zeep.wsdl.Document:
    """zeep's reading of a one-file WSDL, shared likewise."""
    return _document(hashlib.sha256(wsdl).hexdigest(), wsdl)


def _document(key: str, wsdl: bytes) -> zeep.wsdl.Document:
    with _lock:
        if key not in _documents:
            # Addresses are always given: zeep need not put https into those of the WSDL, and say so.
            # And what it may load is up to the transport, which knows what is at hand.
            settings = zeep.Settings(
                strict=True, forbid_entities=True, forbid_external=False, force_https=False
            )
            read: Callable[..., zeep.wsdl.Document] = zeep.wsdl.Document  # zeep's own hints are off
            _documents[key] = read(PackagedTransport.ADDRESS, PackagedTransport(wsdl), settings=settings)
        return _documents[key]


class PackagedTransport(Transport):
    """Serves one document. zeep would follow any address that a contract names, `file:` included."""

    ADDRESS: Final = "https://contract.invalid/contract.wsdl"  # any absolute address

    def __init__(self, wsdl: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # zeep has no types
        self._wsdl = wsdl

    def load(self, url: str) -> bytes:
        """Give the document, or the schema of SOAP's encoding. Raises ConfigError for any other address."""
        if url == encoding_schema.ADDRESS:
            return encoding_schema.text()
        if url != self.ADDRESS:
            raise ConfigError(
                "contract",
                f"the packaged contract refers to {url}; it must be one file",
                "Run `bindgen generate`, which writes the one-file contract",
            )
        return self._wsdl
