"""The REST protocol: calls the REST resources in a package's contract, with the same types as over SOAP.

- `engine` makes calls.
- `requests` builds path, query and body.
- `responses` reads response documents in XML or JSON. JSON that follows the contract is read directly. All
  other documents are first parsed to a tree: XML with lxml, JSON with `json_tree`.
- `shapes` converts JSON documents whose structure differs from the contract
  (docs/explanation/service.md#json, #partner-codes).
"""
