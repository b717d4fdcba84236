"""All errors, as one small tree: `what failed: why it failed. What to do.`

    SoapClientError
    ├── ConfigError                 a setting is missing or impossible
    ├── ContractError               a request is not valid by the contract; nothing was sent
    ├── UnsupportedByProtocol        not available over SOAP, or over REST
    ├── ClientClosed                 called after close()
    ├── ServiceFault                the service returned a fault
    │   └── AuthenticationError     ... because of the credentials or the signature
    ├── TransportError              no usable response
    │   ├── Timeout
    │   ├── ConnectionFailed
    │   ├── AddressRefused          ... where nothing is fetched from
    │   └── UnexpectedResponse
    ├── AmbiguousOutcome            a write was sent, and nothing proves whether it was processed
    ├── ResponseError                  a response is not valid by the contract
    ├── ContractDrift               a response was read, and differs from the contract
    └── ExportError
        ├── JobFailed
        ├── JobExpired
        ├── DeadlineExceeded
        └── CorruptDownload

Every error can be pickled with all its attributes (for process pools and task queues). Text from
the service is shortened, made printable and redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from soapclient._support import redaction
from soapclient._support.redaction import clean, redact, safe_url, shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets

__all__ = [
    "AddressRefused",
    "AmbiguousOutcome",
    "AuthenticationError",
    "ClientClosed",
    "ConfigError",
    "ConnectionFailed",
    "ContractDrift",
    "ContractError",
    "CorruptDownload",
    "DeadlineExceeded",
    "ExportError",
    "JobExpired",
    "JobFailed",
    "ResponseError",
    "ServiceFault",
    "SoapClientError",
    "Timeout",
    "TransportError",
    "UnexpectedResponse",
    "UnsupportedByProtocol",
]

# A value as libxml2 quotes it, whatever its text.
_QUOTED = re.compile(r"((?:The value|Value) )'.*'(?= (?:has|is|does|must|cannot)\b)", re.DOTALL)
# Reasons that say no more than that the value is not among the allowed ones: our codec's, libxml2's.
_NOT_ALLOWED = re.compile(
    r"it does not fit|is no [\w-]+\Z|.*\[facet '|.* is not a valid value of the ", re.DOTALL
)
_REQUIRED = re.compile(
    r"it does not fit|(the contract|SOAP) requires it|is required|.*\bmissing\b", re.DOTALL
)
_REMOVED = "removed in "
_AS_TEXT = "it does not fit as a text"  # our codec's, where the text of a value was given in its place
_MAX_DETAIL = 10_000  # characters
_MAX_FINDINGS = 20


class SoapClientError(Exception):
    """Base of all errors of this package.

    `attempts` is the number of attempts that were made before this error was raised, `request_id` the id that
    all of them were sent with (setting `request_id_header`); None where nothing was to be sent. `partial` are
    the results of earlier requests, if a call makes several and one fails (`Advertiser.partnerships`).
    """

    attempts: int = 1
    request_id: str | None = None
    partial: object = None

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
    """A setting is missing or not valid. `where` says where it was set, or where it can be set."""

    def __init__(self, setting: str, problem: str, where: str) -> None:
        self.setting = setting
        self.problem = problem
        self.where = where
        super().__init__(f"{setting}: {problem}{'' if problem.endswith('?') else '.'} {where}")


class ContractError(SoapClientError):
    """A request is not valid by the contract; nothing was sent.

    `path` is the path of the element or argument, `value` the repr of its value (shortened; None if there is
    none), `allowed` the allowed values ("" where the reason says it), `reason` why the value is not valid.
    The value of a field with the name of a secret (password, token, …) is not shown.
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
        super().__init__(f"{_of(operation)}{self._problem()}. Nothing was sent.")

    def _problem(self) -> str:
        path, among = _field(self.path, self.operation), f": {self.allowed}" if self.allowed else ""
        if self.reason.startswith(_REMOVED):  # a field, or with nothing allowed instead a value of one
            return f"{path} was {self.reason}" if among else f"{path} {self.value} was {self.reason}"
        if self.value is None:
            if _REQUIRED.match(self.reason):
                return f"{path} is required{'' if self.allowed == 'a value' else among}"
            return f"{path}: {self.reason}" + (f" (allowed{among})" if among else "")
        if self.allowed and _NOT_ALLOWED.match(self.reason):
            what = "the text " if self.reason == _AS_TEXT else ""
            return f"{path} must be {self.allowed}, got {what}{self.value}"
        return f"{path}: {self.reason} (got {self.value}" + (f"; allowed{among})" if among else ")")


