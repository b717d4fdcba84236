"""A contract as both carriers need it: its tables, its operations, its documents, its compiled schema."""

from soapclient.contract.packaged import Contract

__all__ = ["Contract"]
