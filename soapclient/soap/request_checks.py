"""Plugins of zeep that check a request after all other plugins, before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import zeep
from lxml import etree

from soapclient.errors import ConfigError
from soapclient.soap.envelope import SECURITY
from soapclient.soap.mtom import without_includes
from soapclient.soap.operations import TypedOperation


class ValidationPlugin(zeep.Plugin):
    """Validates the envelope of a request. It is the last plugin, so only wsse is applied after it."""

    def __init__(
        self,
        check: Callable[[etree._Element, TypedOperation], None],
        operations: Mapping[str, TypedOperation],
    ) -> None:
        self._check = check
        self._operations = operations

    # Any: zeep has no types. Calls by `.zeep` pass zeep's own operations, which have the same names.
    def egress(
        self, envelope: etree._Element, http_headers: Any, operation: Any, binding_options: Any
    ) -> tuple[etree._Element, Any]:
        """Raise ContractError if the envelope is invalid. Otherwise return envelope and HTTP headers."""
        is_typed = isinstance(operation, TypedOperation)
        with without_includes(envelope):
            self._check(envelope, operation if is_typed else self._operations[operation.name])
        return envelope, http_headers


class PolicyPlugin(zeep.Plugin):
    """Refuses to send requests without the Security header that the policy of their operation requires."""

    def __init__(self, errors: Mapping[str, ConfigError]) -> None:
        self._errors = errors

    # Any: zeep has no types.
    def egress(
        self, envelope: etree._Element, http_headers: Any, operation: Any, binding_options: Any
    ) -> tuple[etree._Element, Any]:
        """Raise ConfigError if nothing has added a Security header. Otherwise return the arguments."""
        error = self._errors.get(operation.name)
        if error is not None and envelope.find(f"{{*}}Header/{{{SECURITY}}}Security") is None:
            raise ConfigError(error.setting, error.problem, error.where)
        return envelope, http_headers