class UnsupportedByProtocol(SoapClientError):
    """`what` is not available over `protocol` (SOAP, REST)."""

    def __init__(self, what: str, protocol: str) -> None:
        self.what = what
        self.protocol = protocol
        super().__init__(
            f"{what} is not available over {protocol}. Nothing was sent; use the other protocol."
        )


class ClientClosed(SoapClientError):
    """`operation` was called after its client or connection was closed, and nothing was sent.

    Or the client was closed while it was `waiting` for the next attempt of a read.
    """

    def __init__(self, operation: str, *, waiting: bool = False) -> None:
        self.operation = operation
        closed = "the client was closed"
        super().__init__(
            f"{operation}: {closed} before the next attempt. Call again with another client."
            if waiting
            else f"{operation}: {closed}. Nothing was sent; call before close(), or open another."
        )


class ServiceFault(SoapClientError):
    """The service returned a fault.

    `code` and `reason` are the service's own; its support can look the case up by `error_id`. `message` is
    REST's second text beside the reason, or the SOAP fault's text (docs/explanation/service.md#fault-codes).
    `retry_after` is the wait that the service asked for, in seconds. `status` is the HTTP status of the
    response over REST and of services of any WSDL; else None: over SOAP it is 500 for every fault.
    `not_processed` is True if the fault proves that the request was not processed
    (docs/explanation/retries.md#what-proves-that-a-write-was-refused).

    For services of any WSDL, `fault_code` is the SOAP fault's code without prefixes (`Client`,
    `Sender/NoSuchCity`), `detail` the typed value of a detail that the WSDL declares, and `detail_text` the
    detail's XML, shortened. `headers` are the typed values of the declared headers next to the fault, header
    faults included, by name.
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
        not_processed: bool = False,
        headers: Mapping[str, object] | None = None,
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
        self.detail_text = None if detail_text is None else redact(detail_text)[:_MAX_DETAIL]
        self.not_processed = not_processed
        self.headers = {} if headers is None else dict(headers)
        quoted = "" if self.error_id is None else f" (error id {self.error_id}: quote it to the support)"
        super().__init__(f"{_of(operation)}{self._problem()}{quoted}. {self._advice()}")

    def _problem(self) -> str:
        return f"the service returned fault {self.fault_code or self.code}: {self._texts()}"

    def _texts(self) -> str:
        texts = [text for text in (self.message, self.reason) if text]
        return ": ".join(dict.fromkeys(texts)) or "no reason stated"

    def _advice(self) -> str:
        return "If the reason is the request, correct it; otherwise retry later."


class AuthenticationError(ServiceFault):
    """The service refused the credentials or the signature, or the account may not call this operation."""

    def _problem(self) -> str:
        code = self.fault_code or self.code
        return f"the service refused the credentials or the signature (code {code}): {self._texts()}"

    def _advice(self) -> str:
        return (
            "Check the credentials (such as connect ID and secret key), the account's rights to this "
            "operation, and this machine's clock."
        )


class TransportError(SoapClientError):
    """There was no usable response. `request_sent` tells whether the request may have reached the service."""

    request_sent: bool = True


class Timeout(TransportError):
    """There was no complete response in time. `seconds` is the timeout or deadline."""

    def __init__(self, operation: str, seconds: float, *, request_sent: bool = True) -> None:
        self.operation = operation
        self.seconds = seconds
        self.request_sent = request_sent
        super().__init__(
            f"{operation}: no complete response within {round(seconds, 2):g} seconds. "
            "Retry later, request less at once, or raise the setting 'deadline'."
        )


class ConnectionFailed(TransportError):
    """There was no connection, or it broke. `address` is without user info and query values; `advice` is what
    to do, where more than the usual is known."""

    def __init__(
        self,
        address: str,
        reason: str,
        *,
        operation: str | None = None,
        request_sent: bool = True,
        advice: str | None = None,
    ) -> None:
        self.address = safe_url(address)
        self.reason = clean(redact(reason), 600)
        self.operation = operation
        self.request_sent = request_sent
        what, usual = (
            ("the connection to {} broke", "Retry; if it happens again, check the network and any proxy.")
            if request_sent
            else ("no connection to {}", "Check the configured address, the network and any proxy.")
        )
        super().__init__(f"{_of(operation)}{what.format(self.address)}: {self.reason}. {advice or usual}")


class AddressRefused(TransportError):
    """Nothing was asked of an address that somebody else had named, for it leads to what is not for them:
    this machine, or the network it is in.

    `address` is without user info and query values, `reason` says whose address it is and what kind, `advice`
    what to set where it is meant so. `request_sent` is False.
    """

    request_sent = False

    def __init__(self, address: str, reason: str, advice: str, *, operation: str | None = None) -> None:
        self.address = safe_url(address)
        self.reason = clean(reason, 600)
        self.advice = advice
        self.operation = operation
        super().__init__(f"{_of(operation)}nothing was fetched from {self.address}: {self.reason}. {advice}.")


class UnexpectedResponse(TransportError):
    """A response that is not the service's: another status or content type, HTML, broken XML.

    `excerpt` is the short, printable start of its body. `retry_after` is in seconds. `advice` is what to do,
    where the status does not suggest it. `damaged`: the status was that of a response, and the body is
    damaged or not the service's; another attempt may succeed.
    """

    def __init__(
        self,
        status: int,
        content_type: str | None,
        excerpt: str | bytes,
        *,
        problem: str = "unexpected response",
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
        body = f"; body begins {self.excerpt!r}" if self.excerpt else ""  # it may not have been read
        if advice is None:
            later = status == 429 or status >= 500
            advice = "Retry later." if later else "Check the address of the service."
        super().__init__(
            f"{_of(operation)}{problem}: HTTP status {status}, "
            f"content type {self.content_type or 'missing'}{body}. {advice}"
        )


class AmbiguousOutcome(SoapClientError):
    """A write was sent, and no response says whether it was processed.

    Its `__cause__` is the failure: a TransportError, a ServiceFault or a ResponseError. `request_id` is what
    to look for at the service.
    """

    def __init__(self, operation: str, reason: str, request_id: str | None = None) -> None:
        self.operation = operation
        self.request_id = request_id
        named = "" if request_id is None else f" {clean(request_id, 100)}"
        self.reason = clean(redact(reason), 500)
        super().__init__(
            f"{operation}: the request was sent, and its outcome is unknown: {self.reason}. "
            f"The request{named} may have been processed. Check before retrying."
        )


class ResponseError(SoapClientError):
    """A response is not valid by the contract.

    `path` is the path of the element, `value` the repr of its value (shortened; None if it is missing),
    `expected` what the contract declares. `items_returned` is the number of items that a stream had returned
    before. `skippable` says that the setting `on_invalid_value` = "skip" reads the rest of such a response.
    """

    damaged: bool = False  # not a complete response to the operation: another attempt may get one
    counted: bool = False  # among the findings of soapclient.drift

    def __init__(
        self,
        path: str,
        value: object,
        expected: str,
        items_returned: int | None = None,
        *,
        operation: str | None = None,
        skippable: bool = False,
    ) -> None:
        hidden = value is not None and is_secret(path)
        if hidden:
            expected = _without(str(value), expected)
        self.path = path
        self.value = None if value is None else NOT_SHOWN if hidden else shown(value)
        self.expected = expected
        self.items_returned = items_returned
        self.operation = operation
        self.skippable = skippable
        found = "is missing" if self.value is None else f"is {self.value}"
        after = "" if items_returned is None else f", after {items_returned} items"
        super().__init__(
            f"{_of(operation)}the response is not valid: {path} {found}, expected {expected}{after}. "
            "The service may have changed its contract: compare it with the one of this package."
            + (" To read the rest of the response, set 'on_invalid_value' to 'skip'." if skippable else "")
        )


class ContractDrift(SoapClientError):
    """A response was read, and has unknown or missing parts by the contract.

    Raised only with the setting `drift` = "error". `findings` are all findings, each as kind, path and
    detail. `processed` says that the call was a write, and that it was processed.
    """

    def __init__(
        self, operation: str, findings: Iterable[tuple[str, str, str]], *, processed: bool = False
    ) -> None:
        self.operation = operation
        self.findings = tuple((str(kind), path, detail) for kind, path, detail in findings)
        self.processed = processed
        listed = [
            f"{kind} {clean(path, 200)}" + (f" ({shown(detail)})" if detail else "")
            for kind, path, detail in self.findings[:_MAX_FINDINGS]
        ]
        if len(self.findings) > _MAX_FINDINGS:
            listed.append(f"and {len(self.findings) - _MAX_FINDINGS} more")
        done = " The request was processed: do not repeat it because of this error." if processed else ""
        super().__init__(
            f"{operation}: the response differs from the contract: {'; '.join(listed)}.{done} "
            "Compare the contract with the service's, or set 'drift' to 'warn'."
        )


class ExportError(SoapClientError):
    """An export failed."""


class JobFailed(ExportError):
    """An export job failed. `status` and `message` are the service's own."""

    def __init__(self, job_id: str, status: str, message: str | None = None) -> None:
        self.job_id = job_id
        self.status = clean(status, 100)
        self.message = None if message is None else clean(redact(message), 500)
        text = f": {self.message}" if self.message else ""
        super().__init__(
            f"export job {job_id} failed with status {self.status!r}{text}. Order the export again; "
            "if it fails again, request a shorter period."
        )


