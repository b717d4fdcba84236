"""Trust: decide which certificates may sign a response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from cryptography import x509
from cryptography.x509 import verification

from soapclient.errors import ConfigError, SecurityError
from soapclient.security._certificates import Source, read_certificates, subject


class Trust(Protocol):
    """Interface for objects that decide if a certificate is trusted.

    `candidates` are certificates that the receiver has, so that a response may name one of them without
    containing it.

    >>> from soapclient.security import SecurityError, Verify
    >>> class OnlyTheShop:
    ...     candidates = ()
    ...     def check(self, certificate, chain, now) -> None:
    ...         if "CN=shop" not in certificate.subject.rfc4514_string():
    ...             raise SecurityError("untrusted", "the certificate belongs to another service")
    >>> verify = Verify(trust=OnlyTheShop())
    """

    @property
    def candidates(self) -> Sequence[x509.Certificate]:
        """The certificates that a response may name without containing them."""
        ...

    def check(
        self, certificate: x509.Certificate, chain: Sequence[x509.Certificate], now: datetime, /
    ) -> None:
        """Raise SecurityError if a certificate is not trusted at the time `now`.

        `chain` is for further certificates of the message. It is always empty at present, because only the
        certificate of the signature is read from a message.
        """
        ...


class Peers:
    """Trust in exactly the given certificates, which are the certificates of the services themselves.

    `certificates` is a PEM or DER file (its path, or its content as bytes), or certificates of cryptography.
    Raises ConfigError if there is no certificate.

    >>> from soapclient.security import Peers, Verify
    >>> verify = Verify(trust=Peers("server.pem"))
    """

    __slots__ = ("_certificates",)

    def __init__(self, certificates: Source | x509.Certificate | Sequence[x509.Certificate]) -> None:
        self._certificates = tuple(read_certificates(certificates, "trust"))

    @property
    def candidates(self) -> Sequence[x509.Certificate]:
        """The trusted certificates."""
        return self._certificates

    def check(
        self, certificate: x509.Certificate, chain: Sequence[x509.Certificate], now: datetime, /
    ) -> None:
        """Raise SecurityError if `certificate` is not trusted, or not valid at the time `now`."""
        if certificate not in self._certificates:
            raise SecurityError(
                "untrusted", f"the signature is by {subject(certificate)}, whose certificate is not trusted"
            )
        first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if not first <= now <= last:
            raise SecurityError(
                "untrusted",
                f"the certificate of {subject(certificate)} is valid from {first} to {last}, not at {now}",
            )

    def __repr__(self) -> str:
        return f"Peers({', '.join(map(subject, self._certificates))})"


class Authorities:
    """Trust in certificates that an authority has issued, if `accepts` returns True for them.

    An authority issues certificates to many owners. The function `accepts` decides which certificates belong
    to the service, for example by their subject. Without it, every owner could sign as the service.
    `authorities` and `candidates` are files or certificates, as for `Peers`; `candidates` may be omitted if
    responses contain their certificate. If intermediate authorities issue the certificates, `authorities`
    must contain the intermediate ones. Revocation is not checked.

    Raises ConfigError if there is no certificate.

    >>> from soapclient.security import Authorities, Verify
    >>> def is_the_shop(certificate) -> bool:
    ...     return "CN=shop" in certificate.subject.rfc4514_string()
    >>> verify = Verify(trust=Authorities("authority.pem", is_the_shop))
    """

    __slots__ = ("_accepts", "_authorities", "_candidates")

    def __init__(
        self,
        authorities: Source | x509.Certificate | Sequence[x509.Certificate],
        accepts: Callable[[x509.Certificate], bool],
        candidates: Source | x509.Certificate | Sequence[x509.Certificate] | None = None,
    ) -> None:
        self._authorities = tuple(read_certificates(authorities, "trust"))
        self._accepts = accepts
        self._candidates = () if candidates is None else tuple(read_certificates(candidates, "trust"))
        if not callable(accepts):
            raise ConfigError(
                "trust",
                f"accepts must be a function, got {type(accepts).__name__}",
                "Pass a function that takes a certificate, and returns True if it belongs to the service",
            )

    @property
    def candidates(self) -> Sequence[x509.Certificate]:
        """The certificates that a response may name without containing them."""
        return self._candidates

    def check(
        self, certificate: x509.Certificate, chain: Sequence[x509.Certificate], now: datetime, /
    ) -> None:
        """Raise SecurityError if no authority has issued a certificate, or if `accepts` refuses it."""
        store = verification.Store(list(self._authorities))
        # cryptography's default policies are for web servers. They require a key usage that authorities of
        # companies often lack.
        leaf = verification.ExtensionPolicy.permit_all()
        issuing = leaf.require_present(
            x509.BasicConstraints, verification.Criticality.AGNOSTIC, _check_issuer
        )
        builder = verification.PolicyBuilder().store(store).time(now)
        verifier = builder.extension_policies(ca_policy=issuing, ee_policy=leaf).build_client_verifier()
        try:
            verifier.verify(certificate, list(chain))
        except Exception:  # VerificationError, or any error of a certificate that cannot be read
            raise SecurityError(
                "untrusted", f"no trusted authority has issued the certificate of {subject(certificate)}"
            ) from None
        if not self._accepts(certificate):
            raise SecurityError(
                "untrusted",
                f"the function `accepts` returned False for the certificate of {subject(certificate)}",
            )

    def __repr__(self) -> str:
        return f"Authorities({', '.join(map(subject, self._authorities))})"


def _check_issuer(
    _policy: object, _certificate: x509.Certificate, constraints: x509.BasicConstraints
) -> None:
    if not constraints.ca:
        raise ValueError("the certificate of the issuer must be a CA certificate")
