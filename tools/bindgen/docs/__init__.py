"""The reference of a contract: HTML pages with its operations, requests and responses.

`sources` reads the contract, `site` renders the pages. `site` imports `views` and `examples`, and `examples`
imports `calls`. Examples are generated from the data in schema.json (`soapclient.testing.examples`), and
displayed as an envelope, a REST request, JSON and a call in Python. The templates in `templates/` have the
markup, and escape every text.
"""
