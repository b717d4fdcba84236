"""Choice of the reader for responses: the compiled reader if it is installed, otherwise the Python reader.

The environment variable SOAPCLIENT_SPEEDUPS chooses the reader for the complete process. It is not a setting,
because settings can differ between clients. Its values:

- `auto` (the default): use the compiled reader if it is installed.
- `1`: require the compiled reader.
- `0`: always use the Python reader.

Both readers return the same values. The Python reader reads all responses with a feature that
the compiled reader does not support.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from soapclient.errors import ConfigError

VARIABLE: Final = "SOAPCLIENT_SPEEDUPS"
_CHOICES: Final = ("0", "1", "auto")
_INTERFACE: Final = 2  # version of the compiled module; the same number is in its source


@cache
def in_use() -> bool:
    """Return True if this process uses the compiled reader. Reads SOAPCLIENT_SPEEDUPS once.

    Raises ConfigError if the variable is invalid, or if it requires a compiled reader that is not installed.
    """
    choice = os.environ.get(VARIABLE, "") or "auto"
    if choice not in _CHOICES:
        raise ConfigError(
            VARIABLE,
            f"must be one of {', '.join(_CHOICES)}, got {choice!r}",
            "Set it to auto, or remove it, to use the compiled reader if it is installed",
        )
    if choice == "0":
        return False
    problem = _problem()
    if problem and choice == "1":
        raise ConfigError(
            VARIABLE,
            f"is 1, but the compiled reader {problem}",
            f"Set it to auto, or install soapclient again with {VARIABLE}=1, which requires a C compiler "
            "and the headers of Python",
        )
    return not problem


def _problem() -> str:
    """Return why the compiled reader cannot be used; "" if it can be used."""
    try:
        import _soapclient_xmlread
    except ModuleNotFoundError:
        return "is not installed"
    except ImportError as error:
        return f"cannot be imported ({error})"
    if getattr(_soapclient_xmlread, "INTERFACE", 0) != _INTERFACE:
        return "was compiled for another version of soapclient"
    return ""


def reader_name() -> str:
    """Return "compiled" or "pure Python": the reader for responses that this process uses.

    Raises the same errors as `in_use`.
    """
    return "compiled" if in_use() else "pure Python"
