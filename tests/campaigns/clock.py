"""Clock campaign: machines with wrong and jumping clocks call a service that rejects by its own clock.

The campaign runs in rounds. Before each round, while no call is running, all clocks are set. First all
threads call at the same time, and each call may be rejected once. Then the clocks stay as they are, and no
call may be rejected. Then clocks jump during requests, between attempts, and after the service has responded.
Clients with a wrong key call in between. Only they may get an authentication error.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Final

from werkzeug.wrappers import Response

from soapclient import Client
from soapclient.errors import AuthenticationError
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

from . import reads
from .faces import WAYS, Face, OpenClient, Target, config_for, open_client, open_face
from .findings import Report
from .heartbeat import Heartbeat
from .plan import Tags, tag_in
from .processes import in_threads
from .reads import PROFILE, Read, WrongValue
from .supervision import End, Supervision, told
from .truth import Journal, Truth, plain

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_START: Final = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)  # from here on the data no longer changes
_HOURS: Final = 2.0  # maximum error of a clock, in either direction
# Near the validity period of a signature, near half of it, and clocks that were never set.
_SPECIAL: Final = tuple(
    dt.timedelta(minutes=minutes)
    for minutes in (0, -14, 14, -16, 16, -29, 29, -31, 31, -120, 120, -1440, 1440, -10_000_000)
)
_WAYS: Final = ("SOAP", "XML", "JSON", "SOAPasync", "JSONasync", "package")
_MACHINES: Final = "abc"
_CALLS: Final = (40, 60, 150)  # calls per round: simultaneous, with steady clocks, with jumping clocks
_WRITES: Final = 0.15
_BUSY: Final = 0.1  # share of the read requests that get "busy" while clocks jump
_BUSY_STATUS: Final = 503
_REFUSED: Final = (401, 403)
_JUMPS: Final = 0.25  # share of the requests during which a clock may and does jump
_APART: Final = 20  # minimum number of requests between two jumps of a clock
_ATTEMPTS: Final = 4  # per call
_MOST: Final = 3  # requests per attempt: two corrections
_THREADS: Final = 8
_TIMEOUT: Final = 60.0  # seconds of a call: nothing in this campaign is slow
_WRONG_KEY: Final = SAMPLE_SECRET_KEY[::-1]


class Service(Sandbox):
    """A sandbox with an adjustable clock. Records each request's call and the status of its response."""

    def __init__(self, seed: int) -> None:
        self._ticks = threading.Lock()
        self._moved = dt.timedelta()
        self.seen: dict[str, list[int | None]] = defaultdict(list)
        self.storm: Storm | None = None
        super().__init__(seed=seed, clock=self.time, clicks_per_day=5)

    def time(self) -> dt.datetime:
        """The service's time, independent of the real clock."""
        with self._ticks:
            return _START + dt.timedelta(seconds=time.monotonic()) + self._moved

    def move(self, by: dt.timedelta) -> None:
        """Move the service's clock by `by`."""
        with self._ticks:
            self._moved += by

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        tag, storm = tag_in(environ.get("HTTP_X_REQUEST_ID", "")), self.storm
        if storm is not None and storm.busy(tag, len(self.seen[tag])):
            self.seen[tag].append(_BUSY_STATUS)
            busy = Response("busy", status=_BUSY_STATUS, headers={"Retry-After": "0"})
            return busy(environ, start_response)
        if storm is not None:
            storm.blows(tag, "on the way")
        body = super().wsgi(environ, start_response)
        said = environ["soapclient.sandbox.exchange"]
        self.seen[tag].append(said.code)
        if storm is not None:
            storm.blows(tag, "after the response")
        return body


class Machine:
    """A clock that is wrong by `skew`. Its `sleep` returns immediately."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.skew = dt.timedelta()
        self.since = 0  # requests since the last jump
        self.jumps = 0

    def now(self) -> dt.datetime:
        return self._service.time() + self.skew

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Return immediately: attempts follow each other without delay."""


def _skew(random: Random) -> dt.timedelta:
    return random.choice(_SPECIAL) if random.random() < 0.3 else _hours(random)


def _hours(random: Random) -> dt.timedelta:
    return dt.timedelta(hours=random.uniform(-_HOURS, _HOURS))


