"""Certificates for tests over real TLS, made by the openssl command: an authority, and whom it signs."""

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
    """Put ca.pem into the folder, and server.pem for localhost and 127.0.0.1, which it signed, with
    server.key beside it; both.pem is certificate and key in one file."""
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
