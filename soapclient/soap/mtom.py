"""MTOM: send large binary values of a request as parts of a multipart message (XOP), not as Base64.

While a request is encoded, `Parts` collects its large values and inserts an `xop:Include` element for each of
them. The values are read when the message is sent, and again for each attempt.

Plugins and WS-Security objects get the logical message, which contains Base64 text. For them, `prepare`
replaces the includes by text, and `body` restores the includes afterwards. Signatures therefore cover the
text, as XOP 1.0 requires (section 5): a receiver restores the text before it verifies the signatures.

Without plugins and WS-Security, a value is never in memory completely, unless the caller has passed it as
bytes.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, Literal, NamedTuple

import msgspec
from lxml import etree

from soapclient.clock import Deadline
from soapclient.errors import ContractError
from soapclient.runtime.binary import INCLUDE, Source, append_include, sink
from soapclient.runtime.schema import PortRow
from soapclient.runtime.service import Attachment
from soapclient.soap.multipart import BinaryPart, new_token, pieces_of
from soapclient.transport.streamed_body import StreamedBody, joined

_XMIME: Final = (
    "{http://www.w3.org/2005/05/xmlmime}contentType",
    "{http://www.w3.org/2004/11/xmlmime}contentType",
)
_ANY_TYPE: Final = "application/octet-stream"
_DOMAIN: Final = "@soapclient"
_END: Final = ".part-of-this-request@soapclient"  # host of the references in envelopes that are not yet sent


class Mtom(msgspec.Struct, frozen=True):
    """When the requests of a port use MTOM.

    - `off`: never.
    - `declared`: for values whose media type the contract declares (`xmime:expectedContentTypes`).
    - `large`: for all large values.
    - `always`: for each request, even if it has no large value.

    A value is large if it has more than `above` bytes.
    """

    use: Literal["off", "declared", "large", "always"] = "off"
    above: int = 0


OFF: Final = Mtom()


def mtom_of(port: PortRow, setting: Literal["auto", "always", "never"], above: int) -> Mtom:
    """Return when the requests of a port use MTOM. `setting` and `above` come from the client's settings."""
    if setting == "never":
        return OFF
    if setting == "always" or port.mtom == "required":
        return Mtom("always", above)
    return Mtom("large" if port.mtom == "optional" else "declared", above)


class _Part(NamedTuple):
    """A binary value that is sent as a part.

    `content_types` are the media types that the contract expects. `path` is the value's path, for errors.
    """

    source: Source
    content_types: str
    path: str


