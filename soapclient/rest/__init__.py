"""The REST protocol: the resources in a package's settings, over XML or JSON, with the same types as SOAP.

- `engine` makes calls.
- `requests` builds path, query and body.
- `responses` reads documents. JSON that follows the contract is read directly; other documents are read as a
  tree, of lxml for XML and of `json_tree` for JSON.
- `shapes` converts JSON documents with another structure (docs/explanation/service.md#json, #partner-codes).
"""
