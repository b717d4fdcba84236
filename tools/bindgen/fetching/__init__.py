"""Fetching contracts and keeping them: `fetch` gets documents, `lock` records them, `catalogue` gives them.

Documents are kept byte for byte; what names what is resolved through the lock, never by rewriting them.
"""
