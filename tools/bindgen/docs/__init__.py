"""The reference of a contract: HTML pages with its operations, requests and responses.

`sources` reads the contract, `site` renders the pages. Imports: site → views, examples → calls.
Examples are generated from the rows (`soapclient.testing.examples`) and displayed as an envelope, a REST
request, JSON and a call in Python. The markup is in `templates/`, which escape every text.
"""
