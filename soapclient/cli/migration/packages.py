"""Names in the package that `bindgen init` generates.

If the WSDL is known, they are taken from it. Otherwise, they are derived by the naming rules of bindgen.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from soapclient._support.redaction import redact

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.package import Package
    from soapclient.runtime.schema import PortRow


@dataclass(frozen=True)
class FieldName:
    """A field of a type: its name in Python, and the class of its value.

    `type` is the name of the class in `types`, or "" for simple values. `many`: the field is a list. `item`
    is the element name of the items if the list has a wrapper element.
    """

    python: str
    type: str = ""
    many: bool = False
    item: str = ""


@dataclass(frozen=True)
class OperationName:
    """The names that belong to an operation in a generated package.

    `method` is the name of its method. `fields` are the fields of its request by XML name; None if the WSDL
    is not known. `headers` are its SOAP headers by XML name. `response` is the class of its response.

    `only` is the only element of the response, whose value zeep returns instead of the response. It is None
    if the response does not have exactly one element.
    """

    method: str
    fields: dict[str, FieldName] | None = None
    headers: dict[str, FieldName] = field(default_factory=dict)
    response: str = ""
    only: FieldName | None = None


class NamedPackage:
    """A generated package, which the converted code will import as `name`.

    `source` is its WSDL, or "" if the code that uses zeep does not name one. `package` is the package in
    memory; None if the WSDL could not be read. If it is None, names are derived by bindgen's rules.
    """

    def __init__(self, name: str, source: str, package: Package | None = None) -> None:
        self.name = name
        self.source = source
        self.package = package

    @property
    def is_known(self) -> bool:
        """True if the WSDL could be read, so that names are exact; False if names are derived by rules."""
        return self.package is not None

    @property
    def command(self) -> str:
        """The command that generates the package."""
        if not self.source:
            return f"bindgen init {self.name} WSDL"
        option = [] if "://" in self.source else ["--file"]
        return redact(shlex.join(["bindgen", "init", self.name, *option, self.source]))

    def service_class(self, port: str = "", binding: str = "") -> str:
        """Return the name of the generated class for a port.

        The port is selected by its name (`Port` or `Service/Port`) or by the name of its binding, with or
        without namespace. If both are empty, or if no port matches, the first port is used.
        """
        row = self._port(port, binding)
        if self.package is None or row is None:
            return f"{_pascal(self.name)}Service"
        from soapclient.cli.packages import service_class

        name = service_class(self.package, row).__name__
        own, here = _pascal(self.package.name), _pascal(self.name)
        return here + name.removeprefix(own) if name.startswith(own) else name

    def port_of(self, binding: str) -> str:
        """Return the name of the port that has a binding, if the WSDL has several ports; otherwise ""."""
        row = self._port("", binding)
        several = self.package is not None and len(self.package.settings.ports) > 1
        return row.name if row is not None and several else ""

    def _port(self, port: str, binding: str) -> PortRow | None:
        if self.package is None:
            return None
        rows = self.package.settings.ports
        local = re.split(r"[}:]", binding)[-1]
        matches = [
            row
            for row in rows
            if (not port or row.is_named(port)) and (not local or row.binding.rpartition("}")[2] == local)
        ]
        return next(iter(matches or rows), None)

    def operation(self, name: str) -> OperationName:
        """Return the names in the generated package for the operation `name` of the WSDL."""
        operation = self._operations.get(name)
        if operation is None:
            method = snake(name)
            return OperationName(f"{method}_" if method in _reserved() else method)
        codec, row = operation.codec, operation.row
        fields = {item.name: _field(item) for item in codec.fields(row.request) if item.kind == "element"}
        headers = {
            part.name: FieldName(f"{snake(part.name)}_header", part.type) for part in row.request_headers
        }
        results = codec.fields(row.response) if row.response else []
        only = _field(results[0]) if len(results) == 1 and results[0].kind == "element" else None
        return OperationName(row.method, fields, headers, row.response, only)

    def field(self, type_name: str, name: str) -> FieldName:
        """Return the names of the field `name` in a type.

        If the type is unknown, the result has only the field's name in Python, derived by bindgen's rules.
        """
        if self.package is not None and type_name in self.package.schema.types:
            for item in self.package.codec.fields(type_name):
                if name in (item.name, item.python):
                    return _field(item)
        return FieldName(snake(name))

    def is_text(self, type_name: str) -> bool:
        """Return True if the only field of the class is `value`, the text of the element.

        Returns False if the fields of the class are not known.
        """
        return [item.python for item in self.fields(type_name)] == ["value"]

    def fields(self, type_name: str) -> Sequence[FieldName]:
        """Return the fields of a type in the order of the WSDL; empty if the WSDL is not known."""
        if self.package is None or type_name not in self.package.schema.types:
            return ()
        return [_field(item) for item in self.package.codec.fields(type_name)]

    def type_class(self, name: str) -> str:
        """Return the name of the generated class for a type or an element of the WSDL.

        `name` is `Name`, `prefix:Name` or `{namespace}Name`.
        """
        return _pascal(re.split(r"[}:]", name)[-1])

    @cached_property
    def _operations(self) -> dict[str, AnyOperation]:
        if self.package is None:
            return {}
        return {operation.name: operation for operation in self.package.operations.values()}


def snake(name: str) -> str:
    """Return the name of a method or a field, as bindgen derives it from a name of the WSDL."""
    from bindgen import naming  # imported late, as everywhere in the command line

    return naming.snake(name)


def _pascal(name: str) -> str:
    from bindgen import naming

    return naming.pascal(name)


def _field(item: Field) -> FieldName:
    return FieldName(item.python, item.holds, item.is_list, item.item.rpartition("}")[2])


def _reserved() -> frozenset[str]:
    from soapclient.runtime.service import RESERVED

    return RESERVED


def name_for(wsdl: str) -> str:
    """Return a name for the package of a WSDL, given as a file name or an address."""
    parts = urlsplit(wsdl) if "://" in wsdl else None
    path = PurePosixPath(unquote(parts.path) if parts is not None else wsdl.replace("\\", "/"))
    stem = path.stem or (parts.hostname if parts is not None else "") or "service"
    return snake(stem)
