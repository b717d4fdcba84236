"""Writes with the outcome that the client reported, to be compared with the actual outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from soapclient.errors import AmbiguousOutcome, ContractDrift, ResponseError, SoapClientError

from .findings import Finding

Said = Literal["done", "in doubt", "not done"]


@dataclass(frozen=True)
class Write:
    """One write: its key in the journal, and the outcome that the client reported.

    `given` is the returned id of a job, if any.
    """

    tag: str
    verb: str
    key: str
    said: Said
    words: str = ""
    given: str | None = None

    def judged(self, times: int) -> Finding | None:
        """Return a finding if the write was processed `times` times and this is wrong."""
        where = f"call {self.tag}, {self.verb} {self.key}"
        if times > 1:
            return Finding("doubled", where, f"carried out {times} times; the client said {self._told}")
        if self.said == "done" and times == 0:
            return Finding("lost", where, f"never carried out; the client said {self._told}")
        if self.said == "not done" and times == 1:
            return Finding("denied", where, f"carried out; the client said {self._told}")
        return None

    @property
    def _told(self) -> str:
        return f"{self.said}: {self.words}" if self.words else self.said


def said_by(error: SoapClientError | None) -> Said:
    """Return the outcome that an error implies. Only AmbiguousOutcome leaves it in doubt.

    A response that violates the contract is still a response: the write was processed.
    """
    if isinstance(error, AmbiguousOutcome):
        return "in doubt"
    return "done" if error is None or isinstance(error, ResponseError | ContractDrift) else "not done"
