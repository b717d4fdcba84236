"""A generated package as the run time needs it: its tables, the operations of a port type, its documents; and
which port is called, at which address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from types import ModuleType
from typing import Final, TypeVar
from urllib.parse import urlsplit

from lxml import etree

from soapclient import runtime
from soapclient._support.forks import lazy
from soapclient._support.redaction import clean, safe_url
from soapclient.auth.credentials import is_visible_ascii
from soapclient.contract.validation import Checks, checks_of
from soapclient.errors import ConfigError
from soapclient.runtime.operations import AnyOperation, HeaderCaller
from soapclient.runtime.schema import PortRow
from soapclient.runtime.settings import Settings
from soapclient.settings.addresses import AllowHttp, is_placeholder, may_be_http
from soapclient.settings.settings import nearest
from soapclient.soap import encoded

T = TypeVar("T")

_GENERATE: Final = "Pass a service class of a package that `bindgen init` wrote"
_GIVE_IT: Final = "Pass it as connect(…, address=…)"
_AGAIN: Final = "Run `bindgen init` again, or install it whole"


@dataclass(frozen=True)
class Package:
    """One generated package, by its dotted name, as one of its service classes sees it."""

    name: str
    tables: Settings
    operations: Mapping[str, AnyOperation]  # of the class's port type, by their WSDL names
    ports: tuple[PortRow, ...]  # of the class's port type, in the order of the WSDL

    @lazy
    def wsdl(self) -> bytes:
        """The one-file contract."""
        return self._document("contract.wsdl")

    @lazy
    def checks(self) -> Checks:
        """What checks its messages."""
        inferred = [self._messages] if self.tables.messages else []
        return self._parsed(lambda: checks_of([self.wsdl, *inferred], compiles=self.tables.compiles))

    @lazy
    def part_types(self) -> encoded.PartTypes:
        """What encoded messages say of their parts."""
        self._parsed(lambda: etree.fromstring(self.wsdl))  # a damaged package is an error, nothing is sent
        return self._parsed(lambda: encoded.part_types(self._messages)) if self.tables.messages else {}

    def _parsed(self, parse: Callable[[], T]) -> T:
        try:
            return parse()
        except etree.XMLSyntaxError as error:
            said = f"a document of the package {self.name} is no XML ({clean(str(error), 200)})"
            raise ConfigError("service", said, _AGAIN) from None

    @lazy
    def _messages(self) -> bytes:
        return self._document("messages.xsd")

    def _document(self, file: str) -> bytes:
        try:
            return resources.files(self.name).joinpath(file).read_bytes()
        except OSError as error:
            said = f"{file} of the package {self.name} cannot be read ({error.strerror})"
            raise ConfigError("service", said, _AGAIN) from None


def package_of(service: Callable[[HeaderCaller], object]) -> Package:
    """Return the package of a service class. Raises ConfigError for anything else."""
    name = str(getattr(service, "__module__", "")).rpartition(".")[0]
    package = getattr(service, "PACKAGE", None)
    if not (name and isinstance(package, runtime.Package) and isinstance(service, type)):
        kind = clean(getattr(service, "__qualname__", None) or type(service).__qualname__)
        without_asyncio = getattr(service, "SERVICE", None)
        if isinstance(without_asyncio, type):
            advice = f"Pass it to connect_async(), or {without_asyncio.__name__} to connect()"
            raise ConfigError("service", f"{kind} is for asyncio", advice)
        if isinstance(service, ModuleType):
            kind = f"the module {clean(service.__name__)}"
        raise ConfigError("service", f"{kind} is not a service class", _GENERATE)
    port_type = getattr(service, "PORT_TYPE", None)
    # By their rows, for all else of an operation is read when it is called.
    operations = [each for each in package.operations.values() if each.row.port_type == port_type]
    ports = tuple(port for port in package.settings.ports if port.port_type == port_type)
    return Package(name, package.settings, {each.name: each for each in operations}, ports)


def choose_port(package: Package, name: str | None) -> PortRow:
    """Return the port of that name, or the first of the WSDL.

    A port has its name and `Service/Port`. Raises ConfigError if there is none, or several of that name.
    """
    if name is None:
        if package.ports:
            return package.ports[0]
        raise ConfigError("port", f"{package.name} has no SOAP port", "Its ports are: none")
    return port_named(name, package.ports, package.name)


def port_named(name: str, ports: Sequence[PortRow], package: str) -> PortRow:
    """Return the port of that name, alone or as `Service/Port`.

    Raises ConfigError if there is none, or several of that name.
    """
    if not isinstance(name, str):
        advice = f"Its ports are: {', '.join(port_names(ports))}"
        raise ConfigError("port", f"must be a name, got {type(name).__name__}", advice)
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
    """The names of ports; `Service/Port` if two have the same name."""
    several = len({port.name for port in ports}) < len(ports)
    return [port.full_name if several else port.name for port in ports]


def check_address(port: PortRow, given: str | None, *, allow_http: AllowHttp) -> str:
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
        raise ConfigError(
            "address",
            f"{source} must be an http or https address such as https://service.example/soap, got {shown!r}",
            _GIVE_IT,
        )
    if "@" in parts.netloc:
        raise ConfigError("address", f"{source}, {shown}, has user info", "Pass that as connect(…, auth=…)")
    if "#" in address:
        raise ConfigError("address", f"{source}, {shown}, has a fragment", _GIVE_IT)
    if scheme == "http" and not may_be_http(host, allow_http):
        raise ConfigError(
            "address",
            f"{source}, {shown}, is http: everybody on the way can read what is sent",
            f"{_GIVE_IT} with https, or allow it: connect(…, allow_http=[{host!r}])",
        )
    return address
