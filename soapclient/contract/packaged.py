"""The documents of a package, and their compiled schemas.

Each schema is compiled once per process, when first needed, and shared by all clients, threads and forks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeVar

from lxml import etree

from soapclient._support.redaction import clean
from soapclient.contract.compiling import ALL
from soapclient.contract.validation import Checks, Schema, checks_of, schema_of
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Package
from soapclient.runtime.filled import walk

T = TypeVar("T")
_AGAIN: Final = "Run `bindgen init` again, or reinstall the package"


def document(package: Package, file: str) -> bytes:
    """Return a document of a package. Raises ConfigError if it cannot be read."""
    try:
        return package.document(file)
    except OSError as error:
        problem = f"{file} of the package {package.name} cannot be read ({error.strerror})"
        raise ConfigError("service", problem, _AGAIN) from None


def wsdl(package: Package) -> bytes:
    """Return the one-file contract; empty for a package without SOAP. Raises ConfigError."""
    return document(package, "contract.wsdl") if package.settings.ports else b""


def documents(package: Package) -> list[bytes]:
    """Return the WSDL, and the schema of what REST alone has, as far as the package has them."""
    try:
        rest = package.document("rest.xsd")
    except OSError:
        rest = b""
    return [each for each in (wsdl(package), rest) if each]


def parsed(package: Package, parse: Callable[[], T]) -> T:
    """Return what `parse` returns. Raises ConfigError if a document of the package is not XML."""
    try:
        return parse()
    except etree.XMLSyntaxError as error:
        problem = f"a document of the package {package.name} is not XML ({clean(str(error), 200)})"
        raise ConfigError("service", problem, _AGAIN) from None


@cache
def schema(package: Package, *, soap: bool = True, optional: frozenset[str] = frozenset()) -> Schema:
    """Return the compiled schema of the WSDL; without `soap` that of all documents.

    The elements and attributes named in `optional` are not required.
    """
    return schema_of([wsdl(package)] if soap else documents(package), optional=optional)


def schema_without(package: Package, operation: AnyOperation, *, partial: bool) -> Schema:
    """Return the schema for an operation's request over REST: without its authentication elements.

    `partial`: nothing else is required either, for messages that hold changes alone.
    """
    filled = walk((*operation.authentication, *operation.authentication_headers))
    optional = operation.rest_optional.union(place.name for place in filled)
    return schema(package, soap=operation.soap, optional=frozenset({ALL}) if partial else optional)


@cache
def checks(package: Package) -> Checks:
    """Return the checks of all messages over SOAP, whose schemas may not compile. Raises ConfigError."""
    inferred = [document(package, "messages.xsd")] if package.settings.messages else []
    whole = [wsdl(package), *inferred]
    return parsed(package, lambda: checks_of(whole, compiles=package.settings.compiles))
