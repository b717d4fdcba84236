"""Everything that can go wrong, as one small tree: each error says what happened, where and what to do.

    SoapClientError
    ├── ConfigError                 a setting is missing or impossible
    ├── ContractError               a request does not fit the contract; nothing was sent
    ├── UnsupportedByCarrier        SOAP or REST does not offer this
    ├── ServiceFault                the service answered with a fault
    │   └── AuthenticationError     ... because of who asked, or how it was signed
    ├── TransportError              no proper answer came
    │   ├── Timeout
    │   ├── ConnectionFailed
    │   └── UnexpectedReply
    ├── AmbiguousOutcome            a write was sent and its answer was lost
    ├── ReplyError                  an answer cannot be read as the contract says
    ├── ContractDrift               an answer was read, and holds what the contract does not know
    └── ExportError
        ├── JobFailed
        ├── JobExpired
        ├── DeadlineExceeded
        └── CorruptDownload

Every error can be pickled with all its attributes (for process pools and task queues). Text that came from
the service is cut, made printable and stripped of signatures on its way in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from soapclient import redaction
from soapclient.redaction import clean, redact, safe_url, shown
from soapclient.secret_names import NOT_SHOWN, is_secret, without_secrets

__all__ = [
    "AmbiguousOutcome",
    "AuthenticationError",
    "ConfigError",
    "ConnectionFailed",
    "ContractDrift",
    "ContractError",
    "CorruptDownload",
    "DeadlineExceeded",
    "ExportError",
    "JobExpired",
    "JobFailed",
    "ReplyError",
    "ServiceFault",
    "SoapClientError",
    "Timeout",
    "TransportError",
    "UnexpectedReply",
    "UnsupportedByCarrier",
]

# A value as libxml2 quotes it, whatever is in it.
_QUOTED = re.compile(r"((?:The value|Value) )'.*'(?= (?:has|is|does|must|cannot)\b)", re.DOTALL)
_LONGEST_DETAIL = 10_000
_MOST_SAID = 20


class SoapClientError(Exception):
    """Base of all errors of this package.

    `attempts` is how often the call was tried before this error was handed out.
    """

    attempts: int = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call __init__ with the message alone, which no subclass accepts.
        return (_rebuild, (type(self), self.args), self.__dict__.copy())


def _rebuild(kind: type[SoapClientError], args: tuple[object, ...]) -> SoapClientError:
    error = kind.__new__(kind)
    error.args = args
    return error


class ConfigError(SoapClientError):
    """A setting is missing or impossible. `where` says where it was set, or where it may be set."""

    def __init__(self, setting: str, problem: str, where: str) -> None:
        self.setting = setting
        self.problem = problem
        self.where = where
        super().__init__(f"{setting}: {problem}. {where}")


class ContractError(SoapClientError):
    """A request does not fit the contract; nothing was sent.

    `path` leads to the element or argument, `value` is what was given as Python would write it (cut; None if
    nothing was given), `allowed` is what the contract takes there ("" where the reason says it), `reason`
    why the value is refused. The value of a field that is called as secrets are (password, token, …) is not
    shown.
    """

    def __init__(
        self, path: str, value: object, allowed: str, reason: str, *, operation: str | None = None
    ) -> None:
        self.path = path
        hidden = value is not None and is_secret(path)
        if hidden:
            reason = _without(str(value), reason)
        self.value = None if value is None else NOT_SHOWN if hidden else without_secrets(shown(value))
        self.allowed = allowed
        self.reason = clean(redact(reason), 500)
        self.operation = operation
        given = "nothing was given" if self.value is None else f"{self.value} was given"
        told = f"; {given}, allowed: {allowed}" if allowed else f" (got {self.value})"
        super().__init__(
            f"{_of(operation)}{path}: {self.reason}{told}. "
            "Nothing was sent; correct the value and call again."
        )


class UnsupportedByCarrier(SoapClientError):
    """`what` cannot be done over `carrier` (SOAP, REST)."""

    def __init__(self, what: str, carrier: str) -> None:
        self.what = what
        self.carrier = carrier
        super().__init__(
            f"{what} is not offered over {carrier}. Nothing was sent; use the other carrier or leave it out."
        )


class ServiceFault(SoapClientError):
    """The service answered with a fault.

    `code` and `reason` are the service's own, `error_id` is what its support can look the case up by.
    `message` is what REST says beside the reason, and SOAP as the fault's text (record.md 5).
    `retry_after` is the wait the service asked for, in seconds, if it did. `status` is the HTTP status of the
    response, over REST and from a service of your own; None over SOAP otherwise, where it is 500 for every
    fault.

    Of a service of your own, `fault_code` is the SOAP fault's code without prefixes (`Client`,
    `Sender/NoSuchCity`), `detail` the typed value of a detail that its WSDL declares, and `detail_text` the
    detail's XML, cut.
    """

    def __init__(
        self,
        code: int,
        reason: str,
        error_id: str | None = None,
        operation: str | None = None,
        *,
        message: str | None = None,
        retry_after: float | None = None,
        status: int | None = None,
        fault_code: str | None = None,
        detail: object = None,
        detail_text: str | None = None,
    ) -> None:
        self.code = code
        self.reason = clean(redact(reason), 500)
        self.message = None if message is None else clean(redact(message), 500)
        self.error_id = None if error_id is None else clean(error_id, 100)
        self.operation = operation
        self.retry_after = retry_after
        self.status = status
        self.fault_code = None if fault_code is None else clean(fault_code, 200)
        self.detail = detail
        self.detail_text = None if detail_text is None else redact(detail_text)[:_LONGEST_DETAIL]
        cited = (
            ""
            if self.error_id is None
            else f" (error id {self.error_id}: name it when you ask the service's support)"
        )
        super().__init__(f"{_of(operation)}{self._what_happened()}{cited}. {self._what_to_do()}")

    def _what_happened(self) -> str:
        return f"the service answered with fault {self.fault_code or self.code}: {self._said()}"

    def _said(self) -> str:
        said = [text for text in (self.message, self.reason) if text]
        return ": ".join(dict.fromkeys(said)) or "no reason given"

    def _what_to_do(self) -> str:
        return "If the reason points at the request, correct that; otherwise try again later."


class AuthenticationError(ServiceFault):
    """The service did not accept the credentials or the signature, or they do not entitle to this."""

    def _what_happened(self) -> str:
        code = self.fault_code or self.code
        return f"the service refused the credentials or the signature (code {code}): {self._said()}"

    def _what_to_do(self) -> str:
        return (
            "Check the credentials (such as connect ID and secret key), whether the account is entitled to "
            "this operation, and whether this machine's clock is right."
        )


class TransportError(SoapClientError):
    """No proper answer came. `request_sent` tells whether the request may have reached the service."""

    request_sent: bool = True


class Timeout(TransportError):
    """A call got no answer in time. `seconds` is the time it was given."""

    def __init__(self, operation: str, seconds: float, *, request_sent: bool = True) -> None:
        self.operation = operation
        self.seconds = seconds
        self.request_sent = request_sent
        super().__init__(
            f"{operation}: no complete answer within {seconds:g} seconds. "
            "Try again later, ask for less at once, or allow more time (setting 'timeout')."
        )


class ConnectionFailed(TransportError):
    """There was no connection, or it broke. `address` is shown without user info and query values."""

    def __init__(
        self, address: str, reason: str, *, operation: str | None = None, request_sent: bool = True
    ) -> None:
        self.address = safe_url(address)
        self.reason = clean(redact(reason), 300)
        self.operation = operation
        self.request_sent = request_sent
        what, advice = (
            ("the connection to {} broke", "Try again; if it goes on, look at the network and any proxy.")
            if request_sent
            else ("no connection to {}", "Check the address in the configuration, the network and any proxy.")
        )
        super().__init__(f"{_of(operation)}{what.format(self.address)}: {self.reason}. {advice}")


class UnexpectedReply(TransportError):
    """Something answered, but not as the contract says: another status or content type, HTML, broken XML.

    `excerpt` is the short, printable start of what came. `retry_after` is in seconds. `advice` is what to do
    where it is not what the status suggests. `damaged`: it came damaged, or not from the service, with a
    status that promised a response; another attempt may get that.
    """

    def __init__(
        self,
        status: int,
        content_type: str | None,
        excerpt: str | bytes,
        *,
        problem: str = "an unexpected reply",
        operation: str | None = None,
        retry_after: float | None = None,
        advice: str | None = None,
        damaged: bool = False,
    ) -> None:
        self.status = status
        self.damaged = damaged and 200 <= status < 300
        self.content_type = None if content_type is None else clean(content_type, 100)
        self.excerpt = redaction.excerpt(excerpt)
        self.problem = problem
        self.operation = operation
        self.retry_after = retry_after
        came = f"it begins {self.excerpt!r}" if self.excerpt else "its body is empty"
        if advice is None:
            later = status == 429 or status >= 500
            advice = "Try again later." if later else "Check that the address is that of the service."
        super().__init__(
            f"{_of(operation)}{problem}: HTTP status {status}, "
            f"content type {self.content_type or 'not given'}; {came}. {advice}"
        )


class AmbiguousOutcome(SoapClientError):
    """A write was sent, and no response says whether it was processed.

    What failed is its `__cause__`: a TransportError, a ServiceFault or a ReplyError.
    """

    def __init__(self, operation: str, reason: str) -> None:
        self.operation = operation
        self.reason = clean(redact(reason), 500)
        super().__init__(
            f"{operation}: the request was sent, and no response says what came of it: {self.reason}. "
            "The request may have been processed. Check before retrying."
        )


class ReplyError(SoapClientError):
    """An answer cannot be read as the contract says.

    `path` leads to the element, `value` is what stood there as Python would write it (cut; None if it is
    missing), `expected` is what the contract promises. `items_given` is how many items a stream had handed
    out by then.
    """

    damaged: bool = False  # no whole response to the operation: another attempt may get one
    counted: bool = False  # among the departures from the contract (soapclient.drift)

    def __init__(
        self,
        path: str,
        value: object,
        expected: str,
        items_given: int | None = None,
        *,
        operation: str | None = None,
    ) -> None:
        hidden = value is not None and is_secret(path)
        if hidden:
            expected = _without(str(value), expected)
        self.path = path
        self.value = None if value is None else NOT_SHOWN if hidden else shown(value)
        self.expected = expected
        self.items_given = items_given
        self.operation = operation
        found = "is missing" if self.value is None else f"is {self.value}"
        after = "" if items_given is None else f" {items_given} items had been given out before."
        super().__init__(
            f"{_of(operation)}the reply cannot be read: {path} {found}, expected {expected}.{after} "
            "The service may have changed its contract: compare it with the one this client was made from."
        )


class ContractDrift(SoapClientError):
    """An answer was read, and holds what the contract does not know, or lacks what it requires.

    Raised only where the setting `drift` is "error". `findings` are all of them, each as kind, path and
    detail. `carried_out` says that the call was a write, which was done all the same.
    """

    def __init__(
        self, operation: str, findings: Iterable[tuple[str, str, str]], *, carried_out: bool = False
    ) -> None:
        self.operation = operation
        self.findings = tuple((str(kind), path, detail) for kind, path, detail in findings)
        self.carried_out = carried_out
        said = [
            f"{kind} {clean(path, 200)}" + (f" ({shown(detail)})" if detail else "")
            for kind, path, detail in self.findings[:_MOST_SAID]
        ]
        if len(self.findings) > _MOST_SAID:
            said.append(f"and {len(self.findings) - _MOST_SAID} more")
        done = " The call was carried out: do not repeat it because of this error." if carried_out else ""
        super().__init__(
            f"{operation}: the answer was read, and is not as the contract says: {'; '.join(said)}.{done} "
            "Compare the contract with the service's, or set 'drift' to 'warn' to go on."
        )


class ExportError(SoapClientError):
    """An export did not come to its end."""


class JobFailed(ExportError):
    """The service gave an export job up. `status` and `message` are the service's own."""

    def __init__(self, job_id: str, status: str, message: str | None = None) -> None:
        self.job_id = job_id
        self.status = clean(status, 100)
        self.message = None if message is None else clean(redact(message), 500)
        said = f": {self.message}" if self.message else ""
        super().__init__(
            f"export job {job_id} failed with status {self.status!r}{said}. Order the export again; "
            "if it fails again, ask for a shorter period."
        )


