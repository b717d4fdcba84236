"""Contract drift: counts findings by operation and path, logs them, and reports them to a callback."""

from __future__ import annotations

import copy
import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, Protocol

from soapclient._support.forks import Lock
from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import redact
from soapclient.auth.credentials import Secret
from soapclient.drift.log import NAMELESS, ContractName, DriftLog
from soapclient.errors import BrokenResponse, ContractDrift, ResponseError, TransportError
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.findings import bounded

if TYPE_CHECKING:
    from soapclient.clock import Clock

OnFinding = Callable[[str, Finding, int], None]

log = logging.getLogger("soapclient.drift")

_VALID: Final = frozenset(("naive-time", "shortened"))  # kinds of findings
_LEVELS: Final = {"tolerate": logging.DEBUG, "warn": logging.WARNING, "error": logging.INFO}

# In JSON and in the first line of a CSV file a name may be any text, even personal data. A name that is not
# an XML name (XML 1.0, 2.3: Name) cannot come from a contract.
PLACEHOLDER: Final = "(not a name)"

_START: Final = (
    ":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LATER: Final = rf"{_START}\-.0-9\xb7\u0300-\u036f\u203f\u2040"
_CUT: Final = "…"  # end of a shortened text, or placeholder for several names
# A step of a path. The step of an attribute begins with `@`, and may contain a namespace, which has slashes.
_STEP: Final = LazyPattern(r"(?P<sign>@?(?:\{[^{}]*\})?)(?P<name>[^/]*)")
_IS_NAME: Final = LazyPattern(rf"(?:[{_START}][{_LATER}]*)?{_CUT}?")


class DriftSettings(Protocol):
    """The part of the settings that `Drift` needs."""

    @property
    def drift(self) -> str:
        """The policy for findings: "tolerate", "warn" or "error"."""

    @property
    def drift_log(self) -> str | os.PathLike[str] | None:
        """The file of the drift log; None if there is no log."""


class Drift:
    """The drift findings of a client, for all its services. Thread-safe.

    - `on_finding(operation, finding, times)`: called once per response and finding, in the thread that read
      the response. `times` is how often the finding occurs in the response. Exceptions of this callback are
      raised to the caller of the operation.
    - `policy`: the reaction to findings, besides the callback. "tolerate": nothing. "warn": a warning is
      logged the first time for each path. "error": ContractDrift is raised, and the response is not returned.
    - `file`: the drift log, a file of findings.
    - `secret`: the secret key. It is removed from findings.

    Signatures are also removed from findings. In paths, steps that are not XML names are replaced.
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
        """Create a `Drift` from the settings `drift` and `drift_log`.

        If the settings have a `secret_key`, it is removed from findings.
        """
        file = None if settings.drift_log is None else DriftLog(os.fspath(settings.drift_log), clock)
        secret = getattr(settings, "secret_key", None)
        hidden = secret if isinstance(secret, Secret) else None
        return cls(on_finding, policy=settings.drift, file=file, secret=hidden)

    def of(self, name: ContractName) -> Drift:
        """Return a `Drift` for the contract `name`. It shares the counts with this `Drift`.

        Findings that are added to the returned `Drift` have this contract name in the drift log.
        """
        drift = copy.copy(self)
        drift._name = name
        return drift

    def counts(self) -> dict[tuple[str, Finding], int]:
        """Return a copy of the counts: a dict from (operation, finding) to the number of occurrences."""
        with self._lock:
            return {
                (operation, finding): times
                for operation, counted in self._counts.items()
                for finding, times in counted.items()
            }

    def add(
        self, operation: str, reader: CountingReader, *, processed: bool = False, raising: bool = True
    ) -> None:
        """Add the findings that `reader` has collected from one response.

        - `processed`: the call was a write, and the service has processed it.
        - `raising`: True if ContractDrift may be raised, False if another error is about to be raised.

        Raises ContractDrift if `raising` is True, the policy is "error" and a finding violates the schema.
        Two kinds of findings do not violate the schema: date-times without a zone, and values that are
        shortened because Python cannot hold them completely.
        """
        if not reader.findings:
            return
        presentable_findings: Counter[Finding] = Counter()
        secrets = () if self._secret is None else (self._secret.reveal(),)
        for finding, times in reader.findings.items():
            presentable_findings[presentable(finding, secrets)] += times
        reader.findings.clear()
        counted_findings: Counter[Finding] = Counter()
        with self._lock:
            counted = self._counts[operation]
            known_paths = {(finding.kind, finding.path) for finding in counted}
            for finding, times in presentable_findings.items():
                as_counted = bounded(finding, counted)
                counted[as_counted] += times
                counted_findings[as_counted] += times
        for kind, path in {(finding.kind, finding.path): None for finding in counted_findings}:
            if (kind, path) not in known_paths:
                level = _LEVELS[self._policy]
                log.log(level, "%s: contract drift: %s at %s", operation, kind, path)
        if self._file is not None:
            self._file.add(self._name, operation, counted_findings)
        for finding, times in presentable_findings.items():
            if self._on_finding is not None:
                self._on_finding(operation, finding, times)
        if raising and self._policy == "error":
            violations = [finding for finding in presentable_findings if finding.kind not in _VALID]
            if violations:
                raise ContractDrift(operation, violations, processed=processed)

    def read(
        self, operation: str, reader: CountingReader, error: BaseException | None, *, safe: bool
    ) -> None:
        """Count the findings of `reader` after a response has been read.

        `safe` is False if the operation is a write. `error` is the exception raised by reading. It determines
        what is counted:

        - None: counts the findings. Raises ContractDrift under the same conditions as `add`. For a write,
          ContractDrift says that the write was processed.
        - TransportError and BrokenResponse: counts nothing. The response is damaged or belongs to another
          operation, and another attempt would count it again.
        - ResponseError: counts the findings, and the error as one more finding.
        - Any other exception: counts the findings.
        """
        if error is None:
            self.add(operation, reader, processed=not safe)
        elif not isinstance(error, TransportError | BrokenResponse):
            count_invalid_response(error, operation, reader)
            self.add(operation, reader, raising=False)

    def flush(self) -> None:
        """Write the counts that are not yet in the drift log."""
        if self._file is not None:
            self._file.flush()


def count_invalid_response(error: BaseException, operation: str, reader: CountingReader) -> None:
    """Add the ResponseError `error` to the findings of `reader`. Does nothing if `error` was added before.

    The finding has the path and the expected value, but not the actual value, which may be personal data.
    Other errors, and errors of another operation, are not added. A BrokenResponse, such as a truncated
    response, is not added either, because it says nothing about the contract.
    """
    if not isinstance(error, ResponseError) or isinstance(error, BrokenResponse):
        return
    if error.operation != operation or error.counted:
        return  # the error of another call that was made while this response was iterated
    error.counted = True
    path = re.sub(r"\[\d+\]", "", error.path)
    expected = error.expected.partition(" (")[0]  # the text in brackets may quote the value
    finding = Finding("missing" if error.value is None else "schema", path, expected)
    reader.findings[bounded(finding, reader.findings)] += 1


def presentable(finding: Finding, secrets: Iterable[str] = ()) -> Finding:
    """Return a version of a finding that may be logged and shown.

    Secrets are removed. In the path, each step that is not an XML name is replaced by a placeholder, because
    it may be any text, even personal data.
    """
    secrets = tuple(secrets)
    path = _STEP.sub(_step, redact(finding.path, secrets))
    detail = redact(finding.detail, secrets) if finding.detail else ""
    return finding._replace(path=path, detail=detail)


def _step(match: re.Match[str]) -> str:
    """Return one step of a path, or a placeholder if the step is not an XML name."""
    name = match["name"]
    return match["sign"] + (name if _IS_NAME.fullmatch(name) else PLACEHOLDER)
