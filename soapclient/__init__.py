"""A SOAP-first client of an affiliate-tracking service, generated from its WSDLs.

`Client(Settings.load())` is the way in, and `connect` the one to a service of your own WSDL (`bindgen init`);
`AsyncClient` and `connect_async` are the same for asyncio.
Importing this package loads none of zeep, requests or xmlschema: they come with the first call that needs
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from soapclient.asyncio import connect_async
    from soapclient.calling.ranges import days
    from soapclient.connection import connect
    from soapclient.tracking.async_client import AsyncClient
    from soapclient.tracking.client import Client
    from soapclient.tracking.settings import Settings
    from soapclient.values import to_dict, to_json

__all__ = [
    "AsyncClient",
    "Client",
    "Settings",
    "__version__",
    "connect",
    "connect_async",
    "days",
    "to_dict",
    "to_json",
]


def __getattr__(name: str) -> object:
    # Resolved when first asked for, so that `import soapclient` costs next to nothing.
    if name == "Client":
        from soapclient.tracking.client import Client

        return Client
    if name == "Settings":
        from soapclient.tracking.settings import Settings

        return Settings
    if name == "connect":
        # Not in a module of that name, which would take the function's place in here once it was imported.
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
    if name in {"to_dict", "to_json"}:
        from soapclient import values

        return getattr(values, name)
    if name in {"Config", "ServiceSettings"}:
        raise ImportError(f"soapclient.{name} was renamed to soapclient.Settings", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
