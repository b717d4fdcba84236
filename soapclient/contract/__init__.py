"""The contract of a package: its documents, their compiled schemas, validation."""