class Parts:
    """The binary values of one request that are sent as parts. Implements `Sink` of `runtime.binary`.

    Iterating over this object yields the contents of the parts. Equal requests have equal contents.
    """

    def __init__(
        self, rule: Mtom, operation: str, deadline: Deadline, new_token: Callable[[], str] = new_token
    ) -> None:
        """Create an empty collection.

        `new_token` returns a text that makes Content-IDs and the boundary unique.
        """
        self._rule = rule
        self._operation = operation
        self._deadline = deadline
        self._new_token = new_token
        self.sources: list[Source] = []  # sources of all binary values, if the rule is not "off"
        self._parts: dict[str, _Part] = {}  # by reference: `cid:` and the Content-ID
        self._expanded: list[tuple[str, etree._Element]] = []

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Context manager: inside the `with` block, this object collects the large values of the request.

        The caller encodes the request inside the block.
        """
        token = sink.set(None if self._rule.use == "off" else self)
        try:
            yield
        except BaseException:
            self.close()
            raise
        finally:
            sink.reset(token)

    def source(self, value: object) -> Source:
        """Return a `Source`, which can read a binary value several times.

        Raises TypeError or ValueError if `value` is not a binary value.
        """
        source = Source(value, check=partial(self._deadline.check, self._operation, request_sent=False))
        self.sources.append(source)
        return source

    def put(self, source: Source, content_types: str, path: str) -> str | None:
        """Store a value that is sent as a part, and return its reference.

        Return None, without storing the value, if it is sent as Base64 text.

        `content_types` are the media types that the contract expects. `path` is the value's path, for errors.
        """
        if source.size <= self._rule.above or (self._rule.use == "declared" and not content_types):
            return None
        reference = f"cid:{len(self._parts) + 1}{_END}"
        self._parts[reference] = _Part(source, content_types, path)
        return reference

    def close(self) -> None:
        """Delete temporary copies of streams."""
        for source in self.sources:
            source.close()

    def __iter__(self) -> Iterator[bytes]:
        with self._reading():
            for part in self._parts.values():
                yield from part.source.chunks()

    def prepare(self, root: etree._Element, *, logical: bool) -> None:
        """Prepare the envelope of an attempt.

        If `logical` is True, replace its `xop:Include` elements by Base64 text.

        Raises ContractError if a file cannot be read, because it is closed or its size has changed.
        """
        for part in self._parts.values():
            try:
                part.source.check()
            except ValueError as error:
                raise ContractError(part.path, None, "", str(error), operation=self._operation) from None
        self._expanded = []
        for node in list(root.iter(INCLUDE)) if logical and self._parts else ():
            reference, parent = node.get("href", ""), node.getparent()
            if reference in self._parts and parent is not None:
                with self._reading():
                    text = base64.b64encode(self._parts[reference].source.read_all()).decode()
                parent.remove(node)
                parent.text = text
                self._expanded.append((reference, parent))

    def body(
        self,
        envelope: etree._Element,
        headers: Mapping[str, str],
        attachments: Sequence[Attachment],
        deadline: Deadline,
    ) -> tuple[bytes | StreamedBody, dict[str, str]]:
        """Return the body of an attempt, and its HTTP headers.

        `headers` are the HTTP headers for a message that is only the envelope. `attachments` are further
        parts. `deadline` is the deadline of the attempt. Raises ContractError if a file cannot be read.
        """
        contents = self._collapse(envelope) if self._expanded else {}
        parts = self._binary_parts(envelope, contents) if self._parts else []
        xop = bool(parts) or self._rule.use == "always"
        content = etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")
        if not (xop or attachments):
            return content, dict(headers)
        token = self._new_token()
        pieces, all_headers = pieces_of(content, headers, attachments, parts, xop=xop, token=token)
        with self._reading():
            return joined(pieces, partial(deadline.check, self._operation)), all_headers

    def _collapse(self, root: etree._Element) -> dict[str, bytes]:
        """Replace the Base64 texts that `prepare` has inserted by `xop:Include` elements again.

        Returns the binary contents of these texts, by the references of their parts.

        An element is skipped if it is no longer in the envelope `root`, for example because it was encrypted,
        or if its text is not canonical Base64.
        """
        contents: dict[str, bytes] = {}
        for reference, node in self._expanded:
            text = node.text or ""
            if len(node) or node.getroottree().getroot() is not root:
                continue
            try:
                content = base64.b64decode(text, validate=True)
            except binascii.Error:
                continue
            if base64.b64encode(content).decode() == text:
                node.text = None
                append_include(node, reference)
                contents[reference] = content
        return contents

    def _binary_parts(self, root: etree._Element, contents: Mapping[str, bytes]) -> list[BinaryPart]:
        """Return the parts that an envelope includes, and make their references unique.

        `contents` is the result of `_collapse`: contents of parts by reference. The contents of all other
        parts are read from the caller's values.
        """
        token, result = self._new_token(), []
        for node in root.iter(INCLUDE):
            reference, parent = node.get("href", ""), node.getparent()
            part = self._parts.get(reference)
            if part is not None and parent is not None:
                content_id = f"{reference[4:].removesuffix(_END)}.{token}{_DOMAIN}"
                node.set("href", f"cid:{content_id}")
                kind = media_type_of(parent, part.content_types)
                result.append(BinaryPart(content_id, kind, contents.get(reference, part.source)))
        return result

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Context manager that converts an OSError while reading a file to a ContractError.

        Only used before the request is sent, because a ContractError means that nothing was sent.
        """
        try:
            yield
        except OSError as error:
            path = next((part.path for part in self._parts.values()), "attachments")
            reason = error.strerror or str(error)
            raise ContractError(path, None, "", reason, operation=self._operation) from None


def media_type_of(node: etree._Element, content_types: str) -> str:
    """Return the media type of the binary content of an element.

    This is the value of the attribute `xmime:contentType`, if present. Otherwise, it is the media type that
    the contract expects (`content_types`), or application/octet-stream if the contract allows several.
    """
    expected = "" if "," in content_types or "*" in content_types else content_types.strip()
    kinds = (*map(node.get, _XMIME), expected)
    return next((kind for kind in kinds if kind and kind.isascii() and kind.isprintable()), _ANY_TYPE)


@contextmanager
def without_includes(root: etree._Element) -> Iterator[None]:
    """Remove the `xop:Include` elements from an envelope inside a `with` block (context manager).

    Without them, the envelope can be validated against its schema. They are inserted again afterwards.
    """
    if root.find(f".//{INCLUDE}") is None:
        yield
        return
    nodes = [(node, parent) for node in root.iter(INCLUDE) if (parent := node.getparent()) is not None]
    places = [(parent, parent.index(node), node) for node, parent in nodes]
    for parent, _, node in places:
        parent.remove(node)
    try:
        yield
    finally:
        for parent, at, node in places:
            parent.insert(at, node)
