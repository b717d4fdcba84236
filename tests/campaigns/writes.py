"""Writes: what the client said of each, to be held against what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from soapclient.errors import AmbiguousOutcome, ContractDrift, ResponseError, SoapClientError

from .findings import Finding

Said = Literal["done", "in doubt", "not done"]


@dataclass(frozen=True)
class Write:
    """One write by what identifies it in the journal, and what the client said came of it.

    `given` is what it said has come of it: the id of a job.
    """

    tag: str
    verb: str
    key: str
    said: Said
    words: str = ""
    given: str | None = None

    def judged(self, times: int) -> Finding | None:
        """What is wrong with it if it was carried out so many times."""
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
    """What a client says of a write by ending so: nobody knows by AmbiguousOutcome alone.

    A response that was read but is not as the contract says is one: it says that the write was carried out.
    """
    if isinstance(error, AmbiguousOutcome):
        return "in doubt"
    return "done" if error is None or isinstance(error, ResponseError | ContractDrift) else "not done"
