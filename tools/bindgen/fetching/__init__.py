"""Fetch and store contracts: `fetch` downloads documents, `lock` records them, `catalogue` reads them.

Documents are stored unchanged, with the references as the service published them. The lock maps the addresses
in these references to the stored files.
"""
