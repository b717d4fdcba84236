"""Errors of a command: a line on stderr, one more for each note, and an exit code."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import format_exception
from typing import IO, Any

import click

from soapclient.errors import SoapClientError
from soapclient.redaction import notes_of, redact


class Failure(click.ClickException):
    """A command failed: shown as `soapclient: …`, exit code 1."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:  # click's own signature
        click.echo(f"soapclient: {self.format_message()}", file=file, err=file is None)


def failure_of(error: BaseException, *, traceback: bool) -> Failure | None:
    """Return `error` as a Failure, with its traceback if wanted; None for unexpected errors."""
    if isinstance(error, SoapClientError):
        message = str(error)
    elif isinstance(error, OSError) and error.errno != errno.EPIPE:
        where = "" if error.filename is None else f"{error.filename}: "
        message = f"{where}{error.strerror or type(error).__name__}"
    else:
        return None
    message = "\nsoapclient: ".join((message, *notes_of(error)))
    if traceback:
        message += "\n" + redact("".join(format_exception(error)))
    return Failure(message)


@contextmanager
def needing_an_extra() -> Iterator[None]:
    """Around the import of an optional package: raise a Failure with what to install."""
    try:
        yield
    except ImportError as missing:
        raise Failure(str(missing)) from missing
