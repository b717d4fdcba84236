"""The files of TLS, looked at before the first call: in the midst of one nobody knows what failed."""

from __future__ import annotations

import os
import ssl
from typing import Final, NoReturn

from soapclient.config.service import ServiceSettings
from soapclient.errors import ConfigError
from soapclient.redaction import shown

_GIVE_ANOTHER: Final = "Give another to ServiceSettings"


def check(settings: ServiceSettings) -> None:
    """Raise ConfigError where `verify` or `certificate` names files that cannot be used."""
    trusted, own = settings.verify, settings.certificate
    if isinstance(trusted, str):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            if os.path.isdir(trusted):
                context.load_verify_locations(capath=trusted)
            else:
                context.load_verify_locations(cafile=trusted)
        except (OSError, ValueError) as error:
            said = f"{shown(trusted)} is no bundle of certificates ({_why(error)})"
            raise ConfigError("verify", said, _GIVE_ANOTHER) from None
    if own is not None:
        certificate, key = (own, None) if isinstance(own, str) else own
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            context.load_cert_chain(certificate, key, password=_refuse)
        except (OSError, ValueError) as error:
            named = certificate if key is None else f"{certificate}, {key}"
            said = f"{shown(named)} cannot be used ({_why(error)}): it takes PEM, a certificate and its key"
            raise ConfigError("certificate", said, _GIVE_ANOTHER) from None


def _refuse() -> NoReturn:
    """In place of a question on the terminal, which OpenSSL would ask, and wait."""
    said = "the key is encrypted, and there is nobody to ask for its password"
    raise ConfigError("certificate", said, "Give one that is not encrypted, readable for yourself alone")


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, ssl.SSLError):
        return error.reason or "not PEM"
    return getattr(error, "strerror", None) or type(error).__name__
