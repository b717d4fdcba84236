"""Signing schemes by name: registered by a program, a service or an installed package."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from soapclient import services, signing
from soapclient.auth.credentials import Credentials
from soapclient.auth.signing import ZXWS, Signer
from soapclient.clock import ManualClock
from soapclient.errors import ConfigError, ContractError
from soapclient.runtime import Settings, Signing
from soapclient.signing import SigningScheme, Stamp, register_scheme, scheme_for, scheme_of

MOMENT = datetime(2026, 11, 1, 10, 0, tzinfo=UTC)
NONCE = "0123456789ABCDEF0123"


class Plain:
    """A scheme without cryptography: its result shows its arguments."""

    roles = ("connect_id", "signature")

    def body(
        self, credentials: Credentials, stamp: Stamp | None, service: str, operation: str
    ) -> Mapping[str, str]:
        if stamp is None:
            return {"connect_id": credentials.connect_id}
        return {"connect_id": credentials.connect_id, "signature": f"{service}/{operation}/{stamp.nonce}"}

    def headers(
        self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str
    ) -> Mapping[str, str]:
        return {"X-Plain": f"{credentials.connect_id} {verb} {uri} {stamp and stamp.moment.isoformat()}"}

    def query(self, credentials: Credentials, stamp: Stamp | None, verb: str, uri: str) -> Mapping[str, str]:
        return {"who": credentials.connect_id, "mac": f"{verb} {uri}"}


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    """Restore the registry after each test."""
    before = dict(signing._registered)
    services.signing_schemes.cache_clear()
    yield
    signing._registered.clear()
    signing._registered.update(before)
    services.signing_schemes.cache_clear()


def signer(scheme: SigningScheme) -> Signer:
    return Signer(
        Credentials("ID", "secret"),
        service_name="shop",
        scheme=scheme,
        clock=ManualClock(MOMENT),
        nonce_source=lambda: NONCE,
    )


def test_tracking_service_uses_the_zxws_scheme() -> None:
    assert scheme_of("zxws") is ZXWS


def test_registered_scheme_builds_all_fields_of_a_request() -> None:
    scheme = Plain()
    register_scheme("plain", scheme)
    register_scheme("plain", scheme)  # again, like a module that is imported twice
    assert scheme_of("plain") is scheme
    mine = signer(scheme)
    stamp = mine.stamp()
    assert mine.body_fields(stamp, "Buy") == {"connect_id": "ID", "signature": f"shop/Buy/{NONCE}"}
    assert mine.body_fields(None, "Look") == {"connect_id": "ID"}
    assert mine.header_fields(stamp, "GET", "/a") == {"X-Plain": "ID GET /a 2026-11-01T10:00:00+00:00"}
    assert mine.header_fields(None, "GET", "/a") == {"X-Plain": "ID GET /a None"}
    assert list(mine.query_fields(stamp, "PUT", "/b").items()) == [("who", "ID"), ("mac", "PUT /b")]


def test_repr_shows_no_field() -> None:
    mine = signer(Plain())
    shown = repr([mine.body_fields(mine.stamp(), "Buy"), mine.query_fields(mine.stamp(), "PUT", "/b")])
    assert "shop/Buy" not in shown
    assert "PUT /b" not in shown


def test_unknown_scheme_error_lists_the_known_schemes() -> None:
    register_scheme("plain", Plain())
    with pytest.raises(ConfigError) as caught:
        scheme_of("acme")
    assert "unknown scheme 'acme'; registered: plain, zxws" in str(caught.value)
    assert "soapclient.signing.register_scheme" in str(caught.value)


def test_the_roles_of_a_package_are_compared_with_the_scheme() -> None:
    register_scheme("plain", Plain())

    def package(*names: str) -> Settings:
        return Settings(name="shop", signing=Signing(scheme="plain", roles=dict.fromkeys(names, "x")))

    assert scheme_for(package("connect_id", "signature")) is scheme_of("plain")
    assert scheme_for(package()) is scheme_of("plain")  # signed by HTTP headers
    for names in (("signature", "connect_id"), ("connect_id", "signature", "more")):
        with pytest.raises(ConfigError) as caught:
            scheme_for(package(*names))
        said = f"has the roles connect_id, signature, but [signing] of shop has {', '.join(names)}"
        assert said in str(caught.value)


def test_own_error_in_a_scheme_is_not_wrapped() -> None:
    """ZXWS defines no signature for PATCH requests."""
    mine = signer(ZXWS)
    with pytest.raises(ContractError, match="PATCH"):
        mine.header_fields(mine.stamp(), "PATCH", "/a")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Install a package with an entry point `sealed`."""

    def install(place: str) -> None:
        info = tmp_path / "sealed_scheme-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sealed-scheme\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[soapclient.signing]\nsealed = {place}\n")
        (tmp_path / "sealed_scheme.py").write_text(
            "class Sealed:\n    roles = ()\n    body = headers = query = lambda self, *names: {}\n\n\n"
            "SCHEME, BROKEN = Sealed(), object()\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "sealed_scheme", raising=False)

    return install


def test_scheme_of_an_installed_package_is_found(installed: Callable[[str], None]) -> None:
    installed("sealed_scheme:SCHEME")
    scheme: object = scheme_of("sealed")
    assert scheme is sys.modules["sealed_scheme"].SCHEME


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("sealed_scheme:BROKEN", "does not have the method body"),
        ("sealed_scheme:OTHER", "cannot be imported from 'sealed_scheme:OTHER'"),
        ("sealed_without_module:SCHEME", "cannot be imported from 'sealed_without_module:SCHEME'"),
    ],
)
def test_wrong_entry_point_is_reported(installed: Callable[[str], None], place: str, problem: str) -> None:
    installed(place)
    with pytest.raises(ConfigError, match=f"the scheme 'sealed' {problem}"):
        scheme_of("sealed")


