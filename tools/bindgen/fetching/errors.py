"""Errors of fetching a document."""

from __future__ import annotations

from bindgen.fetching.addresses import redacted


class FetchError(Exception):
    """A document that could not be obtained or is not allowed.

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
    """A location that leads out of the folder that files are read from."""


class TransientError(FetchError):
    """An error after which a retry may succeed.

    `retry_after` is the time that the server asks to wait, in seconds.
    """

    def __init__(self, url: str, problem: str, remedy: str, retry_after: float | None = None) -> None:
        super().__init__(url, problem, remedy)
        self.retry_after = retry_after