class JobExpired(ExportError):
    """The result of an export job is no longer kept by the service."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(
            f"the result of export job {job_id} has expired at the service. Order the export again."
        )


class DeadlineExceeded(ExportError):
    """An export was not ready within `seconds`. Its job, if there is one, goes on at the service."""

    def __init__(self, job_id: str | None, doing: str, seconds: float) -> None:
        self.job_id = job_id
        self.doing = doing
        self.seconds = seconds
        if job_id is None:
            what, advice = "the export", "Allow a longer deadline."
        else:
            what, advice = (
                f"export job {job_id}",
                "The job is not cancelled: take it up again by its id, with a longer deadline.",
            )
        super().__init__(f"{what}: the deadline of {seconds:g} seconds ran out while {doing}. {advice}")


class CorruptDownload(ExportError):
    """A downloaded file is not what the service promised; it was not given its final name."""

    def __init__(
        self, path: str, problem: str, *, expected: str | None = None, found: str | None = None
    ) -> None:
        self.path = path
        self.problem = problem
        self.expected = expected
        self.found = found
        compared = "" if expected is None and found is None else f" (expected {expected}, found {found})"
        super().__init__(
            f"{path}: {problem}{compared}. Download it again; this file was not given its final name."
        )


def _without(value: str, reason: str) -> str:
    """A reason that quotes no secret; validators quote a value as it is, or without white space around it."""
    reason = _QUOTED.sub(rf"\1{NOT_SHOWN}", reason)
    for form in (value, value.strip(), " ".join(value.split())):
        if form:
            reason = reason.replace(repr(form), NOT_SHOWN).replace(f"'{form}'", NOT_SHOWN)
    return reason


def _of(operation: str | None) -> str:
    return "" if operation is None else f"{operation}: "
