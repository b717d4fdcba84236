"""Sessions configured by the transport settings: TLS, proxies, headers, pool.

The TLS files are checked when a session is opened, because an error during a call would not name the file.
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

    from soapclient.transport.ssrf_guard import SsrfGuard

_DEFAULT: Final = CommonSettings()


def open_session(
    settings: CommonSettings = _DEFAULT, guard: SsrfGuard | None = None, pool_size: int | None = None
) -> requests.Session:
    """Open a session that reuses connections, without other automatic behavior.

    It does not keep cookies, read a netrc file, retry, or follow redirects. It does not connect to hosts that
    `guard` forbids. Pass a guard if URLs come from a service. `pool_size` is the number of
    connections to keep per host, by default the setting. Raises ConfigError if TLS files cannot be used.
    """
    import requests

    from soapclient.transport.connections import NoCookies, TimedAdapter

    session = requests.Session()
    password = _checked_certificate(settings.certificate)
    for scheme in ("https://", "http://"):
        session.mount(
            scheme, TimedAdapter(settings.pool_size if pool_size is None else pool_size, password, guard)
        )
    session.cookies = NoCookies()
    session.auth = leave_authorization  # otherwise requests replaces the signature by a netrc entry
    # Without a target, requests does not read the body of a redirect. Otherwise it reads the complete body,
    # even if redirects are not followed.
    session.get_redirect_target = _no_target  # type: ignore[method-assign,assignment] # there is no other way
    session.headers["User-Agent"] = f"soapclient/{__version__} {settings.user_agent}".strip()
    _apply_settings(session, settings)
    return session


def lent_session(users_session: requests.Session, settings: CommonSettings = _DEFAULT) -> requests.Session:
    """Return a new session with the configuration of a user's session and the connections of this library.

    Only the connections of this library have deadlines. The configuration is auth, headers, cookies,
    parameters, proxies, certificates, hooks, and adapters that are not plain HTTPAdapters. `settings` take
    precedence over this configuration.
    """
    from requests.adapters import HTTPAdapter

    session = open_session(settings)
    for name in ("auth", "headers", "cookies", "proxies", "hooks", "params", "verify", "cert", "trust_env"):
        setattr(session, name, getattr(users_session, name))
    for prefix, adapter in users_session.adapters.items():
        if type(adapter) is not HTTPAdapter:
            session.mount(prefix, adapter)
    _apply_settings(session, settings)
    return session


def leave_authorization(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Return the request unchanged. Used as auth, so that requests does not take a password from netrc."""
    return request


def _no_target(response: requests.Response) -> None:
    """Return None. Used as `Session.get_redirect_target`, so that requests follows no redirect."""
    return


@contextmanager
def no_redirects(session: requests.Session) -> Iterator[None]:
    """Context manager that prevents a user's session from following redirects.

    A redirect with status 307 or 308 would repeat a write. Outside of the context, and in other threads, the
    session works as before.
    """
    follow = getattr(session, "get_redirect_target", None)  # a custom session may lack it
    if follow is not None and not isinstance(follow, _RedirectTarget):
        session.get_redirect_target = _RedirectTarget(follow)  # type: ignore[method-assign,assignment] # no other way
    before = _redirects_disabled.set(True)
    try:
        yield
    finally:
        _redirects_disabled.reset(before)


_redirects_disabled: Final[ContextVar[bool]] = ContextVar("soapclient_no_redirects", default=False)


class _RedirectTarget:
    """Callable that replaces `Session.get_redirect_target` of a user's session.

    Inside of `no_redirects`, it returns None, so that requests follows no redirect.
    """

    def __init__(self, follow: Callable[[requests.Response], str | None]) -> None:
        self._follow = follow

    def __call__(self, response: requests.Response) -> str | None:
        return None if _redirects_disabled.get() else self._follow(response)


def _apply_settings(session: requests.Session, settings: CommonSettings) -> None:
    """Apply the TLS, proxy and header settings to a session. Settings that are not set change nothing."""
    if settings.verify is not True:
        session.verify = _checked_verify(settings.verify)
    if settings.certificate is not None:
        certificate = settings.certificate
        session.cert = certificate if isinstance(certificate, str) else (certificate[0], certificate[1])
    if settings.proxies is not None:
        session.proxies = _proxies(settings)
    if settings.headers:
        require_values(settings.headers)
        from requests.structures import CaseInsensitiveDict

        # Copy: the headers of a user's session must not change.
        session.headers = CaseInsensitiveDict({**session.headers, **settings.headers})


