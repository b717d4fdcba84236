from __future__ import annotations

import subprocess
import sys

import pytest

import soapclient
from soapclient.connection import connect

FOUNDATIONS = (
    *("settings.addresses", "clock", "settings", "settings.sources", "auth.credentials", "errors"),
    *("_support.redaction", "calling.retry", "settings.settings", "auth.signing"),
)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("imports", "heavy"),
    [
        (
            f"import {', '.join(f'soapclient.{name}' for name in FOUNDATIONS)}",
            {"requests", "zeep", "xmlschema", "lxml", "urllib3", "msgspec"},
        ),
        ("from soapclient import connect, Settings", {"zeep", "requests", "xmlschema", "bindgen"}),
    ],
)
def test_base_modules_load_no_heavy_library(imports: str, heavy: set[str]) -> None:
    code = f"{imports}; import sys; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []
    assert soapclient.connect is connect
