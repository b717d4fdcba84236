"""Fetching and storing contracts: `fetch` downloads documents, `lock` records them, `catalogue` reads them.

Documents are stored unchanged, with the references as the service published them. The lock maps the addresses
in references to the stored files.
"""
