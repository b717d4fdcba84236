"""The reference of a contract: a page of HTML that says what can be called, with what, and what comes back.

`sources` gives the contract, `site` the pages. Arrows: site → page → its sections (operations, types, tables)
→ parts of these (fields, examples, …) → html. Examples are made of the model alone (`instances`), and written
down as an envelope, as a REST request, as JSON and as a call in Python.
"""
