"""Check the section `[signing]` of a settings file: the signing scheme, and the element for each role.

A role is one value of the signature, such as the nonce. The scheme defines the roles and their order. A user
can register a scheme at runtime, so bindgen may not know it. In this case, the roles and their order are
taken from the settings, and `soapclient.connect` compares them with the scheme.
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
    """Return the reason why an installed scheme cannot be loaded.

    Returns None if it can be loaded, or if it is not installed.
    """
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
    """Return the names of all signing schemes that are installed here, sorted."""
    from soapclient.services import signing_schemes

    return sorted(signing_schemes())


def names_of(table: Mapping[str, object]) -> dict[str, str]:
    """Return the name of the element for each role in the table `[signing]`, in the order of the scheme."""
    from soapclient.signing import OTHER_KEYS

    names = {key: str(value) for key, value in table.items() if key not in OTHER_KEYS}
    order = roles_of(table.get("scheme")) or ()
    return {role: names[role] for role in order if role in names} | names


def check(where: str, table: object, *, has_wsdl: bool) -> Iterator[str]:
    """Yield the problems of the table `[signing]`. `where` is its name in messages.

    Problems are missing keys, keys that are not roles of the scheme, and elements that are named twice. A
    contract without a WSDL does not need keys for roles, because its signature is sent in HTTP headers or the
    query.
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
