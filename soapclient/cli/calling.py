"""Calls by an operation's name: the request read from an element, checked, and only then sent."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NoReturn

from lxml import etree

from soapclient.calling.reader import refuse_changes, refuse_gaps, request_element
from soapclient.config import Config
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation, Caller, DecodeError, EncodeError, Node, Operation, path_of
from soapclient.runtime.operations import RequestT, ResponseT


def call(
    operation: AnyOperation,
    request: etree._Element,
    *,
    config: Config,
    caller: Callable[[], Caller],
    removed: Mapping[str, str],
    soap: bool = False,
) -> object:
    """Call an operation with a request read from an element; return its typed response.

    `removed` are values for fields that the service no longer takes, by Python name; `soap` tells that the
    call goes over SOAP. `caller` is asked for
    only once everything is known to fit. Raises ContractError for what does not, and what the call raises.
    """
    try:
        checked = _Checked(caller, config, removed, soap=soap)
        return operation.call_with(checked, request, _Strict(config, operation))
    except DecodeError as error:
        allowed, reason = error.expected, "it does not fit"
        if error.value is None:
            allowed, reason = "a value", "the contract requires it"
        raise ContractError(error.path, error.value, allowed, reason, operation=operation.name) from None


def check(
    operation: AnyOperation, request: etree._Element, *, config: Config, removed: Mapping[str, str]
) -> None:
    """Raise the ContractError that `call` would raise, and call nothing."""
    with suppress(_Fits):
        call(operation, request, config=config, caller=_nobody, removed=removed)


class _Fits(Exception):
    """Everything was checked."""


def _nobody() -> NoReturn:
    raise _Fits


def removed_fields(operation: AnyOperation) -> dict[str, str]:
    """Return the fields that the service took once and takes no longer: wire name → Python name.

    They are fields of the request's type, which can be nothing but None.
    """
    fields = operation.package.codec.fields(operation.row.request)
    return {field.name: field.python for field in fields if field.row.refused}


class _Checked:
    """A caller that first writes the request, as the client will, so that a misfit needs no configuration."""

    def __init__(
        self, caller: Callable[[], Caller], config: Config, removed: Mapping[str, str], *, soap: bool
    ) -> None:
        self._caller = caller
        self._config = config
        self._removed = removed
        self._soap = soap

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        for name, value in self._removed.items():
            setattr(request, name, value)  # for the generated code to refuse, which knows the reason
        try:
            refuse_changes(operation, request)
            wire = operation.wire_of(request_element(operation, request, self._config.report_tzinfo()))
        except EncodeError as error:
            raise ContractError(
                error.path, error.value, error.allowed, error.reason, operation=operation.name
            ) from None
        if self._soap:
            refuse_gaps(operation, wire)
        return self._caller().call(operation, request)


class _Strict:
    """A reader of requests: what a response may hold beyond the contract, a request may not."""

    def __init__(self, config: Config, operation: AnyOperation) -> None:
        self._config = config
        self._operation = operation

    @property
    def naive_zone(self) -> dt.tzinfo:
        return self._config.naive_tzinfo()

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._config.report_tzinfo()

    def unknown_element(self, node: Node) -> None:
        self._refuse(path_of(node), node.text, "the fields of the contract", "the contract has no such field")

    def unknown_attribute(self, node: Node, name: str) -> None:
        path = f"{path_of(node)}/@{name}"
        self._refuse(path, node.get(name), "the fields of the contract", "the contract has no such field")

    def unknown_value(self, node: Node, value: str) -> None:
        """Let it pass: the generated encoder refuses it, and names the values there are."""

    def missing(self, node: Node, name: str) -> None:
        """Let it pass: the generated encoder or the schema refuses it if it is needed."""

    def naive_time(self, node: Node, text: str) -> None:
        self._refuse(
            path_of(node),
            text,
            "a date-time with a zone, as 2026-11-01T00:00:00+01:00",
            "which zone is not said",
        )

    def shortened(self, node: Node, text: str) -> None:
        allowed = "microseconds at the finest, and a date without a zone"
        self._refuse(path_of(node), text, allowed, "a part of it would be left out")

    def _refuse(self, path: str, value: str | None, allowed: str, reason: str) -> NoReturn:
        raise ContractError(path, value, allowed, reason, operation=self._operation.name)
