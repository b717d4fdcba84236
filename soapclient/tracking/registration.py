"""The registration of the tracking service: its packages, commands, fixtures, settings and signing scheme."""

from __future__ import annotations

from typing import Final

from soapclient.services import Command, Service

_HEADING: Final = "The tracking service"
_SUMMARIES: Final = {
    "demo": "Show a complete job, without an account.",
    "export": "Order an export, wait for it, download and verify it.",
    "backfill": "Download many exports into one dataset.",
    "sandbox": "Serve the sandbox until Ctrl-C.",
    "sign": "Sign a request; show the signature and the text that was signed.",
    "doctor": "Check addresses, TLS, clock and credentials.",
}

SERVICE: Final = Service(
    packages={name: f"zxws.{name}" for name in ("publisher", "data", "advertiser")},
    soap=("publisher", "data"),
    commands={
        name: Command(f"soapclient.tracking.commands.{name}", _HEADING, summary)
        for name, summary in _SUMMARIES.items()
    },
    adapter="soapclient.tracking.adapter",
    fixtures="soapclient.tracking.fixtures",
    settings="soapclient.tracking.settings",
    schemes={"zxws": "soapclient.auth.signing:ZXWS"},
)
