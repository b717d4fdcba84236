"""The codec of a package: readers and writers for its types.

Readers and writers are functions. They are built on first use from the package's `schema.json`, because types
can refer to one another in cycles and most types are never used. A codec is thread-safe: threads see an
object only when it is complete, and two threads that build the same object get equal results.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from soapclient.runtime.cached_attribute import cached_attribute
from soapclient.runtime.decoding import Decoder
from soapclient.runtime.encoding import Encoder
from soapclient.runtime.fields import Read, Types, Write
from soapclient.runtime.schema import Schema

if TYPE_CHECKING:
    from soapclient.runtime.plans import Plans


class Codec(Types):
    """The types of a package, with the functions that decode (readers) and encode (writers) their values."""

    def __init__(self, schema: Schema, types: ModuleType) -> None:
        super().__init__(schema, types)
        self.decoder = Decoder(self)
        self.encoder = Encoder(self)

    @cached_attribute
    def plans(self) -> Plans:
        """The plans for the compiled reader: tables that say how to decode each type.

        Only available if the compiled reader is in use (`_support.speedups`).
        """
        from soapclient.runtime.plans import Plans

        return Plans(self)

    def reader(self, name: str) -> Read:
        """Return the function that decodes an element of the type `name`."""
        return self.decoder.reader(name)

    def writer(self, name: str) -> Write:
        """Return the function that encodes a value of the type `name` into an element."""
        return self.encoder.writer(name)
