"""Optional libraries for tables: errors with the install command if one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from soapclient.errors import ConfigError

Library = Literal["pyarrow", "pandas", "polars", "xlsxwriter"]

_INSTALL: Final = {
    "pyarrow": "Install the extra: pip install 'soapclient[arrow]'",
    "pandas": "Install it: pip install pandas",
    "polars": "Install it: pip install polars",
    "xlsxwriter": "Install the extra: pip install 'soapclient[excel]'",
}


@contextmanager
def needs(library: Library) -> Iterator[None]:
    """Context manager for the import of a library. If it is missing, raises ConfigError.

    The error contains the command that installs the library.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise ConfigError(library, "is required, but not installed", _INSTALL[library]) from None
