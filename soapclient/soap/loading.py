"""The transport that zeep reads a contract with: it serves the packaged document and nothing else."""

from __future__ import annotations

from typing import Final

from zeep.transports import Transport

from soapclient.errors import ConfigError


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