class Half:
    """An incomplete scheme."""

    body, headers, roles = Plain.body, Plain.headers, Plain.roles


def plain(fields: object = None, roles: object = Plain.roles) -> Plain:
    """Return a scheme that returns `fields` for an envelope, or raises them if they are an exception."""

    def body(*_: object) -> object:
        if isinstance(fields, Exception):
            raise fields
        return fields

    scheme = Plain()
    scheme.body = body  # type: ignore[assignment,method-assign]  # it may return anything
    scheme.roles = roles  # type: ignore[assignment]  # they may be invalid
    return scheme


def of_package(signing: Signing | None) -> SigningScheme:
    register_scheme("plain", Plain())
    return scheme_for(Settings(name="shop", signing=signing))


def register_twice(name: str) -> None:
    for _ in range(2):
        register_scheme(name, Plain())


@pytest.mark.parametrize(
    ("act", "message"),
    [
        *(
            (
                lambda name=name: register_twice(name),
                f"another scheme is registered as '{name}'. Choose another name, and use it as `scheme` in "
                "the package's settings file",
            )
            for name in ("zxws", "plain")
        ),
        (
            lambda: register_scheme("half", Half()),  # type: ignore[arg-type]  # invalid on purpose
            "the scheme 'half' does not have the method query. Pass an object with the methods of "
            "SigningScheme",
        ),
        *(
            (
                lambda roles=roles: register_scheme("plain", plain(roles=roles)),
                "the roles of the scheme 'plain' must be different names, such as ('key', 'signature'). Set "
                "its attribute roles to names other than also_in_headers, headers, public, scheme, "
                "service_name",
            )
            for roles in (None, "key", ("key", "key"), ("key", 7), ("key", "public"))
        ),
        (
            lambda: of_package(None),
            "the package shop does not have [signing]. Add [signing] to the settings of the package, and "
            "generate it again",
        ),
        (
            lambda: of_package(Signing(scheme="plain", roles={"connect_id": "x"})),
            "the scheme 'plain' has the roles connect_id, signature, but [signing] of shop has connect_id. "
            "In [signing], set roles to the roles of the scheme, in the same order. Then generate the "
            "package again",
        ),
        (
            lambda: signer(plain({"connect_id": 7})).body_fields(None, "Look"),
            "the scheme Plain returned a name of type str with a value of type int. Correct the scheme: its "
            "methods body, headers and query must return dicts with strings as keys and values",
        ),
        (
            lambda: signer(plain(KeyError("secret"))).body_fields(None, "Look"),
            "the scheme Plain raised KeyError. Correct the scheme; its error is the __cause__ of this one",
        ),
    ],
)
def test_errors_about_schemes_say_what_is_wrong_and_what_to_do(
    act: Callable[[], object], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        act()
    assert str(caught.value) == f"signing: {message}"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"connect_id": "ID"}, "did not return the field signature"),
        ({"connect_id": "ID", "mac": "x"}, "returned the unknown field 'mac'.*: connect_id, signature"),
    ],
)
def test_other_fields_than_those_of_the_roles_are_refused(fields: Mapping[str, str], problem: str) -> None:
    mine = signer(plain(fields))
    with pytest.raises(ConfigError, match=problem):
        mine.body_fields(mine.stamp(), "Order")


def test_exception_in_a_scheme_is_the_cause_of_its_error() -> None:
    with pytest.raises(ConfigError) as caught:
        signer(plain(KeyError("secret"))).body_fields(None, "Look")
    assert isinstance(caught.value.__cause__, KeyError)


def test_issued_values_are_kept_with_the_nonce_of_their_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[tuple[str, str, tuple[str, ...]]] = []
    monkeypatch.setattr("soapclient.auth.signing.issued.add", kept.append)
    mine = signer(Plain())
    mine.body_fields(mine.stamp(), "Buy")
    mine.body_fields(None, "Look")
    assert kept == [("ID", NONCE, ("ID", f"shop/Buy/{NONCE}")), ("ID", "", ("ID",))]
