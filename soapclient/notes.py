"""What an error was told on its way up (PEP 678), fit to be shown."""

from __future__ import annotations

from typing import Final

from soapclient.redaction import clean, redact

_LONGEST: Final = 500


def notes_of(error: BaseException) -> tuple[str, ...]:
    """Return the notes of an error in the order they were added, each in one line and without signatures."""
    notes: list[object] = getattr(error, "__notes__", [])
    return tuple(clean(redact(note), _LONGEST) for note in notes if isinstance(note, str))
