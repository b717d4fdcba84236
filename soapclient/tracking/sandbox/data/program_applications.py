"""Program applications: who applied where, and what became of it.

An application is alive until it is refused or ended; for a program and an ad space at most one is. An ended
one stays on the list as `terminated` (assumed: `docs/explanation/service.md#rest-forms` shows no states).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from .adspaces import Adspace
from .catalogue import Program

INITIAL = 120
ALIVE = frozenset({"open", "confirmed", "deferred", "waiting", "called"})
_STATES = ("confirmed", "confirmed", "confirmed", "open", "rejected", "waiting", "terminated")


@dataclass(frozen=True, slots=True)
class ProgramApplication:
    id: int
    program: Program
    adspace: Adspace
    status: str
    created: datetime
    approved: datetime | None
    publisher_comment: str | None
    advertiser_comment: str | None

    def concerns(self, program_id: int, adspace_id: int) -> bool:
        return (self.program.id, self.adspace.id) == (program_id, adspace_id)


class ProgramApplications:
    """The applications of one account, oldest id first. Thread-safe."""

    def __init__(self, initial: Sequence[ProgramApplication], account_number: int) -> None:
        self._lock = threading.Lock()
        self._records = list(initial)
        self._next_id = account_number * 1000 + len(self._records)

    def all(self) -> list[ProgramApplication]:
        with self._lock:
            return list(self._records)

    def confirmed(self) -> Mapping[int, tuple[int, ...]]:
        """By program id: the ids of the ad spaces it is a partner of."""
        found: dict[int, tuple[int, ...]] = {}
        for one in self.all():
            if one.status == "confirmed":
                found[one.program.id] = (*found.get(one.program.id, ()), one.adspace.id)
        return found

    def apply(
        self, program: Program, adspace: Adspace, now: datetime, comment: str | None
    ) -> ProgramApplication | None:
        """A new one; None if there is one alive. Confirmed at once where nobody has to decide."""
        with self._lock:
            if any(one.status in ALIVE and one.concerns(program.id, adspace.id) for one in self._records):
                return None
            wait = program.application_required
            made = ProgramApplication(
                id=self._next_id,
                program=program,
                adspace=adspace,
                status="open" if wait else "confirmed",
                created=now,
                approved=None if wait else now,
                publisher_comment=comment,
                advertiser_comment=None,
            )
            self._next_id += 1
            self._records.append(made)
            return made

    def end(self, program_id: int, adspace_id: int) -> int:
        """End what is alive between the two: 1, or 0 if nothing is."""
        with self._lock:
            for index, one in enumerate(self._records):
                if one.status in ALIVE and one.concerns(program_id, adspace_id):
                    self._records[index] = replace(one, status="terminated")
                    return 1
            return 0


def initial_applications(
    random: Random, programs: Sequence[Program], adspaces: Sequence[Adspace], account_number: int
) -> list[ProgramApplication]:
    """What an account begins with: each with a program of its own, in several states."""
    made = []
    for index, program in enumerate(random.sample(programs, INITIAL)):
        status = _STATES[index % len(_STATES)]
        created = program.started + timedelta(days=random.randrange(1, 400))
        approved = created + timedelta(days=3) if status in ("confirmed", "terminated") else None
        made.append(
            ProgramApplication(
                id=account_number * 1000 + index,
                program=program,
                adspace=adspaces[random.randrange(len(adspaces))],
                status=status,
                created=created,
                approved=approved,
                publisher_comment="We would like to work with you.",
                advertiser_comment=None if approved is None else "Welcome & good luck.",
            )
        )
    return made
