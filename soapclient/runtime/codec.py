"""The codec of a package: what reads and writes its types.

Readers and writers are functions made of rows, each when it is first needed: types know one another in
circles, and most are never met. Threads may share a codec: nothing is seen before it is whole, and what two
make at once is the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from soapclient.runtime.fields import Read, Types, Write

if TYPE_CHECKING:
    from soapclient.runtime.decoding import Decoder
    from soapclient.runtime.encoding import Encoder


class Codec(Types):
    """The types of a package, and what reads and writes them."""

    @cached_property
    def decoder(self) -> Decoder:
        """What reads."""
        from soapclient.runtime.decoding import Decoder

        return Decoder(self)

    @cached_property
    def encoder(self) -> Encoder:
        """What writes."""
        from soapclient.runtime.encoding import Encoder

        return Encoder(self)

    def reader(self, name: str) -> Read:
        """What reads an element of a type."""
        return self.decoder.reader(name)

    def writer(self, name: str) -> Write:
        """What fills an element with a value of a type."""
        return self.encoder.writer(name)
