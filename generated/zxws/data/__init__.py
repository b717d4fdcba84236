# Made by `bindgen generate data`. Do not edit: change the contract, run it again.
# contract: https://data.invalid/wsdl/2011-05-01
# its sha256: 5432b3dafec8f3ce04512e7619ef93b4f268bb4689e3fc26811070390cc8023d
# sha256 of its settings in contracts.toml: 3a23af1c210767ba06d762e2f8ae33e1bb94289abd394845193715f4bdd790c7
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
