"""WS-Security: sign, encrypt and authenticate SOAP messages, and verify responses.

A `Security` object has the building blocks of a request, in order, and the rules that its response must meet.
Pass it as the argument `wsse` of `Client`, `connect`, their asynchronous versions, or `zeep.Client`. See
docs/how-to/ws-security.md.

Needs the extra `security`: `pip install 'soapclient[security]'`.
"""

from __future__ import annotations

from soapclient.errors import ConfigError, SecurityError

try:
    import cryptography as _cryptography  # noqa: F401 - only to give a better error
except ModuleNotFoundError as _error:
    if _error.name != "cryptography":
        raise
    raise ConfigError(
        "wsse", "the library cryptography is not installed", "Install it: pip install 'soapclient[security]'"
    ) from None

from soapclient.security._algorithms import LEGACY, MODERN, Algorithms, PrivateKey
from soapclient.security._blocks import Block, Encryption, SamlToken, Signature, Timestamp, UsernameToken
from soapclient.security._certificates import KeyPair, SigningFunction, Source, TokenReference
from soapclient.security._keys import SecurityKeys
from soapclient.security._replay import Replays
from soapclient.security._security import Security
from soapclient.security._symmetric import SymmetricBinding
from soapclient.security._trust import Authorities, Peers, Trust
from soapclient.security._verify import Verify
from soapclient.security._xml import Message

__all__ = [
    "LEGACY",
    "MODERN",
    "Algorithms",
    "Authorities",
    "Block",
    "Encryption",
    "KeyPair",
    "Message",
    "Peers",
    "PrivateKey",
    "Replays",
    "SamlToken",
    "Security",
    "SecurityError",
    "SecurityKeys",
    "Signature",
    "SigningFunction",
    "Source",
    "SymmetricBinding",
    "Timestamp",
    "TokenReference",
    "Trust",
    "UsernameToken",
    "Verify",
]
