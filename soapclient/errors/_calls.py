"""Errors of calls: faults, transport errors, unknown outcomes, and invalid responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from soapclient._support import redaction
from soapclient._support.redaction import clean, redact, safe_url, shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets
from soapclient.errors._base import SoapClientError, prefix, without_value

_MAX_DETAIL = 10_000  # characters
_MAX_FINDINGS = 20


class ServiceFault(SoapClientError):
    """The service returned a fault.

    - `code`, `reason`: the service's own code and text.
    - `error_id`: the id of the fault, for questions to the service's support.
    - `message`: a second text: `message` in the body of a REST error, or the fault string of a SOAP fault.
      The code determines if this text or `reason` states the cause (docs/explanation/service.md#fault-codes).
    - `retry_after`: the seconds to wait before a retry, as the service requests.
    - `status`: the HTTP status. None for a SOAP fault from a service of `Client`; use `code` instead.
    - `not_processed`: True if the fault proves that the request was not processed
      (docs/explanation/retries.md#what-proves-that-a-write-was-refused).

    For services of any WSDL:

    - `fault_code`: the code of the SOAP fault without prefixes (`Client`, `Sender/NoSuchCity`).
    - `detail`: the typed value of the detail, if the WSDL declares it.
    - `detail_text`: the XML of the detail, shortened.
    - `headers`: the SOAP headers of the fault, as a dict from name to typed value. It contains only headers
      and header faults that the WSDL declares.

    >>> from soapclient import connect
    >>> from soapclient.errors import ServiceFault
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with (
    ...     mock("weather") as server,
    ...     connect(WeatherService, address=server.address(), safe={"GetWeather"}) as service,
    ... ):
    ...     rule = server.on("GetWeather").fault("no such city")
    ...     try:
    ...         service.get_weather(city="Atlantis")
    ...     except ServiceFault as error:
    ...         print(error.reason)
    no such city
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
        quoted = (
            "" if self.error_id is None else f" (error id {self.error_id}: give it to the service's support)"
        )
        super().__init__(f"{prefix(operation)}{self._problem()}{quoted}. {self._advice()}")

    def _problem(self) -> str:
        return f"the service returned fault {self.fault_code or self.code}: {self._texts()}"

    def _texts(self) -> str:
        texts = [text for text in (self.message, self.reason) if text]
        return ": ".join(dict.fromkeys(texts)) or "no reason stated"

    def _advice(self) -> str:
        return "Correct the request if it is the reason; otherwise retry later."


class AuthenticationError(ServiceFault):
    """The service refused the credentials or the signature, or the account has no right to the operation."""

    def _problem(self) -> str:
        code = self.fault_code or self.code
        return f"the service refused the credentials or the signature (code {code}): {self._texts()}"

    def _advice(self) -> str:
        return (
            "Check the credentials (such as connect ID and secret key), the account's rights to this "
            "operation, and this machine's clock."
        )


class TransportError(SoapClientError):
    """A call failed without a usable response.

    If `request_sent` is True, the service may have received the request.

    >>> from soapclient import connect
    >>> from soapclient.errors import Timeout, TransportError
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with (
    ...     mock("weather") as server,
    ...     connect(WeatherService, address=server.address(), safe={"GetWeather"}, attempts=1) as service,
    ... ):
    ...     rule = server.on("GetWeather").unavailable()
    ...     try:
    ...         service.get_weather(city="Rome")
    ...     except Timeout as error:
    ...         print(f"no response within {error.seconds} seconds")
    ...     except TransportError as error:
    ...         print(type(error).__name__, error.request_sent)
    UnexpectedResponse True
    """

    request_sent: bool = True


class Timeout(TransportError):
    """No complete response arrived in time. `seconds` is the timeout or deadline."""

    def __init__(self, operation: str, seconds: float, *, request_sent: bool = True) -> None:
        self.operation = operation
        self.seconds = seconds
        self.request_sent = request_sent
        super().__init__(
            f"{operation}: no complete response within {round(seconds, 2):g} seconds. "
            "Retry later, request less data, or raise the setting 'deadline'."
        )


class ConnectionFailed(TransportError):
    """No connection could be opened, or the connection broke.

    `address` has no user info and no query values. `advice` is shown instead of the usual advice.
    """

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
        super().__init__(f"{prefix(operation)}{what.format(self.address)}: {self.reason}. {advice or usual}")


class AddressRefused(TransportError):
    """An address from the service was not fetched, because it is in a network that is not allowed.

    Such a network is, for example, this machine or the local network.

    `address` has no user info and no query values. `reason` describes the address and its source. `advice` is
    the setting that allows the address. `request_sent` is False.
    """

    request_sent = False

    def __init__(self, address: str, reason: str, advice: str, *, operation: str | None = None) -> None:
        self.address = safe_url(address)
        self.reason = clean(reason, 600)
        self.advice = advice
        self.operation = operation
        super().__init__(
            f"{prefix(operation)}the client does not connect to {self.address}: {self.reason}. {advice}."
        )


class UnexpectedResponse(TransportError):
    """The response cannot be used: unexpected status or content type, HTML, or broken XML.

    - `excerpt`: the short, printable start of the body.
    - `retry_after`: the seconds to wait, from the response's headers.
    - `advice`: what the user should do; None for the usual advice for the status.
    - `damaged`: True if the status is 2xx, but the body is unusable, for example because it is incomplete or
      comes from a proxy. A retry may then succeed.
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
        body = f"; body begins {self.excerpt!r}" if self.excerpt else ""  # empty if the body was not read
        if advice is None:
            later = status == 429 or status >= 500
            advice = "Retry later." if later else "Check the address of the service."
        super().__init__(
            f"{prefix(operation)}{problem}: HTTP status {status}, "
            f"content type {self.content_type or 'missing'}{body}. {advice}"
        )


class AmbiguousOutcome(SoapClientError):
    """A write was sent, and it is unknown if it was processed.

    Its `__cause__` is the error that occurred: a TransportError, a ServiceFault or a ResponseError. To find
    out if the write was processed, ask the support of the service about `request_id`.

    >>> from soapclient.errors import AmbiguousOutcome
    >>> from soapclient.tracking.testing import ServedSandbox
    >>> with ServedSandbox() as sandbox, sandbox.client() as client:
    ...     expectation = sandbox.expect("DeleteAdspace").resets()
    ...     try:
    ...         client.publisher.delete_adspace(adspace_id=5)
    ...     except AmbiguousOutcome:
    ...         print("check whether the ad space still exists")
    check whether the ad space still exists
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
    """A response is invalid according to the contract.

    `path` is the path of the element. `value` is the repr of its value, shortened; None if it is missing.
    `expected` are the values that the contract allows. If the response was iterated, `items_returned` is the
    number of items before the error. `skippable` is True if the setting `on_invalid_value` = "skip" allows
    reading the rest of the response.

    >>> from soapclient import connect
    >>> from soapclient.errors import ResponseError
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with (
    ...     mock("weather") as server,
    ...     connect(WeatherService, address=server.address(), safe={"GetWeather"}) as service,
    ... ):
    ...     rule = server.on("GetWeather").drifts("missing")
    ...     try:
    ...         service.get_weather(city="Rome")
    ...     except ResponseError as error:
    ...         print(error.path)
    GetWeatherResponse/degrees
    """

    damaged: bool = False  # not a complete response to the operation: a retry may succeed
    counted: bool = False  # counted as a finding in soapclient.drift

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
            expected = without_value(str(value), expected)
        self.path = path
        self.value = None if value is None else NOT_SHOWN if hidden else shown(value)
        self.expected = expected
        self.items_returned = items_returned
        self.operation = operation
        self.skippable = skippable
        actual = "is missing" if self.value is None else f"is {self.value}"
        after = "" if items_returned is None else f", after {items_returned} items"
        super().__init__(
            f"{prefix(operation)}the response is not valid: {path} {actual}, expected {expected}{after}. "
            "The service may have changed its contract: compare it with the contract of this package."
            + (" To read the rest of the response, set 'on_invalid_value' to 'skip'." if skippable else "")
        )


class SecurityError(ResponseError):
    """A response is not signed or encrypted as `soapclient.security` requires. None of its content was used.

    `code` is one of these words:

    - `structure`: the message is malformed or ambiguous. `missing`: a required part is missing.
    - `algorithm`: an algorithm is not allowed. `reference`: a reference cannot be resolved.
    - `digest`: a part was changed after it was signed. `signature`: a signature is not valid.
    - `untrusted`: the certificate is not trusted. `unsigned`: a part is not signed as required.
    - `expired`, `future`: the Timestamp does not match the clock. `confirmation`: the response does not
      confirm the signatures of the request.
    - `decryption`: a part cannot be decrypted; all causes have the same message. `unencrypted`: a part is not
      encrypted as required.
    - `replay`: the message was received before, or it cannot be checked for this. `policy`: the message is
      not secured as the WS-SecurityPolicy requires. `user`: a mock refused the user name or the password.
    - `other`: a security object that is not part of `soapclient.security` has refused the response.

    `part` is the part of the message, such as `Body`; "" if the error concerns the complete message.
    `problem` describes it. A write that fails with this error raises AmbiguousOutcome.
    """

    def __init__(self, code: str, problem: str, *, part: str = "", operation: str | None = None) -> None:
        self.code = code
        self.problem = clean(redact(problem), 500)
        self.part = part
        self.path = part
        self.value = None
        self.expected = "a response that is secured as required"
        self.items_returned = None
        self.operation = operation
        self.skippable = False
        SoapClientError.__init__(
            self,
            f"{prefix(operation)}the response is not secured as required: {self.problem}. "
            "Compare the rules for responses (Verify) with the service's policy. Check the service's "
            "certificate, and the clocks of both machines.",
        )


class BrokenResponse(ResponseError):
    """The response is incomplete or belongs to another operation. A write may have been processed."""

    damaged = True


class MisplacedResponse(BrokenResponse):
    """The response belongs to another request.

    It is a duplicate of an earlier response, or a value that it must repeat from the request (such as the
    page) is different.
    """


class ContractDrift(SoapClientError):
    """A response differs from the contract: it has unknown or missing parts.

    Raised only with the setting `drift` = "error". `findings` are all findings, each with kind, path and
    detail. `processed` is True if the call was a write, which has been processed.

    >>> from soapclient import connect
    >>> from soapclient.errors import ContractDrift
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with (
    ...     mock("weather") as server,
    ...     connect(WeatherService, address=server.address(), drift="error") as service,
    ... ):
    ...     rule = server.on("GetWeather").drifts("element")
    ...     try:
    ...         service.get_weather(city="Rome")
    ...     except ContractDrift as error:
    ...         print(error)
    GetWeather: the response differs from the contract: element GetWeatherResponse/unheardOf. ...
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
            "Compare the package's contract with the service's, or set 'drift' to 'warn'."
        )


class TableError(SoapClientError):
    """A column cannot hold a value, or a file cannot hold a table. Values are never rounded or truncated.

    `operation` is the called method. `column` and `row` (counted from 1) are the place of the value; they are
    "" and 0 if the error concerns the complete table. `value` is the value, shortened; values of secrets are
    not shown. `allowed` are the values that the column can hold.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.errors import TableError
    >>> with Client() as client:
    ...     sales = client.publisher.iterate.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    ...     try:
    ...         print(sales.to_csv("sales.csv").rows > 0)
    ...     except TableError as error:
    ...         print(error.column, error.row)  # of the value that does not fit
    True
    """

    def __init__(
        self, operation: str, column: str, row: int, value: object, allowed: str, advice: str
    ) -> None:
        self.operation = operation
        self.column = column
        self.row = row
        self.value = NOT_SHOWN if is_secret(column) else without_secrets(shown(value))
        self.allowed = allowed
        subject = f"{column} of row {row} is" if column else "the table has"
        super().__init__(f"{operation}: {subject} {self.value}, expected {allowed}. {advice}")
