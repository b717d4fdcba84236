"""The base class of all errors, and the errors that are raised before anything is sent.

These errors concern settings and requests.
"""

from __future__ import annotations

import re

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import clean, redact, shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets

# A value that libxml2 quotes in a message.
_QUOTED = LazyPattern(r"((?:The value|Value) )'.*'(?= (?:has|is|does|must|cannot)\b)", re.DOTALL)
# Reasons that mean only that the value is not allowed. They come from the codec and from libxml2.
_NOT_ALLOWED = LazyPattern(
    r"(not an allowed value|a string is not allowed)\Z|.*\[facet '|.* is not a valid value of the ", re.DOTALL
)
_REQUIRED = LazyPattern(r"not an allowed value\Z|(it )?is required|.*\bmissing\b", re.DOTALL)
_REMOVED = "removed in "
_AS_TEXT = "a string is not allowed"  # used by the codec for a string in place of another type


class SoapClientError(Exception):
    """Base class of all errors of this package.

    `attempts` is the number of attempts made. `request_id` is the id sent with all attempts (setting
    `request_id_header`); None if nothing was sent. If a call makes several requests, as
    `Advertiser.partnerships` does, and one of them fails, `partial` has the results of the earlier requests.

    >>> from soapclient import connect
    >>> from soapclient.errors import SoapClientError
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with (
    ...     mock("weather") as server,
    ...     connect(WeatherService, address=server.address(), safe={"GetWeather"}) as service,
    ... ):
    ...     rule = server.on("GetWeather").fault("no such city")
    ...     try:
    ...         service.get_weather(city="Atlantis")
    ...     except SoapClientError as error:  # any error of this package
    ...         print(type(error).__name__, error.attempts)
    ServiceFault 1
    """

    attempts: int = 1
    request_id: str | None = None
    partial: object = None

    def __init__(self, message: str) -> None:
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        # The default would call __init__ with only the message, which no subclass accepts.
        return (_rebuild, (type(self), self.args), self.__dict__.copy())


def _rebuild(kind: type[SoapClientError], args: tuple[object, ...]) -> SoapClientError:
    error = kind.__new__(kind)
    error.args = args
    return error


class ConfigError(SoapClientError):
    """A setting or argument is missing or invalid. `where` says where to set it, or what else to do.

    >>> from soapclient import Settings
    >>> from soapclient.errors import ConfigError
    >>> try:
    ...     Settings(attempts=0)
    ... except ConfigError as error:
    ...     print(error.setting)
    attempts
    """

    def __init__(self, setting: str, problem: str, where: str) -> None:
        self.setting = setting
        self.problem = problem
        self.where = where
        super().__init__(f"{setting}: {problem}{'' if problem.endswith('?') else '.'} {where}")


class ContractError(SoapClientError):
    """A request is invalid according to the contract. Nothing was sent.

    `path` is the path of the element or argument. `value` is the repr of its value, shortened; None if the
    value is missing. `allowed` are the allowed values; "" if they are in the reason. `reason` is the reason
    why the value is invalid. The values of fields named like secrets (password, token, …) are not shown.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.errors import ContractError
    >>> with Client() as client:
    ...     try:
    ...         client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="today")
    ...     except ContractError as error:
    ...         print(error)  # nothing was sent
    GetSales: dateType must be one of ...
    """

    def __init__(
        self, path: str, value: object, allowed: str, reason: str, *, operation: str | None = None
    ) -> None:
        self.path = path
        hidden = value is not None and is_secret(path)
        if hidden:
            reason = without_value(str(value), reason)
        self.value = None if value is None else NOT_SHOWN if hidden else without_secrets(shown(value))
        self.allowed = allowed
        self.reason = clean(redact(reason), 500)
        self.operation = operation
        super().__init__(f"{prefix(operation)}{self._problem()}. Nothing was sent.")

    def _problem(self) -> str:
        path, among = _field(self.path, self.operation), f": {self.allowed}" if self.allowed else ""
        if self.reason.startswith(_REMOVED):  # a field, or the value of a field if no values are allowed
            return f"{path} was {self.reason}" if among else f"{path} {self.value} was {self.reason}"
        if self.value is None:
            if _REQUIRED.match(self.reason):
                return f"{path} is required{'' if self.allowed == 'a value' else among}"
            return f"{path}: {self.reason}" + (f" (allowed{among})" if among else "")
        if self.allowed and _NOT_ALLOWED.match(self.reason):
            what = "the string " if self.reason == _AS_TEXT else ""
            return f"{path} must be {self.allowed}, got {what}{self.value}"
        return f"{path}: {self.reason} (got {self.value}" + (f"; allowed{among})" if among else ")")


class UnsupportedByProtocol(SoapClientError):
    """Raised if `what` is not available over `protocol` (SOAP or REST).

    >>> from soapclient import Client
    >>> from soapclient.errors import UnsupportedByProtocol
    >>> with Client(protocol="rest") as client:
    ...     try:
    ...         client.publisher.get_payments()
    ...     except UnsupportedByProtocol as error:
    ...         print(error.protocol)
    REST
    """

    def __init__(self, what: str, protocol: str) -> None:
        self.what = what
        self.protocol = protocol
        super().__init__(
            f"{what} is not available over {protocol}. Nothing was sent. Use the other protocol."
        )


class ClientClosed(SoapClientError):
    """Raised if `operation` was called after its client or connection was closed. Nothing was sent.

    `waiting` is True if the client was closed while the call was waiting for its next attempt.

    >>> from soapclient import Client
    >>> from soapclient.errors import ClientClosed
    >>> client = Client()
    >>> publisher = client.publisher
    >>> client.close()
    >>> try:
    ...     publisher.get_profile()
    ... except ClientClosed as error:
    ...     print(error.operation)
    GetProfile
    """

    def __init__(self, operation: str, *, waiting: bool = False) -> None:
        self.operation = operation
        closed = "the client was closed"
        super().__init__(
            f"{operation}: {closed} before the next attempt. Call again with an open client."
            if waiting
            else f"{operation}: {closed}. Nothing was sent. Call before close(), or open another client."
        )


def without_value(value: str, reason: str) -> str:
    """Remove the secret `value` from `reason`, the message of a validator.

    Validators quote the value unchanged or with normalized white space.
    """
    reason = _QUOTED.sub(rf"\1{NOT_SHOWN}", reason)
    for form in (value, value.strip(), " ".join(value.split())):
        if form:
            reason = reason.replace(repr(form), NOT_SHOWN).replace(f"'{form}'", NOT_SHOWN)
    return reason


def prefix(operation: str | None) -> str:
    """Return the beginning of a message about an operation, such as `GetSales: `; "" if there is none."""
    return "" if operation is None else f"{operation}: "


def _field(path: str, operation: str | None) -> str:
    """Return a path without the name of the request: `GetSalesRequest/date` → `date`."""
    root, _, rest = path.partition("/")
    return rest if rest and operation is not None and root in (operation, f"{operation}Request") else path
