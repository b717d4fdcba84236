"""An example request as a call of the generated method."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

from lxml import etree

from bindgen.emit.text import fold, literal
from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import DecodeError
from soapclient.runtime.fields import Field
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.record import Record
from soapclient.testing.examples import ZONE

_WIDTH = 88  # of code on a page
ProtocolName = Literal["soap", "rest"]


@dataclass(frozen=True, slots=True)
class Bindings:
    """How code reaches a generated package: the name of the package, the imports besides its types, the line
    that opens the block of the call, the object that has the methods, and a comment to begin with."""

    package: str
    imports: tuple[str, ...]
    opening: str
    receiver: str
    comment: str = ""


class Called(Protocol):
    """What a call needs to know of an operation, be it a contract's or a package's."""

    @property
    def method(self) -> str: ...
    @property
    def port_type(self) -> str: ...
    @property
    def soap(self) -> bool: ...
    @property
    def one_way(self) -> bool: ...


Bound = Callable[[Called], Bindings]  # an operation's


def client_of(
    package: str, name: str, *, settings: Mapping[str, str] | None = None, comment: str = ""
) -> Bindings:
    """Return the bindings of a service that `Client` has. `settings` go before its configuration."""
    imports, opening = "from soapclient import Client", "with Client() as client:"
    if settings:
        arguments = ", ".join(f"{setting}={literal(value)}" for setting, value in settings.items())
        imports = "from soapclient import Client, Settings"
        opening = f"with Client(Settings.load({arguments})) as client:"
    return Bindings(package, (imports,), opening, f"client.{name}", comment)


def service_of(package: str, service_class: str, *, address: str = "", comment: str = "") -> Bindings:
    """Return the bindings of a package whose service class is connected, by default at the WSDL's address."""
    imports = ("from soapclient import connect", f"from {package}.service import {service_class}")
    where = f", address={literal(address)}" if address else ""
    return Bindings(package, imports, f"with connect({service_class}{where}) as service:", "service", comment)


def call(
    operation: Called,
    request: object,
    values: Values,
    bindings: Bindings,
    *,
    headers: Sequence[tuple[str, object]] = (),
    protocol: ProtocolName | None = None,
    whole: bool = False,
) -> str:
    """Python that calls the operation with the example. A field that the protocol lacks is a comment.

    `whole`: the method takes the request whole, of a type that derives from what the contract says.
    """
    protocol = protocol or ("soap" if operation.soap else "rest")
    arguments = list(values.arguments(request))
    lines: list[str] = []
    for field, value in sorted(
        arguments, key=lambda pair: not pair[0].least
    ):  # what must be given comes first
        if field.row.protocol in ("", protocol):
            lines += fold(f"    {field.python}={value},", _WIDTH - 4)
        else:
            lines.append(f"    # {field.python}: {field.row.protocol.upper()} only")
    if whole:
        lines = fold(f"    {values.expression(request)},", _WIDTH - 4)
    for name, header in headers:
        lines += fold(f"    {name}={values.expression(header)},", _WIDTH - 4)
    head = f"response = {bindings.receiver}.{operation.method}("
    if operation.one_way:
        head = head.removeprefix("response = ")
    made = [head, *lines, ")"] if lines else [f"{head})"]
    written = [f"    {line}" for line in made]
    imports = _imports(values.types, "\n".join(written), bindings)
    comment = [f"# {bindings.comment}"] if bindings.comment else []
    return "\n".join([*comment, *imports, "", *fold(bindings.opening, _WIDTH), *written]) + "\n"


def _imports(known: Collection[str], made: str, bindings: Bindings) -> list[str]:
    """What the call uses. A text that looks like a call makes an import too much, and no harm."""
    lines = [
        *(["import datetime as dt"] if "dt." in made else []),
        *(["from decimal import Decimal"] if "Decimal(" in made else []),
    ]
    lines += ["", *bindings.imports] if lines else bindings.imports
    lines += ["from soapclient.runtime.any_element import AnyElement"] if "AnyElement(" in made else []
    types = sorted({*re.findall(r"\b(\w+)\(", made)}.intersection(known))
    if types:
        whole = f"from {bindings.package}.types import {', '.join(types)}"
        listed = [f"from {bindings.package}.types import (", *(f"    {name}," for name in types), ")"]
        lines += [whole] if len(whole) <= _WIDTH else listed
    return lines


class Values:
    """Values of a package's types, as Python writes them; days begin in the zone."""

    def __init__(self, codec: Codec, report_zone: dt.tzinfo = ZONE) -> None:
        self._codec = codec
        self._report_zone = report_zone
        self.types: set[str] = set()  # the classes that they are of

    def read(self, name: str, node: etree._Element) -> object:
        """The value that an element is; None for an example that never ends, and so was cut off."""
        try:
            return self._codec.reader(name)(
                node, CountingReader(naive_zone=None, report_zone=self._report_zone)
            )
        except DecodeError:
            return None

    def arguments(self, value: object) -> Iterator[tuple[Field, str]]:
        """Each field that has a value other than by default, and this as an expression."""
        name = type(value).__name__
        defaults = self._codec.defaults(name) if value is not None else {}
        for field in self._codec.fields(name) if value is not None else ():
            found = getattr(value, field.python)
            if found not in (None, [], {}) and found != defaults.get(field.python):
                yield field, self.expression(found, any_element=field.kind == "any")

    def expression(self, value: object, *, any_element: bool = False) -> str:
        """A value as Python has it."""
        if isinstance(value, list):
            return f"[{', '.join(self.expression(each, any_element=any_element) for each in value)}]"
        if isinstance(value, AnyElement):
            # Of a wildcard without a namespace of its own one cannot say more here than that it is let in.
            return f"AnyElement(name={literal(value.name)})" if any_element else 'AnyElement(text="anything")'
        if isinstance(value, Record):
            self.types.add(type(value).__name__)
            inner = ", ".join(f"{field.python}={said}" for field, said in self.arguments(value))
            return f"{type(value).__name__}({inner})"
        if isinstance(value, Decimal):
            return f"Decimal({literal(str(value))})"
        if isinstance(value, dt.datetime) and value.tzinfo not in (None, dt.UTC):
            return f"dt.datetime.fromisoformat({literal(value.isoformat())})"
        if isinstance(value, str):
            return literal(str(value))
        return repr(value).replace("datetime.timezone.utc", "dt.UTC").replace("datetime.", "dt.")
