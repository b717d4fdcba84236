"""Write an example request as a Python call of the generated method."""

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

_WIDTH = 88  # characters per line of code on a page
ProtocolName = Literal["soap", "rest"]


@dataclass(frozen=True, slots=True)
class Bindings:
    """The parts of example code that depend on the generated package.

    - `package`: the name of the package.
    - `imports`: the import lines besides the types of the package.
    - `opening`: the line that opens the block of the call.
    - `receiver`: the object with the methods.
    - `comment`: a comment for the first line.
    """

    package: str
    imports: tuple[str, ...]
    opening: str
    receiver: str
    comment: str = ""


class CallInfo(Protocol):
    """The attributes of an operation that `call` reads.

    Operations of the model have them, and so do the operation constants of a generated package.
    """

    @property
    def method(self) -> str: ...
    @property
    def port_type(self) -> str: ...
    @property
    def soap(self) -> bool: ...
    @property
    def one_way(self) -> bool: ...


Bound = Callable[[CallInfo], Bindings]  # returns the bindings of an operation


def client_of(
    package: str, name: str, *, settings: Mapping[str, str] | None = None, comment: str = ""
) -> Bindings:
    """Return the `Bindings` for example code that calls a service through `Client`, as `client.NAME.…`.

    `name` is the attribute of the client for the service. `settings` are arguments of `Settings.load` that
    configure the client. `package` and `comment` are the same as in `Bindings`.
    """
    imports, opening = "from soapclient import Client", "with Client() as client:"
    if settings:
        arguments = ", ".join(f"{setting}={literal(value)}" for setting, value in settings.items())
        imports = "from soapclient import Client, Settings"
        opening = f"with Client(Settings.load({arguments})) as client:"
    return Bindings(package, (imports,), opening, f"client.{name}", comment)


def service_of(package: str, service_class: str, *, address: str = "", comment: str = "") -> Bindings:
    """Return the `Bindings` for example code that connects a service class with `connect`.

    `address` is the address of the service, by default the address in the WSDL. `package` and `comment` are
    the same as in `Bindings`.
    """
    imports = ("from soapclient import connect", f"from {package}.service import {service_class}")
    where = f", address={literal(address)}" if address else ""
    return Bindings(package, imports, f"with connect({service_class}{where}) as service:", "service", comment)


def call(
    operation: CallInfo,
    request: object,
    values: Values,
    bindings: Bindings,
    *,
    headers: Sequence[tuple[str, object]] = (),
    protocol: ProtocolName | None = None,
    whole: bool = False,
) -> str:
    """Return Python code that calls the operation with the contents of `request`.

    `values` converts the contents to Python expressions. `headers` are the keyword arguments for SOAP
    headers, as pairs of name and value. Fields that `protocol` does not send are written as comments. With
    `whole`, the code passes a request object to the method instead of a keyword argument for each field.
    """
    protocol = protocol or ("soap" if operation.soap else "rest")
    arguments = list(values.arguments(request))
    lines: list[str] = []
    for field, value in sorted(
        arguments, key=lambda pair: not pair[0].least
    ):  # required parameters come first
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
    code = [head, *lines, ")"] if lines else [f"{head})"]
    block = [f"    {line}" for line in code]
    imports = _imports(values.types, "\n".join(block), bindings)
    comment = [f"# {bindings.comment}"] if bindings.comment else []
    return "\n".join([*comment, *imports, "", *fold(bindings.opening, _WIDTH), *block]) + "\n"


def _imports(type_names: Collection[str], code: str, bindings: Bindings) -> list[str]:
    """Return the import lines for the names that `code` seems to use.

    A name is found by searching the text, so a string such as "Decimal(" can cause an unused import.
    """
    lines = [
        *(["import datetime as dt"] if "dt." in code else []),
        *(["from decimal import Decimal"] if "Decimal(" in code else []),
    ]
    lines += ["", *bindings.imports] if lines else bindings.imports
    lines += ["from soapclient.runtime.any_element import AnyElement"] if "AnyElement(" in code else []
    types = sorted({*re.findall(r"\b(\w+)\(", code)}.intersection(type_names))
    if types:
        line = f"from {bindings.package}.types import {', '.join(types)}"
        several_lines = [f"from {bindings.package}.types import (", *(f"    {name}," for name in types), ")"]
        lines += [line] if len(line) <= _WIDTH else several_lines
    return lines


class Values:
    """Writes values of a package's types as Python expressions.

    Some fields are a date-time in XML, but a date in Python. `report_zone` is the time zone for this
    conversion.
    """

    def __init__(self, codec: Codec, report_zone: dt.tzinfo = ZONE) -> None:
        self._codec = codec
        self._report_zone = report_zone
        self.types: set[str] = set()  # the names of the classes in the expressions

    def read(self, name: str, node: etree._Element) -> object:
        """Decode an element of the type `name`.

        Returns None if the element is invalid, such as a recursive example that was cut off.
        """
        try:
            return self._codec.reader(name)(
                node, CountingReader(naive_zone=None, report_zone=self._report_zone)
            )
        except DecodeError:
            return None

    def arguments(self, value: object) -> Iterator[tuple[Field, str]]:
        """Yield each field of `value` that does not have its default, with its value as an expression."""
        name = type(value).__name__
        defaults = self._codec.defaults(name) if value is not None else {}
        for field in self._codec.fields(name) if value is not None else ():
            content = getattr(value, field.python)
            if content not in (None, [], {}) and content != defaults.get(field.python):
                yield field, self.expression(content, any_element=field.kind == "any")

    def expression(self, value: object, *, any_element: bool = False) -> str:
        """Return a value as a Python expression.

        `any_element` is True if the value is from an element wildcard.
        """
        if isinstance(value, list):
            return f"[{', '.join(self.expression(item, any_element=any_element) for item in value)}]"
        if isinstance(value, AnyElement):
            # A field of any type determines the name and accepts any content, so a text is enough.
            return f"AnyElement(name={literal(value.name)})" if any_element else 'AnyElement(text="anything")'
        if isinstance(value, Record):
            self.types.add(type(value).__name__)
            inner = ", ".join(f"{field.python}={expression}" for field, expression in self.arguments(value))
            return f"{type(value).__name__}({inner})"
        if isinstance(value, Decimal):
            return f"Decimal({literal(str(value))})"
        if isinstance(value, dt.datetime) and value.tzinfo not in (None, dt.UTC):
            return f"dt.datetime.fromisoformat({literal(value.isoformat())})"
        if isinstance(value, str):
            return literal(str(value))
        return repr(value).replace("datetime.timezone.utc", "dt.UTC").replace("datetime.", "dt.")
