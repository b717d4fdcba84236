"""zeep's reading of a contract: made once per process, from the packaged document and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import zeep
from zeep.transports import Transport

from soapclient.contract import Contract
from soapclient.errors import ConfigError

_documents: dict[str, zeep.wsdl.Document] = {}
_lock = threading.Lock()


def document(contract: Contract) -> zeep.wsdl.Document:
    """zeep's reading of a contract, which clients, threads and forks share."""
    with _lock:
        if contract.key not in _documents:
            settings = zeep.Settings(strict=True, forbid_entities=True, forbid_external=True)
            read: Callable[..., zeep.wsdl.Document] = zeep.wsdl.Document  # zeep's own hints are off
            _documents[contract.key] = read(
                PackagedTransport.ADDRESS, PackagedTransport(contract.wsdl), settings=settings
            )
        return _documents[contract.key]


class PackagedTransport(Transport):
    """Serves one document. zeep would follow any address that a contract names, `file:` included."""

    ADDRESS: Final = "https://contract.invalid/contract.wsdl"  # any absolute address

    def __init__(self, wsdl: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # zeep has no types
        self._wsdl = wsdl

    def load(self, url: str) -> bytes:
        """Give the document. Raises ConfigError for any other address."""
        if url != self.ADDRESS:
            raise ConfigError(
                "contract",
                f"the packaged contract refers to {url}; it must be one file",
                "Run `bindgen generate`, which writes the one-file contract",
            )
        return self._wsdl
