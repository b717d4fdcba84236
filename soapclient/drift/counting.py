"""What replies hold beyond their contract: counted per path, told to whoever asked to be told."""

from __future__ import annotations

import copy
import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from soapclient.auth.credentials import Secret
from soapclient.drift.lines import NAMELESS, ContractName
from soapclient.drift.log import DriftLog
from soapclient.drift.names import presentable
from soapclient.errors import ContractDrift, ReplyError, TransportError
from soapclient.forks import Lock
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.findings import bounded
from soapclient.transport.bodies import BrokenReply

if TYPE_CHECKING:
    from soapclient.clock import Clock

OnFinding = Callable[[str, Finding, int], None]
ReaderT = TypeVar("ReaderT", bound=CountingReader)

log = logging.getLogger("soapclient.drift")

_VALID: Final = frozenset(("naive-time", "shortened"))  # kinds of findings
_LEVELS: Final = {"tolerate": logging.DEBUG, "warn": logging.WARNING, "error": logging.INFO}


class DriftSettings(Protocol):
    """What is set of it, for the client or for a service of any WSDL."""

    @property
    def drift(self) -> str: ...
    @property
    def drift_log(self) -> str | os.PathLike[str] | None: ...


class Drift:
    """The departures a client has met, for all its services. Threads may share it.

    `on_finding(operation, finding, times)` is called once per reply and kind of finding, in the thread that
    read the reply; what it raises goes to the caller of the operation. `policy` is what a departure leads to
    besides: "tolerate" nothing, "warn" a warning in the log, the first time for each path, "error" a
    ContractDrift in place of the reply. `file` is where departures are kept. Wherever they go, they hold
    neither signatures nor the `secret`, and a placeholder for what is no name.
    """

    def __init__(
        self,
        on_finding: OnFinding | None = None,
        *,
        policy: str = "warn",
        file: DriftLog | None = None,
        secret: Secret | None = None,
    ) -> None:
        self._on_finding = on_finding
        self._policy = policy
        self._file = file
        self._secret = secret
        self._name = NAMELESS
        self._lock = Lock()
        self._counts: defaultdict[str, Counter[Finding]] = defaultdict(Counter)

    @classmethod
    def configured(cls, settings: DriftSettings, clock: Clock, on_finding: OnFinding | None = None) -> Drift:
        """One as the settings `drift` and `drift_log` say; a `secret_key` among them is kept out of it."""
        file = None if settings.drift_log is None else DriftLog(os.fspath(settings.drift_log), clock)
        secret = getattr(settings, "secret_key", None)
        own = secret if isinstance(secret, Secret) else None
        return cls(on_finding, policy=settings.drift, file=file, secret=own)

    def of(self, name: ContractName) -> Drift:
        """The same counts, for departures from one contract."""
        named = copy.copy(self)
        named._name = name
        return named

    def counts(self) -> dict[tuple[str, Finding], int]:
        """A copy of the counts: (operation, finding) → how often."""
        with self._lock:
            return {
                (operation, finding): times
                for operation, counted in self._counts.items()
                for finding, times in counted.items()
            }

    def add(
        self, operation: str, reader: CountingReader, *, carried_out: bool = False, raising: bool = True
    ) -> None:
        """Take over what a reader found in one reply.

        Raises ContractDrift where the policy says so, unless another error is on its way (`raising` is
        False) or all there is are date-times without a zone, or values of which Python holds less: these are
        valid by any schema. `carried_out` says that the call was a write.
        """
        if not reader.findings:
            return
        found: Counter[Finding] = Counter()
        secrets = () if self._secret is None else (self._secret.reveal(),)
        for finding, times in reader.findings.items():
            found[presentable(finding, secrets)] += times
        reader.findings.clear()
        kept: Counter[Finding] = Counter()
        with self._lock:
            counted = self._counts[operation]
            heard_of = {(finding.kind, finding.path) for finding in counted}
            for finding, times in found.items():
                as_counted = bounded(finding, counted)
                counted[as_counted] += times
                kept[as_counted] += times
        for kind, path in {(finding.kind, finding.path): None for finding in kept}:
            if (kind, path) not in heard_of:
                level = _LEVELS[self._policy]
                log.log(level, "%s: not as the contract says: %s at %s", operation, kind, path)
        if self._file is not None:
            self._file.add(self._name, operation, kept)
        for finding, times in found.items():
            if self._on_finding is not None:
                self._on_finding(operation, finding, times)
        if raising and self._policy == "error":
            departures = [finding for finding in found if finding.kind not in _VALID]
            if departures:
                raise ContractDrift(operation, departures, carried_out=carried_out)

    @contextmanager
    def reading(self, operation: str, reader: ReaderT, *, safe: bool) -> Iterator[ReaderT]:
        """Around the reading of one reply: what its reader finds is counted at the end.

        So is, once, an answer that cannot be read as the contract says. Raises ContractDrift as `add` does,
        and never in place of another error. An operation that is not `safe` was carried out by then.
        """
        try:
            yield reader
        except TransportError:
            raise  # not counted: what broke off may be read again, and would count twice
        except BaseException as error:
            count_misfit(error, operation, reader)
            self.add(operation, reader, raising=False)
            raise
        self.add(operation, reader, carried_out=not safe)

    def flush(self) -> None:
        """Write what is counted and not yet in the drift log, where there is one."""
        if self._file is not None:
            self._file.flush()


def count_misfit(error: BaseException, operation: str, reader: CountingReader) -> None:
    """Count an answer to `operation` that cannot be read as the contract says, once, as a finding of its
    `reader`: where, and what was expected there; never what stood there, which may be anybody's data.

    A reply that broke off is not counted: that says nothing of the contract.
    """
    if not isinstance(error, ReplyError) or isinstance(error, BrokenReply):
        return
    if error.operation != operation or error.counted:
        return  # another call's, made while this reply was read item by item
    error.counted = True
    path = re.sub(r"\[\d+\]", "", error.path)
    expected = error.expected.partition(" (")[0]  # in brackets follow words that may quote the value
    finding = Finding("missing" if error.value is None else "schema", path, expected)
    reader.findings[bounded(finding, reader.findings)] += 1
