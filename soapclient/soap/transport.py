"""zeep's transport for one attempt: validate the very tree that is sent, post it, hand over the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree
from zeep.transports import Transport

from soapclient.auth.plugin import body_child
from soapclient.contract.validation import Schema
from soapclient.runtime.errors import local_name
from soapclient.soap import envelope as envelopes
from soapclient.transport import bodies, http

if TYPE_CHECKING:
    import requests


class AttemptTransport(Transport):
    """Posts one envelope. `schema` is None where requests are not validated, `strict` validates replies too.

    `raw`: the answer is handed over unread, as a `http.Reply`. Else it is a response for zeep, read to its
    end inside the deadline and the size that is allowed.
    """

    def __init__(
        self,
        session: requests.Session,
        *,
        schema: Schema | None,
        limits: http.Limits,
        strict: bool,
        raw: bool,
    ) -> None:
        # Not zeep's own: it would mount a file adapter on the shared session and rename its user agent.
        self._session = session
        self._schema = schema
        self._limits = limits
        self._strict = strict
        self._raw = raw
        self._close_session = False
        self.posted = False

    def post_xml(
        self, address: str, envelope: etree._Element, headers: dict[str, str]
    ) -> http.Reply | requests.Response:
        """Post the envelope.

        Raises ContractError before, Timeout or ConnectionFailed while sending, ReplyError for a reply that is
        not valid.
        """
        if self._schema is not None:
            self._schema.check_request(body_child(envelope), self._limits.operation)
        self.posted = True
        reply = http.send(
            self._session,
            "POST",
            address,
            headers=headers,
            body=etree.tostring(envelope, xml_declaration=True, encoding="UTF-8"),
            limits=self._limits,
        )
        if self._raw:
            return reply
        with reply:
            envelopes.check_head(reply, self._limits.operation)
            response = reply.whole()
        if self._strict and self._schema is not None:
            self._check_reply(response.content, self._schema)
        return response

    def _check_reply(self, content: bytes, schema: Schema) -> None:
        try:
            message = body_child(etree.fromstring(content, bodies.parser()))
        except (etree.XMLSyntaxError, ValueError, LookupError):
            return  # no envelope, or nothing in it: zeep has its own words for that
        if local_name(message.tag) != "Fault":
            schema.check_reply(message, self._limits.operation)
