"""How to go on with an export that did not come to its end: the command to type, whole."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soapclient.cli.session import Globals
from soapclient.cli.state import remembers

if TYPE_CHECKING:
    from soapclient.config import Config
    from soapclient.exports.handle import ExportHandle


@dataclass(frozen=True)
class Hints:
    """Commands for an export to `output`. `state` and `handle_file` are what was given with the command."""

    config: Config
    output: Path
    state: Path | None
    handle_file: Path | None

    def go_on(self, handle: ExportHandle, *, written: bool) -> str:
        """The command that goes on with a job; `written` tells that the handle's file holds it."""
        if written and self.handle_file is not None:
            return self._command("resume", str(self.handle_file))
        if handle.in_ledger:
            return self._command(*_asked(handle))
        return self._command(handle.report_type, "--job", str(handle.job_id))

    def the_same(self, handle: ExportHandle, *more: str) -> str | None:
        """The command that orders the same, or goes on with the job that it has by now; None if none can.

        What another state folder keeps is not to be ordered through this one.
        """
        known = bool(handle.request) and remembers(self.config, handle)
        if not handle.request or (handle.in_ledger and not known):
            return None
        if known and self.handle_file is not None:
            more = (*more, "--handle", str(self.handle_file))
        return self._command(*_asked(handle), *more)

    def _command(self, *words: str) -> str:
        given = click.get_current_context().find_object(Globals) or Globals()
        settings = [] if given.config_file is None else ["--config", str(given.config_file)]
        state = [] if self.state is None else ["--state", str(self.state)]
        return shlex.join(["soapclient", *settings, "export", *words, *state, "-o", str(self.output)])


def _asked(handle: ExportHandle) -> list[str]:
    asked = {f"--{name.replace('_', '-')}": str(value) for name, value in handle.request.items()}
    asked.pop("--report-type", None)
    days = {"--from": asked.pop("--from-date", ""), "--to": asked.pop("--to-date", "")}
    return [handle.report_type, *(word for pair in (days | asked).items() for word in pair)]
