"""The documents of a package, and their compiled schemas.

Each schema is compiled once per process, when first needed. All clients, threads and forks share it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeVar

from lxml import etree

from soapclient._support.redaction import clean
from soapclient.contract.compiling import ALL
from soapclient.contract.validation import Checks, checks_of
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Package
from soapclient.runtime.authentication import walk

T = TypeVar("T")
_REGENERATE: Final = "Run `bindgen init` again, or reinstall the package"


def document(package: Package, file: str) -> bytes:
    """Return the content of the package's file `file`. Raises ConfigError if it cannot be read."""
    try:
        return package.document(file)
    except OSError as error:
        problem = f"{file} of the package {package.name} cannot be read ({error.strerror})"
        raise ConfigError("service", problem, _REGENERATE) from None


def wsdl(package: Package) -> bytes:
    """Return the WSDL of a package, or b"" for a package without SOAP.

    Raises ConfigError if the file cannot be read.
    """
    return document(package, "contract.wsdl") if package.settings.ports else b""


def documents(package: Package) -> list[bytes]:
    """Return the contents of the package's WSDL and of `rest.xsd`, the schema of types that only REST uses.

    A document that the package does not have is left out. Raises ConfigError if the WSDL cannot be read.
    """
    try:
        rest = package.document("rest.xsd")
    except OSError:
        rest = b""
    return [source for source in (wsdl(package), rest) if source]


def parsed(package: Package, parse: Callable[[], T]) -> T:
    """Call `parse`, a function that parses documents of the package, and return its result.

    Raises ConfigError if a document is not XML.
    """
    try:
        return parse()
    except etree.XMLSyntaxError as error:
        problem = f"a document of the package {package.name} is not XML ({clean(str(error), 200)})"
        raise ConfigError("service", problem, _REGENERATE) from None


def checks_without(package: Package, operation: AnyOperation, *, partial: bool) -> Checks:
    """Return the object that validates the REST requests of an operation.

    The schemas require elements that REST requests do not have, such as the authentication elements. The
    returned object does not require them. If `partial` is True, requests contain only the changed fields, so
    no elements are required.
    """
    filled = walk((*operation.authentication, *operation.authentication_headers))
    optional = operation.rest_optional.union(place.name for place in filled)
    return checks(package, soap=operation.soap, optional=frozenset({ALL}) if partial else optional)


@cache
def checks(package: Package, *, soap: bool = True, optional: frozenset[str] = frozenset()) -> Checks:
    """Return the object that validates messages of the package. The same arguments return the same object.

    Messages are validated against the schemas in the package's WSDL. If `soap` is False, they are validated
    against the schema of REST-only types, too. Elements and attributes named in `optional` are not required.
    If libxml2 cannot compile the schemas, messages are validated only in part or not at all (see `Checks`).
    Raises ConfigError if a document is missing or damaged.
    """
    inferred = [document(package, "messages.xsd")] if package.settings.messages else []
    sources = [wsdl(package)] if soap else documents(package)
    compiles = package.settings.compiles
    return parsed(package, lambda: checks_of([*sources, *inferred], compiles=compiles, optional=optional))
