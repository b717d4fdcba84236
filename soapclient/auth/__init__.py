"""Authentication: credentials, signing schemes, and the zeep plugin that signs envelopes."""

from soapclient.auth.credentials import Credentials, Secret
from soapclient.auth.provider import CredentialsObject, CredentialsProvider
from soapclient.auth.signing import rest_string_to_sign, rest_timestamp, sign, soap_string_to_sign

__all__ = [
    "Credentials",
    "CredentialsObject",
    "CredentialsProvider",
    "Secret",
    "rest_string_to_sign",
    "rest_timestamp",
    "sign",
    "soap_string_to_sign",
]
