"""Errors of fetching a document."""

from __future__ import annotations

from bindgen.fetching.addresses import redacted


class FetchError(Exception):
    """Raised if a document could not be obtained or is not allowed.

    `url` is the address or file, `problem` says what is wrong, `remedy` what to do. If it is raised while
    fetching, no file has been changed.
    """

    def __init__(self, url: str, problem: str, remedy: str) -> None:
        super().__init__(url, problem, remedy)
        self.url = url
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{redacted(self.url)}: {self.problem}. What to do: {self.remedy}."


class OutsideFolder(FetchError):
    """Raised if a location leads to a file outside of the folder from which files may be read."""


class TransientError(FetchError):
    """An error after which a retry may succeed.

    `retry_after` is the time to wait as requested by the server, in seconds.
    """

    def __init__(self, url: str, problem: str, remedy: str, retry_after: float | None = None) -> None:
        super().__init__(url, problem, remedy)
        self.retry_after = retry_after
