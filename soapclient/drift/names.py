"""What a service called something, as it may be kept and shown: names only, and no secrets.

In JSON, and in the first line of a CSV file, a name may be any text, and so anybody's data: a mail address as
the key of an object, a signed address. What is no name in XML (XML 1.0, 2.3: Name) is none that a contract
could give, and a placeholder stands for it.
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
_CUT: Final = "…"  # what zxws ends a long text with, or says for many names
# A step of a path: an attribute has a sign before it, and may have its namespace, which has slashes.
_STEP: Final = re.compile(r"(?P<sign>@?(?:\{[^{}]*\})?)(?P<name>[^/]*)")
_IS_NAME: Final = re.compile(rf"(?:[{_START}][{_LATER}]*)?{_CUT}?").fullmatch


def presentable(finding: Finding, secrets: Iterable[str] = ()) -> Finding:
    """A finding without secrets, in whose path a placeholder stands for what is no name."""
    secrets = tuple(secrets)
    path = _STEP.sub(_step, redact(finding.path, secrets))
    detail = redact(finding.detail, secrets) if finding.detail else ""
    return finding._replace(path=path, detail=detail)


def _step(match: re.Match[str]) -> str:
    name = match["name"]
    return match["sign"] + (name if _IS_NAME(name) else PLACEHOLDER)