class Storm:
    """Makes clocks jump during requests. A clock jumps again only after a number of requests."""

    def __init__(self, seed: str, service: Service, machines: Mapping[str, Machine]) -> None:
        self._random = Random(seed)
        self._service = service
        self._machines = machines
        self._lock = threading.Lock()
        self.jumps: Counter[str] = Counter()

    def blows(self, tag: str, moment: str) -> None:
        """Maybe move a clock: the clock of the calling machine or, rarely, the service's."""
        with self._lock:
            machine = self._machines[tag[0]]
            machine.since += 1
            if machine.since < _APART or self._random.random() >= _JUMPS:
                return
            if self._random.random() < 0.1 and all(one.since >= _APART for one in self._machines.values()):
                for one in self._machines.values():
                    one.since, one.jumps = 0, one.jumps + 1
                self._service.move(_hours(self._random))
                moment = f"{moment}, the service's own"
            else:
                machine.since, machine.jumps, machine.skew = 0, machine.jumps + 1, _skew(self._random)
            self.jumps[moment] += 1

    def busy(self, tag: str, before: int) -> bool:
        """Return True if a request is rejected as busy. Clocks may then jump before the next attempt."""
        if tag.endswith("w") or before >= _ATTEMPTS - 2:
            return False
        with self._lock:
            busy = self._random.random() < _BUSY
        if busy:
            self.blows(tag, "between attempts")
        return busy


@dataclass(frozen=True)
class _Asked:
    """One call. Its tag starts with the machine and ends with the kind of call: read, write or wrong key."""

    tag: str
    machine: str
    way: str
    read: Read | None = None

    @property
    def what(self) -> str:
        name = self.read.name if self.read is not None else "CreateAdspace"
        way = "a wrong key" if self.wrong else self.way
        return f"{name} ({way}, machine {self.machine})"

    @property
    def wrong(self) -> bool:
        return self.tag.endswith("k")


