"""The section `[signing]`: the scheme that it names, and the roles that it gives to elements.

The scheme says which roles there are. If it is not known here, because it is registered at run time, the
roles in the settings are used in their order, and `connect` compares them with the scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def roles_of(scheme: object) -> Sequence[str] | None:
    """Return the roles of a signing scheme, in the order that the scheme defines.

    Return None if the scheme is not installed or cannot be loaded.
    """
    from soapclient.errors import ConfigError
    from soapclient.signing import scheme_of

    try:
        return tuple(scheme_of(str(scheme)).roles)
    except ConfigError:
        return None


def _failure(scheme: object) -> str | None:
    """Return why an installed scheme cannot be used. None if it can, or if it is not installed."""
    from soapclient.errors import ConfigError
    from soapclient.signing import scheme_of

    if scheme not in known():
        return None
    try:
        scheme_of(str(scheme))
    except ConfigError as error:
        return str(error)
    return None


def known() -> list[str]:
    """Return the names of the schemes of services and of installed packages."""
    from soapclient.services import signing_schemes

    return sorted(signing_schemes())


def names_of(table: Mapping[str, object]) -> dict[str, str]:
    """Map each role in `[signing]` to the name of its element, in the order of the scheme."""
    from soapclient.signing import OTHER_KEYS

    names = {key: str(value) for key, value in table.items() if key not in OTHER_KEYS}
    order = roles_of(table.get("scheme")) or ()
    return {role: names[role] for role in order if role in names} | names


def check(where: str, table: object, *, has_wsdl: bool) -> Iterator[str]:
    """Yield a problem for each missing key, and for each role that the scheme does not have.

    A contract without a WSDL needs no roles, because HTTP headers or the query carry its signature.
    """
    from soapclient.signing import OTHER_KEYS

    if not isinstance(table, dict):
        return
    if (failure := _failure(table.get("scheme"))) is not None:
        yield f"{where}.scheme: {failure}"
        return
    names = [key for key in table if key not in OTHER_KEYS]
    required = names if (roles := roles_of(table.get("scheme"))) is None else roles
    if has_wsdl or names:
        for key in sorted({"service_name", *required} - table.keys()):
            yield f"{where}: {key} is missing"
    for key in names:
        if key not in required:
            allowed = ", ".join(sorted({*OTHER_KEYS, *required}))
            yield f"{where}.{key} is unknown; the keys are {allowed}"
    elements: dict[str, str] = {}
    for key in names:
        first = elements.setdefault(str(table[key]), key)
        if first != key:
            yield f"{where}: {first} and {key} name the same element, {table[key]!r}"
