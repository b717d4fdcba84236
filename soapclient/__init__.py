"""Typed clients for SOAP services, generated from their WSDLs.

`connect` returns a client for a service of your own WSDL (`bindgen init`). `Client(Settings.load())` returns
a client for the built-in affiliate-tracking service. `connect_async` and `AsyncClient` are the same for
asyncio.

Importing this package does not import zeep, requests or xmlschema. They are imported when first needed.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers assume True; importing typing takes longer than all of this module

__version__ = "0.2.0"

if TYPE_CHECKING:
    from soapclient.asyncio import connect_async
    from soapclient.calling.ranges import days
    from soapclient.connection import connect
    from soapclient.tracking.async_client import AsyncClient
    from soapclient.tracking.client import Client
    from soapclient.tracking.settings import Settings
    from soapclient.values import json_default, to_dict, to_json

__all__ = [
    "AsyncClient",
    "Client",
    "Settings",
    "__version__",
    "connect",
    "connect_async",
    "days",
    "json_default",
    "to_dict",
    "to_json",
]


def __getattr__(name: str) -> object:
    # Imported on first access, so that `import soapclient` is fast.
    if name == "Client":
        from soapclient.tracking.client import Client

        return Client
    if name == "Settings":
        from soapclient.tracking.settings import Settings

        return Settings
    if name == "connect":
        # Not in a module named `connect`: importing it would replace the function in this package.
        from soapclient.connection import connect

        return connect
    if name == "AsyncClient":
        from soapclient.tracking.async_client import AsyncClient

        return AsyncClient
    if name == "connect_async":
        from soapclient.asyncio import connect_async

        return connect_async
    if name == "days":
        from soapclient.calling.ranges import days

        return days
    if name in {"json_default", "to_dict", "to_json"}:
        from soapclient import values

        return getattr(values, name)
    if name in {"Config", "ServiceSettings"}:
        raise ImportError(f"soapclient.{name} was renamed to soapclient.Settings", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
