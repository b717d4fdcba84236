"""A session without surprises, by the transport settings: TLS, proxies, headers, pool.

The files of TLS are looked at when it is opened: in the midst of a call nobody knows what failed.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote, urlsplit

from soapclient import __version__
from soapclient._support.redaction import Hidden, secrets_in, shown
from soapclient._support.secret_names import is_secret
from soapclient.errors import ConfigError
from soapclient.settings import CommonSettings
from soapclient.settings.transport import Certificate, password_of, require_values

if TYPE_CHECKING:
    import requests

    from soapclient.transport.reach import Reach

_DEFAULT: Final = CommonSettings()


def open_session(settings: CommonSettings = _DEFAULT, reach: Reach | None = None) -> requests.Session:
    """A session that keeps connections and nothing else: no cookies, no netrc, no retries, no redirects.

    With `reach` it asks nobody whom that forbids: for addresses that somebody else names. Raises ConfigError
    where files of TLS cannot be used.
    """
    import requests

    from soapclient.transport.connections import NoCookies, TimedAdapter

    session = requests.Session()
    password = _checked_certificate(settings.certificate)
    for scheme in ("https://", "http://"):
        session.mount(scheme, TimedAdapter(settings.pool_size, password, reach))
    session.cookies = NoCookies()
    session.auth = leave_authorization  # else requests puts a netrc entry over the signature
    # Where it must not follow a redirect, requests still reads its body, however long, for the next request.
    session.get_redirect_target = _nowhere  # type: ignore[method-assign,assignment] # the one way
    session.headers["User-Agent"] = f"soapclient/{__version__} {settings.user_agent}".strip()
    _set(session, settings)
    return session


def lent_session(theirs: requests.Session, settings: CommonSettings = _DEFAULT) -> requests.Session:
    """A session of ours, for its connections keep deadlines, with all else of somebody's: auth, headers,
    cookies, proxies, certificates, hooks, and adapters that are not requests' own. What is set goes before
    that."""
    from requests.adapters import HTTPAdapter

    session = open_session(settings)
    for name in ("auth", "headers", "cookies", "proxies", "hooks", "params", "verify", "cert", "trust_env"):
        setattr(session, name, getattr(theirs, name))
    for prefix, adapter in theirs.adapters.items():
        if type(adapter) is not HTTPAdapter:
            session.mount(prefix, adapter)
    _set(session, settings)
    return session


def leave_authorization(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """The auth of a session of ours: none."""
    return request


def _nowhere(response: requests.Response) -> None:
    return None


@contextmanager
def no_redirects(session: requests.Session) -> Iterator[None]:
    """Have the caller's own session follow no redirect in this context: a 307 or 308 would repeat a write.

    Outside of it, and in other threads, the session works as before.
    """
    follow = getattr(session, "get_redirect_target", None)  # not every session is one of requests
    if follow is not None and not isinstance(follow, _RedirectTarget):
        session.get_redirect_target = _RedirectTarget(follow)  # type: ignore[method-assign,assignment] # the one way
    before = _stays.set(True)
    try:
        yield
    finally:
        _stays.reset(before)


_stays: Final[ContextVar[bool]] = ContextVar("soapclient_no_redirects", default=False)


class _RedirectTarget:
    """Returns where a response redirects to, but nothing inside of `no_redirects`."""

    def __init__(self, follow: Callable[[requests.Response], str | None]) -> None:
        self._follow = follow

    def __call__(self, response: requests.Response) -> str | None:
        return None if _stays.get() else self._follow(response)


def _set(session: requests.Session, settings: CommonSettings) -> None:
    """Give a session what is set, and leave the rest of it."""
    if settings.verify is not True:
        session.verify = _checked_verify(settings.verify)
    if settings.certificate is not None:
        own = settings.certificate
        session.cert = own if isinstance(own, str) else (own[0], own[1])
    if settings.proxies is not None:
        session.proxies = _proxies(settings)
    if settings.headers:
        require_values(settings.headers)
        from requests.structures import CaseInsensitiveDict

        # A copy: of a lent session they are not ours.
        session.headers = CaseInsensitiveDict({**session.headers, **settings.headers})


def _proxies(settings: CommonSettings) -> dict[str, str]:
    """Proxies as requests has them, with their credentials."""
    assert not isinstance(settings.proxies, str | None)  # it was made a table when it was validated
    if not settings.proxies:
        return {"no_proxy": "*"}  # what the environment says does not count either
    if (secret := settings.proxy_credentials) is None:
        return dict(settings.proxies)
    user, _, password = secret.reveal().partition(":")
    known = f"{quote(user, safe='')}:{quote(password, safe='')}@"
    return {
        scheme: Hidden(each.replace("://", f"://{known}", 1)) for scheme, each in settings.proxies.items()
    }


def secrets_of(session: requests.Session) -> set[str]:
    """Return the secrets that a session sends, which a service may repeat in a response: keys in headers and
    parameters, cookies, passwords."""
    found = {text for name, text in _texts(session.headers) if is_secret(name) or name.lower() == "cookie"}
    found |= {text for _, text in _texts(session.cookies)}
    own = {"password": session.auth[-1]} if isinstance(session.auth, tuple) else vars(session.auth or object)
    found |= {text for name, text in _texts(own) if is_secret(name)}
    found |= {unquote(urlsplit(proxy).password or "") for proxy in session.proxies.values()}
    if session.params:
        import requests

        found |= secrets_in(requests.Request("GET", "http://any", params=session.params).prepare().url or "")
    return found - {""}


def _texts(table: Mapping[str, object]) -> list[tuple[str, str]]:
    """The pairs of texts in a table of headers, cookies or attributes."""
    read = (
        (name, text.decode("utf-8", "replace") if isinstance(text, bytes) else text)
        for name, text in table.items()
    )
    return [(name, text) for name, text in read if isinstance(text, str)]


def _checked_verify(trusted: bool | str) -> bool | str:
    """What a session trusts. Raises ConfigError where it names files that cannot be used."""
    if isinstance(trusted, bool):
        return trusted
    if trusted == "system":
        paths = ssl.get_default_verify_paths()
        found = paths.cafile or paths.capath
        if found is None:
            said = "is system, and this machine's certificates do not lie in files"
            raise ConfigError("verify", said, "Name a file or folder of certificates")
        return found
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if os.path.isdir(trusted):
            context.load_verify_locations(capath=trusted)
        else:
            context.load_verify_locations(cafile=trusted)
    except (OSError, ValueError) as error:
        said = f"{shown(trusted)} is no bundle of certificates ({_why(error)})"
        raise ConfigError("verify", said, "Name a file of certificates in PEM, or a folder of such") from None
    return trusted


def _checked_certificate(own: Certificate | None) -> str | None:
    """The password of the client's key, if it has one. Raises ConfigError where the files cannot be used."""
    if own is None:
        return None
    certificate, key, password = (own, None, None) if isinstance(own, str) else (*own, None)[:3]
    known = None if password is None else Hidden(password_of(password))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_cert_chain(certificate, key, password=_refuse if known is None else known)
    except (OSError, ValueError) as error:
        named = certificate if key is None else f"{certificate}, {key}"
        wrong = " or the password is not its key's" if known is not None else ""
        said = (
            f"{shown(named)} cannot be used ({_why(error)}{wrong}): it takes PEM, a certificate and its key"
        )
        raise ConfigError("certificate", said, "Name a certificate and its key") from None
    return known


def _refuse() -> str:
    """In place of a question on the terminal, which OpenSSL would ask, and wait."""
    said = "the key is encrypted, and there is nobody to ask for its password"
    raise ConfigError(
        "certificate", said, "Name the source of the password as third part: env:NAME, file:PATH"
    )


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, ssl.SSLError):
        return error.reason or "not PEM"
    return getattr(error, "strerror", None) or type(error).__name__
