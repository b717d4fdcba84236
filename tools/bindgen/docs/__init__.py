"""The reference of a contract: a page of HTML that says what can be called, with what, and what comes back.

`sources` gives the contract, `site` the pages. Arrows: site → views, examples → calls.
Examples are made by the rows (`soapclient.testing.examples`), and shown as an envelope, as a REST request, as
JSON and as a call in Python. The markup is in `templates/`; every text is escaped there.
"""
