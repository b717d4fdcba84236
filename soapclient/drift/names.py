"""Names from a service as they may be logged and shown: XML names only, and no secrets.

In JSON, and in the first line of a CSV file, a name may be any text, even personal data: an e-mail address
as the key of an object, a signed address. A text that is not an XML name (XML 1.0, 2.3: Name) cannot come
from a contract; a placeholder replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from soapclient.redaction import redact
from soapclient.runtime import Finding

PLACEHOLDER: Final = "(not a name)"

_START: Final = (
    ":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LATER: Final = rf"{_START}\-.0-9\xb7\u0300-\u036f\u203f\u2040"
_CUT: Final = "…"  # ends a shortened text, or stands for many names
# A step of a path: an attribute has a sign before it, and may have its namespace, which has slashes.
_STEP: Final = re.compile(r"(?P<sign>@?(?:\{[^{}]*\})?)(?P<name>[^/]*)")
_IS_NAME: Final = re.compile(rf"(?:[{_START}][{_LATER}]*)?{_CUT}?").fullmatch


def presentable(finding: Finding, secrets: Iterable[str] = ()) -> Finding:
    """Return a finding without secrets, with a placeholder for each step of its path that is not a name."""
    secrets = tuple(secrets)
    path = _STEP.sub(_step, redact(finding.path, secrets))
    detail = redact(finding.detail, secrets) if finding.detail else ""
    return finding._replace(path=path, detail=detail)


def _step(match: re.Match[str]) -> str:
    name = match["name"]
    return match["sign"] + (name if _IS_NAME(name) else PLACEHOLDER)
