"""What a fetch may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes per document and for all of them, documents, how deep they import one another, redirects per
    request; seconds and attempts per document, each attempt with its own seconds, and the longest wait
    between two of them.
    """

    document_bytes: int = 20 * 1024 * 1024
    documents: int = 200
    import_depth: int = 20
    redirects: int = 5
    seconds: float = 30.0
    attempts: int = 3
    wait: float = 20.0
    total_bytes: int = 100 * 1024 * 1024


DEFAULT_LIMITS = Limits()
