# Made by `bindgen generate advertiser`. Do not edit: change the contract, run it again.
# contract: advertiser/2015-03-01/advertiser.xsd
# its sha256: 5004390b33bd5342b2d7798b452768b62867445ca11c4eff500299ee8e85c49f
# sha256 of its settings in contracts.toml: c5a2b0fd4f025d0fa761d156ea6d5fb8c8bafb15a999ae9737722639ff4cf08b
"""Bindings of advertiser 2015-03-01."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .service import AdvertiserService as AdvertiserService
    from .service import AdvertiserServiceAsync as AdvertiserServiceAsync
    from .service import AdvertiserServiceAsyncStreams as AdvertiserServiceAsyncStreams
    from .service import AdvertiserServiceStreams as AdvertiserServiceStreams
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import service

        return getattr(service, name)


__all__ = [
    "AdvertiserService",
    "AdvertiserServiceAsync",
    "AdvertiserServiceAsyncStreams",
    "AdvertiserServiceStreams",
]
