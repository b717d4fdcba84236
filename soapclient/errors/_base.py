"""The base of all errors, and those of settings and requests: nothing was sent."""

from __future__ import annotations

import re

from soapclient._support.redaction import clean, redact, shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets

# A value as libxml2 quotes it, whatever its text.
_QUOTED = re.compile(r"((?:The value|Value) )'.*'(?= (?:has|is|does|must|cannot)\b)", re.DOTALL)
# Reasons that say only that the value is not among the allowed ones: from the codec, and from libxml2.
_NOT_ALLOWED = re.compile(
    r"it does not fit|is no [\w-]+\Z|.*\[facet '|.* is not a valid value of the ", re.DOTALL
)
_REQUIRED = re.compile(
    r"it does not fit|(the contract|SOAP) requires it|is required|.*\bmissing\b", re.DOTALL
)
_REMOVED = "removed in "
_AS_TEXT = "it does not fit as a text"  # the codec's, for a text in place of a value


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
            reason = without_value(str(value), reason)
        self.value = None if value is None else NOT_SHOWN if hidden else without_secrets(shown(value))
        self.allowed = allowed
        self.reason = clean(redact(reason), 500)
        self.operation = operation
        super().__init__(f"{prefix(operation)}{self._problem()}. Nothing was sent.")

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


def without_value(value: str, reason: str) -> str:
    """Return a reason without the secret; validators quote a value as it is, or stripped of white space."""
    reason = _QUOTED.sub(rf"\1{NOT_SHOWN}", reason)
    for form in (value, value.strip(), " ".join(value.split())):
        if form:
            reason = reason.replace(repr(form), NOT_SHOWN).replace(f"'{form}'", NOT_SHOWN)
    return reason


def prefix(operation: str | None) -> str:
    """Return the beginning of a message about an operation."""
    return "" if operation is None else f"{operation}: "


def _field(path: str, operation: str | None) -> str:
    """A path without the name of the request that the operation implies: `GetSalesRequest/date` → `date`."""
    root, _, rest = path.partition("/")
    return rest if rest and operation is not None and root in (operation, f"{operation}Request") else path
