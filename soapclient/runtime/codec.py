"""The codec of a package: what reads and writes its types.

Readers and writers are functions made of rows, each when it is first needed: types know one another in
circles, and most are never met. Threads may share a codec: nothing is seen before it is whole, and what two
make at once is the same.
"""

from __future__ import annotations

from types import ModuleType

from soapclient.runtime.decoding import Decoder
from soapclient.runtime.encoding import Encoder
from soapclient.runtime.fields import Read, Types, Write
from soapclient.runtime.schema import Schema


class Codec(Types):
    """The types of a package, and what reads and writes them."""

    def __init__(self, schema: Schema, types: ModuleType) -> None:
        super().__init__(schema, types)
        self.decoder = Decoder(self)
        self.encoder = Encoder(self)

    def reader(self, name: str) -> Read:
        """What reads an element of a type."""
        return self.decoder.reader(name)

    def writer(self, name: str) -> Write:
        """What fills an element with a value of a type."""
        return self.encoder.writer(name)
