"""WSDLs with a WS-SecurityPolicy, and their packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from bindgen import init
from bindgen.init import GeneratedPackage
from soapclient.security import KeyPair, SecurityKeys
from tests.security.conftest import NOW
from tests.support.cases import case_text

_serial = count(1)
_WSDL = case_text(__file__, "shop.wsdl")


def policy(*assertions: str, attributes: str = "") -> str:
    return f"<p:Policy {attributes}>{''.join(assertions)}</p:Policy>"


def nested(name: str, *assertions: str, attributes: str = "") -> str:
    """Return an assertion with a nested policy."""
    return f"<sp:{name} {attributes}>{policy(*assertions)}</sp:{name}>"


def token(name: str, *assertions: str, include: str = "") -> str:
    space = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702/IncludeToken"
    included = f'sp:IncludeToken="{space}/{include}"' if include else ""
    return nested(name, *assertions, attributes=included)


def suite(name: str) -> str:
    return nested("AlgorithmSuite", f"<sp:{name}/>")


X509 = token("X509Token", "<sp:WssX509V3Token10/>", include="AlwaysToRecipient")
X509_NEVER = token("X509Token", "<sp:RequireThumbprintReference/>", include="Never")


def user(*assertions: str) -> str:
    return token("UsernameToken", *assertions, include="AlwaysToRecipient")


def supporting(kind: str, *tokens: str, attributes: str = "") -> str:
    """Return supporting tokens, such as `Signed`."""
    return nested(f"{kind}SupportingTokens", *tokens, attributes=attributes)


USER, DIGEST = user("<sp:WssUsernameToken10/>"), user("<sp:HashPassword/>")
SIGNED_USER, ENCRYPTED_USER = supporting("Signed", USER), supporting("SignedEncrypted", USER)
SIGN_BODY = "<sp:SignedParts><sp:Body/></sp:SignedParts>"
ENCRYPT_BODY = "<sp:EncryptedParts><sp:Body/></sp:EncryptedParts>"
PROTECT_BODY = SIGN_BODY + ENCRYPT_BODY
ENCRYPT_FIRST = "<sp:EncryptBeforeSigning/>"
CONFIRM = nested("Wss11", "<sp:RequireSignatureConfirmation/>")


def asymmetric(*more: str, algorithms: str = "Basic256Sha256") -> str:
    return nested(
        "AsymmetricBinding",
        nested("InitiatorToken", X509),
        nested("RecipientToken", X509_NEVER),
        suite(algorithms),
        nested("Layout", "<sp:Strict/>"),
        "<sp:IncludeTimestamp/>",
        "<sp:OnlySignEntireHeadersAndBody/>",
        *more,
    )


def symmetric(*more: str, derived: bool = True, algorithms: str = "Basic256Sha256") -> str:
    reference = "<sp:RequireThumbprintReference/>"
    protection = token("X509Token", reference, "<sp:RequireDerivedKeys/>" * derived, include="Never")
    return nested(
        "SymmetricBinding",
        nested("ProtectionToken", protection),
        suite(algorithms),
        "<sp:IncludeTimestamp/>",
        *more,
    )


def transport(*more: str, https: str = "") -> str:
    inner = nested("TransportToken", nested("HttpsToken", https))
    return nested("TransportBinding", inner, suite("Basic256"), "<sp:IncludeTimestamp/>", *more)


def generate(
    folder: Path, changes: Mapping[str, str] | None = None, /, *, name: str = "", **places: str
) -> GeneratedPackage:
    """Run `bindgen init` for a WSDL with policies at some places, after some replacements in its text."""
    file = folder / "shop.wsdl"
    text = _WSDL.format(**dict.fromkeys(("top", "binding", "operation", "input", "output"), "") | places)
    for old, new in (changes or {}).items():
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text)
    return init.make(name or f"policy_shop_{next(_serial)}", file, offline=True)


@contextmanager
def package(folder: Path, changes: Mapping[str, str] | None = None, /, **places: str) -> Iterator[ModuleType]:
    """Generate and import a package."""
    result = generate(folder, changes, **places)
    name = result.contract.name
    init.write(folder / name, result.files)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield import_module(name)
    finally:
        sys.path.remove(str(folder))
        for module in [module for module in sys.modules if module.split(".")[0] == name]:
            del sys.modules[module]


def keys_of(pairs: Mapping[str, KeyPair], own: str, other: str, **more: Any) -> SecurityKeys:
    """Return the keys of one side of a service."""
    options: dict[str, Any] = {"now": lambda: NOW} | more
    return SecurityKeys(key=pairs[own], recipient_certificate=pairs[other].certificate, **options)
