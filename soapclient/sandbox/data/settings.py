"""Settings of applications, for all their places or for one media slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .applications import Application
from .kept import Kept
from .media_slots import MediaSlot

Key = tuple[str, str | None, str]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `slot_id` is None where it holds for all places of the application."""

    application_id: str
    slot_id: str | None
    key: str
    value: str | None
    custom_value: str | None
    type: str | None
    name: str | None
    description: str | None
    mandatory: bool | None

    def path(self) -> Key:
        """What tells it from all others."""
        return self.application_id, self.slot_id, self.key


_SAMPLES = (
    ("color", "color", "#336699", "#003366", "Colour"),
    ("rows", "number", "5", "8", "Rows"),
    ("headline", "string", "Heute günstig", "Nur heute & hier", "Headline"),
    ("border", "boolean", "true", "false", "Border"),
)


def initial_settings(applications: Sequence[Application], slots: Sequence[MediaSlot]) -> Kept[Key, Setting]:
    """Some for every application, one more for what is in each media slot."""
    made = []
    for index, application in enumerate(applications):
        for at in range(1 + index % len(_SAMPLES)):
            made.append(_setting(application.id, None, at))
    for index, slot in enumerate(slots):
        made += [_setting(number, slot.id, index % len(_SAMPLES)) for number in slot.application_ids]
    return Kept(Setting.path, made)


def _setting(application_id: str, slot_id: str | None, at: int) -> Setting:
    key, kind, value, custom, name = _SAMPLES[at]
    return Setting(
        application_id, slot_id, key, value, custom, kind, name, f"{name} of the box", mandatory=at == 0
    )
