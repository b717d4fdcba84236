"""Signing schemes by name. The name is `scheme` in the section `[signing]` of a package's settings."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from soapclient._support.redaction import shown
from soapclient.auth.signing import SigningScheme, Stamp
from soapclient.errors import ConfigError
from soapclient.services import registered_schemes, signing_schemes

__all__ = ["SigningScheme", "Stamp", "register_scheme"]

_METHODS: Final = ("body", "headers", "query")
_registered: Final[dict[str, SigningScheme]] = {}


def register_scheme(name: str, scheme: SigningScheme) -> None:
    """Register a signing scheme for packages with `scheme = "NAME"` in `[signing]` of their settings.

    Call this function before `connect`. An installed package can instead have an entry point in the group
    `soapclient.signing`; the command line then finds the scheme, too. Raises ConfigError if the scheme lacks
    a method, or if another scheme has the name.
    """
    for method in _METHODS:
        if not callable(getattr(scheme, method, None)):
            problem = f"the scheme {shown(name)} has no method {method}"
            raise ConfigError("signing", problem, "Pass an object with the methods of SigningScheme")
    if _registered.get(name, scheme) is not scheme or name in signing_schemes():
        problem = f"there is another scheme {shown(name)}"
        raise ConfigError("signing", problem, "Choose another name, and write it into the settings file")
    _registered[name] = scheme


def scheme_of(name: str) -> SigningScheme:
    """Return the scheme with this name. Raises ConfigError, which lists the known schemes."""
    if name in _registered:
        return _registered[name]
    place = registered_schemes().get(name) or signing_schemes().get(name)
    if place is None:
        names = ", ".join(sorted({*_registered, *signing_schemes()}))
        problem = f"there is no scheme {shown(name)}; known: {names}"
        advice = "Register it before connect: soapclient.signing.register_scheme(name, scheme)"
        raise ConfigError("signing", problem, advice)
    module, _, attribute = place.partition(":")
    try:
        return cast("SigningScheme", getattr(import_module(module), attribute))
    except (ImportError, AttributeError) as error:
        problem = f"the scheme {shown(name)} cannot be imported from {shown(place)}"
        raise ConfigError("signing", problem, "Correct the entry point of the package that has it") from error
