"""Leak tests for services of any WSDL with each kind of authentication, and for errors in settings."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
import requests
from requests.auth import HTTPDigestAuth
from werkzeug.wrappers import Request, Response
from zeep import Transport
from zeep.wsse import UsernameToken

from soapclient import Settings
from soapclient.auth.credentials import Credentials
from soapclient.connection import connect
from soapclient.errors import ConfigError, SoapClientError
from soapclient.serving.faults import CloseConnection
from tests.certificates import needs_openssl, openssl
from tests.support.packages import generated
from tests.support.soap import envelope

from .canaries import Canaries, check_clean, leaks
from .places import Places
from .runs import tried
from .service import Act, Echo, broken, challenge, elsewhere, fault, hang, page, proxy_refuses

SPACE: Final = "urn:example:weather"
RIGHT: Final = envelope(
    f'<GetWeatherResponse xmlns="{SPACE}"><degrees>1</degrees><sky>clear</sky></GetWeatherResponse>'
)
DIGEST: Final = 'Digest realm="r", nonce="n1", qop="auth", algorithm=MD5'


def silent(request: Request, echo: Echo) -> Response:
    """Close the connection without a response."""
    raise CloseConnection


class Weather(Echo):
    """The service of weather.wsdl, which repeats everything it receives."""

    wants_digest = False

    def _interfere(self, request: Request) -> Response | None:
        if self.wants_digest and not request.content_length:  # a write first asks for the challenge
            return Response("", 401, {"WWW-Authenticate": DIGEST})
        return super()._interfere(request) or Response(RIGHT, content_type="text/xml")


FAULTS: Final[tuple[Act, ...]] = (*(fault, page, challenge, proxy_refuses, elsewhere, broken, silent, hang),)
Given = dict[str, object]
Service = Callable[..., object]


def by_parameter(canaries: Canaries, folder: Path) -> Given:
    session = requests.Session()
    session.params = {"code": canaries.new("a key in the parameters of a session", "-")}
    return {"transport": Transport(session=session)}  # type: ignore[no-untyped-call] # zeep has no types


def by_certificate(canaries: Canaries, folder: Path) -> Given:
    passphrase = canaries.new("the passphrase of a key", "+/&~")
    key, certificate = str(folder / "own.key"), str(folder / "own.pem")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
    named = ("-subj", "/CN=me", "-keyout", key, "-out", certificate)
    openssl("req", "-x509", *curve, *named, "-passout", f"pass:{passphrase}")
    (folder / "passphrase").write_text(passphrase)
    return {"certificate": (certificate, key, f"file:{folder}/passphrase")}


Token: Callable[..., object] = UsernameToken  # zeep has no types
WAYS: Final[dict[str, Callable[[Canaries, Path], Given]]] = {
    "basic": lambda known, _: {"auth": ("me", known.new("the password of basic"))},
    "digest": lambda known, _: {"auth": HTTPDigestAuth("me", known.new("the password of digest"))},
    "token": lambda known, _: {"wsse": Token("me", known.new("the password of a token"))},
    "token digest": lambda known, _: {
        "wsse": Token("me", known.new("the password of a token"), use_digest=True)
    },
    "header": lambda known, _: {"headers": {"X-Auth-Token": known.new("a token in a header", "+/&<%~")}},
    "query": lambda known, _: {"query": f"?apikey={known.new('a key in the address', '-')}"},
    "parameter": by_parameter,
    "proxy": lambda known, _: {
        "proxy_credentials": f"me:{known.new('the password of a proxy')}",
        "proxies": "",
    },
    "certificate": by_certificate,
}
ALLOWED: Final = {
    r"^(traceback|.*(rich|pytest)'s).*the password of a token": "zeep's own UsernameToken is its user's",
    "pickle of [^,]*(session|wsse|soap)": "what sends is nobody's to pickle",
    r"^the connection\.soap\.address": "the address is the caller's own",
}


@pytest.fixture(scope="module")
def weather() -> Iterator[Service]:
    with generated("leaking_weather", Path(__file__).parents[1] / "connection/weather.wsdl") as package:
        classes = vars(package.service).values()
        yield next(each for each in classes if hasattr(each, "PORT_TYPE"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[needs_openssl] * (way == "certificate")) for way in WAYS]
)
def test_no_secret_of_a_connection_is_anywhere(way: str, weather: Service, tmp_path: Path) -> None:
    canaries, places = Canaries(), Places()
    given = WAYS[way](canaries, tmp_path)
    query = given.pop("query", "")
    echo = Weather(canaries, "unused", "unused")
    echo.wants_digest = way == "digest"
    failed = 0
    with echo.served(), places.listening("a run"):
        address = f"{echo.url}/soap/weather{query}"
        if way == "proxy":
            address, given["proxies"] = "http://service.example/soap/weather", echo.url
        settings = Settings(allow_http=True, drift_log=str(tmp_path / "drift.jsonl"), attempts=1)
        opened: Callable[..., Any] = connect
        connection = opened(weather, address=address, settings=settings, **given)
        hasty = connection.with_options(timeout=0.3)

        def ask(asked: Any, plainly: bool) -> object:
            if plainly:
                return asked.zeep.GetWeather(city="Rome")
            method: Callable[..., object] = getattr(asked, "get_weather")  # noqa: B009 - it has no types
            return method(city="Rome")

        for plainly in (False, True):
            assert not isinstance(tried(places, "as it goes", partial(ask, connection, plainly)), Exception)
            for act in (page, broken, silent) if plainly else FAULTS:
                echo.acts.append(act)
                asked = hasty if act is hang else connection
                found = tried(places, f"{act.__name__}, plainly {plainly}", partial(ask, asked, plainly))
                assert isinstance(found, Exception), act.__name__
                failed += 1
                echo.acts.clear()
        if way == "proxy":
            there = {"address": "https://service.example/x", "settings": settings, **given}
            tunnel = opened(weather, **there)
            echo.acts.append(proxy_refuses)
            assert isinstance(tried(places, "a tunnel", partial(ask, tunnel, plainly=False)), SoapClientError)
            tunnel.close()
        with socket.socket() as nobody:  # bound but not listening: the connection is refused
            nobody.bind(("127.0.0.1", 0))
            there = {"settings": settings, **given}
            there["address"] = f"http://127.0.0.1:{nobody.getsockname()[1]}/{query}"
            refused = opened(weather, **there)
            for plainly in (False, True):
                found = tried(places, "refused", partial(ask, refused, plainly))
                assert isinstance(found, SoapClientError)
            refused.close()
        places.reachable("the connection", connection)
        connection.close()
    told = "\n".join(echo.heard)
    assert len(echo.heard) >= failed, told
    check_clean(places.kept, canaries, ALLOWED)


def test_proxy_password_is_sent_and_would_be_detected(weather: Service) -> None:
    canaries = Canaries()
    password = canaries.new("the password of a proxy")
    echo = Weather(canaries, "unused", "unused")
    with echo.served():
        opened: Callable[..., Any] = connect
        connection = opened(
            weather,
            address="http://service.example/soap/weather",
            allow_http=True,
            proxies=echo.url,
            proxy_credentials=f"me:{password}",
        )
        connection.zeep.GetWeather(city="Rome")
        connection.close()
    assert leaks([("on the wire", "\n".join(echo.heard).encode())], canaries).keys() == {"on the wire"}


# ---- settings


def test_an_error_of_settings_shows_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even in the local variables of a traceback, such as the environment and the file."""
    canaries, places = Canaries(), Places()
    key, proxy = canaries.new("the key"), canaries.new("the password of a proxy")
    header = canaries.new("a key in a header", "+/&<%~")
    wrong = canaries.new("a passphrase that is wrong", "+")
    monkeypatch.setenv("KEY_PASSWORD", wrong)
    environ = {
        "SOAPCLIENT_SECRET_KEY": key,
        "SOAPCLIENT_CONNECT_ID": "id",
        "SOAPCLIENT_PROXY_CREDENTIALS": f"me:{proxy}",
        "SOAPCLIENT_HEADERS": f"X-Api-Key={header}",
    }
    for name, text in environ.items():
        monkeypatch.setenv(name, text)
    file = tmp_path / "settings.toml"
    lines = [f"secret_key = {key!r}", "[headers]", f'X-Api-Key = "{header}"']
    file.write_text("\n".join(["attempts = -1", *lines]), encoding="utf-8")
    file.chmod(0o600)
    broken_file = tmp_path / "broken.toml"
    broken_file.write_text("\n".join([*lines, "= 5"]), encoding="utf-8")
    broken_file.chmod(0o600)
    pair = tmp_path / "own.pem"
    pair.write_text("no certificate")
    calls: dict[str, Callable[[], object]] = {
        "an environment": lambda: Settings.load(environ=os.environ | {"SOAPCLIENT_ATTEMPTS": "many"}),
        "this environment": lambda: Settings.load(profile="none"),
        "a file": lambda: Settings.load(file=file, environ={}),
        "a file that is no TOML": lambda: Settings.load(file=broken_file),
        "sources": lambda: Settings.sources(file=file),
        "proxy credentials": lambda: Settings.load(environ={"SOAPCLIENT_PROXY_CREDENTIALS": proxy}),
        "a header": lambda: Settings.load(environ={"SOAPCLIENT_HEADERS": f"X-Api-Key={header}\x01"}),
        "an address with a password": lambda: Settings.load(
            environ={"SOAPCLIENT_PUBLISHER_URL": f"https://me:{key}@service.example"}
        ),
        "a proxy with a password": lambda: Settings.load(
            environ={"SOAPCLIENT_PROXIES": f"http://me:{key}@proxy.example:1"}
        ),
    }
    with places.listening("settings"):
        for what, call in calls.items():
            try:
                call()
            except ConfigError as error:
                _cut_off(error, 2)  # this frame and the lambda's frame hold all secrets
                places.error(what, error)
            else:
                raise AssertionError(what)
    check_clean(places.kept, canaries)


def test_swapped_credentials_are_not_shown() -> None:
    canaries, places = Canaries(), Places()
    key = canaries.new("the key", ":")
    with pytest.raises(ConfigError) as caught:
        Credentials(key, "802B8BF4AE99EBE00F41")
    _cut_off(caught.value, 1)
    places.error("credentials", caught.value)
    assert places.kept
    check_clean(places.kept, canaries)


def _cut_off(error: BaseException, frames: int) -> None:
    """Cut the frames of the test from a traceback, because the test knows all secrets."""
    for _ in range(frames):
        assert error.__traceback__ is not None
        error.__traceback__ = error.__traceback__.tb_next
