# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 56f73c2977e3212cc90e928c6605ba4af542df898cb75c02d850c4ac1eedc3ae
# sha256 of its settings in contracts.toml: 7d125a64fd4309c20ac349b876c9794703d3d842a46af22f0a460f7790dcb3e3
"""Python bindings for data 2011-05-01."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .service import DataService as DataService
    from .service import DataServiceAsync as DataServiceAsync
    from .service import DataServiceAsyncPages as DataServiceAsyncPages
    from .service import DataServiceAsyncStreams as DataServiceAsyncStreams
    from .service import DataServicePages as DataServicePages
    from .service import DataServiceStreams as DataServiceStreams
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import service

        return getattr(service, name)


__all__ = [
    "DataService",
    "DataServiceAsync",
    "DataServiceAsyncPages",
    "DataServiceAsyncStreams",
    "DataServicePages",
    "DataServiceStreams",
]
