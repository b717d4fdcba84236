"""Calls to one port of a service: what generated service classes call through."""

from __future__ import annotations

import copy
import logging
import random as system_random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lxml import etree

from soapclient.calling import outcome
from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries
from soapclient.clock import Clock, Deadline
from soapclient.contract.checks import Checks
from soapclient.drift import Drift
from soapclient.forks import Lock
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.operations import (
    AnyOperation,
    Operation,
    ReplyT,
    RequestT,
    SoapHeader,
)
from soapclient.runtime.schema import PortRow
from soapclient.services import arrays, encoded, reading, writing
from soapclient.services.packaged import Package
from soapclient.services.settings import Security, ServiceSettings
from soapclient.transport import http

if TYPE_CHECKING:
    import requests

# Called with an operation's name and the values of the declared headers that came with its reply.
OnHeaders = Callable[[str, Mapping[str, object]], None]

log = logging.getLogger(__name__)


class Engine:
    """Calls the operations of one port. Threads may share it."""

    def __init__(
        self,
        package: Package,
        port: PortRow,
        address: str,
        settings: ServiceSettings,
        *,
        session: requests.Session,
        clock: Clock,
        drift: Drift,
        security: Security | None = None,
        on_headers: OnHeaders | None = None,
        random: Callable[[], float] = system_random.random,
    ) -> None:
        self.package = package
        self.port = port
        self.address = address
        self.settings = settings
        self.session = session
        self.drift = drift
        self.security = security
        self._clock = clock
        self._on_headers = on_headers
        self._random = random
        self._policy = RetryPolicy(attempts=settings.attempts)
        self._quota = RetryQuota()
        self._warned = False
        self._lock = Lock()

    def call(
        self,
        operation: Operation[RequestT, ReplyT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ReplyT:
        """Call an operation inside the timeout. Raises the errors of `soapclient.errors`."""
        deadline = Deadline(self._clock, self.settings.timeout)
        types, items = self._of_encoding(operation)
        whole = writing.envelope(self.port.soap, operation, request, headers, types)
        self.check_request(whole, operation)
        safe = operation.safe or operation.name in self.settings.safe

        def attempt(number: int) -> tuple[ReplyT, Mapping[str, object]]:
            limits = self.limits(operation.name, deadline).of_attempt(
                number, self._policy.attempts, safe=safe
            )
            with outcome.told(operation.name, safe=safe):
                return self._attempt(operation, whole, limits, items, safe=safe)

        value, told = call_with_retries(
            attempt,
            safe=safe,
            deadline=deadline,
            clock=self._clock,
            policy=self._policy,
            quota=self._quota,
            random=self._random,
            operation=operation.name,
        )
        if told and self._on_headers is not None:  # out here its own errors lead to no further attempt
            self._on_headers(operation.name, told)
        return value

    def close(self) -> None:
        """Close the connections, and write what is not yet in the drift log."""
        self.session.close()
        self.drift.flush()

    def limits(self, operation: str, deadline: Deadline | None = None) -> http.Limits:
        """What one exchange may take; by default with a deadline of its own, from now."""
        return http.Limits(
            operation=operation,
            deadline=deadline or Deadline(self._clock, self.settings.timeout),
            connect_timeout=self.settings.connect_timeout,
            most=self.settings.max_reply_bytes,
        )

    def check_request(self, whole: etree._Element, operation: AnyOperation) -> None:
        """Check the messages in an envelope, its headers too. Raises ContractError."""
        if self.settings.validate != "off" and (checks := self._checks(operation)) is not None:
            checks.check_request([node for part in whole for node in part.iterchildren("*")], operation.name)

    def _checks(self, operation: AnyOperation) -> Checks | None:
        """What checks an operation's messages. Encoded ones are not as their schema says (SOAP 1.1 5.1)."""
        if operation.encoded:
            return None
        checks = self.package.checks
        with self._lock:
            first, self._warned = not self._warned, True
        if first and checks.trouble:
            log.warning("%s: %s", self.package.tables.name, checks.trouble)
            reader = CountingReader()
            reader.findings[Finding("schema", self.package.tables.name, checks.trouble)] += 1
            self.drift.add(operation.name, reader, raising=False)  # it is no reply's doing
        return checks

    def _of_encoding(self, operation: AnyOperation) -> tuple[encoded.PartTypes, arrays.ItemTags]:
        """What encoded requests say, and how encoded replies are read; found before anything is sent."""
        if not operation.encoded:
            return {}, arrays.ItemTags()
        return self.package.part_types, self.package.item_tags

    def _attempt(
        self,
        operation: Operation[RequestT, ReplyT],
        whole: etree._Element,
        limits: http.Limits,
        items: arrays.ItemTags,
        *,
        safe: bool,
    ) -> tuple[ReplyT, Mapping[str, object]]:
        """One attempt: the reply, and the declared headers that came with it."""
        headers = writing.http_headers(self.port.soap, operation.soap_action)
        if self.security is not None:
            whole, headers = self.security.apply(copy.deepcopy(whole), headers)
        reply = http.send(
            self.session,
            "POST",
            self.address,
            headers=headers,
            body=etree.tostring(whole, xml_declaration=True, encoding="UTF-8"),
            limits=limits,
        )
        counting = CountingReader(self.settings.naive_zone)
        with reply, self.drift.reading(operation.name, counting, safe=safe) as reader:
            strict = self._checks(operation) if self.settings.validate == "all" else None
            verify = None if self.security is None else self.security.verify
            answer = reading.Answer(reply, reader, strict, verify, items)
            if operation.one_way:
                reading.read_nothing(operation, answer)
                return operation.read_reply(etree.Element("nothing"), reader), {}
            return reading.read(operation, answer)