def _proxies(settings: CommonSettings) -> dict[str, str]:
    """Return the `proxies` of a session of requests. The URLs contain the proxy credentials."""
    assert not isinstance(settings.proxies, str | None)  # validation has converted it to a table
    if not settings.proxies:
        return {"no_proxy": "*"}  # the environment is ignored, too
    if (secret := settings.proxy_credentials) is None:
        return dict(settings.proxies)
    user, _, password = secret.reveal().partition(":")
    credentials = f"{quote(user, safe='')}:{quote(password, safe='')}@"
    return {
        scheme: Hidden(url.replace("://", f"://{credentials}", 1)) for scheme, url in settings.proxies.items()
    }


def secrets_of(session: requests.Session) -> set[str]:
    """Return the secrets that a session sends. They are hidden if a service repeats them in a response.

    The secrets are cookies, passwords, and headers and parameters with names such as `X-Api-Key`.
    """
    secrets = {text for name, text in _texts(session.headers) if is_secret(name) or name.lower() == "cookie"}
    secrets |= {text for _, text in _texts(session.cookies)}
    auth_values = (
        {"password": session.auth[-1]} if isinstance(session.auth, tuple) else vars(session.auth or object)
    )
    secrets |= {text for name, text in _texts(auth_values) if is_secret(name)}
    secrets |= {unquote(urlsplit(proxy).password or "") for proxy in session.proxies.values()}
    if session.params:
        import requests

        secrets |= secrets_in(
            requests.Request("GET", "http://any", params=session.params).prepare().url or ""
        )
    return secrets - {""}


def _texts(table: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the (name, value) pairs of headers, cookies or attributes.

    Pairs whose value is not text are left out.
    """
    decoded = (
        (name, text.decode("utf-8", "replace") if isinstance(text, bytes) else text)
        for name, text in table.items()
    )
    return [(name, text) for name, text in decoded if isinstance(text, str)]


def _checked_verify(trusted: bool | str) -> bool | str:
    """Return the value for `Session.verify`: a bool, or the path of the trusted certificates.

    Raises ConfigError if the files cannot be used.
    """
    if isinstance(trusted, bool):
        return trusted
    if trusted == "system":
        paths = ssl.get_default_verify_paths()
        path = paths.cafile or paths.capath
        if path is None:
            problem = "is 'system', but this machine does not keep its certificates in files"
            raise ConfigError("verify", problem, "Set it to the path of a file or folder of certificates")
        return path
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if os.path.isdir(trusted):
            context.load_verify_locations(capath=trusted)
        else:
            context.load_verify_locations(cafile=trusted)
    except (OSError, ValueError) as error:
        problem = f"{shown(trusted)} cannot be read as certificates ({_reason(error)})"
        raise ConfigError(
            "verify", problem, "Set it to a PEM file of certificates, or to a folder of such files"
        ) from None
    return trusted


def _checked_certificate(configured: Certificate | None) -> str | None:
    """Check the files of the client certificate. Return the password of its key; None if it has none.

    Raises ConfigError if the files cannot be used.
    """
    if configured is None:
        return None
    certificate, key, password = (
        (configured, None, None) if isinstance(configured, str) else (*configured, None)[:3]
    )
    hidden = None if password is None else Hidden(password_of(password))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_cert_chain(certificate, key, password=_refuse if hidden is None else hidden)
    except (OSError, ValueError) as error:
        files = certificate if key is None else f"{certificate}, {key}"
        wrong = " or the password is wrong" if hidden is not None else ""
        cause = f"{_reason(error)}{wrong}"
        problem = f"{shown(files)} cannot be read as a certificate and a key in PEM ({cause})"
        raise ConfigError(
            "certificate", problem, "Set it to the paths of a certificate and its key, in PEM format"
        ) from None
    return hidden


def _refuse() -> str:
    """Raise ConfigError instead of reading a password from the terminal.

    OpenSSL calls this function if the key needs a password.
    """
    problem = "the key is encrypted, and its password is not configured"
    raise ConfigError(
        "certificate",
        problem,
        "Set it to three values: certificate, key, source of the password (env:NAME or file:PATH)",
    )


def _reason(error: OSError | ValueError) -> str:
    """Return the reason of an error without file names."""
    if isinstance(error, ssl.SSLError):
        return error.reason or "not PEM"
    return getattr(error, "strerror", None) or type(error).__name__