def run(
    seed: int,
    *,
    count: int = 10_000,
    minutes: float | None = None,
    ways: Sequence[str] = _WAYS,
    opened: OpenClient = open_client,
) -> Report:
    """Make `count` calls, or as many as can start within `minutes`. `opened` opens the ordinary clients."""
    report = Report("clock", seed, minutes=minutes)
    with ExitStack() as stack:
        service = Service(seed)
        stack.enter_context(service)
        server = stack.enter_context(serve(service, timeout=120))
        machines = {name: Machine(service) for name in _MACHINES}
        tags = Tags(f"{seed}")
        supervision = Supervision(tags, stack.enter_context(Heartbeat()), _TIMEOUT)
        faces = {}
        for name, machine in machines.items():
            right = Target(server.url, _TIMEOUT, machine)
            for way in ways:
                faces[name, way] = open_face(stack, right, way, tags.nonce, opened)
            wrong = replace(right, secret_key=_WRONG_KEY)
            faces[name, _WRONG_KEY] = open_face(stack, wrong, ways[0], tags.nonce)
        clean = config_for(Target(server.url, _TIMEOUT), "JSON")
        truth = Truth(service, stack.enter_context(Client(clean, clock=Machine(service))))
        work = _Work(seed, truth, service, machines, faces, supervision)
        size, rounds = min(count, sum(_CALLS)), -(-count // sum(_CALLS))
        parts = tuple(-(-size * part // sum(_CALLS)) for part in _CALLS)
        for number in range(rounds):
            if report.left > 0:
                work.round(number, parts)
        work.judge(report)
    return report.timed()


@dataclass
class _Work:
    """Runs the rounds and records the outcome of each call."""

    _seed: int
    _truth: Truth
    _service: Service
    _machines: Mapping[str, Machine]
    _faces: Mapping[tuple[str, str], Face]
    _supervision: Supervision
    _jumps: Counter[str] = field(default_factory=Counter)
    _created: list[_Asked] = field(default_factory=list)
    _most: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._journal, self._counts = Journal.keep(self._service), self._supervision.counts
        codes = self._service.partner_codes(SAMPLE_CONNECT_ID)[:5]
        right = plain(self._truth.clean.advertiser.get_partnerships(partner_code=codes))
        self._partnerships = reads.partnerships(codes, right)

    def round(self, number: int, parts: tuple[int, ...]) -> None:
        """Set the clocks and run the three parts of a round. `parts` gives the number of calls of each."""
        random = Random(f"{self._seed}/round/{number}")
        for machine in self._machines.values():
            machine.skew, machine.since = _skew(random), 0
        at_once, still, stormy = parts
        self._all(self._drawn(random, f"{number:04d}x", at_once), _THREADS, most=2)
        self._all(self._each(f"{number:04d}y"), 1, most=2)
        self._all(self._drawn(random, f"{number:04d}y", still), _THREADS, most=1)
        self._service.storm = storm = Storm(f"{self._seed}/storm/{number}", self._service, self._machines)
        self._all(self._drawn(random, f"{number:04d}z", stormy), _THREADS, most=_MOST)
        self._service.storm = None
        self._jumps += storm.jumps
        self._supervision.count("rounds")

    def _drawn(self, random: Random, name: str, count: int) -> list[_Asked]:
        return [self._one(random, f"{name}{number:04d}") for number in range(count)]

    def _one(self, random: Random, name: str) -> _Asked:
        machine, way = random.choice(sorted(self._faces))
        if way == _WRONG_KEY:
            return _Asked(f"{machine}{name}k", machine, way, PROFILE)
        if random.random() < _WRITES:
            return _Asked(f"{machine}{name}w", machine, way)
        if random.random() < 0.1 and "advertiser" in WAYS[way].services:
            return _Asked(f"{machine}{name}r", machine, way, self._partnerships)
        read = reads.draw(random, self._truth, {"publisher"})
        while read.deadlines > 1:  # each page is a separate call
            read = reads.draw(random, self._truth, {"publisher"})
        return _Asked(f"{machine}{name}r", machine, way, read)

    def _each(self, name: str) -> list[_Asked]:
        """Return one call per service and way. After these calls every client knows the server's time."""
        asked = []
        for number, (machine, way) in enumerate(sorted(self._faces)):
            if way != _WRONG_KEY:
                asked.append(_Asked(f"{machine}{name}{number}er", machine, way, PROFILE))
                if "advertiser" in WAYS[way].services:
                    asked.append(_Asked(f"{machine}{name}{number}ar", machine, way, self._partnerships))
        return asked

    def _all(self, asked: Sequence[_Asked], threads: int, most: int) -> None:
        """Make the calls, starting on all threads at the same moment. An attempt may have `most` requests."""
        barrier = threading.Barrier(threads)

        def some(first: int) -> None:
            barrier.wait()
            for one in asked[first::threads]:
                self._call(one, most)

        in_threads([partial(some, first) for first in range(threads)])

    def _call(self, asked: _Asked, most: int) -> None:
        machine = self._machines[asked.machine]
        client = self._faces[asked.machine, asked.way].asked(asked.tag, named=True)
        before = machine.jumps
        if asked.read is None:
            end = self._supervision.tried(asked.tag, asked.what, lambda: self._create(asked, client))
        else:
            read = asked.read
            end = self._supervision.tried(asked.tag, asked.what, lambda: read.run(client, self._truth))
        said = self._service.seen[asked.tag]
        jumps = machine.jumps - before
        self._judge(asked, end, said, jumps, most)

    def _create(self, asked: _Asked, client: Client) -> None:
        face, name = self._faces[asked.machine, asked.way], f"Clock {asked.tag}"
        made = client.publisher.create_adspace(adspace_item=face.adspace(name)).adspace_item
        if made is None or made.name != name:
            raise WrongValue(f"{made} is not {name}")

    def _judge(
        self, asked: _Asked, end: End[None], said: Sequence[int | None], jumps: int, most: int
    ) -> None:
        """Compare the outcome of a call with the service's responses to its requests."""
        refused, busy = sum(code in _REFUSED for code in said), said.count(_BUSY_STATUS)
        allowed = (2 if asked.wrong and most == 1 else most) * (busy + 1)
        if asked.read is not None and None in said[:-1]:
            allowed += 1  # the read was repeated because its response was identical to another request's
        words = f"the service said {[code or 200 for code in said]}, {jumps} jumps"
        self._supervision.count("calls")
        self._supervision.count("requests", len(said))
        self._supervision.count("refused", refused)
        self._supervision.count("busy", busy)
        with self._lock:
            self._most = max(self._most, len(said))
            if asked.read is None and end.right:
                self._created.append(asked)
        if asked.wrong:
            self._supervision.count("wrong_keys")
            if not isinstance(end.error, AuthenticationError):
                error = "a value" if end.error is None else told(end.error)
                self._supervision.find("not told", asked.tag, asked.what, f"{error}; {words}")
        elif isinstance(end.error, AuthenticationError):
            if jumps > _MOST - 1:  # as many jumps as corrections
                self._supervision.notes.append(f"{asked.what}: {told(end.error)}; {words}")
                self._supervision.count("jumps_all_along")
            else:
                self._supervision.find("wrong key", asked.tag, asked.what, f"{told(end.error)}; {words}")
        elif end.error is not None:
            self._supervision.find("failed", asked.tag, asked.what, f"{told(end.error)}; {words}")
        elif refused:
            self._supervision.count("corrected")
        if len(said) > allowed:
            kind = "flap" if most == 1 else "loop"
            self._supervision.find(
                kind, asked.tag, asked.what, f"{len(said)} requests, {allowed} allowed; {words}"
            )

    def judge(self, report: Report) -> None:
        """Compare the reported writes with the actual ones, and add the figures to the report."""
        done = self._journal.done()
        for asked in self._created:
            if (times := done.get(("create", f"Clock {asked.tag}"), 0)) != 1:
                kind = "doubled" if times else "lost"
                self._supervision.find(kind, asked.tag, asked.what, f"carried out {times} times")
        self._supervision.tell(report, [])
        counted = ("rounds", "calls", "requests", "refused", "corrected", "wrong_keys", "busy")
        report.figures |= {
            **{name: self._counts[name] for name in counted},
            **{f"jumps_{moment}".replace(" ", "_"): times for moment, times in sorted(self._jumps.items())},
            "writes": len(self._created),
            "most_requests": self._most,
            "jumps_all_along": self._counts["jumps_all_along"],
        }
