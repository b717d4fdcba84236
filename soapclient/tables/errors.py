"""What is wrong with a table, and what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from soapclient._support.redaction import shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret, without_secrets
from soapclient.errors import ConfigError, SoapClientError

Library = Literal["pyarrow", "pandas", "polars", "xlsxwriter"]

_INSTALL: Final = {
    "pyarrow": "Install the extra: pip install 'soapclient[arrow]'",
    "pandas": "Install it: pip install pandas",
    "polars": "Install it: pip install polars",
    "xlsxwriter": "Install the extra: pip install 'soapclient[excel]'",
}


@contextmanager
def needs(library: Library) -> Iterator[None]:
    """Around imports: raise ConfigError with what to install if the library is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise ConfigError(library, "is needed for this and not installed", _INSTALL[library]) from None


class TableError(SoapClientError):
    """A value that its column cannot hold, or a table that a file cannot. Nothing is rounded or cut.

    `operation` is what was called, `column` the column, `row` its row, from 1 on ("" and 0 of a table as a
    whole); `value` is the value, shortened (that of a secret is not shown), `allowed` what there is room for.
    """

    def __init__(
        self, operation: str, column: str, row: int, value: object, allowed: str, advice: str
    ) -> None:
        self.operation = operation
        self.column = column
        self.row = row
        self.value = NOT_SHOWN if is_secret(column) else without_secrets(shown(value))
        self.allowed = allowed
        said = f"{column} of row {row} is" if column else "the table has"
        super().__init__(f"{operation}: {said} {self.value}, expected {allowed}. {advice}")
