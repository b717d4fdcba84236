"""Program applications: a publisher's applications to programs, and their states.

An application is active until it is rejected or ended. A program and an ad space have at most one active
application. An ended application stays on the list with the state `terminated`. The states are assumed,
because no public source shows them (`docs/explanation/service.md#rest-forms`).
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
    """An application of an ad space to a program."""

    id: int
    program: Program
    adspace: Adspace
    status: str
    created: datetime
    approved: datetime | None
    publisher_comment: str | None
    advertiser_comment: str | None

    def concerns(self, program_id: int, adspace_id: int) -> bool:
        """Return True if the application is for this program and this ad space."""
        return (self.program.id, self.adspace.id) == (program_id, adspace_id)


class ProgramApplications:
    """The program applications of one account, oldest first. Thread-safe."""

    def __init__(self, initial: Sequence[ProgramApplication], account_number: int) -> None:
        self._lock = threading.Lock()
        self._records = list(initial)
        self._next_id = account_number * 1000 + len(self._records)

    def all(self) -> list[ProgramApplication]:
        """Return all applications, oldest first."""
        with self._lock:
            return list(self._records)

    def confirmed(self) -> Mapping[int, tuple[int, ...]]:
        """Return a dict from program ids to the ids of the ad spaces that the program has confirmed."""
        result: dict[int, tuple[int, ...]] = {}
        for item in self.all():
            if item.status == "confirmed":
                result[item.program.id] = (*result.get(item.program.id, ()), item.adspace.id)
        return result

    def apply(
        self, program: Program, adspace: Adspace, now: datetime, comment: str | None
    ) -> ProgramApplication | None:
        """Add an application of an ad space to a program, and return it.

        Returns None, and adds nothing, if the ad space already has an active application to the program. The
        new application is confirmed immediately if the program does not review applications.
        """
        with self._lock:
            if any(item.status in ALIVE and item.concerns(program.id, adspace.id) for item in self._records):
                return None
            wait = program.application_required
            application = ProgramApplication(
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
            self._records.append(application)
            return application

    def end(self, program_id: int, adspace_id: int) -> int:
        """End the active application of an ad space to a program. Return 1, or 0 if there is none."""
        with self._lock:
            for index, item in enumerate(self._records):
                if item.status in ALIVE and item.concerns(program_id, adspace_id):
                    self._records[index] = replace(item, status="terminated")
                    return 1
            return 0


def initial_applications(
    random: Random, programs: Sequence[Program], adspaces: Sequence[Adspace], account_number: int
) -> list[ProgramApplication]:
    """Return the initial applications of an account, in several states, each to a different program."""
    applications = []
    for index, program in enumerate(random.sample(programs, INITIAL)):
        status = _STATES[index % len(_STATES)]
        created = program.started + timedelta(days=random.randrange(1, 400))
        approved = created + timedelta(days=3) if status in ("confirmed", "terminated") else None
        applications.append(
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
    return applications
