"""Registry of signing schemes. A package names its scheme with `scheme` in `[signing]` of its settings."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from soapclient._support.redaction import shown
from soapclient.auth.signing import SigningScheme, Stamp
from soapclient.errors import ConfigError
from soapclient.runtime.settings import Settings
from soapclient.services import registered_schemes, signing_schemes

__all__ = ["SigningScheme", "Stamp", "register_scheme"]

# Keys of [signing] that are not roles.
OTHER_KEYS: Final = frozenset(("scheme", "service_name", "public", "headers", "also_in_headers"))
_METHODS: Final = ("body", "headers", "query")
_registered: Final[dict[str, SigningScheme]] = {}


def register_scheme(name: str, scheme: SigningScheme) -> None:
    """Register a signing scheme for packages with `scheme = "NAME"` in `[signing]` of their settings.

    Call this function before `connect`. An installed package can instead have an entry point in the group
    `soapclient.signing`; then the command line and `bindgen` find the scheme, too. Raises ConfigError if the
    scheme does not have `roles` and all methods of `SigningScheme`, or if another scheme has the same name.

    >>> from soapclient.signing import register_scheme
    >>> class PlainScheme:
    ...     roles = ("connect_id", "signature")
    ...     def body(self, credentials, stamp, service, operation):
    ...         return {"connect_id": credentials.connect_id, "signature": "…"}
    ...     def headers(self, credentials, stamp, verb, uri):
    ...         return {"X-Token": "…"}
    ...     def query(self, credentials, stamp, verb, uri):
    ...         return {}
    >>> register_scheme("plain-of-example", PlainScheme())  # for `scheme = "plain-of-example"`
    """
    _check(name, scheme)
    if _registered.get(name, scheme) is not scheme or name in signing_schemes():
        problem = f"another scheme is registered as {shown(name)}"
        raise ConfigError(
            "signing", problem, "Choose another name, and use it as `scheme` in the package's settings file"
        )
    _registered[name] = scheme


def scheme_of(name: str) -> SigningScheme:
    """Return the signing scheme called `name`.

    Raises ConfigError if the name is unknown, or if the scheme cannot be imported or is incomplete.
    """
    if name in _registered:
        return _registered[name]
    place = registered_schemes().get(name) or signing_schemes().get(name)
    if place is None:
        names = ", ".join(sorted({*_registered, *signing_schemes()}))
        problem = f"unknown scheme {shown(name)}; registered: {names}"
        advice = "Register it before connect: soapclient.signing.register_scheme(name, scheme)"
        raise ConfigError("signing", problem, advice)
    module, _, attribute = place.partition(":")
    try:
        scheme = cast("SigningScheme", getattr(import_module(module), attribute))
    except Exception as error:  # a module of another package may raise anything
        problem = f"the scheme {shown(name)} cannot be imported from {shown(place)}"
        raise ConfigError(
            "signing", problem, "Correct the entry point of the package that defines it"
        ) from error
    _check(name, scheme)
    return scheme


def scheme_for(package: Settings) -> SigningScheme:
    """Return the signing scheme of a package, whose settings are `package`.

    Raises ConfigError if the package does not sign, or if `[signing]` does not have the same roles as the
    scheme.
    """
    signing = package.signing
    if signing is None:
        problem = f"the package {package.name} does not have [signing]"
        raise ConfigError(
            "signing", problem, "Add [signing] to the settings of the package, and generate it again"
        )
    scheme = scheme_of(signing.scheme)
    if signing.roles and tuple(signing.roles) != tuple(scheme.roles):
        roles, names = (", ".join(roles) or "none" for roles in (scheme.roles, signing.roles))
        problem = (
            f"the scheme {shown(signing.scheme)} has the roles {roles}, but [signing] of {package.name} "
            f"has {names}"
        )
        raise ConfigError(
            "signing",
            problem,
            "In [signing], set roles to the roles of the scheme, in the same order. "
            "Then generate the package again",
        )
    return scheme


def _check(name: str, scheme: SigningScheme) -> None:
    """Raise ConfigError if an object does not have the methods and roles of a signing scheme."""
    for method in _METHODS:
        if not callable(getattr(scheme, method, None)):
            problem = f"the scheme {shown(name)} does not have the method {method}"
            raise ConfigError("signing", problem, "Pass an object with the methods of SigningScheme")
    roles: object = getattr(scheme, "roles", None)
    if (
        not isinstance(roles, tuple | list)
        or not all(isinstance(role, str) for role in roles)
        or len(set(roles)) < len(roles)
        or not OTHER_KEYS.isdisjoint(roles)
    ):
        problem = (
            f"the roles of the scheme {shown(name)} must be different names, such as ('key', 'signature')"
        )
        advice = f"Set its attribute roles to names other than {', '.join(sorted(OTHER_KEYS))}"
        raise ConfigError("signing", problem, advice)
