"""Which port of a service is called, and at which address."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from soapclient.auth.credentials import is_visible_ascii
from soapclient.config.addresses import is_loopback, is_placeholder
from soapclient.config.settings import nearest
from soapclient.errors import ConfigError
from soapclient.redaction import safe_url
from soapclient.runtime.schema import PortRow
from soapclient.soap.packages import Package

_GIVE_IT: Final = "Pass it as connect(…, address=…)"


def choose_port(package: Package, name: str | None) -> PortRow:
    """The port of that name, or the first of the WSDL. Raises ConfigError where there is none."""
    known = {port.name: port for port in package.ports}
    if name is None and known:
        return next(iter(known.values()))
    if name is None or name not in known:
        said = "has no SOAP port" if name is None else f"has no port {name!r}{nearest(name, known)}"
        raise ConfigError("port", f"{package.name} {said}", f"Its ports are: {', '.join(known) or 'none'}")
    return known[name]


def check_address(port: PortRow, given: str | None, *, allow_http: bool) -> str:
    """The address given, or the port's own. Raises ConfigError for one that may not be called.

    It needs https, but for this machine, or where `allow_http` says otherwise: what is sent in clear text can
    be read and changed by everybody on the way, credentials included.
    """
    address = port.address.strip() if given is None else given
    source = f"the WSDL's address of {port.name}" if given is None else "the address"
    if not isinstance(address, str):
        raise ConfigError("address", f"{source} is no text", _GIVE_IT)
    try:
        parts = urlsplit(address)
        host, scheme = parts.hostname or "", parts.scheme.lower()
        parts.port  # noqa: B018 - raises for one that is no number
    except ValueError:
        raise ConfigError("address", f"{source} is not well-formed", _GIVE_IT) from None
    if not address or is_placeholder(host):
        said = "is a placeholder" if address else "is not there"
        raise ConfigError("address", f"{source} {said}", _GIVE_IT)
    shown = safe_url(address)
    if scheme not in {"http", "https"} or not host or not is_visible_ascii(address):
        raise ConfigError("address", f"{source}, {shown}, is no http or https address", _GIVE_IT)
    if "@" in parts.netloc:
        raise ConfigError("address", f"{source}, {shown}, has user info", "Pass that as connect(…, auth=…)")
    if "#" in address:
        raise ConfigError("address", f"{source}, {shown}, has a fragment", _GIVE_IT)
    if scheme == "http" and not allow_http and not is_loopback(host):
        raise ConfigError(
            "address",
            f"{source}, {shown}, is http: everybody on the way can read what is sent",
            f"{_GIVE_IT} with https, or allow it with ServiceSettings(allow_http=True)",
        )
    return address
