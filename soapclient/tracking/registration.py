"""The registration of the tracking service: its packages, commands, fixtures, settings and signing scheme."""

from __future__ import annotations

from typing import Final

from soapclient.services import Service

_COMMANDS: Final = ("demo", "export", "backfill", "sandbox", "sign", "doctor")

SERVICE: Final = Service(
    packages={name: f"zxws.{name}" for name in ("publisher", "data", "advertiser")},
    soap=("publisher", "data"),
    commands={name: f"soapclient.tracking.commands.{name}" for name in _COMMANDS},
    adapter="soapclient.tracking.adapter",
    fixtures="soapclient.tracking.fixtures",
    settings="soapclient.tracking.settings",
    schemes={"zxws": "soapclient.auth.signing:ZXWS"},
)
