"""What keeps a document from being had."""

from __future__ import annotations

from bindgen.fetching.addresses import redacted


class FetchError(Exception):
    """A document that could not be had or may not be taken.

    `url` is the address (or file) concerned, `problem` says what is wrong, `remedy` what to do. Nothing in
    the folder has been changed when it is raised while fetching.
    """

    def __init__(self, url: str, problem: str, remedy: str) -> None:
        super().__init__(url, problem, remedy)
        self.url = url
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{redacted(self.url)}: {self.problem}. What to do: {self.remedy}."


class OutsideFolder(FetchError):
    """A location leads out of the folder that files are read from."""


class TransientError(FetchError):
    """A transient error. `retry_after` is the wait asked for, in seconds."""

    def __init__(self, url: str, problem: str, remedy: str, retry_after: float | None = None) -> None:
        super().__init__(url, problem, remedy)
        self.retry_after = retry_after
