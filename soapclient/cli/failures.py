"""Errors of commands. An error is printed on stderr, with a line for each note, and sets the exit code."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from traceback import format_exception
from typing import IO, Any, Final

import click

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import notes_of, redact
from soapclient._support.suggestions import nearest
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ConfigError,
    ContractDrift,
    ContractError,
    ExportError,
    ResponseError,
    ServiceFault,
    SoapClientError,
    TransportError,
    UnsupportedByProtocol,
)

_QUOTED: Final = LazyPattern(r"'([^']*)'")


class ExitCode(IntEnum):
    """Exit codes of commands that fail. `contract check` and `drift` have their own exit codes instead."""

    OTHER = 1
    USAGE = 2  # click's own
    CONFIGURATION = 3
    CONTRACT = 4
    AUTHENTICATION = 5
    FAULT = 6
    TRANSPORT = 7
    AMBIGUOUS = 8
    RESPONSE = 9
    EXPORT = 10


# The first matching row counts, so subclasses such as AuthenticationError come before their base classes.
EXIT_CODES: Final[tuple[tuple[ExitCode, str, tuple[type[SoapClientError], ...]], ...]] = (
    (ExitCode.OTHER, "another failure, such as a missing file or library", ()),
    (ExitCode.USAGE, "wrong options or arguments", ()),
    (ExitCode.CONFIGURATION, "a setting is missing or invalid", (ConfigError,)),
    (
        ExitCode.CONTRACT,
        "the request is invalid according to the contract; nothing was sent",
        (ContractError, UnsupportedByProtocol),
    ),
    (ExitCode.AUTHENTICATION, "the service refused the credentials or the signature", (AuthenticationError,)),
    (ExitCode.FAULT, "the service returned another fault", (ServiceFault,)),
    (
        ExitCode.TRANSPORT,
        "no usable response, because of the network, a proxy or a timeout",
        (TransportError,),
    ),
    (
        ExitCode.AMBIGUOUS,
        "a write was sent, but its outcome is unknown: check at the service before sending it again",
        (AmbiguousOutcome,),
    ),
    (ExitCode.RESPONSE, "the response is invalid according to the contract", (ResponseError, ContractDrift)),
    (ExitCode.EXPORT, "an export failed or is not done yet; the message says what to do", (ExportError,)),
)


class Failure(click.ClickException):
    """Raised if a command fails. The message is shown as `soapclient: …`. The exit code is 1 by default."""

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.OTHER) -> None:
        super().__init__(message)
        end_with(self, exit_code)

    def show(self, file: IO[Any] | None = None) -> None:  # click's own signature
        """Print the message to `file`, by default to stderr."""
        click.echo(f"soapclient: {self.format_message()}", file=file, err=file is None)


def failure_of(error: BaseException, *, traceback: bool) -> Failure | None:
    """Convert an expected error to a Failure. If `traceback` is True, its message has the traceback.

    Expected are a SoapClientError, and an OSError that is not a closed pipe. Returns None for other errors.
    """
    if isinstance(error, SoapClientError):
        message = f"{error}{_suggestion(error)}"
    elif isinstance(error, OSError) and error.errno != errno.EPIPE:
        where = "" if error.filename is None else f"{error.filename}: "
        message = f"{where}{error.strerror or str(error) or type(error).__name__}"
    else:
        return None
    message = "\nsoapclient: ".join((message, *notes_of(error)))
    if traceback:
        message += "\n" + redact("".join(format_exception(error)))
    return Failure(message, code_of(error))


def _suggestion(error: SoapClientError) -> str:
    """Return ` Did you mean …?` if the value that caused the error is similar to an allowed value.

    Otherwise, returns "".
    """
    if not isinstance(error, ContractError) or error.value is None:
        return ""
    hint = nearest(error.value.strip("'"), _QUOTED.findall(error.allowed))
    return hint.replace("; did", " Did")


def end_with(error: click.ClickException, code: int) -> None:
    """Set the exit code with which click ends the command after `error`."""
    setattr(error, "exit_code", code)  # noqa: B010 - click declares it on the class alone


def code_of(error: BaseException) -> ExitCode:
    """Return the exit code for an error of a call of a service. OTHER means any other kind of error."""
    return next((code for code, _, kinds in EXIT_CODES if isinstance(error, kinds)), ExitCode.OTHER)


@contextmanager
def needing_an_extra() -> Iterator[None]:
    """Context manager for importing an optional package.

    If the package is missing, raises a Failure that says what to install.
    """
    try:
        yield
    except ImportError as missing:
        raise Failure(str(missing)) from missing
