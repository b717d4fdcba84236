"""The REST protocol: the resources of a package's settings, over XML or JSON, with the same types as SOAP's.

`engine` makes calls · `requests` gives path, query and body · `responses` says what a document is: JSON that
keeps the contract is read by rows at once, anything else as a tree, XML as lxml has it, JSON by `json_tree` ·
`shapes` settles what the JSON form leaves open (docs/explanation/service.md#json, #partner-codes).
"""
