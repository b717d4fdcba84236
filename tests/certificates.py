"""Certificates for tests with real TLS, created with the openssl command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="the openssl command makes the certificates")


def openssl(*words: str) -> None:
    assert OPENSSL is not None
    subprocess.run([OPENSSL, *words], check=True, capture_output=True, timeout=60)


def signed_by_a_private_authority(folder: Path) -> Path:
    """Create a certificate authority in the folder, and a server certificate signed by it.

    The authority is ca.pem. server.pem is valid for localhost and 127.0.0.1, and its key is server.key.
    both.pem has certificate and key.
    """
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    ca, server, names = folder / "ca", folder / "server", folder / "names"
    openssl(
        *("req", "-x509", *curve, "-subj", "/CN=a private CA", "-days", "2"),
        *("-keyout", f"{ca}.key", "-out", f"{ca}.pem"),
    )
    openssl("req", *curve, "-subj", "/CN=sandbox", "-keyout", f"{server}.key", "-out", f"{server}.csr")
    names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(
        *("x509", "-req", "-in", f"{server}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key", "-days", "2"),
        *("-CAcreateserial", "-extfile", str(names), "-out", f"{server}.pem"),
    )
    pair = (folder / "server.pem", folder / "server.key")
    (folder / "both.pem").write_bytes(b"".join(each.read_bytes() for each in pair))
    return folder
