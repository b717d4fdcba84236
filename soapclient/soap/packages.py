"""Find the package, the port and the address for a service class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Final
from urllib.parse import urlsplit

from soapclient import runtime
from soapclient._support.redaction import clean, safe_url
from soapclient._support.suggestions import nearest
from soapclient.auth.credentials import is_visible_ascii
from soapclient.errors import ConfigError
from soapclient.runtime.operations import HeaderCaller
from soapclient.runtime.schema import PortRow
from soapclient.settings.addresses import AllowHttp, is_placeholder, may_be_http

_GENERATE: Final = "Pass a service class of a package that `bindgen init` generated"
_PASS_ADDRESS: Final = "Pass it as connect(…, address=…)"


def package_of(service: Callable[[HeaderCaller], object]) -> runtime.Package:
    """Return the package of a service class. Raises ConfigError if `service` is anything else."""
    name = str(getattr(service, "__module__", "")).rpartition(".")[0]
    package = getattr(service, "PACKAGE", None)
    if not (name and isinstance(package, runtime.Package) and isinstance(service, type)):
        kind = clean(getattr(service, "__qualname__", None) or type(service).__qualname__)
        without_asyncio = getattr(service, "SERVICE", None)
        if isinstance(without_asyncio, type):
            advice = f"Pass it to connect_async(), or {without_asyncio.__name__} to connect()"
            raise ConfigError("service", f"{kind} is a service class for asyncio", advice)
        if isinstance(service, ModuleType):
            kind = f"the module {clean(service.__name__)}"
        raise ConfigError("service", f"{kind} is not a service class", _GENERATE)
    return package


def choose_port(package: runtime.Package, port_type: str, name: str | None) -> PortRow:
    """Return the port that has this port type and this name.

    `name` is the name of the port in the WSDL, or `Service/Port`. If it is None, the first port of the type
    is returned. Raises ConfigError if no port or several ports match.
    """
    ports = tuple(port for port in package.settings.ports if port.port_type == port_type)
    if name is None:
        if ports:
            return ports[0]
        raise ConfigError("port", f"{package.name} has no SOAP port", "Use a package with a SOAP port")
    return port_named(name, ports, package.name)


def port_named(name: str, ports: Sequence[PortRow], package: str) -> PortRow:
    """Return the port called `name`, which has the form `Port` or `Service/Port`.

    Raises ConfigError if no port or several ports match.
    """
    if not isinstance(name, str):
        advice = f"Its ports are: {', '.join(port_names(ports))}"
        raise ConfigError("port", f"must be a string, got {type(name).__name__}", advice)
    matches = [port for port in ports if port.is_named(name)]
    if len(matches) == 1:
        return matches[0]
    names = port_names(matches or ports)
    if matches:
        problem = f"{package} has {len(matches)} ports named {name!r}"
        raise ConfigError("port", problem, f"Name one of: {', '.join(names)}")
    hint = nearest(name, names)
    raise ConfigError(
        "port", f"{package} has no port {name!r}{hint}", f"Its ports are: {', '.join(names) or 'none'}"
    )


def port_names(ports: Sequence[PortRow]) -> list[str]:
    """Return the names of ports. If two ports have the same name, all names have the form `Service/Port`."""
    several = len({port.name for port in ports}) < len(ports)
    return [port.full_name if several else port.name for port in ports]


def check_address(address: str | None, port: PortRow | None, *, allow_http: AllowHttp) -> str:
    """Return `address` or, if it is None, the port's address in the WSDL.

    If `port` is None, `address` is a base address for REST, to which paths are appended. A slash at its end
    is removed. Raises ConfigError in these cases:

    - The address is missing or invalid, or a REST address has a query.
    - The address is http, unless the host is this machine or in `allow_http`. Over http, other machines could
      read and change requests, including credentials.
    """
    source = "the address"
    if address is None:
        address, source = "", "the REST address"
        if port is not None:
            address, source = port.address.strip(), f"the WSDL's address of {port.name}"
    if not isinstance(address, str):
        raise ConfigError("address", f"{source} must be a string", _PASS_ADDRESS)
    try:
        parts = urlsplit(address)
        host, scheme = parts.hostname or "", parts.scheme.lower()
        parts.port  # noqa: B018 - raises ValueError if the port is not a number
    except ValueError:
        raise ConfigError("address", f"{source} is not well-formed", _PASS_ADDRESS) from None
    if not address or is_placeholder(host):
        problem = "is a placeholder" if address else "is missing"
        raise ConfigError("address", f"{source} {problem}", _PASS_ADDRESS)
    shown = safe_url(address)
    if scheme not in {"http", "https"} or not host or not is_visible_ascii(address):
        raise ConfigError(
            "address",
            f"{source} must be an http or https address such as https://service.example/soap, got {shown!r}",
            _PASS_ADDRESS,
        )
    if "@" in parts.netloc:
        raise ConfigError(
            "address", f"{source}, {shown}, has a user name or password", "Pass them as connect(…, auth=…)"
        )
    if "#" in address:
        raise ConfigError("address", f"{source}, {shown}, has a fragment", _PASS_ADDRESS)
    if port is None and "?" in address:
        problem = f"{source}, {shown}, has a query, but REST paths are appended to the address"
        raise ConfigError("address", problem, _PASS_ADDRESS)
    if scheme == "http" and not may_be_http(host, allow_http):
        raise ConfigError(
            "address",
            f"{source}, {shown}, is http: other machines on the network can read what is sent",
            f"{_PASS_ADDRESS} with https, or allow http: connect(…, allow_http=[{host!r}])",
        )
    return address if port is not None else address.rstrip("/")
