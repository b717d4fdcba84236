"""A contract as both protocols need it: tables, operations, documents, compiled schemas, validation."""

from soapclient.contract.packaged import Contract as Contract
