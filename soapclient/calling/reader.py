"""Encode requests, and check requests and responses, for SOAP and REST.

Also defines the reader for responses, which has the time zones of the client's settings.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from soapclient.errors import ContractError, MisplacedResponse, UnsupportedByProtocol
from soapclient.runtime import AnyOperation, CountingReader, EncodeError, Operation
from soapclient.runtime.elements import Element, element
from soapclient.runtime.errors import local_name
from soapclient.runtime.numpy_values import plain_value
from soapclient.runtime.operations import RequestT, ResponseT
from soapclient.runtime.simple_types import Choice
from soapclient.settings import CommonSettings


class ResponseReader(CountingReader):
    """Reader of one response. It has the time zones of the settings and counts the drift findings.

    Time zones are loaded only if the response needs them.
    """

    def __init__(self, settings: CommonSettings, naive_zone: str = "") -> None:
        """Create a reader. `naive_zone` is the package's time zone for times without an offset.

        The settings can override it.
        """
        super().__init__(skips_invalid=settings.on_invalid_value == "skip")
        self._settings = settings
        self._default_zone = naive_zone

    @property
    def naive_zone(self) -> dt.tzinfo | None:
        return self._settings.naive_tzinfo(self._default_zone)

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._settings.report_tzinfo()


def request_element(
    operation: Operation[RequestT, ResponseT], request: RequestT, zone: dt.tzinfo | None
) -> Element:
    """Convert a request to an XML element. Raises EncodeError if a value is invalid.

    A date in a date-time field is sent as midnight in `zone`, or as a date without a time if `zone` is None.
    """
    node = element(operation.request_tag)
    operation.write_request(request, node, local_name(operation.request_tag), zone=zone)
    return node


def contract_error(error: EncodeError, operation: str) -> ContractError:
    """Convert an EncodeError to the ContractError that callers get."""
    return ContractError(error.path, error.value, error.allowed, error.reason, operation=operation)


def check_echo(operation: AnyOperation, request: object, response: object) -> None:
    """Check that a response belongs to its request, by the fields that it repeats from the request.

    The package lists the repeated fields of each operation (`row.echoes`). If the list is empty, nothing is
    checked. Raises MisplacedResponse if a repeated value differs.
    """
    for echo in operation.row.echoes:
        sent: object = request
        for name in echo.request.split("."):
            sent = getattr(sent, name, None)
        if sent is None:
            continue
        value: object = response
        for name in echo.response.split("."):
            value = getattr(value, name, None)
        if value is None or value == sent:
            continue
        requested, returned = _comparable(sent), _comparable(value)
        if not requested or not returned or requested == returned:
            continue
        numbers = echo.at_most and returned.isdecimal() and requested.isdecimal()
        if numbers and (len(returned), returned) < (len(requested), requested):
            continue
        path = f"{local_name(operation.response_tag)}/{echo.path}"
        expected = f"{requested}{' or less' if echo.at_most else ''}, as requested"
        raise MisplacedResponse(path, returned, expected, operation=operation.name)


def _comparable(value: object) -> str:
    """Return a text that is equal for values that differ only in case, outer spaces or leading zeros."""
    text = str(plain_value(value)).strip().casefold()
    # Not int(), which refuses texts with thousands of digits.
    return (text.lstrip("0") or "0") if text.isdecimal() else text


def refuse_changes(operation: Operation[RequestT, ResponseT], request: RequestT) -> None:
    """Raise UnsupportedByProtocol if a request contains a dict of changed fields instead of an item.

    SOAP can only send complete items.
    """
    if element := operation.changes_in(request):
        path = f"{local_name(operation.request_tag)}/{element}"
        raise UnsupportedByProtocol(f"{path}: a dict with only the changed fields", "SOAP")


def refuse_gaps(operation: AnyOperation, names: Collection[str]) -> None:
    """Raise ContractError if a SOAP request lacks an element that is optional only over REST.

    `names` are the names of the elements that the request has.
    """
    for name in sorted(operation.rest_optional.difference(names)):
        leaf = next(
            field.leaf for field in operation.codec.fields(operation.row.request) if field.name == name
        )
        allowed = f"one of {', '.join(leaf.members)}" if isinstance(leaf, Choice) else "a value"
        path = f"{local_name(operation.request_tag)}/{name}"
        reason = "it is required over SOAP"
        raise ContractError(path, None, allowed, reason, operation=operation.name)
