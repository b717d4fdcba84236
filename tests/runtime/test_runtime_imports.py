from __future__ import annotations

import subprocess
import sys

import pytest

FOUNDATIONS = (
    "settings.addresses",
    "clock",
    "settings",
    "settings.sources",
    "auth.credentials",
    "errors",
    "_support.redaction",
    "calling.retry",
    "settings.settings",
    "auth.signing",
)


@pytest.mark.exhaustive
def test_base_modules_load_no_heavy_library() -> None:
    modules = ", ".join(f"soapclient.{name}" for name in FOUNDATIONS)
    heavy = {"requests", "zeep", "xmlschema", "lxml", "urllib3", "msgspec"}
    code = f"import sys, {modules}; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []
