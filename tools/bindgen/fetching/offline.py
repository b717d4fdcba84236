"""Documents without the network: what is locked, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bindgen.fetching.download import Downloaded
from bindgen.fetching.errors import FetchError
from bindgen.fetching.walk import Document

_ASK = "put it beside the document that names it, or fetch once without --offline"


class Offline:
    """Stands where the Downloader stands, and gives the documents of an earlier fetch."""

    def __init__(self, kept: Callable[[str], Document | None] = lambda _: None) -> None:
        """`kept` gives a committed document, unchanged since it was fetched, or raises why it cannot."""
        self._kept = kept

    def get(self, url: str, validators: Mapping[str, Mapping[str, str]], /) -> Downloaded:
        """The document of an address. Raises FetchError where it is not at hand."""
        document = self._kept(url)
        if document is None:
            raise FetchError(url, "is not at hand, and offline nobody is asked for it", _ASK)
        return Downloaded(
            document.url, document.content, "a kept file", document.etag, document.last_modified
        )
