"""Fetching and storing contracts: `fetch` downloads documents, `lock` records them, `catalogue` reads them.

Documents are kept unchanged. References between them are resolved through the lock, not by rewriting them.
"""