class JobExpired(ExportError):
    """The service no longer keeps the result of an export job."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(
            f"the result of export job {job_id} has expired at the service. Order the export again."
        )


class DeadlineExceeded(ExportError):
    """An export was not complete within `seconds`. Its job, if there is one, continues at the service."""

    def __init__(self, job_id: str | None, doing: str, seconds: float) -> None:
        self.job_id = job_id
        self.doing = doing
        self.seconds = seconds
        if job_id is None:
            what, advice = "the export", "Allow a longer deadline."
        else:
            what, advice = (
                f"export job {job_id}",
                "The job is not cancelled: resume it by its id, with a longer deadline.",
            )
        super().__init__(f"{what}: the deadline of {seconds:g} seconds passed while {doing}. {advice}")


class CorruptDownload(ExportError):
    """A downloaded file is damaged or incomplete; it did not get its final name."""

    def __init__(
        self, path: str, problem: str, *, expected: str | None = None, found: str | None = None
    ) -> None:
        self.path = path
        self.problem = problem
        self.expected = expected
        self.found = found
        compared = "" if expected is None and found is None else f" (expected {expected}, found {found})"
        super().__init__(
            f"{path}: {problem}{compared}. Download it again; this file did not get its final name."
        )


def _without(value: str, reason: str) -> str:
    """Return a reason without the secret; validators quote a value as it is, or stripped of white space."""
    reason = _QUOTED.sub(rf"\1{NOT_SHOWN}", reason)
    for form in (value, value.strip(), " ".join(value.split())):
        if form:
            reason = reason.replace(repr(form), NOT_SHOWN).replace(f"'{form}'", NOT_SHOWN)
    return reason


def _of(operation: str | None) -> str:
    return "" if operation is None else f"{operation}: "


def _field(path: str, operation: str | None) -> str:
    """A path without the name of the request that the operation implies: `GetSalesRequest/date` → `date`."""
    root, _, rest = path.partition("/")
    return rest if rest and operation is not None and root in (operation, f"{operation}Request") else path
