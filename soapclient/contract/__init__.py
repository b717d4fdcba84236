"""The contract of a package: reads its documents, compiles their schemas, and validates messages."""
